"""What an attacker can compute of each suppressed row of a published table: the least and the greatest value it may have.

References
----------
Fischetti and Salazar-Gonzalez: Solving the Cell Suppression Problem on Tabular Data with Linear Constraints (2001), for the
two linear programs of an attacker.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql.errors import SourceError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.simplex import Simplex
from kanon_sql.table.cell_table import PublishedCells

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Interval = tuple[int, int | None]
"""The least and the greatest whole number; None is without limit."""

_EXACT = 1 << 40
"""Values below this are exact enough for linear programs."""

_TOLERANCE = 1e-6
"""What a program may err by, as a share of its value: intervals are wider by it before they are rounded."""

_WRONG = (
    "the cells do not add up to their totals; hint: use unrounded numbers, and pass least=0 if suppressed cells may be "
    "empty, or rows='absent' if they are omitted"
)


def intervals(cells: PublishedCells, budget: Budget) -> dict[int, Interval]:
    """Return for each suppressed row which values agree with all that is published.

    Parameters
    ----------
    cells : PublishedCells
        The table.

    Raises
    ------
    SourceError
        When the rows contradict each other, a value is too large, or the time is up.

    Notes
    -----
    Of rows that nobody sees and that may be empty, the greatest value is left open. Base cells that follow by themselves leave
    the system first. What remains falls into parts without a row in common, and each
    suppressed row of a part takes two linear programs. Values are whole numbers, so an interval is rounded inward, after it
    was widened by the tolerance of the programs. A whole-number table may still not exist for its ends: the true interval is
    never wider.
    """
    if cells.value.max(initial=0) >= _EXACT:
        raise SourceError("a value in the table has too many digits to be checked; hint: express sums in thousands")
    system = _System.of(cells)
    system.simplify()
    found = dict(system.known())
    parts = list(system.parts())
    for number, (rows, bases) in enumerate(parts):
        budget.report("computing intervals", number / len(parts))
        found |= _Part(system, rows, bases).intervals(budget)
    return found


@dataclass(slots=True)
class _System:
    """The equations while they are simplified: `open` are the base cells of each row that are not known yet."""

    cells: PublishedCells
    open: list[set[int]]
    rows_of: list[list[int]]
    rest: list[int]

    @classmethod
    def of(cls, cells: PublishedCells) -> _System:
        members: list[set[int]] = [set() for _ in range(len(cells.value))]
        rows_of: list[list[int]] = [[] for _ in range(cells.base_cells)]
        for row, base in zip(cells.row.tolist(), cells.base.tolist(), strict=True):
            members[row].add(base)
            rows_of[base].append(row)
        rest = np.where(cells.hidden, cells.least, cells.value).tolist()
        return cls(cells=cells, open=members, rows_of=rows_of, rest=rest)

    def simplify(self) -> None:
        """Take out base cells that one shown row determines, until none is left."""
        hidden = self.cells.hidden.tolist()
        waiting = [row for row in range(len(self.rest)) if not hidden[row]]
        while waiting:
            row = waiting.pop()
            if self.rest[row] < 0 or (self.rest[row] and not self.open[row]):
                raise SourceError(_WRONG)
            if self.open[row] and (self.rest[row] == 0 or len(self.open[row]) == 1):
                value = self.rest[row]
                for base in tuple(self.open[row]):
                    for each in self.rows_of[base]:
                        self.open[each].discard(base)
                        self.rest[each] -= value
                        if not hidden[each]:
                            waiting.append(each)

    def known(self) -> Iterator[tuple[int, Interval]]:
        """Yield the suppressed rows whose base cells are all known."""
        for row in np.flatnonzero(self.cells.hidden).tolist():
            if not self.open[row]:
                value = int(self.cells.least[row]) - self.rest[row]
                if self.rest[row] > 0:
                    raise SourceError(_WRONG)
                yield row, (value, value)

    def parts(self) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the rows and the base cells of each part that has no row in common with others, if one is suppressed."""
        seen: set[int] = set()
        for first in range(self.cells.base_cells):
            if first in seen or not any(first in self.open[row] for row in self.rows_of[first]):
                continue
            rows, bases, waiting = set[int](), {first}, [first]
            while waiting:
                new = {row for row in self.rows_of[waiting.pop()] if row not in rows}
                rows |= new
                more = set().union(*(self.open[row] for row in new)) - bases
                bases |= more
                waiting += more
            seen |= bases
            if self.cells.hidden[list(rows)].any():
                yield sorted(rows), sorted(bases)


