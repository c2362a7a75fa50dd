"""`full_domain`: one pattern for the whole table, next to the rows that are suppressed entirely.

Without suppressed rows this is attribute suppression: the cheapest columns to drop so that the rest is k-anonymous.

References
----------
LeFevre, DeWitt, Ramakrishnan: Incognito: Efficient Full-Domain K-Anonymity (SIGMOD 2005).
Kohlmayer, Prasser, Eckert, Kemper, Kuhn: Flash: Efficient, Stable and Optimal K-Anonymity (PASSAT 2012).
Meyerson, Williams: On the Complexity of Optimal K-Anonymity (PODS 2004), section 3.1 (attribute suppression).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.how_many import how_many
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.k_anonymity.hitting_sets import HittingSets
from kanon_sql.solvers.k_anonymity.lattice import LargeClasses, Lattice
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.arrays import Int64
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Recoding

_MOST_EFFORT = 1 << 34
"""Row types counted after which the search ends by itself where there is no time limit: one to two minutes."""


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return the cheapest k-anonymous recoding that shows the same columns for all rows but the suppressed ones.

    Parameters
    ----------
    problem : Problem
        t row types, m columns, at least k rows.
        Rows are suppressed entirely where the pattern that shows nothing is permitted. They are a class, so k of them at
        least: below k their greatest number is as good as 0.
    budget : Budget
        Time left; when it ends, the best recoding so far is returned, and its remark says so.

    Returns
    -------
    Recoding
        The best of all full-domain recodings, as the remark says. Other releases may cost less: it proves no bound on them.

    Raises
    ------
    InfeasibleError
        When no permitted pattern suits all rows, or none is found in time.

    Notes
    -----
    Exponential in m in the worst case (the problem is NP-hard without suppressed rows, even for binary columns), O(m t) for
    each node of the search; memory O(t m), and 16 bytes a core.
    """
    patterns, k, most = problem.patterns, problem.k, problem.most_suppressed or 0
    nothing = not patterns.listed or 0 in patterns.shown
    lattice = Lattice(table=problem.table, k=k, most=most if nothing and most >= k else 0)
    search = _LatticeSearch(lattice=lattice, patterns=patterns, budget=budget)
    proven = search.run()
    if search.best is None:
        small = lattice.small(lattice.large_classes(search.coarsest()))
        if proven:
            raise InfeasibleError(
                f"no permitted mask fits all rows: the most general one leaves {how_many(small, 'row')} in "
                f"classes below k = {k}, but at most "
                f"{lattice.most} may be suppressed; hint: permit masks that show less, or the mask (), which "
                "suppresses everything"
            )
        raise InfeasibleError(
            f"no mask that fits all rows was found in time: the most general one leaves {how_many(small, 'row')} in "
            f"classes below k = {k}; hint: permit the mask (), which suppresses everything, or allow more time"
        )
    suppressed = search.best.suppressed
    claim = "optimal among full-domain recodings" if proven else "the best of the full-domain recodings searched"
    recoding = _released(lattice, search.best)
    return Recoding(
        row_type=recoding.row_type,
        shown=recoding.shown,
        count=recoding.count,
        remark=f"{claim}, with {how_many(suppressed, 'row')} suppressed" if suppressed else claim,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """A pattern, as bits, and how many rows are suppressed."""

    shown: int
    suppressed: int


@dataclass(slots=True, kw_only=True)
class _LatticeSearch:
    """The best choice so far, and the ways to a better one."""

    lattice: Lattice
    patterns: PatternSet
    budget: Budget
    best: _Choice | None = None
    done: float = 0.0
    below: int = field(init=False)
    """Only choices that cost less are of use."""

    def __post_init__(self) -> None:
        self.below = self.lattice.total(0, self.lattice.rows) + 1

    def run(self) -> bool:
        """Search to the end; False if the time is up before."""
        self._offer(self.coarsest())
        if self._over():
            return False
        self._improve(0, self.lattice.total(0, self.lattice.rows))
        everything = (1 << len(self.lattice.cost)) - 1
        listed = np.arange(len(self.patterns.shown))
        if not self.patterns.listed and self.lattice.most == 0 and self._by_hitting_sets(everything):
            return True
        return self._branch(0, everything, self.lattice.everyone(), listed, grown=True, done=(0.0, 1.0))

    def coarsest(self) -> int:
        """Return the most expensive permitted pattern."""
        return int(self.patterns.shown[-1]) if self.patterns.listed else 0

    def _over(self) -> bool:
        unlimited = self.budget.seconds is None
        return self.budget.over() or (unlimited and self.lattice.effort > _MOST_EFFORT)

    def _report(self) -> None:
        self.budget.report("lattice", self.done, None if self.best is None else self.below)

    def _within(self, shown: int) -> int | None:
        """Return the cheapest permitted pattern inside a set of columns."""
        if not self.patterns.listed:
            return shown
        inside = np.flatnonzero(self.patterns.shown & ~np.uint64(shown) == 0)
        return int(self.patterns.shown[inside[0]]) if len(inside) else None

    def _offer(self, shown: int) -> bool:
        """Take a permitted pattern if it is better than the best so far."""
        suppressed = self.lattice.suppressed(self.lattice.large_classes(shown))
        if suppressed is None:
            return False
        total = self.lattice.total(self.lattice.hidden_cost(shown), suppressed)
        if total >= self.below:
            return False
        self.best, self.below = _Choice(shown=shown, suppressed=suppressed), total
        return True

    def _improve(self, shown: int, total: int) -> None:
        """Show one more column after the other, each time the one that saves the most, and offer what is permitted of it.

        ``total`` is the cost at the start, of a set of columns that need not be permitted.

        Where all patterns are permitted, this also adds the columns whose codes follow from those of others: they are free.
        """
        lattice = self.lattice
        large = lattice.large_classes(shown)
        while True:
            self._report()
            offers = []
            for column in lattice.columns(~shown):
                finer = lattice.finer(large, column)
                suppressed = lattice.suppressed(finer)
                if suppressed is not None:
                    wider = shown | 1 << column
                    # Among equally cheap ones the column that leaves the fewest classes leaves the most to others.
                    offers.append((lattice.total(lattice.hidden_cost(wider), suppressed), len(finer.rows), wider, finer))
            cheapest = min(offers, key=lambda offer: offer[:3], default=None)
            if cheapest is None or cheapest[0] >= total or self._over():
                break
            total, _, shown, large = cheapest
        permitted = self._within(shown)
        if permitted is not None:
            self._offer(permitted)

    def _by_hitting_sets(self, everything: int) -> bool:
        """Drop the cheapest columns that hit every core, until nothing is left to hit; False if that takes too long.

        Without suppressed rows a pattern is ruled out by its cores alone. Strong where few columns have to be dropped;
        where few can be shown, cores are too many, and branching is stronger.
        """
        program = HittingSets(self.lattice.cost)
        everyone = self.lattice.everyone()
        while not self._over():
            self._report()
            dropped = program.cheapest(-(-self.below // self.lattice.rows), self.budget.left())
            if dropped is None:
                return program.proven
            shown = everything & ~dropped
            while (fatal := self.lattice.fatal(self.lattice.hidden_cost(shown), self.below)) > 0:
                core = self.lattice.core(0, everyone, shown, fatal)
                if core is None:
                    self._offer(shown)
                    self._improve(shown, self.below)
                    break
                program.hit(core)
                shown &= ~(1 << min(self.lattice.columns(core), key=lambda column: self.lattice.cost[column]))
        return False

    def _branch(
        self, kept: int, free: int, large: LargeClasses, listed: Int64, *, grown: bool, done: tuple[float, float]
    ) -> bool:
        """Search the patterns that show all columns ``kept`` and some of ``free``; False if the time is up before the end.

        The cheapest of them is taken, or has a core. Each other pattern that may be better drops a column of the core, the
        first of which tells the branch: the columns of the core before it are kept.

        Parameters
        ----------
        large : LargeClasses
            What stands when ``kept`` is shown.
        listed : int64 array
            Positions of patterns, among them all that are searched.
        grown : bool
            Whether ``kept`` is new, so that columns that cannot join it are to be dropped.
        done : tuple of float
            The share of the work before, and of this.
        """
        lattice = self.lattice
        small: dict[int, int] = {}
        while not self._over():
            self.done = done[0]
            self._report()
            cheapest = kept | free
            if self.patterns.listed:
                shown = self.patterns.shown[listed]
                listed = listed[(shown & np.uint64(kept) == np.uint64(kept)) & (shown & ~np.uint64(cheapest) == 0)]
                if not len(listed):
                    return True
                cheapest = int(self.patterns.shown[listed[0]])
            fatal = lattice.fatal(lattice.hidden_cost(cheapest), self.below)
            if fatal <= 0 or lattice.small(large) >= fatal:
                return True
            if grown:
                small = {column: lattice.small(lattice.finer(large, column)) for column in lattice.columns(free)}
                grown = False
            alone = [column for column in small if small[column] >= fatal and free >> column & 1]
            if alone:
                free &= ~sum(1 << column for column in alone)
                continue
            core = lattice.core(kept, large, cheapest, fatal)
            if core is None:
                if self._offer(cheapest):
                    self._improve(cheapest, self.below)
                    continue
                core = cheapest  # its rows in small classes are few, but need so many others that it is not better
            return self._branches(kept, free, lattice.columns(core & ~kept), large, listed, done)
        return False

    def _branches(
        self, kept: int, free: int, columns: list[int], large: LargeClasses, listed: Int64, done: tuple[float, float]
    ) -> bool:
        """Search the patterns that do not show all of some columns; False if the time is up before the end."""
        start, share = done
        for number, column in enumerate(columns):
            free &= ~(1 << column)
            share /= 2
            if not self._branch(kept, free, large, listed, grown=number > 0, done=(start, share)):
                return False
            start += share
            kept |= 1 << column
            large = self.lattice.finer(large, column)
        return True


def _released(lattice: Lattice, choice: _Choice) -> Recoding:
    """Return the recoding; of the classes that stand, as few rows are suppressed as the choice asks for beyond small ones."""
    table, large = lattice.table, lattice.large_classes(choice.shown)
    kept = np.zeros_like(table.weight)
    kept[large.member] = table.weight[large.member]
    need = choice.suppressed - lattice.small(large)
    surplus = large.rows - lattice.k
    if need > int(surplus.sum()):
        surplus = np.where(np.arange(len(surplus)) == np.argmin(large.rows), large.rows, 0)
    for number in np.flatnonzero(surplus).tolist():
        gift = min(need, int(surplus[number]))
        need -= gift
        for row_type in large.member[large.start[number] : large.start[number + 1]].tolist():
            taken = min(gift, int(kept[row_type]))
            kept[row_type] -= taken
            gift -= taken
        if not need:
            break
    everyone = np.arange(table.row_types, dtype=np.int32)
    counts = np.concatenate([kept, table.weight - kept])
    shown = np.repeat(np.array([choice.shown, 0], np.uint64), table.row_types)
    some = counts > 0
    partial = PartialRecoding(
        row_type=np.tile(everyone, 2)[some], shown=shown[some], count=counts[some], placed=np.ones(int(some.sum()), np.bool_)
    )
    return partial.recoding()
