"""The code speaks the field's language: words of our own have a standard word, which is used instead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = sorted(path for pattern in ("kanon_sql/**/*.py", "kanon_sql/**/*.pxd", "udfs/**/*.py") for path in ROOT.glob(pattern))
TESTS = sorted(path for path in ROOT.glob("tests/**/*.py") if path.stem not in {"test_house_words", "test_house_prose"})
"""All but those that list such words."""

EVERYWHERE = {
    "allowance": "acceptance threshold, or surplus",
    "crowd": "requirement",
    "demand": "requirement; guarantee in what users read",
    "filler": "top-up rows",
    "limbo": "unassigned",
    "loose": "unassigned",
    "mend": "repair",
    "mended": "repair",
    "pool": "candidate classes, or search space",
    "pools": "candidate classes, or search space",
    "promise": "requirement; guarantee in what users read",
    "promised": "required; guaranteed in what users read",
    "promises": "requirements; guarantees in what users read",
    "reopen": "shift",
    "room": "workspace, or capacity",
    "ruin": "destroy",
    "spare": "surplus",
    "spared": "surplus",
    "spares": "surplus",
    "standing": "representative",
    "warmth": "initial threshold",
}
"""Words that the code has no use for, as whole words and as parts of names, and the standard words."""

IN_SEARCHES = {
    "ground": "sensitive values",
    "home": "fallback",
    "homes": "fallback",
    "lack": "shortfall",
    "lacks": "shortfall",
    "parity": "odd set",
    "plan": "partition, or assignment",
    "plans": "partitions, or assignments",
    "settle": "repair, or assign the rest",
    "settled": "repaired",
    "site": "search space",
    "sites": "search spaces",
}
"""Elsewhere DuckDB plans a statement, a clause has a site in it, a policy has a home, a file lacks a key, a unit is settled."""

NOT_IN_TESTS = {word: better for word, better in EVERYWHERE.items() if word != "room"}
"""The house has rooms."""

SEARCHES = ("kanon_sql/kernels/", "kanon_sql/solvers/", "kanon_sql/table/", "kanon_sql/pipeline.py")

CLASSES = {
    "Division": "SummaryPartition",
    "Ground": "SearchSpace",
    "Look": "Pricing",
    "Looks": "UsefulInstances",
    "Moves": "MoveLog, or Placement",
    "PieceList": "AssignmentList",
    "Pieces": "PartialRecoding",
    "Promise": "Requirement",
    "Standing": "LargeClasses",
}
"""Names of classes only: a recoding consists of pieces, a search makes moves, and labels are divided."""

NAMES_IN_SEARCHES = {"look": "QI group, or pricing", "looks": "QI groups", "secret": "hidden levels"}
"""Names of variables and functions: in prose rows look alike. The secret of a session is no part of a search."""

ALLOWED = re.compile(
    "Ruin and Recreate"  # the title of a paper
    "|ThreadPoolExecutor"  # the standard library's
    "|[Gg]round distances?"  # the standard term of the earth mover's distance
)
"""Read over wherever they stand."""

PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
NAME = re.compile(r"(?<![\w.])(?:[a-z]+_)*(?:look|looks|secret)(?:_[a-z]+)*(?= ?(?:=(?!=)|:|\()|\.)")


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def found(text: str, name: str) -> list[str]:
    """Return the words of our own in a source, each beside the standard word."""
    text = ALLOWED.sub("", text)
    words = NOT_IN_TESTS if name.startswith("tests/") else EVERYWHERE | (IN_SEARCHES if name.startswith(SEARCHES) else {})
    parts = {part.lower() for part in PART.findall(f"{name}\n{text}".replace("new Promise(", "("))}  # of JavaScript
    wrong = [f"{word}: {words[word]}" for word in sorted(parts & words.keys())]
    defined = set(re.findall(r"^\s*(?:cdef )?class _?(\w+)", text, re.MULTILINE))
    wrong += [f"{word}: {CLASSES[word]}" for word in sorted(defined & CLASSES.keys())]
    if name.startswith(SEARCHES):
        code = re.sub(r'"""(?s:.*?)"""|"[^"\n]*"|#.*', "", text)
        parts = {part for each in NAME.findall(code) for part in each.split("_")}
        wrong += [f"{word}: {NAMES_IN_SEARCHES[word]}" for word in sorted(parts & NAMES_IN_SEARCHES.keys())]
    return wrong


def test_the_code_uses_standard_words() -> None:
    words = {place(path): found(path.read_text(encoding="utf-8"), place(path)) for path in [*SOURCES, *TESTS]}
    assert {name: some for name, some in words.items() if some} == {}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("what it promises\n", "promises"),
        ("def _settle(rows):\n", "settle"),
        ("with_filler = 1\n", "filler"),
        ("class SparePool:\n", "pool"),
        ("STANDING = 1\n", "standing"),
        ("class _Pieces:\n", "Pieces"),
        ("plan = 1\n", "plan"),
        ("    look = 1\n", "look"),
        ("def secret_of(rows):\n", "secret"),
        ("ground = 1\n", "ground"),
    ],
)
def test_words_of_our_own_are_found(text: str, word: str) -> None:
    assert any(each.startswith(f"{word}: ") for each in found(text, "kanon_sql/solvers/any.py"))


def test_standard_terms_are_read_over() -> None:
    text = "Ground distances of pieces that look alike; a ThreadPoolExecutor; the Ruin and Recreate Principle; a plane"
    assert not found(text, "kanon_sql/solvers/any.py")
    assert not found("plan = look('kanon#look')", "udfs/any.py")
