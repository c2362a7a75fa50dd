"""Each group of a view is decided: proven to be small, or shown not to be by a table that agrees with all facts."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.ledger.bounds import bounds
from kanon_sql.solvers.ledger.chains import SIZES, Chain, light, shortest
from kanon_sql.solvers.ledger.groups import Candidate, Group
from kanon_sql.solvers.ledger.programs import IMPOSSIBLE, WITNESS, Goal, optimum, rounded, solved, vertex_end
from kanon_sql.solvers.ledger.systems import System
from kanon_sql.solvers.ledger.views import Array

_BATCH = 2_000_000
"""Entries of the groups that are looked at together."""

_FREE = 300
"""Atoms that may change before all are looked at."""

_SMALL = 1_000
"""Atoms of a part in which the numbers of a group are made sure by an integer program."""

_SHORT, _LONG = 1.0, 5.0
"""The most seconds of a program with few atoms, and with all."""


@dataclass(frozen=True, slots=True)
class Proven:
    """A group that is proven to have 1 to n - 1 people, by facts of which many may not be needed."""

    named: Candidate
    place: int  # among the groups of the search
    least: int
    most: int
    facts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A group is proven to have 1 to n - 1 people.

    Attributes
    ----------
    named : Candidate
        The group, and the facts that name it.
    least, most : int
        Its numbers of people.
    tight : bool
        Whether there are tables with both numbers.
    chain : dict
        The facts of the view that prove it, with their signs. None can be left out, if there was time to try.
    """

    named: Candidate
    least: int
    most: int
    tight: bool
    chain: Chain


class Search:
    """The groups of a view. Every table that is found is compared with all that are open.

    Parameters
    ----------
    system : System
        The system of the view.
    candidates : sequence of Candidate
        Its groups.
    known : container of Group
        The groups that another view has proven.
    budget : Budget
        What may be spent: what is open then is undecided.

    Attributes
    ----------
    proven : list of Proven
        The groups that are small.
    undecided : list of Group
        The groups that are neither proven nor safe. All others are safe as far as the view goes.
    """

    def __init__(self, system: System, candidates: Sequence[Candidate], known: Container[Group], budget: Budget) -> None:
        self.proven: list[Proven] = []
        self.undecided: list[Group] = []
        self._system, self._budget = system, budget
        doubtful = system.inside[:, system.unknown].any(axis=1)  # facts of parts that contradict themselves prove nothing
        self._usable = np.where(doubtful, 0, system.view.lower), np.where(doubtful, -1, system.view.upper)
        waiting: dict[bytes, tuple[Array, list[Candidate]]] = {}
        for candidate, atoms in _masks(system, candidates):
            if system.unknown[atoms].any():
                self.undecided.append(candidate.group)
            elif candidate.group not in known:
                waiting.setdefault(np.packbits(atoms).tobytes(), (atoms, []))[1].append(candidate)
        groups = [atoms for atoms, _ in waiting.values()]
        self._groups = np.array(groups) if groups else np.zeros((0, len(system.alive)), dtype=bool)
        self._safe = np.zeros(len(groups), dtype=bool)
        self._least = self._groups @ system.values
        self._most = self._least.copy()
        for place, (_, alike) in enumerate(waiting.values()):
            found = None if self._safe[place] else self._decided(place, alike[0])
            if found is not None:
                self.proven.append(found)
            elif not self._safe[place]:
                self.undecided += [each.group for each in alike]

    def _decided(self, place: int, named: Candidate) -> Proven | None:
        """Return what proves a group; None if it is safe, or stays undecided."""
        group, system = self._groups[place], self._system
        simple = bounds(system.inside, *self._usable, group, system.n)
        if simple is not None:
            most = system.n - 1 if simple.most is None else simple.most
            return Proven(named, place, simple.least, most, simple.chain)
        goals = Goal(group, 0, 0), Goal(group, system.n, None)
        if self._budget.over() or any(self._witness(goal, _FREE) for goal in goals):
            return None
        alive = replace(system.view, inside=system.inside)
        facts = light(alive, group, _near(system, group, SIZES[-1]), SIZES, system.n, self._budget)
        if not facts:
            if not all(self._whole(goal) == IMPOSSIBLE for goal in goals):
                return None
            facts = tuple(self._part(group)[1].tolist())
        return Proven(named, place, 1, system.n - 1, facts)

    def proof(self, proven: Proven, budget: Budget) -> Proof:
        """Return the exact numbers of a proven group and a shortest chain, as far as time allows."""
        self._budget = budget
        system, named = self._system, proven.named
        wide = system.view.inside[named.first].copy()
        if named.second >= 0:
            wide &= system.view.inside[named.second] ^ named.minus
        chain = shortest(system, wide, proven.facts, self._budget)
        ends = [proven.least, proven.most]
        for side, attained in enumerate((self._least, self._most)):
            if ends[side] != attained[proven.place] and not self._budget.over():
                ends[side] = self._end(proven, most=bool(side))
        tight = ends == [self._least[proven.place], self._most[proven.place]]
        return Proof(named=named, least=ends[0], most=ends[1], tight=tight, chain=chain)

    def _end(self, proven: Proven, *, most: bool) -> int:
        """Return the least or the greatest number of a group.

        A linear program suggests it, programs in whole numbers prove it: that no table goes beyond, and that one attains it.
        """
        system, own = self._system, self._groups[proven.place]
        atoms, facts = self._part(own)
        part = system.inside[np.ix_(facts, atoms)], system.view.lower[facts], system.view.upper[facts]
        ends = proven.least, proven.most
        end = vertex_end(*part, own[atoms], most=most)
        found = ends[most] if end is None else min(ends[1], end) if most else max(ends[0], end)
        if found != ends[most]:
            beyond = Goal(own[atoms], found + 1 if most else 0, None if most else found - 1)
            if solved(*part, beyond, system.n, self._budget, _LONG).status != IMPOSSIBLE:
                found = ends[most]
        if found != (self._most if most else self._least)[proven.place]:
            goal = Goal(own[atoms], found if most else 0, None if most else found)
            answer = rounded(*part, goal, self._budget, _SHORT)
            if answer.status != WITNESS and len(atoms) <= _SMALL:
                answer = optimum(*part, own[atoms], system.n, self._budget, _LONG, most=most)
                if answer.bound is not None:
                    found = min(found, answer.bound) if most else max(found, answer.bound)
            if answer.values is not None:
                self._compare(atoms, answer.values)
        return found

    def _part(self, group: Array) -> tuple[Array, Array]:
        """Return the atoms and the facts of the parts that a group is in."""
        atoms = np.flatnonzero(np.isin(self._system.part, np.unique(self._system.part[group])))
        return atoms, self._system.facts_of(atoms)

    def _whole(self, goal: Goal) -> str:
        system = self._system
        atoms, facts = self._part(goal.group)
        part = system.inside[np.ix_(facts, atoms)], system.view.lower[facts], system.view.upper[facts]
        inner = Goal(goal.group[atoms], goal.least, goal.most)
        answer = rounded(*part, inner, self._budget, _SHORT)
        if answer.status != WITNESS:
            answer = solved(*part, inner, system.n, self._budget, _LONG)
        if answer.values is not None:
            self._compare(atoms, answer.values)
        return answer.status

    def _witness(self, goal: Goal, most: int) -> bool:
        """Look for a table that differs from the first one in few atoms only."""
        system = self._system
        free = _free(system, goal.group, most)
        facts = system.facts_of(free)
        now = system.values
        inner = system.inside[np.ix_(facts, free)]
        fixed = system.inside[facts] @ now - inner @ now[free]
        lower = np.maximum(system.view.lower[facts] - fixed, 0)
        upper = np.where(system.view.upper[facts] < 0, -1, system.view.upper[facts] - fixed)
        there = int(now[goal.group].sum() - now[free][goal.group[free]].sum())
        if goal.most is not None and there > goal.most:
            return False
        wanted = Goal(goal.group[free], max(goal.least - there, 0), None if goal.most is None else goal.most - there)
        answer = solved(inner, lower, upper, wanted, system.n, self._budget, _SHORT)
        if answer.values is not None:
            self._compare(free, answer.values)
        return answer.status == WITNESS

    def _compare(self, atoms: Array, values: Array) -> None:
        """Take note of a table that differs from the first one in some atoms."""
        table = self._system.values.copy()
        table[atoms] = values
        people = self._groups @ table
        self._safe |= (people == 0) | (people >= self._system.n)
        self._least = np.minimum(self._least, people)
        self._most = np.maximum(self._most, people)


