"""How the cells of a column can be generalized, by what the column holds, in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import floor, log10
from pathlib import Path

from kanon_sql.clause import recoding_of
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.policies.suggested_levels import holds
from kanon_sql.model.coding import CODED, CUT, Coded, Cuts
from kanon_sql.model.recodings import (
    PERIODS,
    Bins,
    Digits,
    Generalization,
    Intervals,
    Level,
    Levels,
    Means,
    Medians,
    Ranges,
    Sets,
    coded_ends,
    shows_values,
)
from kanon_sql.model.validation import named_file
from kanon_sql.recognition import recognized_name
from kanon_sql.studio.source import Source
from kanon_sql.table.labels.intervals import decimal

SUPPRESS, DATES, WIDTHS, CUTS, ENDS, CHARACTERS, GROUPS, CHOSEN, BINS, RANGES, SETS, MEANS, MEDIANS, OTHER = (
    "suppress",
    "dates",
    "widths",
    "cuts",
    "ends",
    "characters",
    "groups",
    "chosen",
    "bins",
    "ranges",
    "sets",
    "means",
    "medians",
    "other",
)

WAYS = {
    SUPPRESS: "The value, or an empty cell",
    DATES: "Month, year or decade",
    WIDTHS: "Intervals of fixed widths",
    CUTS: "Intervals between limits that you choose",
    ENDS: "The number, with the highest or lowest ones together",
    CHARACTERS: "The first characters, then asterisks",
    GROUPS: "Groups of values that you choose",
    CHOSEN: "Intervals with enough people in each, chosen for you",
    BINS: "Groups with enough people in each, chosen for you",
    RANGES: "The range of the values in its class, such as [17, 23]",
    SETS: "The set of the values in its class, such as {flu, gout}",
    MEANS: "The mean of the numbers in its class",
    MEDIANS: "The median of its class",
    OTHER: "As written in SQL",
}
"""What a cell shows, in words."""

_FIXED: dict[str, Generalization] = {
    CHOSEN: Intervals(),
    BINS: Bins(),
    RANGES: Ranges(),
    SETS: Sets(),
    MEANS: Means(),
    MEDIANS: Medians(),
}

_SHORT = {
    SUPPRESS: "Value or empty cell",
    CHOSEN: "Intervals chosen for you",
    BINS: "Groups chosen for you",
    RANGES: "Range of its class",
    SETS: "Set of its class",
    MEANS: "Mean of its class",
    MEDIANS: "Median of its class",
    OTHER: "As written in SQL",
}


@dataclass(frozen=True, slots=True)
class Holds:
    """What the values of a column are; a column of five digits can be of numbers and of codes."""

    low: float | None
    high: float | None
    numbers: bool
    codes: bool
    dates: bool


def held(source: Source, column: str) -> Holds:
    """Return what a column holds; one scan."""
    low, high, numbers, codes, dates = holds(source.con.cursor(), quoted(source.name), column)
    return Holds(low, high, numbers and low is not None, codes, dates)


def ways(column: str, holding: Holds) -> list[str]:
    """Return what cells of a column can show, the most useful first: keys of `WAYS`."""
    if holding.dates:
        return [DATES, SUPPRESS, GROUPS, RANGES, SETS, MEDIANS]
    if not holding.numbers:
        return [SUPPRESS, GROUPS, CHARACTERS, BINS, SETS]
    recognized = recognized_name(column)
    if recognized is not None and recognized.kind == "postal code":
        return [CHARACTERS, GROUPS, SUPPRESS, BINS, WIDTHS, SETS]
    codes = [CHARACTERS] if holding.codes else []
    return [WIDTHS, CUTS, ENDS, SUPPRESS, *codes, GROUPS, CHOSEN, RANGES, MEANS, MEDIANS, SETS]


def way_of(recoding: Generalization | None) -> str:
    """Return what the cells of a recoding show, as a key of `WAYS`."""
    match recoding:
        case None:
            return SUPPRESS
        case Digits():
            return CHARACTERS
        case Intervals(steps=(str(), *_)):
            return DATES
        case Intervals(steps=(_, *_)):
            return WIDTHS
        case Cuts():
            return CUTS
        case Coded():
            return ENDS
        case Levels():
            return GROUPS
    return next((way for way, each in _FIXED.items() if each == recoding), OTHER)


def start_of(way: str, holding: Holds) -> Generalization | None:
    """Return the recoding that a way starts with, suited to the range of the numbers."""
    low, high = holding.low or 0.0, holding.high or 0.0
    width = nice(max(high - low, 1.0) / 20)
    match way:
        case "dates":
            return Intervals(steps=("month", "year"))
        case "widths":
            return Intervals(steps=(width, 2 * width))
        case "cuts":
            start = nice(max(high - low, 1.0) / 4)
            first = (Fraction(low) // start + 1) * start
            return Cuts(at=(first, first + start))
        case "ends":
            top, least = Fraction(high) // width * width, Fraction(floor(low) + 1)
            return Coded(top=top if top > least else least)
        case "characters":
            return Digits()
    return _FIXED.get(way)


def coarser(column: str, holding: Holds) -> list[Generalization]:
    """Return recodings to try, from fine to coarse, for a column that loses too much; empty if none suits its values."""
    if holding.dates:
        steps = (("month", "year"), ("year", "decade"))
        return [*(Intervals(steps=each) for each in steps), Intervals(steps=("decade",), only=True)]
    if CHARACTERS in ways(column, holding)[:1]:
        return [Digits()]
    if not holding.numbers or holding.low is None or holding.high is None:
        return []
    width = nice(max(holding.high - holding.low, 1.0) / 20)
    return [Intervals(steps=(width, each * width)) for each in (2, 5, 10)]


def words_of(recoding: Generalization | None) -> str:
    """Return how the cells of a recoding are shown, in a few words.

    Examples
    --------
    >>> words_of(None), words_of(Intervals(steps=("year", "decade"), only=True)), words_of(Digits(shown=(5, 3)))
    ('Value or empty cell', 'Only year or decade', 'First 5 or 3 characters')
    >>> words_of(Intervals(steps=(Fraction(5), Fraction(10)), top=Fraction(90)))
    'Number, width 5 or 10; 90+ together'
    >>> words_of(Cuts(at=(Fraction(18), Fraction(65))))
    'Number, limits 18 and 65'
    """
    only = not shows_values(recoding)
    match recoding:
        case Digits(shown=()):
            return "First characters"
        case Digits(shown=shown):
            return f"First {_joined(map(str, shown), 'or')} characters"
        case Intervals(steps=(str(), *_) as steps):
            found = _joined([*([] if only else ["date"]), *map(str, steps)], "or")
            return f"Only {found}{_ends(recoding)}" if only else f"{found.capitalize()}{_ends(recoding)}"
        case Intervals(steps=(_, *_) as steps):
            widths = _joined((decimal(Fraction(each)) for each in steps), "or")
            return f"{'Only' if only else 'Number,'} width {widths}{_ends(recoding)}"
        case Cuts(at=at):
            return f"{'Only' if only else 'Number,'} limits {_joined(map(decimal, at), 'and')}{_ends(recoding)}"
        case Coded():
            return f"Number{_ends(recoding)}"
        case Levels(table=table):
            return f"Groups of {Path(named_file(table) or table).name}"
    return _SHORT[way_of(recoding)]


def level_words(level: Level) -> str:
    """Return the name of a level as the heading of its labels."""
    if level in PERIODS:
        return f"By {level}"
    if level == CODED:
        return "Ends together"
    if level == CUT:
        return "Between limits"
    return f"Width {decimal(level)}" if isinstance(level, Fraction) else str(level)


def text_of(recoding: Generalization | None) -> str:
    """Return a recoding as the statement writes it; an empty text is none."""
    return "" if recoding is None else recoding_of(recoding)


def weight_words(weight: Fraction | int) -> str:
    """Return how important a column is, in words.

    Examples
    --------
    >>> weight_words(Fraction(5, 2)), weight_words(Fraction(1, 2))
    ('2.5 times as important: it loses less.', 'Less important: it loses more.')
    """
    if weight == 1:
        return "As important as other columns of importance 1."
    return "Less important: it loses more." if weight < 1 else f"{float(weight):g} times as important: it loses less."


def nice(width: float) -> Fraction:
    """Return the largest of 1, 2 and 5 times a power of ten that is at most a width.

    Examples
    --------
    >>> [str(nice(each)) for each in (3.65, 0.07, 12500)]
    ['2', '1/20', '10000']
    """
    power = Fraction(10) ** floor(log10(width))
    return max(step * power for step in (1, 2, 5) if step * power <= Fraction(width) * (1 + Fraction(1, 10**9)))


def _joined(words: Iterable[str], last: str) -> str:
    *first, final = words
    return f"{', '.join(first)} {last} {final}" if first else final


def _ends(recoding: Intervals | Cuts | Coded) -> str:
    top, bottom = coded_ends(recoding)
    ends = [*([] if top is None else [f"{decimal(top)}+"]), *([] if bottom is None else [f"up to {decimal(bottom)}"])]
    return f"; {' and '.join(ends)} together" if ends else ""
