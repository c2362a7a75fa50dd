"""The pattern instances that a search works with: which rows could look alike, and at what cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.how_many import how_many
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet

if TYPE_CHECKING:
    from kanon_sql.solvers.instances.search import InstanceSearch


SLACK = 3
"""Instances that cost this many cells more than the cheapest of a row are of no use to it, where memory allows so many."""

MOST_MEMBERS = 1 << 28
"""Members of all instances together that are kept in memory: 1 GiB, and as much again from the side of the row types."""

_MANY_PAIRS = 1 << 29
"""Patterns times row types up to which the full slack is tried first."""

_SMALL, _EVERYTHING = 2_000, 1 << 18
"""Row types of a table of which all instances are listed, unless they have more members than that: prices that know the
expensive ones lead to cheaper classes. Of 729 rows with levels the search finds 35.6 cells and a bound of 33.9; with the slack,
43.0 and 33.0."""

_DEEPER, _LISTING = 1 << 25, 0.1
"""Most members with more slack than a cell, and the share of the time that it may take."""

_GROWTH, _GROWTH_OF_LADDERS = 12, 4
"""What a cell more multiplies the members by, and a step where ladders have many: it is a part of a cell."""

NOTHING = 1 << 62
"""The `price_limit` of a row type that fits no instance."""


def supports(codes: np.ndarray[tuple[int, int], np.dtype[np.int32]], shown: Words, sample: Int32) -> tuple[Int64, Int32]:
    """Return the row types that look like each ``sample`` under its pattern, ascending, as ``start`` and ``member``.

    Parameters
    ----------
    codes : int32 array [t, m]
        Codes; column ``c`` is bit ``c`` of a pattern.
    shown : uint64 array [j]
        The pattern of each instance.
    sample : int32 array [j]
        A row type of each instance.

    Notes
    -----
    Only the row types that share the rarest of the shown values are compared: O(m) for each; O(t m log t) to sort them, and
    memory O(t m).
    """
    from kanon_sql.kernels.instances import list_members

    t, m = codes.shape
    order = np.empty((m, t), np.int32)
    first = np.empty((m, int(codes.max(initial=0)) + 2), np.int64)
    for c in range(m):
        order[c] = np.argsort(codes[:, c], kind="stable")
        first[c] = np.searchsorted(codes[order[c], c], np.arange(first.shape[1]))
    start = np.zeros(len(sample) + 1, np.int64)
    list_members(codes, shown, sample, order, first, start, np.empty(0, np.int32), True)
    np.cumsum(start, out=start)
    member = np.empty(start[len(sample)], np.int32)
    list_members(codes, shown, sample, order, first, start, member, False)
    return start, member


@dataclass(frozen=True, slots=True, kw_only=True)
class Instances:
    """Pattern instances with a support of k rows or more."""

    start: Int64  # [j + 1]: where the members of each instance begin
    member: Int32  # the support: row types that have the values which the instance shows
    pattern: Int32  # [j]: position of the pattern among the permitted ones
    cost: Int64  # [j]: cost of a row, in units of the table
    price_limit: Int64  # [t]: instances that are not listed gain nothing where no price is above this

    def __len__(self) -> int:
        return len(self.cost)

    def owner(self) -> Int32:
        """Return the instance of each member, int32, as long as ``member``."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.start))

    def cheapest(self) -> Int64:
        """Return the cost of the cheapest instance of each row type, int64 [t]."""
        least = np.full(len(self.price_limit), np.iinfo(np.int64).max)
        np.minimum.at(least, self.member, np.repeat(self.cost, np.diff(self.start)))
        return least

    def near(self, units: int) -> Instances:
        """Return the instances that cost some row type less than its cheapest and ``units`` more."""
        expensive = np.repeat(self.cost, np.diff(self.start)) >= self.cheapest()[self.member] + units
        return self.take(np.flatnonzero(~np.logical_and.reduceat(expensive, self.start[:-1]))) if len(self) else self

    def take(self, chosen: Int64) -> Instances:
        """Return some of the instances, by their numbers."""
        from kanon_sql.kernels.instances import of_some

        start, member = of_some(self.start, self.member, chosen)
        return Instances(
            start=start, member=member, pattern=self.pattern[chosen], cost=self.cost[chosen], price_limit=self.price_limit
        )

    def concatenated(self, other: Instances) -> Instances:
        """Return the instances of both; those of ``other`` are numbered behind."""
        return Instances(
            start=np.append(self.start, other.start[1:] + self.start[-1]),
            member=np.concatenate([self.member, other.member]),
            pattern=np.concatenate([self.pattern, other.pattern]),
            cost=np.concatenate([self.cost, other.cost]),
            price_limit=self.price_limit,
        )

    def find(self, pattern: Int32, sample: Int32) -> Int64:
        """Return the instances that have a pattern and a row type, one of each pair given; -1 where none is listed."""
        in_sample = np.zeros(len(self.price_limit), np.bool_)
        in_sample[sample] = True
        there = np.flatnonzero(in_sample[self.member])
        owner = np.searchsorted(self.start, there, side="right") - 1
        known = self.pattern[owner].astype(np.int64) * len(in_sample) + self.member[there]
        order = np.argsort(known)
        keys = pattern.astype(np.int64) * len(in_sample) + sample
        if not len(order):
            return np.full(len(keys), -1)
        place = order[np.minimum(np.searchsorted(known, keys, sorter=order), len(order) - 1)]
        return np.where(known[place] == keys, owner[place], -1)

    def keys(self) -> Int64:
        """Return a number for each instance that no other instance of the table has: its pattern and its first member."""
        first = np.minimum.reduceat(self.member, self.start[:-1]) if len(self) else np.empty(0, np.int64)
        return self.pattern.astype(np.int64) * len(self.price_limit) + first


