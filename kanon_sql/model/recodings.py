"""How the cells of a quasi-identifier may be coarsened before they are suppressed, as a policy or its JSON says it.

Nothing here knows a value: what the cells of a table show at each level is the work of :mod:`kanon_sql.table.labels.ladders`.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

from kanon_sql.errors import PolicyError, hint_of, use_one_of
from kanon_sql.model.coding import Coded, Cuts, number_or_none, refuse_ends, refuse_no_flag, whole_years
from kanon_sql.model.grouping_algorithms import AUTO, GroupingAlgorithm
from kanon_sql.model.validation import as_tuple, fraction, known_keys, losses, named, one_of, plain_number, whole

PERIODS = ("day", "month", "quarter", "year", "decade")
"""Intervals of dates, each within one of the next."""

Level = int | Fraction | str
"""What a level is called: the number of leading characters, the width or period of intervals, `CODED`, `CUT`, or its number."""

VALUE = 0
"""The level that shows the value itself."""

OBJECTIVES = ("max", "sum")
"""What optimal intervals keep small: the heaviest interval, or the sum over all rows of the rows of their interval."""

SUPPRESS = "suppress"
"""The recoding of a column whose cells are shown or hidden, nothing in between."""


def _width(step: object) -> Fraction:
    """Return the width of intervals; a text is taken for a misspelled period."""
    if isinstance(step, str) and not step[:1].isdigit():
        periods = hint_of(step, PERIODS, f"the periods are {', '.join(PERIODS)}", always=True)
        raise PolicyError(f"{step} is neither an interval width nor a period; hint: {periods}")
    return fraction(step, "the width of an interval")


@dataclass(frozen=True, slots=True, kw_only=True)
class Digits:
    """Leading characters are shown, each other one becomes ``*``: ``98***``. A label keeps the length of its value."""

    shown: tuple[int, ...] = ()  # the permitted numbers of leading characters, at least 1; empty permits every number of them
    # loss of each level except the value and suppression, between 0 and 1; empty takes their share of the domain
    loss: tuple[Fraction, ...] = ()

    def __post_init__(self) -> None:
        shown = tuple(whole(each, "the number of leading characters", 1) for each in as_tuple(self.shown, "shown"))
        object.__setattr__(self, "shown", tuple(sorted(set(shown), reverse=True)))
        object.__setattr__(self, "loss", losses(self.loss))


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """Numbers or dates are shown as the interval that they are in."""

    # The widths of the levels, ascending, as numbers above 0 or as names of `PERIODS`. An interval is cut where one of a wider
    # level ends, so that each lies within one of the next. Empty: intervals of at least k rows each are chosen.
    steps: tuple[Fraction | str, ...] = ()
    objective: str = "max"  # what the chosen intervals keep small, one of `OBJECTIVES`; without ``steps`` only
    # as in `Digits`; with an end there is a level before the widths, and it has its own, unless ``only``
    loss: tuple[Fraction, ...] = ()
    # top, bottom: as in `Coded`; intervals of numbers are cut there. With periods they are years.
    top: Fraction | None = None
    bottom: Fraction | None = None
    only: bool = False  # whether no release shows the value itself; with ``steps`` only

    def __post_init__(self) -> None:
        refuse_no_flag(self.only)
        steps = tuple(
            each if isinstance(each, str) and each in PERIODS else _width(each) for each in as_tuple(self.steps, "steps")
        )
        if any(isinstance(each, Fraction) and each <= 0 for each in steps):
            raise PolicyError("an interval width must be above 0; hint: write age IN INTERVALS (5, 10)")
        if len({isinstance(each, str) for each in steps}) > 1:
            raise PolicyError(
                "intervals must be numbers or periods, not both; hint: write INTERVALS (5, 10), or INTERVALS (month, year)"
            )
        if any(width_order(high) <= width_order(low) for low, high in pairwise(steps)):
            raise PolicyError(
                "interval widths must be in ascending order; hint: write INTERVALS (5, 10, 25), or INTERVALS (month, year)"
            )
        one_of(self.objective, OBJECTIVES, "the objective of intervals")
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "top", number_or_none(self.top, "TOP"))
        object.__setattr__(self, "bottom", number_or_none(self.bottom, "BOTTOM"))
        if coded_ends(self) != (None, None) and not steps:
            raise PolicyError("TOP and BOTTOM need interval widths; hint: write INTERVALS (5, 10) TOP 90")
        if any(isinstance(each, str) for each in steps):
            whole_years(self.top, self.bottom)
        refuse_ends(self.top, self.bottom)
        if self.only and not steps:
            raise PolicyError("INTERVALS ONLY needs widths; hint: write age IN INTERVALS ONLY (5, 10)")
        object.__setattr__(self, "loss", losses(self.loss))


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """A generalization hierarchy in a table ``(level0, level1, ..., levelh)`` or ``(value, parent)``."""

    table: str  # name of the table; its root stands for suppression
    levels: tuple[int, ...] = ()  # the permitted levels: 0 is the value itself, 1 its parent, and so on; empty permits all
    loss: tuple[Fraction, ...] = ()  # as in `Digits`

    def __post_init__(self) -> None:
        named(self.table, "the table of a hierarchy")
        levels = tuple(whole(each, "the level of a hierarchy", VALUE) for each in as_tuple(self.levels, "levels"))
        object.__setattr__(self, "levels", tuple(sorted(set(levels))))
        object.__setattr__(self, "loss", losses(self.loss))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins:
    """Unordered labels are put together in bins of at least k rows, the heaviest as light as possible.

    Raises
    ------
    PolicyError, UnknownAlgorithmError
        As `GroupingAlgorithm.read`.
    """

    ALGORITHMS: ClassVar[tuple[str, ...]] = ("balanced", "spread", "fold", "plain_spread", "bin_scheme", "bin_exact")

    # One of `ALGORITHMS`, modules of :mod:`kanon_sql.solvers.labels`, in any case; or `AUTO`. ``fold`` and ``plain_spread`` may
    # say in which order they pack labels, as ``fold(sorted)`` or ``fold(random)``, and ``bin_scheme`` how far it rounds sizes,
    # as ``bin_scheme(1/8)``.
    algorithm: str = AUTO

    def __post_init__(self) -> None:
        algorithm = GroupingAlgorithm.read(self.algorithm, self.ALGORITHMS, "BINS")
        object.__setattr__(self, "algorithm", str(algorithm))


@dataclass(frozen=True, slots=True, kw_only=True)
class Regions:
    """Labels that are neighbours are put together in connected regions of at least k rows."""

    ALGORITHMS: ClassVar[tuple[str, ...]] = ("regions", "region_exact")

    edges: str  # name of the table ``(a, b)`` of neighbours
    # ``'refuse'`` where a connected part of the map has fewer than k rows, or ``'merge'`` such parts
    components: str = "refuse"
    algorithm: str = AUTO  # as in `Bins`

    def __post_init__(self) -> None:
        named(self.edges, "the table of neighbours")
        one_of(self.components, ("refuse", "merge"), "components")
        algorithm = GroupingAlgorithm.read(self.algorithm, self.ALGORITHMS, "REGIONS")
        object.__setattr__(self, "algorithm", str(algorithm))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rectangles:
    """Points of the plane are put together in rectangles of at least k rows; both coordinates say so."""

    ALGORITHMS: ClassVar[tuple[str, ...]] = ("kd_tree", "guillotine", "rectangle_exact")

    beside: str  # the other coordinate
    algorithm: str = AUTO  # as in `Bins`; both coordinates have the same

    def __post_init__(self) -> None:
        named(self.beside, "the other coordinate of a rectangle")
        algorithm = GroupingAlgorithm.read(self.algorithm, self.ALGORITHMS, "RECTANGLES")
        object.__setattr__(self, "algorithm", str(algorithm))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranges:
    """Each class shows the range of its own values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sets:
    """Each class shows the set of its own values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """Each class shows the mean of its own numbers, as DOUBLE."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Medians:
    """Each class shows the lower median of its own numbers or dates, in the type of the column."""


