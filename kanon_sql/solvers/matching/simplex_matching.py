"""Simplex matching: all rows in classes of two or three, at the least cost.

A pair never costs more a row than a triple that it is in, which makes the problem polynomial (Anshelevich and Karagiozova).
Here it is a linear program over pairs, triples and odd-set cuts. It starts with the nearest pairs; what is missing of classes
is found by looking at all of them, which also proves a lower bound, in whole numbers. Where the program ends in fractions,
the classes that a cheaper matching could need are few, and an integer program decides.

References
----------
Anshelevich, Karagiozova: Terminal Backup, 3D Matching, and Covering Cubic Graphs (2011).
Blocki, Williams: Resolving the Complexity of Some Data Privacy Problems (2010) (2-anonymity).
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013), Lemma 2 (2-diverse classes).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.how_many import how_many
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.instances.ilp import INFEASIBLE
from kanon_sql.solvers.instances.partition import Classes, released
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.matching import BOUND
from kanon_sql.solvers.matching.odd_set_cuts import ALMOST, violated
from kanon_sql.solvers.matching.odd_set_program import OddSetProgram, Optimum
from kanon_sql.solvers.matching.simplex_pricing import Costs, Pricing, classes_below, nearest_pairs, price_classes
from kanon_sql.solvers.matching.whole_matching import whole_matching
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Recoding

_GAIN = 0.3
"""Steps of cost by which new cuts have to raise the optimum, or else new classes are looked for."""

_NODES = 20
"""Nodes of the search tree that making a fractional optimum whole may take."""

_LEAST_SECONDS, _SHARE = 1.0, 0.2
"""Seconds that it may take in any case, and share of the time left, where there is a limit."""

_MOST_ROWS = 1 << 22
"""Rows of a release that is divided to start from: one class of two or three for each two or three of them."""

_MOST_CLASSES = 100_000
"""Classes beyond which the last integer program is not tried."""

_FIRST_SLICE = 2.0
"""Seconds after which it is first interrupted, to look around; each further attempt may take twice as long."""

_NO_MATCHING = (
    "the rows cannot be divided into classes of two or three under the permitted masks; hint: permit masks that "
    "show less, or the mask (), which suppresses everything"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """All rows in classes of two or three."""

    member: Int32  # [g, 3]: the row types of each class, -1 for the third of a pair
    count: Int64  # [g]: how often the class is there, above 0
    cost: int  # in units of the table

    def recoding(self, table: CodedTable, patterns: PatternSet) -> Recoding:
        """Return the matching as a recoding; O(g (m + log g))."""
        held = self.member >= 0
        size = held.sum(axis=1)
        number: Int64 = np.repeat(np.arange(len(size)), size)
        classes = Classes(row_type=self.member[held], count=np.repeat(self.count, size), number=number)
        return released(table, patterns, 2, classes, UNLIMITED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The best matching found, if any, and a lower bound on the cost of all of them, in units of the table."""

    matching: Matching | None
    bound: int

    def recoding(self, table: CodedTable, patterns: PatternSet) -> Recoding | None:
        """Return the matching with its bound as a recoding, if there is one."""
        if self.matching is None:
            return None
        return replace(self.matching.recoding(table, patterns), lower_bound=self.bound, bound=BOUND)


