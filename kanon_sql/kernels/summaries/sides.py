"""What both sides of a cut have to meet, and cuts that deal the rows of each sensitive-value group to both sides alike."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import zeros_int64
from kanon_sql.kernels.criteria.dispatch import meets
from kanon_sql.kernels.criteria.encoded import CriteriaWorkspace, EncodedRequirement
from kanon_sql.kernels.summaries.measure import clear, join

_CLASSES = cython.declare(cython.longlong, 3)
"""A side is fair where a class of so many times the least rows meets the requirement with the side's own shares."""

_ROUNDINGS = cython.declare(cython.longlong, 3)
"""Ways, and one more, to round these shares to rows: downwards first, upwards last."""


@cython.final
@cython.cclass
class Sides:
    """The histograms of a part that is cut, and what its sides have to meet.

    Parameters
    ----------
    required : EncodedRequirement
        The requirement on each side.
    groups : int
        Number of sensitive-value groups.

    Attributes
    ----------
    work : CriteriaWorkspace
        Scratch arrays of tests.
    whole, one, other, small : int64 arrays [V]
        Histograms of the part, of its one and its other side, and of a small class.
    fair : bool
        Whether both sides have to leave capacity for classes that are not much larger than they must be.
    in_group, dealt : int64 arrays [groups]
        Rows of each group in the part, and those that are dealt; 0 between uses.
    """

    def __init__(self, required: EncodedRequirement, groups: int) -> None:
        v = required.counters
        self.required, self.work, self.fair = required, CriteriaWorkspace(required), True
        self.whole, self.one = zeros_int64(v), zeros_int64(v)
        self.other, self.small = zeros_int64(v), zeros_int64(v)
        self.in_group, self.dealt = zeros_int64(groups), zeros_int64(groups)


def clear_one(sides):
    """Empty the histogram of the one side."""
    for v in range(sides.required.counters):
        sides.one[v] = 0


def add_to_one(sides, i, rows):
    """Count rows of row type i on the one side."""
    for b in range(sides.required.counter.shape[1]):
        sides.one[sides.required.counter[i, b]] += rows


def both_meet(sides, rows, others):
    """Return whether the one side, of so many rows, and the other meet the requirement, and are fair if they have to be."""
    for v in range(sides.required.counters):
        sides.other[v] = sides.whole[v] - sides.one[v]
    if not meets(sides.required, sides.work, sides.one, 0, rows):
        return False
    if not meets(sides.required, sides.work, sides.other, 0, others):
        return False
    if sides.required.counters == 0 or not sides.fair:
        return True
    return _is_fair(sides, sides.one, rows) and _is_fair(sides, sides.other, others)


def _is_fair(sides, held, rows):
    """Return whether small classes with the shares of a side meet the requirement, however these are rounded."""
    size = min(rows, _CLASSES * sides.required.least)
    for turn in range(_ROUNDINGS + 1):
        above = 0
        below = 0
        for v in range(
            sides.required.counters
        ):  # what is above one rounded share goes to the next: each attribute has its rows
            above += held[v] * size
            sides.small[v] = (_ROUNDINGS * above + turn * (rows - 1)) // (_ROUNDINGS * rows) - below
            below += sides.small[v]
        if not meets(sides.required, sides.work, sides.small, 0, size):
            return False
    return True


def halve(codes, weight, measure, sides, group, order, types, side, moved):
    """Halve the rows of each group in an order; return the loss of both sides, and the row types of the one, 0 for no cut.

    ``moved`` gets these row types, then the others; a side has the first halves, the other the last.
    """
    total = 0
    rows = 0
    size = 0
    last = types
    spread = 0
    clear_one(sides)
    for a in range(types):
        i = order[a]
        sides.in_group[group[i]] += weight[i]
        total += weight[i]
    for a in range(types):
        i = order[a]
        g = group[i]
        if 2 * sides.dealt[g] + weight[i] <= sides.in_group[g]:
            moved[size] = i
            size += 1
            rows += weight[i]
            add_to_one(sides, i, weight[i])
        else:
            last -= 1
            moved[last] = i
        sides.dealt[g] += weight[i]
    for a in range(types):
        sides.in_group[group[order[a]]] = 0
        sides.dealt[group[order[a]]] = 0
    if not both_meet(sides, rows, total - rows):
        return 0, 0
    for a in range(size):
        spread += join(measure, side, codes, moved[a])
    clear(measure, side, codes, moved, 0, size)
    one_loss = rows * spread
    spread = 0
    for a in range(size, types):
        spread += join(measure, side, codes, moved[a])
    clear(measure, side, codes, moved, size, types)
    return one_loss + (total - rows) * spread, size
