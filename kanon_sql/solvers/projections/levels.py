"""The same table without levels: a cell shows its finest permitted level or nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.solvers.problem import Problem
from kanon_sql.table.arrays import Int64, Words
from kanon_sql.table.patterns import PatternSet


def whole_cells(problem: Problem) -> tuple[Problem, list[list[int]]]:
    """Return the problem in which a column with levels is one coded column, and the coded columns that each stands for.

    Every pattern has to be permitted.
    """
    table = problem.table
    shown = {
        names: [place for place in places if not table.hidden_levels >> place & 1] for names, places in table.ladders.items()
    }
    finest = {names: places for names, places in shown.items() if places}
    cost: Int64 = np.array([table.cost[places].sum() for places in finest.values()], np.int64)
    first = [places[0] for places in finest.values()]
    codes = np.ascontiguousarray(table.codes[:, first])
    plain = replace(table, columns=tuple(finest), codes=codes, cost=cost, hidden_levels=0, levels={})
    every = PatternSet(shown=np.empty(0, np.uint64), cost=np.empty(0, np.int64))
    requirement = replace(problem.requirement, table=plain)
    return replace(problem, table=plain, patterns=every, requirement=requirement), list(finest.values())


def with_levels(shown: Words, finest: list[list[int]]) -> Words:
    """Return patterns of the table with levels that show what those of the table without do."""
    found = np.zeros_like(shown)
    for column, places in enumerate(finest):
        bits = np.uint64(sum(1 << place for place in places))
        found |= (shown >> np.uint64(column) & np.uint64(1)) * bits
    return found