KINDS: dict[str, type[Generalization]] = {
    "digits": Digits,
    "intervals": Intervals,
    "cuts": Cuts,
    "coded": Coded,
    "hierarchy": Levels,
    "bins": Bins,
    "regions": Regions,
    "rectangles": Rectangles,
    "ranges": Ranges,
    "sets": Sets,
    "means": Means,
    "medians": Medians,
}
"""All of them, by their names in JSON."""

Generalization = Digits | Intervals | Cuts | Coded | Levels | Bins | Regions | Rectangles | Ranges | Sets | Means | Medians

OwnValues = Ranges | Sets
"""A class shows the range or the set of its own values: a text that may be long."""

Aggregate = Means | Medians
"""A class shows one number for all of its rows; there is no text, and nothing is suppressed."""

Summary = OwnValues | Aggregate
"""What a cell shows depends on its class, not on its value alone."""


def table_of(recoding: Generalization | None) -> str | None:
    """Return the name of the table that a recoding reads."""
    if isinstance(recoding, Levels):
        return recoding.table
    return recoding.edges if isinstance(recoding, Regions) else None


def coded_ends(recoding: Generalization | None) -> tuple[Fraction | None, Fraction | None]:
    """Return the numbers from which on, and up to which, a recoding shows one label."""
    return (recoding.top, recoding.bottom) if isinstance(recoding, Intervals | Cuts | Coded) else (None, None)


