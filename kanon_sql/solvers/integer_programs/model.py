"""Mixed-integer programs as arrays: variables, constraints and coefficients are added many at a time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kanon_sql.table.arrays import Int64

Floats = NDArray[np.float64]


@dataclass(slots=True)
class Model:
    """A mixed-integer program that grows by arrays of variables, constraints and coefficients."""

    variables: int = 0
    constraints: int = 0
    _upper: list[Floats] = field(default_factory=list)
    _integer: list[NDArray[np.bool_]] = field(default_factory=list)
    _low: list[Floats] = field(default_factory=list)
    _high: list[Floats] = field(default_factory=list)
    _entries: list[tuple[Int64, Int64, Floats]] = field(default_factory=list)

    def add_variables(self, count: int, upper: NDArray[np.number] | float = np.inf, *, integer: bool = False) -> Int64:
        """Add variables from 0 to ``upper``; return their numbers."""
        self._upper.append(np.broadcast_to(np.asarray(upper, np.float64), (count,)))
        self._integer.append(np.full(count, integer))
        self.variables += count
        return np.arange(self.variables - count, self.variables)

    def add_constraints(self, count: int, low: NDArray[np.number] | float, high: NDArray[np.number] | float) -> Int64:
        """Add constraints between ``low`` and ``high``; return their numbers."""
        self._low.append(np.broadcast_to(np.asarray(low, np.float64), (count,)))
        self._high.append(np.broadcast_to(np.asarray(high, np.float64), (count,)))
        self.constraints += count
        return np.arange(self.constraints - count, self.constraints)

    def add(self, constraint: Int64, variable: Int64, value: NDArray[np.number] | float) -> None:
        """Add coefficients."""
        self._entries.append((constraint, variable, np.broadcast_to(np.asarray(value, np.float64), np.shape(variable))))

    def proto(self, objective: Floats) -> object:
        """Return the program for MathOpt, with costs of the first variables."""
        from kanon_sql.solvers.or_tools import model_pb2

        model = model_pb2.ModelProto()
        model.variables.ids.extend(range(self.variables))
        model.variables.lower_bounds.extend([0.0] * self.variables)
        model.variables.upper_bounds.extend(np.concatenate(self._upper).tolist())
        model.variables.integers.extend(np.concatenate(self._integer).tolist())
        model.objective.linear_coefficients.ids.extend(range(len(objective)))
        model.objective.linear_coefficients.values.extend(objective.tolist())
        model.linear_constraints.ids.extend(range(self.constraints))
        model.linear_constraints.lower_bounds.extend(np.concatenate(self._low).tolist())
        model.linear_constraints.upper_bounds.extend(np.concatenate(self._high).tolist())
        row, column, value = (np.concatenate(part) for part in zip(*self._entries, strict=True))
        order = np.lexsort((column, row))
        row, column, value = row[order], column[order], value[order]
        first = np.flatnonzero(np.append(True, (row[1:] != row[:-1]) | (column[1:] != column[:-1])))
        matrix = model.linear_constraint_matrix
        matrix.row_ids.extend(row[first].tolist())
        matrix.column_ids.extend(column[first].tolist())
        matrix.coefficients.extend(np.add.reduceat(value, first).tolist())
        return model
