"""A dimension with levels in front of PROTECT: ``zip IN DIGITS (5, 3, 0)`` shows rows of each level.

::

    dimension := expression [IN DIGITS (count {, count})]

The finest level comes first. A level of 0 digits is the total. Other surfaces give the words behind IN as a text of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kanon_sql.clause.mistakes import KINDS
from kanon_sql.clause.reader import Reader
from kanon_sql.clause.recodings import of_text
from kanon_sql.clause.script import Script
from kanon_sql.model.tabulation import level_key

_EXAMPLE = "zip IN DIGITS (5, 3)"

_MOST = 1_000_000
"""Characters of the longest label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """What ``IN DIGITS`` asks for.

    Parameters
    ----------
    digits : tuple of int
        How many leading characters each level shows, the finest first.
    total : bool
        Whether the total is a level.
    """

    digits: tuple[int, ...]
    total: bool

    def labels(self, spelled: str, text: str) -> Iterator[tuple[str, str]]:
        """Yield the key of each level: a text that tells keys apart, and its SQL."""
        for count in self.digits:
            yield level_key(spelled, count), _label(text, count)


def read_levels(script: Script, start: int, end: int) -> tuple[int, Levels] | None:
    """Read the levels of an expression of GROUP BY, and the place of their IN; None if it has none.

    Raises
    ------
    ClauseError
        When they are incomplete, or of another kind.
    """
    place = next((each for each in script.level(start, end) if script.keyword(each) == "IN"), None)
    if place is None or script.word(place + 1) not in KINDS:
        return None
    reader = Reader(script, place + 1)
    found = _levels(reader)
    if reader.place != end:
        raise reader.error(f"unexpected {reader.spelled} after the levels; hint: {_EXAMPLE}")
    return place, found


def levels_of(column: str, text: object) -> Levels:
    """Read the levels of a column from a text of their own, such as ``DIGITS (5, 3, 0)``.

    Raises
    ------
    PolicyError
        When they are none.
    """
    return of_text(column, text, _levels)


def _levels(reader: Reader) -> Levels:
    start = reader.place
    if not reader.skip("DIGITS"):
        raise reader.error(f"{reader.word or 'this'} has no levels before PROTECT; hint: {_hint(reader.word)}")
    reader.expect("(", f"before the numbers of characters; hint: {_EXAMPLE}")
    counts = reader.separated(lambda: _count(reader))
    reader.expect(")", "after the numbers of characters")
    digits = tuple(sorted({*counts} - {0}, reverse=True))
    if not digits:
        raise reader.script.error(f"a level shows at least one character; hint: {_EXAMPLE}", start)
    return Levels(digits=digits, total=0 in counts)


def _count(reader: Reader) -> int:
    number = reader.number(_EXAMPLE)
    if number.denominator != 1 or not 0 <= number <= _MOST:
        raise reader.script.error(
            f"the number of characters must be a whole number up to {_MOST:,}; hint: {_EXAMPLE}", reader.place - 1
        )
    return int(number)


def _hint(word: str) -> str:
    if word == "HIERARCHY":
        return "join the hierarchy in FROM, and write GROUP BY ROLLUP (level2, level1, level0)"
    return f"use {_EXAMPLE}, or group by an expression such as age // 10 * 10"


def _label(value: str, count: int) -> str:
    text = f"CAST({value} AS VARCHAR)"
    return f"system.main.left({text}, {count}) || system.main.repeat('*', system.main.length({text}) - {count})"