def shows_values(recoding: Generalization | None) -> bool:
    """Tell whether a recoding of numbers or dates has a level that shows them, at least those between its ends."""
    return not (isinstance(recoding, Intervals | Cuts) and recoding.only)


def has_fixed_labels(recoding: Generalization | None) -> bool:
    """Tell whether the label of a value at each level depends on the value alone, not on the other rows."""
    return isinstance(recoding, Digits | Levels | Cuts | Coded) or (isinstance(recoding, Intervals) and bool(recoding.steps))


def chooses_groups(recoding: Generalization | None) -> bool:
    """Tell whether the labels of a recoding depend on how many rows have each value, not on the values alone."""
    return isinstance(recoding, Bins | Regions | Rectangles) or (isinstance(recoding, Intervals) and not recoding.steps)


def width_order(step: Fraction | str) -> Fraction | int:
    """Return what the widths of intervals are ordered by."""
    return PERIODS.index(step) if isinstance(step, str) else step


def recoding_to_json(recoding: Generalization | None) -> Any:
    """Return a recoding as plain JSON data."""
    if recoding is None:
        return SUPPRESS
    kind = next(name for name, each in KINDS.items() if isinstance(recoding, each))
    found: dict[str, Any] = {"type": kind}
    for each in fields(recoding):
        value = getattr(recoding, each.name)
        if value is None or value is False:  # an end that there is not, and values that may be shown
            continue
        found[each.name] = [_plain(part) for part in value] if isinstance(value, tuple) else _plain(value)
    return found


def recoding_from_json(item: Any) -> Generalization | None:
    """Read a recoding from plain JSON data; what may be left out takes its default."""
    if item is None or item == SUPPRESS or isinstance(item, Generalization):
        return item if isinstance(item, Generalization) else None
    kind = item.get("type") if isinstance(item, dict) else item
    if not isinstance(kind, str) or kind not in KINDS:
        shown = repr(kind) if isinstance(kind, str) else type(kind).__name__
        hint = hint_of(kind, KINDS, use_one_of((SUPPRESS, *KINDS)))
        raise PolicyError(f"unknown recoding type {shown}; hint: {hint}")
    built = KINDS[kind]
    names = {each.name: each.default is MISSING for each in fields(built)}
    data = known_keys(
        item if isinstance(item, dict) else {"type": kind},
        {"type", *names},
        f"the recoding {kind!r}",
        [name for name, must in names.items() if must],
    )
    return built(**{key: value for key, value in data.items() if key != "type"})


def _plain(value: Any) -> Any:
    return plain_number(value) if isinstance(value, Fraction) else value
