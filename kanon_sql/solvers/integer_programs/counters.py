"""Counters of the values in each class of a mixed-integer program, and constraints on them in whole numbers of any size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.integer_programs.model import Model
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import Sensitive

_EXACT = 1 << 53
"""Whole numbers below this are exact as floats."""

_LARGE = 1 << 30
"""Coefficients are divided to be at most this, where they are not exact anyway."""

_SLACK = 2.0**-50
"""Share of the largest coefficient by which such a constraint is loosened, so that it excludes no class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """The classes of a program by the values of one sensitive attribute, as numbers of variables."""

    opened: Int64  # [j]: whether each class is open
    size: Int64  # [j]: its rows
    owner: Int64  # [c]: the class of each counter that can be above 0
    value: Int64  # [c]: its value
    held: Int64  # [c]: the rows that it counts


def each_value(about: Sensitive) -> NDArray[np.bool_]:
    """Return the sets of a single value, bool [v, v]."""
    return np.eye(len(about.count), dtype=np.bool_)


def some_of(model: Model, counters: Counters, sets: NDArray[np.bool_], rows: Sequence[int]) -> None:
    """Add that an open class has so many rows of each set of values, bool [s, v]: in whole numbers, more than a share tells."""
    for inside, count in zip(sets, rows, strict=True):
        if count <= 0:
            continue
        few = 2 * inside.sum() <= len(inside)
        chosen = inside[counters.value] == few
        # A class without any other value has as many rows of the set as it has in all, which is enough.
        classes = np.arange(len(counters.size)) if few else np.unique(counters.owner[chosen])
        row = model.add_constraints(len(classes), 0.0, np.inf)
        model.add(row, counters.opened[classes], -float(count))
        model.add(row[np.searchsorted(classes, counters.owner[chosen])], counters.held[chosen], 1.0 if few else -1.0)
        if not few:
            model.add(row, counters.size[classes], 1.0)


def distinct_values(model: Model, counters: Counters, chosen: NDArray[np.bool_], least: int) -> None:
    """Add that an open class has so many of some values: z[j, v] <= g[j, v] with z binary, and sum_v z[j, v] >= l."""
    held, owner = counters.held[chosen], counters.owner[chosen]
    there = model.add_variables(len(held), 1.0, integer=True)
    row = model.add_constraints(len(there), -np.inf, 0.0)
    model.add(row, there, 1.0)
    model.add(row, held, -1.0)
    row = model.add_constraints(len(counters.size), 0.0, np.inf)
    model.add(row[owner], there, 1.0)
    model.add(row, counters.opened, -float(least))


def at_most(model: Model, counters: Counters, share: Fraction, chosen: NDArray[np.bool_]) -> None:
    """Add that each chosen counter has at most a share of the rows of its class."""
    held, size = counters.held[chosen], counters.size[counters.owner[chosen]]
    row = model.add_constraints(len(held), -np.inf, 0.0)
    add_whole(
        model,
        [(row, held, whole_numbers([share.denominator] * len(held)))],
        row,
        size,
        whole_numbers([-share.numerator] * len(held)),
    )


def at_least(model: Model, counters: Counters, share: Fraction, chosen: NDArray[np.bool_]) -> None:
    """Add that each class has at least a share of one value; without a counter of it, no class of rows has."""
    row = model.add_constraints(len(counters.size), -np.inf, 0.0)
    held = (row[counters.owner[chosen]], counters.held[chosen], whole_numbers([-share.denominator] * int(chosen.sum())))
    add_whole(model, [held], row, counters.size, whole_numbers([share.numerator] * len(row)))


def whole_numbers(values: Sequence[int]) -> NDArray[np.object_]:
    """Return whole numbers of any size."""
    found = np.empty(len(values), object)
    found[:] = values
    return found


def add_whole(
    model: Model,
    entries: Sequence[tuple[Int64, Int64, NDArray[np.object_]]],
    row: Int64,
    size: Int64,
    value: NDArray[np.object_],
) -> None:
    """Add coefficients of constraints up to 0, those of the sizes last; exactly, or so that less is excluded."""
    every = [int(each) for part in (*(part for _, _, part in entries), value) for each in part]
    common = gcd(*every) or 1
    largest = max(map(abs, every), default=0) // common
    exact = largest < _EXACT
    unit = common if exact else Fraction(common * largest, _LARGE)
    for at, variable, part in entries:
        model.add(at, variable, np.array([float(each / unit) if not exact else each // unit for each in part], np.float64))
    slack = 0.0 if exact else _SLACK * _LARGE
    model.add(row, size, np.array([float(Fraction(each) / unit) - slack for each in value], np.float64))