def useful(
    table: CodedTable,
    patterns: PatternSet,
    k: int,
    *,
    slack: int | None,
    limit: int = MOST_MEMBERS,
    budget: Budget = UNLIMITED,
    cheapest: Int64 | None = None,
) -> Instances | None:
    """List the instances that a cheapest release may need; None if they have more than ``limit`` members, or time ends.

    Parameters
    ----------
    table : CodedTable
        t row types.
    patterns : PatternSet
        The permitted patterns, listed.
    slack : int or None
        Only those that cost some row less than so many cells more than its cheapest; None is all of them. Instances whose
        support some permitted pattern shows at less cost are left out: all their rows could move there.
    limit : int
        Most members.
    cheapest : int64 array [t], optional
        Cost of the cheapest instance of each row type, where it is known: the search is shorter, and finds the same.

    Raises
    ------
    InfeasibleError
        When some rows fit no instance.
    """
    listed = among(table, patterns, k, slack=slack, limit=limit, budget=budget, cheapest=cheapest)
    if listed is None:
        return None
    lost = listed.price_limit == NOTHING
    if lost.any():
        raise InfeasibleError(
            f"{how_many(int(table.weight[lost].sum()), 'row fits', 'rows fit')} no class of at least {how_many(k, 'row')} "
            "under any permitted mask; hint: permit masks that show less, or the mask (), which suppresses everything"
        )
    return listed


def among(
    table: CodedTable,
    patterns: PatternSet,
    k: int,
    *,
    slack: int | None,
    limit: int = MOST_MEMBERS,
    budget: Budget = UNLIMITED,
    cheapest: Int64 | None = None,
) -> Instances | None:
    """List instances as `useful` does, where some rows may fit none: rows that are left over."""
    from kanon_sql.solvers.instances.search import InstanceSearch

    units = (1 << 61) if slack is None else slack * usual_cost(table)
    search = InstanceSearch(table, patterns, k, units, limit)
    if cheapest is not None:
        search.expect(cheapest + units)
    return _listed(search, patterns, budget)


