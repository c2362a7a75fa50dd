"""Requirements on sensitive values as linear constraints on the classes of a mixed-integer program, in whole numbers.

Of class j with size n[j] and g[j, v] rows of value v:

- frequency l:         g[j, v] <= n[j] / l;
- shares (alpha, beta, delta):  least[v] n[j] <= g[j, v] <= most[v] n[j];
- k people:            g[j, v] >= k if the class is open, where v counts the representative rows;
- distinct l:          z[j, v] <= g[j, v] with z binary, and sum_v z[j, v] >= l if the class is open;
- recursive (c, l):    g[j, v] < c (n[j] - s[j]) if it is open, where s[j] is at least the sum of any l - 1 counters: at best
                       (l - 1) q + sum_v max(0, g[j, v] - q) for some q;
- t along a tree:      sum_e length[e] |a[j, e]| <= t scale n[j], where a[j, e] is what the class has more below edge e than the
                       whole table has; |a| = 2 p - a for the least p >= a, p >= 0;
- t in any metric:     a transport from the class to the whole table that costs at most t n[j];
- entropy l:           sum_v g[j, v] log(1 / (l s[v])) >= 0 for all shares s, of which only some are written down: the mean of
                       -log s is least, and then the entropy, where s are the shares of the class.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013), Theorem 9.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.distances import Distance, MatrixDistance, TreeDistance
from kanon_sql.model.requirements import (
    REPRESENTATIVE,
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    People,
    SensitiveRequirement,
    TCloseness,
)
from kanon_sql.solvers.requirements.share_limits import ShareRequirement, share_limits
from kanon_sql.solvers.sensitive.model import Model
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import Sensitive

Floats = NDArray[np.float64]

_EXACT = 1 << 53
"""Whole numbers below this are exact as floats."""

_LARGE = 1 << 30
"""Coefficients are divided to be at most this, where they are not exact anyway."""

_SLACK = 2.0**-50
"""Share of the largest coefficient by which such a constraint is loosened, so that it excludes no class."""

_UPWARD = 1e-9
"""Logarithms are rounded up by this, for the same reason."""

_ABSENT = 1e-3
"""Rows that a value without any is taken to have, where its logarithm is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """The classes of a program by the values of one sensitive attribute, as numbers of variables.

    Parameters
    ----------
    opened, size : int64 arrays [j]
        Whether each class is open, and its rows.
    owner, value, held : int64 arrays [c]
        The class and the value of each counter that can be above 0, and the rows that it counts.
    """

    opened: Int64
    size: Int64
    owner: Int64
    value: Int64
    held: Int64


def constrain(model: Model, counters: Counters, requirement: SensitiveRequirement, about: Sensitive, least: int) -> None:
    """Add what a requirement asks of every class of ``least`` rows or more; of an entropy, all but what tangents say."""
    CONSTRAINTS[type(requirement)](model, counters, requirement, about, least)


def _limited(model: Model, counters: Counters, requirement: ShareRequirement, about: Sensitive, least: int) -> None:
    limits = share_limits(requirement, about)
    for each in limits:
        chosen = counters.value == each.value
        if each.most < 1:
            _at_most(model, counters, each.most, chosen)
        if each.least > 0:
            _at_least(model, counters, each.least, chosen)
    sets = _each_value(about)[[each.value for each in limits]]
    _some_of(model, counters, ~sets, [least - int(least * each.most) for each in limits])
    _some_of(model, counters, sets, [ceil(least * each.least) for each in limits])


def _counted(model: Model, counters: Counters, requirement: People, about: Sensitive, _: int) -> None:
    chosen = np.arange(len(about.count)) == about.named.get(REPRESENTATIVE, -1)
    _some_of(model, counters, chosen[None], [requirement.k])


def _close(model: Model, counters: Counters, requirement: TCloseness, about: Sensitive, least: int) -> None:
    distance = about.distances[requirement.metric]
    sets = _each_value(about)
    if isinstance(distance, TreeDistance):
        _near_along_tree(model, counters, requirement.t, distance, about.count)
        sets = np.vstack([sets, distance.below])
    else:
        _near(model, counters, requirement.t, distance, about.count)
    sets = np.unique(np.vstack([sets, ~sets]), axis=0)
    _some_of(model, counters, sets, _least_near(requirement.t, distance, about.count, sets, least))


