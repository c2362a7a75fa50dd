"""The one pipeline: choose -> solve -> certify. It sees codes and counts, never a connection and never a value."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from kanon_sql.certificate import Certificate, Status
from kanon_sql.coded import CodedTable, Recoding, row_cost
from kanon_sql.errors import AuditError, InfeasibleError
from kanon_sql.patterns import PatternSet, permitted
from kanon_sql.policy import Policy
from kanon_sql.solvers import choose
from kanon_sql.solvers.budget import Budget, Progress, never, silent
from kanon_sql.solvers.row_distance import METHOD, row_prices


def run(
    table: CodedTable, policy: Policy, progress: Progress = silent, ended: Callable[[], bool] = never
) -> tuple[Recoding, Certificate]:
    """Solve a coded table under a resolved policy.

    Parameters
    ----------
    table : CodedTable
        At least one row type.
    policy : Policy
        With the columns of the table.
    progress : Progress
        Hears of the progress; may raise to stop the work.
    ended : callable
        Whether the search shall end with the best release it has.

    Raises
    ------
    InfeasibleError
        When no release can keep the promise.
    AuditError
        When the solver used a mask that the policy does not permit.
    """
    started = time.monotonic()
    k = policy.least_class_size
    if table.rows < k:
        raise InfeasibleError(
            f"the table has {table.rows} rows, fewer than k = {k}; hint: nothing of it can be released at this k"
        )
    budget = Budget(seconds=policy.time_limit, seed=policy.seed, unit=table.unit, progress=progress, ended=ended)
    patterns = permitted(table, policy)
    solver, reason = choose(policy.algorithm, policy.requirements, patterns)
    recoding = solver.load()(table, patterns, k, budget)
    if policy.masks is not None and not np.isin(recoding.shown, patterns.shown).all():
        raise AuditError(f"the solver {solver.name!r} used a mask that is not permitted; nothing was released")
    cost = recoding.cost(table)
    prices = recoding.prices
    bound, method = recoding.lower_bound, recoding.bound
    if prices is None:
        prices = row_prices(table, patterns, k)
        bound, method = max((bound, method), (int(prices.price @ table.weight), METHOD))
    certificate = Certificate(
        requirements=tuple(requirement.describe() for requirement in policy.requirements),
        algorithm=solver.name,
        reason=f"{reason}; {recoding.remark}" if recoding.remark else reason,
        status=Status.OPTIMAL if cost == bound else Status.FEASIBLE,
        cost=table.exact_cost(cost),
        lower_bound=table.exact_cost(bound),
        bound_method=method,
        rows=table.rows,
        row_types=table.row_types,
        suppressed_cells=_suppressed_cells(recoding, table),
        cells=table.rows * int(table.width.sum()),
        seconds=time.monotonic() - started,
        policy=policy.to_json(),
        prices=tuple(prices.price.tolist()),
        scale=prices.scale,
        unit=table.unit,
    )
    return recoding, certificate


def empty_certificate(policy: Policy) -> Certificate:
    """Return the certificate of a table without rows: every promise holds, nothing is lost."""
    nothing = np.empty(0, np.uint64)
    solver, _ = choose(policy.algorithm, policy.requirements, PatternSet(shown=nothing, cost=nothing.astype(np.int64)))
    return Certificate(
        requirements=tuple(requirement.describe() for requirement in policy.requirements),
        algorithm=solver.name,
        reason="there is nothing to solve",
        status=Status.OPTIMAL,
        cost=Fraction(0),
        lower_bound=Fraction(0),
        bound_method="no rows",
        rows=0,
        row_types=0,
        suppressed_cells=0,
        cells=0,
        seconds=0.0,
        policy=policy.to_json(),
        classes=0,
    )


def _suppressed_cells(recoding: Recoding, table: CodedTable) -> int:
    return int(row_cost(recoding.shown, table.width) @ recoding.count)
