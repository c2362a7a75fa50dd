"""How a column of the BY list is coarsened, behind its name.

::

    recoding := IN kind [ends] [LOSS (number {, number})] | ends [LOSS (number)]
    ends     := TOP number [BOTTOM number] | BOTTOM number [TOP number]
    kind     := DIGITS [(count {, count})] | INTERVALS [ONLY] (width {, width}) | INTERVALS [ONLY] (period {, period})
              | INTERVALS [('max' | 'sum')] | CUTS [ONLY] (number {, number}) | HIERARCHY (table | 'file') [(level {, level})]
              | BINS [(algorithm)] | REGIONS table [(option {, option})] | RECTANGLES [(algorithm)]
              | RANGES | SETS | MEANS | MEDIANS
    algorithm := name ['(' order | epsilon ')']
    period   := DAY | MONTH | QUARTER | YEAR | DECADE
    option   := algorithm | 'merge'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

from sqlglot import TokenType

from kanon_sql.clause.mistakes import KINDS, no_recoding
from kanon_sql.clause.names import column_name, table_name
from kanon_sql.clause.reader import Reader
from kanon_sql.clause.script import Script
from kanon_sql.errors import ClauseError, PolicyError, raise_alone
from kanon_sql.model.coding import Coded, Cuts
from kanon_sql.model.recodings import (
    PERIODS,
    Bins,
    Digits,
    Generalization,
    Intervals,
    Levels,
    Means,
    Medians,
    Ranges,
    Rectangles,
    Regions,
    Sets,
)

T = TypeVar("T")

_ENDS = ("TOP", "BOTTOM")
"""Words of top and bottom coding."""


def recoding(reader: Reader) -> Generalization | None:
    """Read ``IN ...``, ``TOP`` or ``BOTTOM`` behind a column, if it comes next; ``IN RECTANGLES`` is for two columns."""
    if reader.skip("IN"):
        return kind(reader)
    return _coded(reader)


def _coded(reader: Reader) -> Coded | None:
    """Read ends without a kind, if they come next."""
    start, own = reader.place, _ends(reader)
    if not own:
        return None
    if reader.skip("LOSS"):
        own["loss"] = tuple(_list(reader, _number))
    return reader.checked(lambda: Coded(**own), start)


def kind(reader: Reader) -> Generalization:
    """Read what stands behind IN."""
    start, word = reader.place, reader.word
    if word not in KINDS:
        raise no_recoding(reader)
    reader.place += 1
    own: dict[str, Any]
    built: Callable[..., Generalization]
    match word:
        case "DIGITS":
            built, own = Digits, {"shown": tuple(_list(reader, _count))}
        case "INTERVALS":
            only = reader.skip("ONLY")
            built, own = Intervals, {**_intervals(reader), "only": only}
        case "CUTS":
            only = reader.skip("ONLY")
            if reader.kind is TokenType.NUMBER:
                raise reader.mistake("expected ( after CUTS; hint: write age IN CUTS (18, 65)", f"({reader.spelled})")
            built, own = Cuts, {"at": tuple(_list(reader, _signed)), "only": only}
        case "HIERARCHY":
            built, own = Levels, {"table": table_name(reader, "job IN HIERARCHY jobs")}
            own["levels"] = tuple(_list(reader, _count))
        case "REGIONS":
            built, own = Regions, {"edges": table_name(reader, "zip IN REGIONS zip_neighbours")}
            own |= _region_options(reader)
        case "RECTANGLES":
            raise reader.script.error("a rectangle needs exactly two coordinates; hint: write (lat, lon) IN RECTANGLES", start)
        case "BINS":
            built, own = Bins, {**algorithm(reader)}
        case "RANGES":
            built, own = Ranges, {}
        case "MEANS":
            built, own = Means, {}
        case "MEDIANS":
            built, own = Medians, {}
        case _:
            built, own = Sets, {}
    if reader.word in _ENDS:
        if word not in ("INTERVALS", "CUTS"):
            raise reader.error(f"{word} does not support {reader.word}; hint: write INTERVALS (5, 10) TOP 90, or TOP 90 alone")
        own |= _ends(reader)
    if reader.skip("LOSS"):
        if word not in ("DIGITS", "INTERVALS", "CUTS", "HIERARCHY"):
            raise reader.error(
                f"{word} does not support LOSS; hint: use it with DIGITS, INTERVALS with widths, CUTS or HIERARCHY"
            )
        own["loss"] = tuple(_list(reader, _number))
    return reader.checked(lambda: built(**own), start)


def recodings_of(texts: Mapping[str, object]) -> dict[str, Generalization]:
    """Read recodings by column from texts of their own, such as ``{'zip': 'DIGITS (3)'}``; ``RECTANGLES`` names the other.

    Raises
    ------
    PolicyError
        When one is none.
    """
    return {
        column: text if isinstance(text, Generalization) else of_text(column, text, _alone) for column, text in texts.items()
    }


def of_text(column: str, text: object, read: Callable[[Reader], T]) -> T:
    """Read what stands behind IN for a column from a text of its own.

    Raises
    ------
    PolicyError
        When it cannot be read.
    """
    if not isinstance(text, str):
        raise PolicyError(f"the recoding of \"{column}\" must be a string, got {type(text).__name__}; hint: write 'DIGITS (3)'")
    try:
        script = Script.read(text)
        if not script.tokens:
            raise PolicyError(f"the recoding of \"{column}\" is empty; hint: write one, such as 'DIGITS (3)'")
        reader = Reader(script, 0)
        found = read(reader)
        if reader.spelled:
            raise reader.error("unexpected text after the recoding; hint: write 'DIGITS (3)' or 'HIERARCHY age_levels'")
    except ClauseError as error:
        raise_alone(PolicyError(f'the recoding of "{column}": {error}'))
    return found


def _alone(reader: Reader) -> Generalization:
    if reader.skip("RECTANGLES", "WITH"):
        return Rectangles(beside=column_name(reader, "RECTANGLES WITH lon"), **algorithm(reader))
    return _coded(reader) or kind(reader)


def algorithm(reader: Reader) -> dict[str, str]:
    """Read the name of an algorithm in parentheses, if it comes next: the field of a recoding that says it."""
    if not reader.skip("("):
        return {}
    name = _name(reader)
    reader.expect(")", "after the name of the algorithm")
    return {"algorithm": name}


def _name(reader: Reader) -> str:
    name = reader.word.lower()
    if not name:
        raise reader.error("expected the name of an algorithm; hint: write BINS (fold), or omit the parentheses")
    reader.place += 1
    if not reader.skip("("):
        return name
    inside = reader.word.lower()
    if inside:
        reader.place += 1
    else:
        inside = str(reader.number("BINS (bin_scheme(1/8)), or BINS (fold(sorted))"))
    reader.expect(")", f"behind {name}({inside}")
    return f"{name}({inside})"


def _region_options(reader: Reader) -> dict[str, str]:
    """Read what stands in parentheses behind a map: the name of an algorithm, 'merge', or both."""
    found: dict[str, str] = {}
    start = reader.place
    for field, value in _list(reader, _region_option):
        if field in found:
            what = "two algorithms" if field == "algorithm" else "'merge' twice"
            raise reader.script.error(
                f"REGIONS lists {what}; hint: write REGIONS map (regions, 'merge')", start, reader.place - 1
            )
        found[field] = value
    return found


def _region_option(reader: Reader) -> tuple[str, str]:
    if reader.skip("'MERGE'"):
        return "components", "merge"
    return "algorithm", _name(reader)


def _intervals(reader: Reader) -> dict[str, Any]:
    for objective in ("max", "sum"):
        if reader.skip("(", f"'{objective}'".upper(), ")"):
            return {"objective": objective}
    return {"steps": tuple(_list(reader, _width))}


def _ends(reader: Reader) -> dict[str, Any]:
    """Read TOP and BOTTOM, in any order, as far as they come next."""
    found: dict[str, Any] = {}
    while (word := reader.word) in _ENDS:
        if word.lower() in found:
            raise reader.error(f"{word} is given twice; hint: write age TOP 90 BOTTOM 18")
        reader.place += 1
        found[word.lower()] = _signed(reader)
    return found


def _signed(reader: Reader) -> Fraction:
    """Read a number that may be negative."""
    minus = reader.skip("-")
    text = reader.decimal()
    if text is None:
        raise reader.error("expected a number; hint: write age TOP 90, or age IN CUTS (0, 18, 65, 90)")
    return -Fraction(text) if minus else Fraction(text)


def _list(reader: Reader, read: Callable[[Reader], Any]) -> list[Any]:
    """Read a list in parentheses; nothing where none comes next."""
    if not reader.skip("("):
        return []
    found = reader.separated(lambda: read(reader))
    reader.expect(")", "to close the list")
    return found


def _count(reader: Reader) -> int:
    text = reader.decimal()
    if text is None or not text.isdecimal():
        raise reader.error("expected the number of leading characters or levels; hint: write zip IN DIGITS (5, 3)")
    return int(text)


def _number(reader: Reader) -> Fraction:
    text = reader.decimal()
    if text is None:
        raise reader.error("expected a number; hint: write LOSS (0.1, 0.4)")
    return Fraction(text)


def _width(reader: Reader) -> Fraction | str:
    period = reader.word.lower()
    if period in PERIODS:
        reader.place += 1
        return period
    text = reader.decimal()
    if text is None:
        raise reader.error(f"expected a width; hint: write INTERVALS (5, 10), or INTERVALS ({', '.join(PERIODS[1:])})")
    return Fraction(text)