def match(table: CodedTable, patterns: PatternSet, apart: Int64, budget: Budget, start: Recoding | None = None) -> Found:
    """Return a matching of least cost, or the best found in time, with a proven bound.

    Parameters
    ----------
    table : CodedTable
        t row types, m columns, two rows or more.
    apart : int64 array [t]
        Rows of row types with the same number from 0 may not be in one class; those of -1 may.
    start : Recoding, optional
        A release whose classes can be divided into pairs and triples: no more expensive matching is returned.

    Raises
    ------
    InfeasibleError
        When there is no matching.

    Notes
    -----
    O(t^2 m) for each pricing of all classes, of which there are some ten; 5,000 rows of Adult take some seconds, all of them
    some minutes. Memory O(t) in addition to the classes of the program.
    """
    costs = Costs.of(table, patterns, apart)
    member = nearest_pairs(costs)
    alone = ~np.isin(np.arange(table.row_types), member)
    if alone.any():
        raise InfeasibleError(
            f"{how_many(int(table.weight[alone].sum()), 'row')} cannot share a class with any other row under the "
            "permitted masks; hint: permit masks that show less, or the mask (), which suppresses everything"
        )
    divided = None if start is None or table.rows > _MOST_ROWS else pairs_and_triples(table, start, apart)
    found = Found(matching=None if divided is None else _matching(costs, *divided), bound=0)
    if budget.over():
        return found
    if found.matching is not None:
        member = np.unique(np.concatenate([member, found.matching.member]), axis=0)
    program = OddSetProgram(table.weight, costs.penalty)
    program.add(member, costs.spread(member))
    value = -math.inf
    while True:
        _report(found, budget)
        optimum = program.solve(budget)
        if optimum is None:
            return found
        cuts = violated(table.weight, program.member, optimum.share)
        pricing = price_classes(costs, optimum) if not cuts or optimum.value < value + _GAIN else None
        value = optimum.value
        if pricing is not None:
            found = Found(matching=found.matching, bound=max(found.bound, costs.rounded_up(pricing.value)))
            if found.bound > costs.most:
                raise InfeasibleError(_NO_MATCHING)
        hurry = budget.seconds is not None and found.matching is None
        if pricing is not None or hurry:
            found = _better(found, _made_whole(costs, program, optimum, budget))
            if found.matching is not None and found.matching.cost == found.bound:
                return found
        # One at a time, so that the simplex method can go on: first all classes, then cuts.
        if pricing is not None and len(new := program.missing(pricing.member)):
            program.add(new, costs.spread(new))
        elif cuts:
            for cut in cuts:
                program.cut(cut)
        elif pricing is not None:
            return _decided(costs, program, pricing, found, budget)


def _report(found: Found, budget: Budget) -> None:
    cost = None if found.matching is None else found.matching.cost
    budget.report("matching", found.bound / cost if cost else 0.0, cost, found.bound)


def _better(found: Found, matching: Matching | None) -> Found:
    """Return what is known with another matching, if that is cheaper."""
    if matching is None or (found.matching is not None and found.matching.cost <= matching.cost):
        return found
    return Found(matching=matching, bound=found.bound)


def _made_whole(costs: Costs, program: OddSetProgram, optimum: Optimum, budget: Budget) -> Matching | None:
    """Return a matching with the whole part of an optimum: the other rows are divided anew."""
    rows, member = costs.weight, program.member
    count = np.floor(optimum.share + ALMOST).astype(np.int64)
    # Row types of which rows are left get all of theirs back, so that there is a choice.
    count[np.append(_left(rows, member, count) > 0, False)[member].any(axis=1)] = 0
    left = _left(rows, member, count)
    if (left < 0).any():
        return None
    if left.any():
        inside = (np.append(left, 1)[member] > 0).all(axis=1)
        divided = member[inside & (optimum.share > count + ALMOST)]
        more = np.concatenate([member[inside], nearest_pairs(costs, left), _bridges(divided)])
        more = np.unique(-np.sort(-more, axis=1), axis=0)  # the third of a pair stays -1
        steps = costs.steps(more)
        more, steps = more[steps >= 0], steps[steps >= 0]
        seconds = None if budget.seconds is None else max(_LEAST_SECONDS, _SHARE * budget.left())
        rest = whole_matching(left, more, steps, (), seconds=seconds, nodes=_NODES)
        if rest.count is None:
            return None
        member, count = np.concatenate([member, more]), np.append(count, rest.count)
    return _matching(costs, member, count)


def _matching(costs: Costs, member: Int32, count: Int64) -> Matching:
    """Return classes that hold every row as a matching."""
    member, count = member[count > 0], count[count > 0]
    return Matching(member=member, count=count, cost=int(costs.steps(member) @ count) * costs.step)