def _masks(system: System, candidates: Sequence[Candidate]) -> Iterator[tuple[Candidate, Array]]:
    """Yield the groups that the first table does not show to be empty or large, with their atoms."""
    step = max(1, _BATCH // max(1, len(system.alive)))
    values = system.values.astype(np.float64)  # sums of floats are fast, and exact below 2^53
    for start in range(0, len(candidates), step):
        batch = candidates[start : start + step]
        atoms = system.inside[[each.first for each in batch]]
        second = system.inside[[each.second for each in batch]]
        minus = np.array([each.minus for each in batch])
        both = np.array([each.second >= 0 for each in batch])
        atoms &= (second ^ minus[:, None]) | ~both[:, None]
        people = atoms @ values
        unknown = (atoms & system.unknown).any(axis=1) if system.unknown.any() else np.zeros(len(batch), dtype=bool)
        for place in np.flatnonzero(((people >= 1) & (people < system.n)) | unknown).tolist():
            yield batch[place], atoms[place]


def _near(system: System, group: Array, most: int) -> Array:
    """Return facts of the parts of a group: those that count some of it, then their neighbours, the smallest ones first."""
    facts = system.facts_of(np.flatnonzero(np.isin(system.part, np.unique(system.part[group]))))
    common = system.inside[np.ix_(facts, np.flatnonzero(group))].any(axis=1)
    around = system.inside[facts[common]].any(axis=0)
    beside = system.inside[np.ix_(facts, np.flatnonzero(around))].any(axis=1)
    return facts[np.lexsort((system.sizes[facts], ~beside, ~common))[:most]]


def _free(system: System, group: Array, most: int) -> Array:
    """Return the atoms of a group, those with people first, and the atoms of the smallest facts around it."""
    own = np.flatnonzero(group)
    own = own[np.argsort(-system.values[own], kind="stable")][: most // 2]
    chosen = np.zeros(len(system.alive), dtype=bool)
    chosen[own] = True
    for fact in _near(system, group, most):
        if (chosen | system.inside[fact]).sum() > most:
            break
        chosen |= system.inside[fact]
    return np.flatnonzero(chosen)