def gaining(
    table: CodedTable, patterns: PatternSet, k: int, most: Int64, scale: int, limit: int, budget: Budget
) -> Instances | None:
    """List the instances that gain something where the price of each row type is ``most``, in parts of 1/scale of a unit."""
    from kanon_sql.solvers.instances.search import InstanceSearch

    search = InstanceSearch(table, patterns, k, 1, limit, scale)
    search.set_prices(most)
    listed = _listed(search, patterns, budget)
    return None if listed is None else replace(listed, price_limit=most // scale)


def _listed(search: InstanceSearch, patterns: PatternSet, budget: Budget) -> Instances | None:
    """Search to the end, and return what was found; None beyond the limit, or if time ends."""
    if not search.run(budget, lambda: budget.report("listing", 0.0)):
        return None
    price_limit = search.price_limit()
    start, member, pattern = search.found()
    return Instances(start=start, member=member, pattern=pattern, cost=patterns.cost[pattern], price_limit=price_limit)


def usual_cost(table: CodedTable) -> int:
    """Return what hiding a coded column costs: the highest cost, or where ladders have many small steps, the average."""
    return -(-int(table.cost.sum()) // len(table.cost)) if table.has_ladders else int(table.cost.max())


def deepest(table: CodedTable, patterns: PatternSet, k: int, budget: Budget) -> Instances | None:
    """List the instances with as much slack as memory and time allow; None if one cell is too much, or time ends.

    Notes
    -----
    The bound that follows holds at any slack. Each cell more takes 4 to 12 times the members and about twice the time.
    """
    if table.row_types <= _SMALL:
        listed = useful(table, patterns, k, slack=None, limit=_EVERYTHING, budget=budget)
        if listed is not None:
            return listed
    if table.row_types * len(patterns.shown) <= _MANY_PAIRS:
        listed = useful(table, patterns, k, slack=SLACK, limit=MOST_MEMBERS, budget=budget)
        if listed is not None:
            return listed
    found, first, known = None, 2, None
    if table.has_ladders:  # a step is a part of a cell, so two of them mostly fit
        known = least_costs(table, patterns, k, budget)
        if known is not None and budget.share() <= _LISTING:
            found, first = useful(table, patterns, k, slack=2, limit=_DEEPER, budget=budget, cheapest=known), 3
    if found is None:
        found = useful(table, patterns, k, slack=1, limit=MOST_MEMBERS, budget=budget, cheapest=known)
    for slack in range(first, SLACK + 1):
        growth = _GROWTH_OF_LADDERS if table.has_ladders else _GROWTH
        if found is None or len(found.member) > _DEEPER // growth or budget.share() > _LISTING:
            break
        more = useful(table, patterns, k, slack=slack, limit=_DEEPER, budget=budget, cheapest=found.cheapest())
        if more is None:
            break
        found = more
    return found


def cheapest(table: CodedTable, patterns: PatternSet, k: int, budget: Budget) -> Int64 | None:
    """Return the cost of the cheapest instance with k rows of each row type, 0 where none fits; None if time ends."""
    price_limit = least_costs(table, patterns, k, budget)
    return None if price_limit is None else np.where(price_limit == NOTHING, 0, price_limit)


def least_costs(table: CodedTable, patterns: PatternSet, k: int, budget: Budget = UNLIMITED) -> Int64 | None:
    """Return the same with `NOTHING` for one that fits none; None if time ends."""
    from kanon_sql.solvers.instances.search import InstanceSearch

    search = InstanceSearch(table, patterns, k, 0, 0)
    return search.price_limit() if search.run(budget, lambda: budget.report("row distance", 0.0)) else None


def of_classes(table: CodedTable, patterns: PatternSet, pattern: Int32, sample: Int32, price_limit: Int64) -> Instances:
    """Return the instances of given classes, each by its pattern and one of its row types."""
    start, member = supports(table.codes, patterns.shown[pattern], sample.astype(np.int32))
    return Instances(start=start, member=member, pattern=pattern, cost=patterns.cost[pattern], price_limit=price_limit)
