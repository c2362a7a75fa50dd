"""The system of a view: atoms that may have people, facts that say more than others, the parts without a fact in common."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.ledger.programs import IMPOSSIBLE, UNKNOWN, WITNESS, Answer, rounded, solved
from kanon_sql.solvers.ledger.views import Array, View

_SHORT, _SECONDS = 3.0, 20.0
"""The most that the first table of a part may take: by rounding, and by an integer program."""


@dataclass(slots=True)
class System:
    """What is left of a view after facts that say that nobody is there.

    Attributes
    ----------
    alive : array of int
        The atoms of the view that may have people; the columns of `inside` are these.
    binding : array of int
        The facts that limit a table, without those that follow from others.
    part : array of int
        For each atom the number of its part.
    values : array of int
        A table of whole numbers that agrees with all facts.
    unknown : array of bool
        The atoms of parts for which there is no such table, or none was found.
    contradictory : list of array
        The facts of each part for which there is no table.
    """

    view: View
    n: int
    alive: Array
    inside: Array = field(repr=False)
    sizes: Array = field(repr=False)  # of each fact, in atoms
    binding: Array = field(repr=False)
    part: Array = field(repr=False)
    values: Array = field(repr=False)
    unknown: Array = field(repr=False)
    contradictory: list[Array] = field(repr=False)

    @classmethod
    def of(cls, view: View, n: int, budget: Budget) -> System:
        """Simplify a view, and find a table for each part."""
        nobody = view.inside[view.upper == 0].any(axis=0)
        alive = np.flatnonzero(~nobody)
        inside = view.inside[:, alive]
        sizes = inside.sum(axis=1)
        limits = (view.lower > 0) | (view.upper > 0)
        binding = np.flatnonzero(limits & ~_implied(view, sizes))
        part = _parts(inside[binding], len(alive))
        none = np.zeros(len(alive), dtype=np.int64)
        found = cls(view, n, alive, inside, sizes, binding, part, none, none.astype(bool), [])
        found._fill(budget)
        return found

    def facts_of(self, atoms: Array) -> Array:
        """Return the binding facts that count one of these atoms."""
        touched: Array = self.inside[np.ix_(self.binding, atoms)].any(axis=1)
        return self.binding[touched]

    def _fill(self, budget: Budget) -> None:
        """Find a table of whole numbers: at once for parts with one fact, else by a program."""
        lower, upper = self.view.lower, self.view.upper
        order = np.argsort(self.part, kind="stable")
        starts = np.flatnonzero(np.diff(self.part[order], prepend=-1))
        atoms_of = {
            int(self.part[order[start]]): atoms for start, atoms in zip(starts, np.split(order, starts[1:]), strict=True)
        }
        facts_of: dict[int, list[int]] = defaultdict(list)
        for fact in self.binding.tolist():
            members = self.inside[fact]
            if not self.sizes[fact]:
                if lower[fact] > 0:  # people where nobody is
                    self.contradictory.append(np.array([fact]))
            else:
                facts_of[int(self.part[int(members.argmax())])].append(fact)
        for part, facts in facts_of.items():
            atoms, rows = atoms_of[part], np.array(facts)
            if len(facts) == 1:
                self.values[atoms[0]] = lower[facts[0]]
                possible = WITNESS if upper[facts[0]] < 0 or lower[facts[0]] <= upper[facts[0]] else UNKNOWN
                if possible == UNKNOWN:
                    self.contradictory.append(rows)
            else:
                answer = self._first(rows, atoms, budget)
                possible = answer.status
                if answer.values is not None:
                    self.values[atoms] = answer.values
                elif answer.status != UNKNOWN:
                    alone = self._impossible(rows)
                    self.contradictory.append(alone if len(alone) else rows)
            if possible != WITNESS:
                self.unknown[atoms] = True

    def _impossible(self, rows: Array) -> Array:
        """Return the facts that no number of people meets: rows about the same people contradict each other."""
        upper = self.view.upper[rows]
        impossible: Array = rows[(upper >= 0) & (self.view.lower[rows] > upper)]
        return impossible

    def _first(self, rows: Array, atoms: Array, budget: Budget) -> Answer:
        system = self.inside[np.ix_(rows, atoms)], self.view.lower[rows], self.view.upper[rows], None
        if len(self._impossible(rows)):
            return Answer(IMPOSSIBLE)
        answer = rounded(*system, budget, _SHORT)
        return solved(*system, self.n, budget, _SECONDS) if answer.status == UNKNOWN else answer


def _implied(view: View, sizes: Array) -> Array:
    """Return which facts follow from others: those that are the sum of facts with exact counts, by the values of one column."""
    implied = np.zeros(len(view.facts), dtype=bool)
    alike: dict[object, list[tuple[int, int]]] = defaultdict(list)
    columns = {column for fact in view.facts for column, _ in fact.region}
    for place, each in enumerate(view.facts):
        if each.closes is None:
            region = dict(each.region)
            for column in columns:
                rest = tuple(pair for pair in each.region if pair[0] != column)
                alike[column, rest].append((region.get(column, -1), place))  # -1 has all bits: it contains every set
    for same in (each for each in alike.values() if len(each) > 2):
        shown = [(values, fact) for values, fact in same if values >= 0 and view.lower[fact] == view.upper[fact]]
        shown.sort(key=lambda each: (each[0].bit_count(), each))
        for values, place in same:
            used, count, size = 0, 0, 0
            for part, fact in shown:
                if fact != place and not part & used and part & values == part != values:
                    used, count, size = used | part, count + int(view.lower[fact]), size + int(sizes[fact])
            fits = view.lower[place] <= count and (count <= view.upper[place] or view.upper[place] < 0)
            implied[place] |= bool(fits and 0 < size == sizes[place])
    return implied


def _parts(inside: Array, atoms: int) -> Array:
    """Return for each atom the number of its part; atoms without a fact are parts of their own."""
    part = np.arange(atoms)
    for row in inside:
        touched = np.unique(part[row])
        if len(touched) > 1:
            part[np.isin(part, touched)] = touched[0]
    return part
