"""No setting of DuckDB decides what our SQL means: every order tells its direction and the place of NULL."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

PROSE = {"clause/rewrite.py", "clause/single.py", "cli/syntax.py", "table/patterns.py"}
"""They describe orders, and write none."""

TEXTS = [
    path
    for folder in ("kanon_sql", "sql", "udfs")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".sql", ".py"} and str(path.relative_to(ROOT / folder)) not in PROSE
]

NOTHING = re.compile(r"--[^\n]*|\{%.*?%\}|\{\{ ', ' if .*?\}\}")
"""Comments, and what dbt leaves out."""

NAMES = re.compile(r'(?<!")"[\w #]+"(?!")|\{\{.*?\}\}|\$?\{\w*\}')
"""Quoted names, and slots."""

OUTSIDE = re.compile(r"\{%-? end(?:call|test|macro)")
"""Where an SQL text of dbt ends."""

BRACKETS = re.compile(r"\([^()]*\)|\[[^][]*\]")

END = re.compile(r"[)\"'`]|\b(?:LIMIT|ROWS|RANGE|GROUPS)\b")


def terms(text: str) -> list[str]:
    """Return the terms of every ORDER BY of a text."""
    found = []
    text = NAMES.sub("x", NOTHING.sub("", OUTSIDE.sub("`", text)))
    for start in re.finditer(r"\bORDER\s+BY\b", text, re.IGNORECASE):
        rest, depth = text[start.end() :], 1
        while depth:
            rest, depth = BRACKETS.subn("", rest)
        found += END.split(rest, maxsplit=1)[0].split(",")
    return [" ".join(term.split()) for term in found]


@pytest.mark.everything
def test_every_order_is_explicit() -> None:
    for path in TEXTS:
        for term in terms(path.read_text(encoding="utf-8")):
            assert re.search(r" (ASC|DESC) NULLS (FIRST|LAST)$", term, re.IGNORECASE), f"{path.name}: ORDER BY {term}"


def test_every_sorted_list_is_explicit() -> None:
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        explicit = re.findall(r"'+(?:ASC|DESC)'+, '+NULLS (?:FIRST|LAST)'+\)", text)
        assert text.count("system.main.list_sort(") == len(explicit), path.name
        others = re.search(r"system\.main\.(array_sort|list_reverse_sort|array_reverse_sort|list_grade_up)\(", text)
        assert not others, path.name


def test_the_terms_are_those_of_duckdb() -> None:
    text = """SELECT max(a) OVER (PARTITION BY b ORDER BY f(a, (b)) DESC, "c d", x COLLATE "binary" ASC ROWS 1 PRECEDING),
        list(a ORDER BY b) FROM t order by ALL -- ORDER BY nothing"""
    assert terms(text) == ["f DESC", "x", "x COLLATE x ASC", "b", "ALL"]
