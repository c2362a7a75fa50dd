"""All texts that people read, and the rules that they break."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

from prose.grammar import mistakes
from prose.pages import ROOT, Text, of_page, pages
from prose.rules import MOST_WORDS, MOST_WORDS_OF_SOURCES, findings, sentences
from prose.sources import of_source, sources

HERE = Path(__file__).resolve().parent


def listed(name: str) -> list[str]:
    """Return the lines of a list next to this file, without its comments."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def texts(paths: Sequence[Path] = ()) -> Iterator[Text]:
    """Yield the texts of some files, else of all."""
    public = public_names()
    for path in paths or [*pages(), *sources()]:
        yield from of_page(path) if path.suffix == ".md" else of_source(path, public)


def broken(paths: Sequence[Path] = ()) -> list[str]:
    """Return a line for each rule that is broken, right uses excepted: place, rule, words, advice, sentence."""
    right = [tuple(line.split(": ", 1)) for line in listed("right_uses.txt")]
    found = []
    for path, line, text in texts(paths):
        most = MOST_WORDS if path.endswith(".md") else MOST_WORDS_OF_SOURCES
        for sentence in sentences(text):
            allowed = [words for name, words in right if name in (path, "*") and words in sentence]
            found += [
                f"{path}:{line}: {each.rule}: {each.words!r}; write: {each.advice} | {sentence}"
                for each in findings(sentence, most=most)
                if not any(each.words in words for words in allowed)
            ]
    return found


def unused(paths: Sequence[Path] = ()) -> list[str]:
    """Return the right uses that no text has any more."""
    seen = [(path, " ".join(text.split())) for path, _, text in texts(paths)]
    right = [tuple(line.split(": ", 1)) for line in listed("right_uses.txt")]
    return [f"{name}: {words}" for name, words in right if not any(words in text for path, text in seen if name in (path, "*"))]


def ungrammatical(paths: Sequence[Path] = ()) -> list[str]:
    """Return a line for each mistake that the grammar checker finds, right uses excepted."""
    right = set(listed("right_grammar.txt"))
    return [line for line, key in mistakes(texts(paths)) if key not in right]


def public_names() -> dict[str, set[str]]:
    """Return the names of each file whose docstrings people read: those of `kanon_sql`, and of its functions in SQL."""
    import kanon_sql

    found: dict[str, set[str]] = {"kanon_sql/spark.py": {"*"}}
    for name in kanon_sql.__all__:
        file = import_module(getattr(kanon_sql, name).__module__).__file__
        found.setdefault(Path(str(file)).relative_to(ROOT).as_posix(), set()).add(name)
    return found
