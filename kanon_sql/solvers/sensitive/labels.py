"""Classes whose rows have few different labels at every level, made by cuts and local search: a start where masks are many.

A class loses a level where its rows do not agree on it. Few classes agree on much from the beginning, so the search first
counts the different labels of each level, as for sets, and then the levels on which rows disagree.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.partition import Classes, released
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.sensitive.search_space import FEW_PAIRS
from kanon_sql.solvers.summaries import mondrian
from kanon_sql.solvers.summaries.columns import shown_columns
from kanon_sql.solvers.summaries.measure import measured
from kanon_sql.solvers.summaries.nearest import nearby
from kanon_sql.solvers.summaries.search import divided, planned, search
from kanon_sql.table.recoding import Recoding

_INITIAL = 1
"""The initial threshold of the second search, in mean losses of a row: 1 % better than 0, and as fast."""


_FEW_VALUES = 4
"""Sensitive values up to which this is tried: on Adult, alpha of 2 values 21,568 against 40,364 of the greedy, but l of 15
values 26,340 against 20,854, and t 124,436 against 69,262."""


def pays_off(problem: Problem) -> bool:
    """Return whether to look for such a start: there are many masks with levels, and few sensitive values."""
    table, patterns = problem.table, problem.patterns
    if not table.has_ladders or problem.requirement.counters > _FEW_VALUES:
        return False
    return table.row_types * len(patterns.shown) > FEW_PAIRS


def by_labels(problem: Problem, budget: Budget) -> Recoding | None:
    """Return a release whose classes agree on much; None where they break the requirement under the permitted masks.

    Parameters
    ----------
    problem : Problem
        Its requirement counts rows, not people.
    budget : Budget
        Time left; without a limit the search ends after a fixed number of steps.

    Notes
    -----
    What `mondrian` takes, and as much again; 3 to 6 s for 20,000 row types with 25 levels.
    """
    table, requirement = problem.table, problem.requirement
    seen = shown_columns(table, [c for c in range(len(table.columns)) if not table.hidden_levels >> c & 1])
    null = np.full(len(seen.columns), -1, np.int32)
    sets = mondrian.solve(seen, ["set"] * len(null), null, requirement, budget.half())
    measure, scale = measured(seen, ["plain"] * len(null), null)
    order = np.argsort(sets.number, kind="stable")
    row_type = sets.row_type[order].astype(np.int64)
    classes = planned(seen, measure, requirement.least, row_type, sets.number[order], sets.count[order])
    near = nearby(seen, measure, scale, requirement.least, row_type).near
    search(seen, measure, scale, requirement, classes, near, 0, budget, initial=_INITIAL)
    found = divided(classes.partition)
    pieces = Classes(row_type=found.row_type, count=found.count, number=found.number)
    recoding = released(table, problem.patterns, problem.k, pieces, budget)
    number = PartialRecoding.of(recoding).classes(table)
    return recoding if requirement.holds(number, recoding.row_type, recoding.count).all() else None