def _diverse(model: Model, counters: Counters, requirement: LDiversity, about: Sensitive, least: int) -> None:
    if requirement.variant == "distinct":
        _distinct(model, counters, ceil(requirement.l))
        return
    if requirement.c is not None:
        _recursive(model, counters, int(requirement.l), requirement.c)
        others = int(least / (1 + requirement.c)) + 1 if requirement.l > 1 else 0
    elif requirement.variant == "frequency":
        _at_most(model, counters, 1 / requirement.l, np.ones(len(counters.held), np.bool_))
        others = least - int(least / requirement.l)
    else:
        others = least - int(least * (greatest_share(len(about.count), requirement.l) + _UPWARD))
    _some_of(model, counters, ~_each_value(about), [others] * len(about.count))


CONSTRAINTS: dict[type[SensitiveRequirement], Callable[[Model, Counters, Any, Sensitive, int], None]] = {
    LDiversity: _diverse,
    AlphaAnonymity: _limited,
    TCloseness: _close,
    People: _counted,
    BetaLikeness: _limited,
    DeltaDisclosure: _limited,
}
"""For each requirement what adds its constraints to a program, from its attribute and the least rows of a class."""


def _each_value(about: Sensitive) -> NDArray[np.bool_]:
    """Return the sets of a single value, bool [v, v]."""
    return np.eye(len(about.count), dtype=np.bool_)


def add_tangent(model: Model, counters: Counters, weight: Floats) -> None:
    """Add that the rows of each class, weighted by their values [v], add up to 0 or more."""
    row = model.add_constraints(len(counters.size), 0.0, np.inf)
    model.add(row[counters.owner], counters.held, weight[counters.value])


def tangent(histogram: Int64 | Floats, least: Fraction) -> Floats:
    """Return weights [v] by which no class of an entropy of log ``least`` adds up to less than 0, but this histogram does."""
    share = np.maximum(histogram, _ABSENT)
    weight: Floats = np.log(share.sum() / (share * float(least))) + _UPWARD
    return weight


def first_tangents(values: int, least: Fraction) -> list[Floats]:
    """Return the tangents where one value has the greatest share, and the others equal ones."""
    share = greatest_share(values, least)
    rows = np.where(np.eye(values, dtype=np.bool_), share, (1 - share) / max(1, values - 1))
    return [tangent(each / _ABSENT**2, least) for each in rows]


def greatest_share(values: int, least: Fraction) -> float:
    """Return what share one of some values has at most where the entropy is log ``least`` or more; 1 / v if it never is."""
    low, high = 1 / values, 1.0
    while high - low > _UPWARD / 4:
        share = (low + high) / 2
        other = (1 - share) / max(1, values - 1)
        if -share * np.log(share) - (1 - share) * np.log(max(other, _UPWARD**2)) >= np.log(float(least)):
            low = share
        else:
            high = share
    return high


def _at_most(model: Model, counters: Counters, share: Fraction, chosen: NDArray[np.bool_]) -> None:
    held, size = counters.held[chosen], counters.size[counters.owner[chosen]]
    row = model.add_constraints(len(held), -np.inf, 0.0)
    _add_whole(model, [(row, held, _whole([share.denominator] * len(held)))], row, size, _whole([-share.numerator] * len(held)))


def _at_least(model: Model, counters: Counters, share: Fraction, chosen: NDArray[np.bool_]) -> None:
    """Add that each class has at least a share of one value; without a counter of it, no class of rows has."""
    row = model.add_constraints(len(counters.size), -np.inf, 0.0)
    held = (row[counters.owner[chosen]], counters.held[chosen], _whole([-share.denominator] * int(chosen.sum())))
    _add_whole(model, [held], row, counters.size, _whole([share.numerator] * len(row)))


def _some_of(model: Model, counters: Counters, sets: NDArray[np.bool_], rows: Sequence[int]) -> None:
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


def _least_near(t: Fraction, distance: Distance, total: Int64, sets: NDArray[np.bool_], least: int) -> list[int]:
    """Return how many rows of each set of values ``least`` rows need: their shortfall comes from the nearest other value."""
    n, apart = int(total.sum()), distances_of(distance)
    found = []
    for inside in sets:
        nearest = int(apart[inside][:, ~inside].min(initial=np.iinfo(np.int64).max))
        found.append(ceil(least * (Fraction(int(total[inside].sum()), n) - t * distance.scale / nearest)) if nearest else 0)
    return found


def distances_of(distance: Distance) -> Int64:
    """Return the distances of all values, int64 [v, v], in units of its scale; O(e v^2) for a tree."""
    if isinstance(distance, MatrixDistance):
        return distance.cost.copy()
    below = distance.below.astype(np.int64)
    both = below.T @ (below * distance.length[:, None])
    alone = np.diagonal(both)
    found: Int64 = alone[:, None] + alone - 2 * both
    return found


