"""Linear programs given as arrays: they are built much faster than from expressions."""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.ledger.views import Array

Rows = tuple[Array, Array, Array]
"""The coefficients of the constraints, a row for each, and their lower and upper bounds; these may be infinite."""


def cheapest(rows: Rows, low: Array, high: Array, prices: Array) -> Array | None:
    """Return the values of a cheapest vertex; None if there is none.

    Parameters
    ----------
    rows : tuple of array
        The constraints.
    low, high : array of float
        Bounds of the variables.
    prices : array of float
        The price of each variable.
    """
    from kanon_sql.solvers.or_tools import mathopt, model_pb2

    coefficients, least, most = rows
    places, columns = np.nonzero(coefficients)
    proto = model_pb2.ModelProto()
    proto.variables.ids.extend(range(len(prices)))
    proto.variables.lower_bounds.extend(low.tolist())
    proto.variables.upper_bounds.extend(high.tolist())
    proto.variables.integers.extend([False] * len(prices))
    proto.linear_constraints.ids.extend(range(len(least)))
    proto.linear_constraints.lower_bounds.extend(least.tolist())
    proto.linear_constraints.upper_bounds.extend(most.tolist())
    proto.linear_constraint_matrix.row_ids.extend(places.tolist())
    proto.linear_constraint_matrix.column_ids.extend(columns.tolist())
    proto.linear_constraint_matrix.coefficients.extend(coefficients[places, columns].astype(float).tolist())
    priced = np.flatnonzero(prices)
    proto.objective.linear_coefficients.ids.extend(priced.tolist())
    proto.objective.linear_coefficients.values.extend(prices[priced].tolist())
    model = mathopt.Model.from_model_proto(proto)
    result = mathopt.solve(model, mathopt.SolverType.GLOP)
    if result.termination.reason != mathopt.TerminationReason.OPTIMAL:
        return None
    return np.array(result.variable_values(list(model.variables())))
