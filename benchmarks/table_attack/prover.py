"""What a reader can prove, by integer programs of CP-SAT.

A group is proven to be small if no table of whole numbers that agrees with all published rows has at least n people in it, and
none has nobody.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from benchmarks.table_attack.reader import EMPTY, MARKED, VALUE, Bools, Group, Int64, Knowledge

_STEPS = 20.0
"""Deterministic seconds of a program."""


class Reader:
    """The tables that a reader thinks possible.

    Parameters
    ----------
    known : Knowledge
        What is published.
    unknown : container of int
        The groups, by their places, of which the reader does not know what the tables say.

    Attributes
    ----------
    programs : int
        How many were solved.
    """

    def __init__(self, known: Knowledge, unknown: Container[int] = ()) -> None:
        self._model: Any = cp_model.CpModel()
        atoms = len(known.truth)
        self._most = 4 * int(known.truth.sum()) + 100
        self._people = [self._model.new_int_var(0, self._most, "") for _ in range(atoms)]
        self._sums = {name: self._sum(own) for name, own in known.sums.items()}
        for place, each in enumerate(known.groups):
            if place in unknown:
                continue
            members = np.flatnonzero(each.atoms).tolist()
            total = sum(self._people[place] for place in members)
            if each.says == EMPTY:
                self._model.add(total == 0)
            elif each.says == MARKED:
                self._model.add(total >= 1)
            elif each.says == VALUE:
                self._model.add(total == each.count)
                for name, value in each.sums.items():
                    self._model.add(sum(self._sums[name][place] for place in members) == value)
        self._found: list[tuple[Int64, dict[str, Int64]]] = []
        self.programs = 0

    def _sum(self, own: Int64) -> list[Any]:
        """Return the sum of each atom: none where nobody is."""
        most = 4 * int(own.sum()) + 1000
        found = [self._model.new_int_var(0, most, "") for _ in self._people]
        for people, amount in zip(self._people, found, strict=True):
            somebody = self._model.new_bool_var("")
            self._model.add(people >= 1).only_enforce_if(somebody)
            self._model.add(amount == 0).only_enforce_if(~somebody)
        return found

    def small(self, groups: Bools, n: int, *, or_none: bool = True) -> NDArray[np.int8]:
        """Return for each group whether it is proven to have 1 to ``n - 1`` people: 1 if so, 0 if not, -1 if open.

        Parameters
        ----------
        groups : bool array [g, a]
            The atoms of each.
        n : int
            The least count.
        or_none : bool
            Whether a table in which nobody is in the group disproves it, too.
        """
        answer = np.full(len(groups), -2, np.int8)

        def learn(people: Int64) -> None:
            counts = groups @ people
            answer[(answer == -2) & ((counts >= n) | (or_none & (counts == 0)))] = 0

        for people, _ in self._found:
            learn(people)
        while (left := np.flatnonzero(answer == -2)).size:
            group = int(left[0])
            model = self._model.clone()
            total = _total(model, self._people, groups[group])
            many = model.new_bool_var("")
            model.add(total >= n).only_enforce_if(many)
            if or_none:
                model.add(total == 0).only_enforce_if(~many)
            else:
                model.add(many == 1)
            answer[group] = self._solve(model)
            if answer[group] == 0:
                learn(self._found[-1][0])
        return answer

    def may_have_somebody(self, atoms: Bools) -> int:
        """Return whether a group is proven to be empty: 1 if so, 0 if not, -1 if open."""
        if any(people[atoms].sum() for people, _ in self._found):
            return 0
        model = self._model.clone()
        model.add(_total(model, self._people, atoms) >= 1)
        return self._solve(model)

    def sum_is_close(self, atoms: Bools, name: str, least: int) -> int:
        """Return whether the sum of a group is proven to be below a value: 1 if so, 0 if not, -1 if open."""
        if any(sums[name][atoms].sum() >= least for _, sums in self._found):
            return 0
        model = self._model.clone()
        model.add(
            sum(model.get_int_var_from_proto_index(self._sums[name][each].index) for each in np.flatnonzero(atoms)) >= least
        )
        return self._solve(model)

    def _solve(self, model: Any) -> int:
        """Return 1 if nothing is possible, 0 if something is, which is kept, and -1 if it is not known."""
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.max_deterministic_time = _STEPS
        self.programs += 1
        status = solver.solve(model)
        if status == cp_model.INFEASIBLE:
            return 1
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return -1
        people = np.array([solver.value(each) for each in self._people], np.int64)
        sums = {name: np.array([solver.value(each) for each in own], np.int64) for name, own in self._sums.items()}
        self._found.append((people, sums))
        return 0


def _total(model: Any, own: Sequence[Any], atoms: Bools) -> Any:
    """Return the sum over atoms in a copy of the model."""
    return sum(model.get_int_var_from_proto_index(own[place].index) for place in np.flatnonzero(atoms))


def alone(known: Knowledge) -> list[tuple[Group, Bools]]:
    """Return suppressed rows that are the only ones of people in a group, and the atoms of the rest of the group.

    A group is a row without one of its keys, unless other keys of the row say something about that.
    """
    found, lines = list[tuple[Group, Bools]](), dict[tuple[object, ...], list[Group]]()
    occur = {(each.table, *key) for each in known.groups if known.truth[each.atoms].any() for key in each.keys}
    for each in known.groups:
        for key, value in each.keys:
            if (each.table, key, value) in occur and sum(known.apart[text] == known.apart[key] for text, _ in each.keys) == 1:
                own = tuple(pair for pair in each.keys if pair[0] != key)
                lines.setdefault((each.table, key, own), []).append(each)
    for own in lines.values():
        some = [each for each in own if known.truth[each.atoms].sum()]
        others = [each.atoms for each in own if not some or each is not some[0]]
        if len(some) == 1 and some[0].says != VALUE and others:
            found.append((some[0], np.any(others, axis=0)))
    return found


def own_gaps(known: Knowledge, group: Group, others: Bools, together: Container[int]) -> set[int]:
    """Return the missing rows, by their places, by which a table and those solved with it show that a group has no other row.

    They are all of its own, and those of the same people in the other tables, if their values occur there.
    """
    occur = {(each.table, *key) for each in known.groups if known.truth[each.atoms].any() for key in each.keys}
    return {
        place
        for place, each in enumerate(known.groups)
        if each.says == EMPTY
        and (
            each.table == group.table
            or (
                each.table in together
                and not (each.atoms & ~others).any()
                and all((each.table, *key) in occur for key in each.keys)
            )
        )
    }


def targets(known: Knowledge, n: int) -> tuple[Bools, list[str]]:
    """Return the groups that a reader asks about and that do have 1 to ``n - 1`` people, and their words.

    They are the published groups, the atoms, and what two published groups have in common or one has without the other.
    """
    own = np.array([each.atoms for each in known.groups], np.bool_).reshape(len(known.groups), len(known.truth))
    words = [f"table {each.table} ({each.words})" for each in known.groups]
    found = dict[bytes, tuple[Bools, str]]()

    def ask(groups: Bools, told: Sequence[str]) -> None:
        counts = groups @ known.truth
        for place in np.flatnonzero((counts >= 1) & (counts < n)):
            found.setdefault(groups[place].tobytes(), (groups[place], told[place]))

    ask(own, [f"row: {each}" for each in words])
    ask(np.eye(len(known.truth), dtype=np.bool_), [f"atom: {each}" for each in known.names])
    for place, one in enumerate(own):
        ask(own & one, [f"both: {words[place]} and {each}" for each in words])
        ask(one & ~own, [f"without: {words[place]} without {each}" for each in words])
    groups = np.array([each for each, _ in found.values()], np.bool_).reshape(len(found), len(known.truth))
    return groups, [each for _, each in found.values()]