def _distinct(model: Model, counters: Counters, least: int) -> None:
    there = model.add_variables(len(counters.held), 1.0, integer=True)
    row = model.add_constraints(len(there), -np.inf, 0.0)
    model.add(row, there, 1.0)
    model.add(row, counters.held, -1.0)
    row = model.add_constraints(len(counters.size), 0.0, np.inf)
    model.add(row[counters.owner], there, 1.0)
    model.add(row, counters.opened, -float(least))


def _recursive(model: Model, counters: Counters, least: int, c: Fraction) -> None:
    classes, cells, owner = len(counters.size), len(counters.held), counters.owner
    top = model.add_variables(classes)
    if least > 1:
        level, above = model.add_variables(classes), model.add_variables(cells)
        row = model.add_constraints(cells, 0.0, np.inf)
        model.add(row, above, 1.0)
        model.add(row, counters.held, -1.0)
        model.add(row, level[owner], 1.0)
        row = model.add_constraints(classes, 0.0, 0.0)
        model.add(row, top, -1.0)
        model.add(row, level, float(least - 1))
        model.add(row[owner], above, 1.0)
    # In whole numbers, less is less by 1 at least.
    row = model.add_constraints(cells, -np.inf, 0.0)
    entries = [
        (row, counters.held, _whole([c.denominator] * cells)),
        (row, top[owner], _whole([c.numerator] * cells)),
        (row, counters.opened[owner], _whole([1] * cells)),
    ]
    _add_whole(model, entries, row, counters.size[owner], _whole([-c.numerator] * cells))


def _near_along_tree(model: Model, counters: Counters, t: Fraction, distance: TreeDistance, total: Int64) -> None:
    n, classes, owner = int(total.sum()), len(counters.size), counters.owner
    below = distance.below
    length, whole = _whole(distance.length.tolist()), (below @ total).astype(object)
    there = np.zeros((classes, len(below)), np.int64)
    np.add.at(there, owner, below[:, counters.value].T.astype(np.int64))
    # Where all values of a class are on one side of an edge, its size says what it has more below.
    all_below = there == np.bincount(owner, minlength=classes)[:, None]
    undecided = (there > 0) & ~all_below
    j, e = np.nonzero(undecided)
    more = model.add_variables(len(j))
    row = model.add_constraints(len(j), 0.0, np.inf)
    place = np.zeros(undecided.shape, np.int64)
    place[j, e] = row
    c, edge = np.nonzero(undecided[owner] & below[:, counters.value].T)
    model.add(row, more, 1.0)
    model.add(row, counters.size[j], whole[e])
    model.add(place[owner[c], edge], counters.held[c], -float(n))
    row = model.add_constraints(classes, -np.inf, 0.0)
    lowered = np.zeros(len(owner), object)
    np.add.at(lowered, c, length[edge] * -(t.denominator * n))
    beside = np.where(all_below, length * (n - whole), length * whole).sum(axis=1) * t.denominator
    entries = [(row[j], more, length[e] * (2 * t.denominator)), (row[owner], counters.held, lowered)]
    _add_whole(model, entries, row, counters.size, beside - t.numerator * distance.scale * n)


def _near(model: Model, counters: Counters, t: Fraction, distance: MatrixDistance, total: Int64) -> None:
    n, classes, values = int(total.sum()), len(counters.size), len(total)
    cells = len(counters.held)
    moved = model.add_variables(cells * values).reshape(cells, values)
    row = model.add_constraints(cells, 0.0, 0.0)
    model.add(np.repeat(row, values), moved.ravel(), 1.0)
    model.add(row, counters.held, -float(n))
    row = model.add_constraints(classes * values, 0.0, 0.0).reshape(classes, values)
    model.add(row[counters.owner].ravel(), moved.ravel(), 1.0)
    model.add(row.ravel(), np.repeat(counters.size, values), np.tile(-total, classes))
    row = model.add_constraints(classes, -np.inf, 0.0)
    cost = distance.cost[counters.value].astype(object) * t.denominator
    entries = [(np.repeat(row[counters.owner], values), moved.ravel(), cost.ravel())]
    _add_whole(model, entries, row, counters.size, _whole([-t.numerator * distance.scale * n] * classes))


def _whole(values: Sequence[int]) -> NDArray[np.object_]:
    """Return whole numbers of any size."""
    found = np.empty(len(values), object)
    found[:] = values
    return found


def _add_whole(
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
