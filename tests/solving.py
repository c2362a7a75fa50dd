"""Rows as a coded table, for tests that call a solver without a database, and the check that its recoding is a release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa

from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KAnonymity
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.registry import Solve
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.encode import encode
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Recoding


def coded(rows: Sequence[tuple[Any, ...]], **options: Any) -> tuple[CodedTable, Policy]:
    """Return rows as a coded table with the columns c0, c1, ..., and the resolved policy."""
    names = [f"c{c}" for c in range(len(rows[0]))]
    types = Counter(rows)
    columns = [pa.array([None if row[c] is None else str(row[c]) for row in types], pa.string()) for c in range(len(names))]
    policy = Policy.of(quasi_identifiers=names, **options)
    return encode(pa.StructArray.from_arrays(columns, names), np.array(list(types.values()), np.int64), policy)


def rows_each(table: CodedTable, k: int) -> ClassRequirement:
    """Return the requirement of k rows in each class."""
    return ClassRequirement.of(table, [KAnonymity(k=k)])


def plain(table: CodedTable, patterns: PatternSet, k: int, most_suppressed: int | None = None) -> Problem:
    """Return the problem of k-anonymity alone."""
    return Problem(table=table, patterns=patterns, requirement=rows_each(table, k), most_suppressed=most_suppressed)


def check(table: CodedTable, recoding: Recoding, k: int) -> None:
    """Every row is placed once, and every class has k rows."""
    placed = np.zeros_like(table.weight)
    np.add.at(placed, recoding.row_type, recoding.count)
    assert (placed == table.weight).all()
    assert (recoding.count > 0).all()
    classes: Counter[tuple[int | None, ...]] = Counter()
    for row_type, shown, count in zip(recoding.row_type, recoding.shown, recoding.count, strict=True):
        look = tuple(int(code) if int(shown) >> c & 1 else None for c, code in enumerate(table.codes[row_type]))
        classes[look] += int(count)
    assert min(classes.values()) >= k


def module_of(solve: Solve) -> SimpleNamespace:
    """Return a module in place of `refine` that says that what it finds is the optimum, so that no other is asked."""

    def claimed(problem: Problem, budget: Budget) -> Recoding:
        found = solve(problem, budget)
        return replace(found, lower_bound=found.cost(problem.table))

    return SimpleNamespace(solve=claimed, priced=claimed)
