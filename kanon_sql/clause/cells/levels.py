"""A dimension with levels in front of PROTECT: ``zip IN DIGITS (5, 3, 0)`` shows rows of each level.

::

    dimension := expression [IN levels]
    levels    := DIGITS (count {, count}) | INTERVALS (width {, width}) [ends] | INTERVALS (period {, period}) [ends]
               | CUTS (number {, number}) [ends] | HIERARCHY table (level {, level})

The words are those of `kanon_sql.clause.recodings`. The finest level comes first. A level of 0 digits is the total. Other
surfaces give the words behind IN as a text of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from kanon_sql.clause import recodings
from kanon_sql.clause.mistakes import KINDS
from kanon_sql.clause.reader import Reader
from kanon_sql.clause.script import Script
from kanon_sql.errors import PolicyError
from kanon_sql.model.coding import Cuts
from kanon_sql.model.recodings import Intervals
from kanon_sql.model.recodings import Levels as Hierarchy
from kanon_sql.model.tabulation import hierarchy_level, level_key
from kanon_sql.table.labels.intervals import decimal

_EXAMPLES = {
    "DIGITS": "zip IN DIGITS (5, 3)",
    "INTERVALS": "age IN INTERVALS (5, 10)",
    "CUTS": "age IN CUTS (18, 65)",
    "HIERARCHY": "job IN HIERARCHY jobs (0, 1)",
}

_HINT = "INTERVALS, CUTS or HIERARCHY, or group by an expression such as age // 10 * 10"

_MOST = 1_000_000
"""Characters of the longest label."""

_LOOKED_UP = """CASE WHEN {value} IS NOT NULL THEN coalesce((
    SELECT CASE WHEN system.main.min("kanon#label") = system.main.max("kanon#label") THEN system.main.min("kanon#label")
        ELSE system.main.error('kanon audit: a value has two labels in the hierarchy; hint: keep only one row for it') END
    FROM (
        SELECT CAST(level0 AS VARCHAR) AS "kanon#value", CAST(level{level} AS VARCHAR) AS "kanon#label" FROM {table}
    ) AS "kanon#hierarchy"
    WHERE "kanon#value" = CAST({value} AS VARCHAR)
), system.main.error('kanon audit: a value of the key is not in the hierarchy; hint: add it to level0')) END"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """What the words behind IN ask for."""

    # the name of each level, the finest first, and what makes the SQL of its label from that of the value
    each: tuple[tuple[str, Callable[[str], str]], ...]
    total: bool = False  # whether the total is a level

    def labels(self, spelled: str, text: str) -> Iterator[tuple[str, str]]:
        """Yield the key of each level: a text that tells keys apart, and its SQL."""
        for name, label in self.each:
            yield level_key(spelled, name), label(text)


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
    example = _EXAMPLES.get(reader.word, _EXAMPLES["DIGITS"])
    found = _levels(reader)
    if reader.place != end:
        raise reader.error(f"unexpected {reader.spelled} after the levels; hint: write {example}")
    return place, found


def levels_of(column: str, text: object) -> Levels:
    """Read the levels of a column from a text of their own, such as ``DIGITS (5, 3, 0)``.

    Raises
    ------
    PolicyError
        When they are none.
    """
    return recodings.of_text(column, text, _levels)


def _levels(reader: Reader) -> Levels:
    start, word = reader.place, reader.word
    if word not in _EXAMPLES:
        raise reader.error(f"{word or 'this'} cannot have levels before PROTECT; hint: use {_EXAMPLES['DIGITS']}, {_HINT}")
    example = _EXAMPLES[word]
    if word == "DIGITS":
        return _digits(reader)
    recoding = recodings.kind(reader)
    if recoding.loss:  # type: ignore[union-attr]
        raise reader.script.error(f"LOSS is not supported before PROTECT; hint: write {example}", start, reader.place - 1)
    match recoding:
        case Intervals(steps=(_, *_)) | Cuts():
            text = _words(recoding)
            count = len(recoding.steps) if isinstance(recoding, Intervals) else 1
            return Levels(each=tuple((f"{text} LEVEL {level}", partial(_label, text, level)) for level in range(count)))
        case Hierarchy(levels=(_, *_)):
            table = recoding.table
            return Levels(
                each=tuple((hierarchy_level(table, level), partial(_looked_up, table, level)) for level in recoding.levels)
            )
    raise reader.script.error(f"{word} needs its levels in parentheses before PROTECT; hint: write {example}", start)


def _digits(reader: Reader) -> Levels:
    example = _EXAMPLES["DIGITS"]
    start = reader.place
    reader.place += 1
    reader.expect("(", f"before the numbers of characters; hint: write {example}")
    counts = reader.separated(lambda: _count(reader))
    reader.expect(")", "after the numbers of characters")
    digits = sorted({*counts} - {0}, reverse=True)
    if not digits:
        raise reader.script.error(f"a level must show at least one character; hint: write {example}", start)
    return Levels(each=tuple((f"DIGITS ({count})", partial(_digit_label, count)) for count in digits), total=0 in counts)


def _count(reader: Reader) -> int:
    example = _EXAMPLES["DIGITS"]
    number = reader.number(example)
    if number.denominator != 1 or not 0 <= number <= _MOST:
        raise reader.script.error(
            f"the number of characters must be a whole number up to {_MOST:,}; hint: write {example}", reader.place - 1
        )
    return int(number)


def _words(recoding: Intervals | Cuts) -> str:
    """Return a recoding as the clause writes it, always in the same way."""
    numbers = recoding.steps if isinstance(recoding, Intervals) else recoding.at
    listed = ", ".join(each if isinstance(each, str) else decimal(each) for each in numbers)
    ends = "".join(
        f" {word} {decimal(end)}" for word, end in (("TOP", recoding.top), ("BOTTOM", recoding.bottom)) if end is not None
    )
    return f"{'INTERVALS' if isinstance(recoding, Intervals) else 'CUTS'} ({listed}){ends}"


def _digit_label(count: int, value: str) -> str:
    text = f"CAST({value} AS VARCHAR)"
    return f"system.main.left({text}, {count}) || system.main.repeat('*', system.main.length({text}) - {count})"


def _label(words: str, level: int, value: str) -> str:
    return f"system.main.kanon_level(CAST({value} AS VARCHAR), '{words}', {level})"


def _looked_up(table: str, level: int, value: str) -> str:
    return _LOOKED_UP.format(value=value, level=level, table=table)


def recoding_of(words: str) -> Intervals | Cuts:
    """Return the recoding whose labels levels show, without a level of values.

    Raises
    ------
    PolicyError
        When there is none.
    """
    found = recodings.recodings_of({"": words})[""]
    if not isinstance(found, Intervals | Cuts):
        raise PolicyError("a level needs intervals or cuts; hint: write INTERVALS (5, 10)")
    return replace(found, only=True)