def _left(rows: Int64, member: Int32, count: Int64) -> Int64:
    """Return the rows of each row type that classes do not hold, int64 [t]."""
    held = np.zeros(len(rows) + 1, np.int64)
    np.add.at(held, member, count[:, None])  # the row type -1 is the last place
    return rows - held[:-1]


def _bridges(member: Int32) -> Int32:
    """Return triples of two pairs that share a row type: an odd cycle of pairs needs one."""
    partners: dict[int, list[int]] = {}
    for a, b, c in member.tolist():
        if c < 0:
            partners.setdefault(a, []).append(b)
            partners.setdefault(b, []).append(a)
    triples = [(row, *two) for row, each in partners.items() for two in pairwise(each)]
    return np.array(triples, np.int32).reshape(-1, 3)


def _decided(costs: Costs, program: OddSetProgram, pricing: Pricing, found: Found, budget: Budget) -> Found:
    """Decide by an integer program over all classes that a cheaper matching than the one found could need.

    A class of a reduced cost above what is between that matching and the bound is in none that is cheaper.
    """
    upper = costs.most + costs.step if found.matching is None else found.matching.cost
    slack = (upper // costs.step - 1) * costs.simplices.unit + costs.tie_breaks - pricing.value + 1
    member = classes_below(costs, pricing.duals, slack, _MOST_CLASSES)
    seconds = _FIRST_SLICE
    while member is not None and not budget.over():
        _report(found, budget)
        limit = min(seconds, budget.left())
        whole = whole_matching(costs.weight, member, costs.steps(member), program.cuts, seconds=limit)
        if whole.count is not None:
            found = _better(found, _matching(costs, member, whole.count))
        if whole.bound == INFEASIBLE and found.matching is None:
            raise InfeasibleError(_NO_MATCHING)
        most = upper if found.matching is None else found.matching.cost
        found = Found(matching=found.matching, bound=max(found.bound, min(whole.bound * costs.step, most)))
        if whole.proven:
            break
        seconds *= 2
    return found


def pairs_and_triples(table: CodedTable, release: Recoding, apart: Int64) -> tuple[Int32, Int64]:
    """Divide the classes of a release into pairs and triples of rows that may be in one class.

    Each part keeps what its class shows, so it costs no more (Liang, Yuan: Lemma 2).

    Parameters
    ----------
    table : CodedTable
        n rows of t row types.
    release : Recoding
        Each class has two rows or more, of no value in ``apart`` more than half.
    apart : int64 array [t]
        Rows of row types with the same number from 0 may not be in one part; those of -1 may.

    Returns
    -------
    tuple of (int32 array [g, 3], int64 array [g])
        The row types of each part, ascending, -1 for the third of a pair; and how often the part is there.

    Notes
    -----
    O(n log n). With the rows of a class of s in the order of their values, two that are s // 2 apart have different ones. In a
    class of an odd number the first, the middle and the last row are a triple.
    """
    number = np.repeat(PartialRecoding.of(release).classes(table), release.count)
    row_type = np.repeat(release.row_type, release.count)
    order = np.lexsort((row_type, apart[row_type], number))
    row_type, number = row_type[order], number[order]
    size = np.bincount(number)
    first = np.cumsum(size) - size
    half, odd = size // 2, size % 2
    within = np.arange(len(number)) - first[number]
    opens = np.flatnonzero((within >= odd[number]) & (within < half[number]))
    pair = np.stack([row_type[opens], row_type[opens + half[number[opens]]]], axis=1)
    with_third = first[odd == 1]
    middle, last = with_third + half[odd == 1], with_third + size[odd == 1] - 1
    triple = np.stack([row_type[with_third], row_type[middle], row_type[last]], axis=1)
    pairs = np.concatenate([np.sort(pair, axis=1), np.full((len(pair), 1), -1)], axis=1)
    member, count = np.unique(np.concatenate([pairs, np.sort(triple, axis=1)]), axis=0, return_counts=True)
    return member.astype(np.int32), count.astype(np.int64)