class _Part:
    """The linear program of a part."""

    def __init__(self, system: _System, rows: list[int], bases: list[int]) -> None:
        from kanon_sql.solvers.or_tools import mathopt

        self._system = system
        self._hidden = [row for row in rows if system.cells.hidden[row]]
        self._model: Any = mathopt.Model()
        variable = {base: self._model.add_variable(lb=0.0) for base in bases}
        self._sums = {row: mathopt.fast_sum([variable[base] for base in sorted(system.open[row])]) for row in rows}
        self._limited: set[int] = set()
        alike = defaultdict[frozenset[int], list[int]](list)
        for row in rows:
            hidden = bool(system.cells.hidden[row])
            alike[frozenset(system.open[row])].append(row)
            upper = float("inf") if hidden else float(system.rest[row])
            self._model.add_linear_constraint(lb=float(max(system.rest[row], 0)), ub=upper, expr=self._sums[row])
            if not hidden:
                self._limited |= system.open[row]
        self._alike = [[row for row in same if system.cells.hidden[row]] for same in alike.values()]
        none = mathopt.VariableFilter(filtered_items=[])
        self._filters = mathopt.ModelSolveParameters(
            variable_values_filter=none,
            dual_values_filter=mathopt.LinearConstraintFilter(filtered_items=[]),
            reduced_costs_filter=none,
        )
        self._simplex = Simplex(self._model, self._filters)

    def intervals(self, budget: Budget) -> Iterable[tuple[int, Interval]]:
        """Return the interval of each suppressed row; rows that add up the same cells are solved once."""
        found: list[tuple[int, Interval]] = []
        for rows in (each for each in self._alike if each):
            first = rows[0]
            self._model.minimize(self._sums[first])
            low = self._optimum(budget)
            lower = ceil(low - _TOLERANCE * max(1.0, abs(low)))
            upper = None
            known = [int(self._system.cells.least[row]) - self._system.rest[row] for row in rows]
            empty = all(self._system.cells.unseen[row] and lower + own <= 0 for row, own in zip(rows, known, strict=True))
            if self._system.open[first] <= self._limited and not empty:
                self._model.maximize(self._sums[first])
                high = self._optimum(budget)
                upper = max(lower, floor(high + _TOLERANCE * max(1.0, abs(high))))
            for row, own in zip(rows, known, strict=True):
                found.append((row, (lower + own, None if upper is None else upper + own)))
        return found

    def _optimum(self, budget: Budget) -> float:
        from kanon_sql.solvers.or_tools import mathopt

        result = self._simplex.solve(budget, dual=False)
        if result is None and not budget.over():
            # From the start again, with the preprocessing of the method: it tells contradictions from trouble with numbers.
            result = mathopt.solve(self._model, mathopt.SolverType.GLOP, model_params=self._filters)
            if result.termination.reason in (
                mathopt.TerminationReason.INFEASIBLE,
                mathopt.TerminationReason.INFEASIBLE_OR_UNBOUNDED,
            ):
                raise SourceError(_WRONG)
            if result.termination.reason != mathopt.TerminationReason.OPTIMAL:
                raise SourceError("the linear programs for this table cannot be solved; hint: check fewer dimensions at once")
        if result is None:
            raise SourceError("the time limit expired before every suppressed cell was checked; hint: allow more time")
        return float(result.objective_value())
