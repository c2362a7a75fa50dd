"""Rows that no class took: placed at the least extra cost that a search finds, so that every class meets the requirement.

Classes that meet it still do when they are merged. So the unassigned rows form a new class under some mask, and where that
does not meet it, other classes under finer masks give it surplus rows, or are dissolved into it. Where one
permitted mask shows no more than any other, this ends well at the latest when all rows that look alike under it are in one
class, or no release meets the requirement.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from kanon_sql.model.how_many import how_many
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import PartialRecoding, UnplacedError
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.arrays import Int64
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import row_cost

_CANDIDATES = 8
"""Patterns tried for one new class from either end: the cheapest, and the coarsest."""

_ROUNDS = 200
"""New classes, beyond one for each unassigned row type, after which the search gives up."""


def repair(problem: Problem, partial: PartialRecoding, budget: Budget) -> PartialRecoding:
    """Place every unassigned row.

    Raises
    ------
    UnplacedError
        When the search finds no way to place them.

    Notes
    -----
    O(q m + q log q), and what its kernel takes; more where no permitted mask shows less than all others.
    """
    if partial.placed.all():
        return partial
    coarsest = coarsest_mask(problem.patterns)
    if coarsest is not None:
        return _under_coarsest(problem.requirement, partial, coarsest)
    for _ in range(_ROUNDS + int((~partial.placed).sum())):
        left = np.flatnonzero(~partial.placed)
        if not len(left):
            return partial
        partial = _open_class(problem, partial, int(left[0]))
        if budget.over():
            break
    raise _infeasible(partial, "could not be placed in classes that meet the guarantee under the given masks")


def coarsest_mask(patterns: PatternSet) -> np.uint64 | None:
    """Return the permitted mask that shows nothing that any other hides, if there is one."""
    if not patterns.listed:
        return np.uint64(0)
    common = np.bitwise_and.reduce(patterns.shown)
    return np.uint64(common) if (patterns.shown == common).any() else None


def _infeasible(partial: PartialRecoding, what: str) -> UnplacedError:
    rows = int(partial.count[~partial.placed].sum())
    return UnplacedError(
        f"{how_many(rows, 'row')} {what}; hint: permit masks "
        "that show less, or the mask (), which suppresses everything, or weaken the guarantee"
    )


def _under_coarsest(requirement: ClassRequirement, partial: PartialRecoding, shown: np.uint64) -> PartialRecoding:
    """Place the unassigned rows in the classes of the coarsest mask."""
    table = requirement.table
    all_alike = replace(partial, shown=np.full_like(partial.shown, shown), placed=np.ones_like(partial.placed))
    group = all_alike.classes(table)
    order = np.argsort(group, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(group[order], prepend=-1)), len(order))
    number = partial.classes(table)
    take = np.zeros_like(partial.count)
    for place in np.unique(group[~partial.placed]):
        inside = order[ends[place] : ends[place + 1]]
        found = _joined(requirement, partial, number, inside, shown)
        if found is None:
            raise _infeasible(partial, "cannot form a class that meets the guarantee, even under the most general mask")
        take[inside] = found
    return _moved(partial, take, shown)


def _joined(
    requirement: ClassRequirement, partial: PartialRecoding, number: Int64, inside: Int64, shown: np.uint64
) -> Int64 | None:
    """Return the rows of the pieces ``inside`` that make a class which meets the requirement; None if none is found.

    All unassigned rows are in it, and all of the class that shows the same already.
    """
    from kanon_sql.kernels.requirements import Donors
    from kanon_sql.kernels.requirements import repair as take_from_donors

    cells = requirement.table.cost
    placed = partial.placed[inside]
    founders = ~placed | (partial.shown[inside] == shown)
    take: Int64 = np.where(founders, partial.count[inside], 0)
    group = requirement.group[partial.row_type[inside]]
    held = requirement.histograms(np.zeros(int(founders.sum()), np.int64), partial.row_type[inside[founders]], take[founders])[
        0
    ]
    giving = inside[~founders]
    _, sample, local = np.unique(number[giving], return_index=True, return_inverse=True)
    cost = row_cost(partial.shown[giving[sample]], cells)
    extra = row_cost(np.array([shown]), cells)[0] - cost
    histograms = requirement.histograms(local, partial.row_type[giving], partial.count[giving])
    given_group = group[~founders]
    order = np.lexsort((extra[local], given_group))
    donors = Donors(
        requirement.encoded,
        group=given_group,
        copies=partial.count[giving],
        number=local,
        order=order,
        first=np.searchsorted(given_group[order], np.arange(len(requirement.group_counter) + 1)),
        extra=extra,
        rows=np.bincount(local, partial.count[giving], len(sample)).astype(np.int64),
        histogram=histograms,
        counter=requirement.group_counter,
    )
    gives = np.zeros(len(giving), np.int64)
    if take_from_donors(donors, held, int(take.sum()), gives):
        take[~founders] = gives
        return take
    together = requirement.histograms(np.zeros(len(inside), np.int64), partial.row_type[inside], partial.count[inside])
    return partial.count[inside] if requirement.met(together).all() else None


def _open_class(problem: Problem, partial: PartialRecoding, target: int) -> PartialRecoding:
    """Open a class for an unassigned piece, with all others that look like it: the one that costs least for each row it saves.

    Classes are dissolved into it where all of their rows look like it; if that does not suffice, all rows that do leave their
    classes, and what does not meet the requirement then is unassigned.
    """
    table, patterns, requirement = problem.table, problem.patterns, problem.requirement
    same = table.codes[partial.row_type] == table.codes[partial.row_type[target]]
    agree = same.astype(np.uint64) @ (np.uint64(1) << np.arange(same.shape[1], dtype=np.uint64))
    number = partial.classes(table)
    rows = np.bincount(number[partial.placed], partial.count[partial.placed]).astype(np.int64)
    current = np.where(partial.placed, row_cost(partial.shown, table.cost), 0)
    chosen = patterns.shown
    if len(chosen) > 2 * _CANDIDATES:
        chosen = np.append(chosen[:_CANDIDATES], chosen[-_CANDIDATES:])
    offers: list[tuple[bool, Fraction, Int64, np.uint64]] = []
    for shown, cost in zip(chosen, row_cost(chosen, table.cost).tolist(), strict=True):
        fits = (agree & shown) == shown
        inside = np.bincount(number[partial.placed & fits], partial.count[partial.placed & fits], len(rows)).astype(np.int64)
        whole = np.flatnonzero(fits & (~partial.placed | np.append(inside == rows, True)[number]))  # -1 is no class
        found, breaks = _joined(requirement, partial, number, whole, shown), False
        take = np.zeros_like(partial.count)
        if found is not None:
            take[whole] = found
        else:
            take[fits], breaks = partial.count[fits], True
            if not requirement.met(
                requirement.histograms(np.zeros(int(fits.sum()), np.int64), partial.row_type[fits], take[fits])
            ).all():
                continue
        saved = int(take[~partial.placed].sum())
        offers.append((breaks, Fraction(int(take @ (cost - current)), saved), take, shown))
    if not offers:
        raise _infeasible(
            partial, "could not be placed: some do not fit into any class that meets the guarantee under a permitted mask"
        )
    _, _, take, shown = min(offers, key=lambda offer: offer[:2])
    return still_kept(requirement, _moved(partial, take, shown))


def still_kept(requirement: ClassRequirement, partial: PartialRecoding) -> PartialRecoding:
    """Unassign the rows of classes that do not meet the requirement."""
    number = partial.classes(requirement.table)
    placed = partial.placed
    kept = requirement.met(requirement.histograms(number[placed], partial.row_type[placed], partial.count[placed]))
    stays = placed.copy()
    stays[placed] = kept[number[placed]]
    return replace(partial, placed=stays)


def _moved(partial: PartialRecoding, take: Int64, shown: np.uint64) -> PartialRecoding:
    """Give rows of each piece a new pattern."""
    moved, stays = np.flatnonzero(take), np.flatnonzero(take < partial.count)
    return PartialRecoding(
        row_type=np.concatenate([partial.row_type[stays], partial.row_type[moved]]),
        shown=np.concatenate([partial.shown[stays], np.full(len(moved), shown, np.uint64)]),
        count=np.concatenate([(partial.count - take)[stays], take[moved]]),
        placed=np.concatenate([partial.placed[stays], np.ones(len(moved), np.bool_)]),
    )
