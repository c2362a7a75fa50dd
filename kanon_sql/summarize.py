"""The pipeline where classes show the range or the set of their own values: it divides rows, and knows no patterns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np

from kanon_sql.certificate import Certificate, certified
from kanon_sql.coded import CodedTable, Recoding
from kanon_sql.generalizations import Ranges, Sets
from kanon_sql.policy import Policy
from kanon_sql.requirements import KAnonymity
from kanon_sql.solvers.budget import Budget, Progress, never, silent
from kanon_sql.solvers.promised import promised
from kanon_sql.solvers.summaries import ALGORITHM, check_algorithm
from kanon_sql.solvers.summaries.division import Division

if TYPE_CHECKING:
    from kanon_sql.solvers.sensitive.promise import Promise


def run(
    table: CodedTable,
    policy: Policy,
    null: Mapping[str, int],
    progress: Progress = silent,
    ended: Callable[[], bool] = never,
) -> tuple[Recoding, Division, Certificate]:
    """Divide the rows of a coded table into classes that lose little by their summaries.

    Parameters
    ----------
    table : CodedTable
        At least one row type; columns that are summarized have codes in the order of their values.
    policy : Policy
        Resolved; some column of it shows ranges or sets.
    null : mapping of int
        For each such column the code of NULL, the highest; -1 where there is none.
    progress, ended
        As for `pipeline.run`.

    Returns
    -------
    tuple of (Recoding, Division, Certificate)
        The pieces, piece by piece the same in both. The recoding shows every summarized column but those of which a class
        has all values, and of the others what its rows agree on.

    Raises
    ------
    PolicyError
        When the policy names an algorithm that makes no summaries.
    InfeasibleError
        When there are fewer than k rows, or not even the whole table keeps the promise.
    AuditError
        When the solver made a class that breaks the promise.
    """
    from kanon_sql.solvers.summaries.mondrian import solve

    check_algorithm(policy.algorithm)
    started = time.monotonic()
    k = max((each.k for each in policy.requirements if isinstance(each, KAnonymity)), default=1)
    table.refuse_fewer(k)
    promise = cast("Promise | None", promised(table, policy))  # a policy with RANGES or SETS counts no people
    recodings = {qi.column: qi.recoding for qi in policy.quasi_identifiers}
    places = [c for c in range(len(table.columns)) if not table.secret >> c & 1]
    seen = _without_secrets(table, places)
    always = Fraction(table.rows * int(table.cost.sum() - seen.cost.sum()))  # what hiding the others costs
    kinds = [_kind(recodings[names[0]]) for names in seen.columns]
    hidden = np.array([null.get(names[0], -1) for names in seen.columns], np.int32)
    budget = Budget(seconds=policy.time_limit, seed=policy.seed, unit=table.unit, progress=progress, ended=ended)
    division = solve(seen, kinds, hidden, promise or k, budget)
    method = division.bound
    if promise is not None and promise.least > policy.least_class_size:  # more than a reader of the policy alone can tell
        method = f"{method}, where no class has fewer than {promise.least} rows"
    recoding = Recoding(row_type=division.row_type, shown=_shown(seen, places, kinds, division), count=division.count)
    certificate = certified(
        table,
        policy,
        recoding,
        algorithm=ALGORITHM,
        reason="the only one that makes RANGES and SETS",
        cost=(division.cost(seen, kinds, hidden) + always) / table.unit,
        lower_bound=(division.lower_bound + always) / table.unit,
        bound_method=method,
        seconds=time.monotonic() - started,
    )
    return recoding, division, replace(certificate, prices=None)


def _without_secrets(table: CodedTable, places: list[int]) -> CodedTable:
    """Return a table with some of the coded columns: those that classes may show."""
    return replace(
        table,
        columns=tuple(table.columns[c] for c in places),
        codes=np.ascontiguousarray(table.codes[:, places]),
        cost=table.cost[places],
        secret=0,
    )


def _kind(recoding: object) -> str:
    return "range" if isinstance(recoding, Ranges) else "set" if isinstance(recoding, Sets) else "plain"


def _shown(table: CodedTable, places: list[int], kinds: list[str], division: Division) -> np.ndarray:
    """Return what each piece shows: bits ``places`` of what its class agrees on, or summarizes by fewer than all values."""
    classes = int(division.number.max()) + 1
    shown = np.zeros(classes, np.uint64)
    for column, (kind, values) in enumerate(zip(kinds, table.cardinality.tolist(), strict=True)):
        pairs = np.unique(np.stack([division.number, table.codes[division.row_type, column]]), axis=1)
        different = np.bincount(pairs[0], minlength=classes)
        told = different == 1 if kind == "plain" else (different < values) | (values == 1)
        shown |= told.astype(np.uint64) << np.uint64(places[column])
    return shown[division.number]
