"""Small tables by the partition program: how many rows of each row type show each pattern.

A class by a set of known columns has as many rows as required, or none. Patterns that show what too few rows could show are
left out first; what is left has a linear relaxation close to its optimum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.integer_programs.constraint_search import searched
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.projections.set_requirements import Sets
from kanon_sql.table.arrays import Int64, Words
from kanon_sql.table.recoding import Recoding, row_cost

METHOD = "partition program"

_MOST_PATTERNS, _MOST_CHOICES, _MOST_MEMBERS = 100_000, 8_000, 200_000
"""Row types times patterns of a small table: all, those that are not left out, and these times the sets."""

_WORK = 4.0
"""Most work of the search by default, in its own units of about a second."""

_Grid = NDArray[np.bool_]


def improved(problem: Problem, sets: Sets, best: Recoding, budget: Budget) -> Recoding:
    """Return the best release that the program finds from one, and a lower bound; of a large table the release itself.

    Parameters
    ----------
    problem : Problem
        The table and its patterns.
    sets : Sets
        The requirement of the classes by each set. Of anything but rows, the release itself is returned.
    best : Recoding
        A release, and what is known of the cost of every one.
    budget : Budget
        Time left; without a limit, the work is counted, so that the result does not depend on the clock.
    """
    program = _Program.of(problem, sets)
    if program is None or best.optimal(problem.table) or budget.over():
        return best
    return program.solved(best, budget)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Program:
    """The choices of a small table."""

    problem: Problem  # the table
    shown: Words  # [p]: the patterns
    row_type: Int64  # [c]: the choices: a row type
    pattern: Int64  # [c]: the number of a pattern that its rows may show
    members: list[Int64]  # [c]: for each set the class that each choice belongs to, numbered from 0
    need: list[int]  # for each set the rows that a class needs

    @classmethod
    def of(cls, problem: Problem, sets: Sets) -> _Program | None:
        """Return the program of a table; None if it is large, or not only rows are required."""
        table, shown = problem.table, problem.patterns.shown
        columns, rows_alone = len(table.columns), not any(each.people or each.values for each in sets.values())
        if not rows_alone or (1 << columns if not len(shown) else len(shown)) * table.row_types > _MOST_PATTERNS:
            return None
        if not len(shown):
            shown = np.arange(1 << columns, dtype=np.uint64)
        need = [each.rows for each in sets.values()]
        if len(shown) * table.row_types * len(sets) > _MOST_PATTERNS * _MOST_MEMBERS // _MOST_CHOICES:
            return None
        classes = [_classes(table.codes, shown, list(chosen)) for chosen in sets]
        row_type, pattern = np.nonzero(_without_rare(table.weight, classes, need))
        if len(row_type) > _MOST_CHOICES or len(row_type) * len(sets) > _MOST_MEMBERS:
            return None
        members = [np.unique(each[row_type, pattern], return_inverse=True)[1].ravel() for each in classes]
        return cls(problem=problem, shown=shown, row_type=row_type, pattern=pattern, members=members, need=need)

    def solved(self, best: Recoding, budget: Budget) -> Recoding:
        """Return the better of a release and what the program finds from it, with what is then known of every release."""
        from kanon_sql.solvers.or_tools import cp_model

        table = self.problem.table
        cost, start = row_cost(self.shown, table.cost)[self.pattern], self._rows(best)
        model = cp_model.CpModel()
        weight = table.weight.tolist()
        rows = [model.new_int_var(0, weight[each], "") for each in self.row_type.tolist()]
        for row_type, choices in _grouped(self.row_type).items():
            model.add(sum(rows[each] for each in choices) == weight[row_type])
        hints = list(zip(rows, start.tolist(), strict=True))
        for member, need in zip(self.members, self.need, strict=True):
            for choices in _grouped(member).values():
                opened = model.new_bool_var("")
                hints.append((opened, int(start[choices].sum() > 0)))
                model.add(sum(rows[each] for each in choices) >= need * opened)
                for row_type, mine in _grouped(self.row_type[choices]).items():
                    model.add(sum(rows[choices[each]] for each in mine) <= weight[row_type] * opened)
        for variable, value in hints:
            model.add_hint(variable, value)
        total: Any = sum(each * rows[number] for number, each in enumerate(cost.tolist()))
        model.minimize(total)
        model.add(total >= best.lower_bound)
        known = best.cost(table), best.lower_bound
        solver, status = searched(
            model, budget, lambda: budget.report("program", 0.9, *known), work=budget.steps(_WORK), workers=1, relaxation=2
        )
        if status not in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
            return best
        count = np.array([solver.value(each) for each in rows], np.int64)
        found = best.at_least(min(int(np.ceil(solver.best_objective_bound - 0.5)), int(cost @ count)), METHOD)
        if int(cost @ count) >= known[0]:
            return found
        taken = np.flatnonzero(count)
        of_row_type = self.row_type[taken].astype(np.int32)
        return replace(found, row_type=of_row_type, shown=self.shown[self.pattern[taken]], count=count[taken])

    def _rows(self, recoding: Recoding) -> Int64:
        """Return how many rows make each choice in a release, int64 [c]: where the search begins."""
        place = {each: number for number, each in enumerate(self.shown.tolist())}
        chosen = {pair: number for number, pair in enumerate(zip(self.row_type.tolist(), self.pattern.tolist(), strict=True))}
        found = np.zeros(len(self.row_type), np.int64)
        pieces = zip(recoding.row_type.tolist(), recoding.shown.tolist(), recoding.count.tolist(), strict=True)
        for row_type, shown, count in pieces:
            number = chosen.get((row_type, place.get(shown)))
            if number is not None:
                found[number] += count
        return found


def _classes(codes: NDArray[np.integer[Any]], shown: Words, columns: list[int]) -> Int64:
    """Return the class by some columns of each row type with each pattern, int64 [t, p]."""
    bits = (shown[:, None] >> np.array(columns, np.uint64)) & np.uint64(1)
    cells = np.where(bits[None] > 0, codes[:, None, columns].astype(np.int64) + 1, 0)
    _, number = np.unique(cells.reshape(-1, len(columns)), axis=0, return_inverse=True)
    return number.reshape(len(codes), len(shown)).astype(np.int64)


def _without_rare(weight: Int64, classes: list[Int64], need: list[int]) -> _Grid:
    """Return the choices without those in a class that too few rows could be in, bool [t, p]."""
    kept: _Grid = np.ones(classes[0].shape, np.bool_)
    row_type = np.broadcast_to(np.arange(len(weight))[:, None], kept.shape)
    while True:
        before = int(kept.sum())
        for number, least in zip(classes, need, strict=True):
            pairs = np.unique(number[kept] * len(weight) + row_type[kept])
            rows = np.bincount(pairs // len(weight), weight[pairs % len(weight)], int(number.max()) + 1)
            kept &= (rows >= least)[number]
        if int(kept.sum()) == before:
            return kept


def _grouped(number: Int64) -> dict[int, Int64]:
    """Return the places of each number."""
    order = np.argsort(number, kind="stable")
    ends = np.flatnonzero(np.diff(number[order], append=-1)) + 1
    return {int(number[each[0]]): each for each in np.split(order, ends[:-1])}
