"""The certificate of what a solver found."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from kanon_sql.certificate.certificate import Certificate
from kanon_sql.certificate.status import Status
from kanon_sql.model.policy import Policy
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding, row_cost


def certified(
    table: CodedTable, policy: Policy, recoding: Recoding, *, cost: Fraction, lower_bound: Fraction, **found: Any
) -> Certificate:
    """Return the certificate of a recoding, without prices.

    Parameters
    ----------
    table, policy, recoding
        What was solved, and how.
    cost, lower_bound : Fraction
        As the user counts them.
    **found
        ``algorithm``, ``reason``, ``bound_method``, ``seconds``.
    """
    return Certificate(
        requirements=tuple(requirement.describe() for requirement in policy.requirements),
        status=Status.OPTIMAL if cost == lower_bound else Status.FEASIBLE,
        cost=cost,
        lower_bound=lower_bound,
        rows=table.rows,
        row_types=table.row_types,
        suppressed_cells=int(row_cost(recoding.shown, table.width) @ recoding.count),
        cells=table.rows * int(table.width.sum()),
        policy=policy.to_json(),
        **found,
    )
