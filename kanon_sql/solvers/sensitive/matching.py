"""`matching` for sensitive requirements: frequency 2-diversity at the least cost, in polynomial time, with any set of masks.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013), Theorem 11.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from kanon_sql.errors import PolicyError
from kanon_sql.model.requirements import LDiversity
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.matching import BOUND, MOST_ROW_TYPES
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.sensitive import refine
from kanon_sql.table.arrays import Int64
from kanon_sql.table.recoding import Recoding


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a 2-diverse recoding of least cost, or the best found in time, with a proven bound.

    Parameters
    ----------
    problem : Problem
        t row types; in each class no value may have more than half of the rows, and k is at most 2.

    Raises
    ------
    PolicyError
        When anything else is required.
    InfeasibleError
        When the rows cannot be divided into such classes under the patterns.

    Notes
    -----
    A 2-diverse class of four rows or more can be divided into classes of two and three rows with different values (Lemma 2),
    and each part keeps its pattern at the same cost a row; so a cheapest matching in pairs and triples of different values is
    a cheapest release. Cost as for `match`; tables of more than 40,000 row types are left to `refine`, and the recoding says
    so.
    """
    table = problem.table
    _values(problem.requirement)
    if table.row_types > MOST_ROW_TYPES:
        refined = refine.solve(problem, budget)
        return replace(refined, remark=refined.remark or f"more than {MOST_ROW_TYPES:,} row types are too many: refine")
    return close_gap(problem, None, budget)


def takes(problem: Problem) -> bool:
    """Return whether the problem is frequency 2-diversity of one column, with k at most 2, of a table that is small enough."""
    return _is_two_diversity(problem.requirement) and problem.table.row_types <= MOST_ROW_TYPES


def close_gap(problem: Problem, best: Recoding | None, budget: Budget) -> Recoding:
    """Return a release of least cost, or the best found in time: a matching, if there is one.

    Raises
    ------
    InfeasibleError
        When there is no release.
    """
    from kanon_sql.solvers.matching.simplex_matching import match  # loaded only where rows are matched

    table, patterns = problem.table, problem.patterns
    found = match(table, patterns, _values(problem.requirement), budget, best)
    matched = found.recoding(table, patterns)
    if matched is None:
        return (best or refine.solve(problem, budget)).at_least(found.bound, BOUND)
    return matched


def _is_two_diversity(requirement: ClassRequirement) -> bool:
    if len(requirement.requirements) != 1 or requirement.k > 2:
        return False
    (diversity,) = requirement.requirements
    return diversity == LDiversity(sensitive=diversity.sensitive, l=Fraction(2))


def _values(requirement: ClassRequirement) -> Int64:
    """Return the sensitive value of each row type, int64 [t]; refuse everything but 2-diversity."""
    if _is_two_diversity(requirement):
        (about,) = requirement.sensitive
        return about.codes.astype("int64")
    requested = " AND ".join([f"k >= {requirement.k}", *(each.describe() for each in requirement.requirements)])
    raise PolicyError(
        f"the algorithm 'matching' divides rows into pairs and triples, so it supports only k <= 2 with l = 2 (frequency), not "
        f"{requested}; hint: use the algorithm 'optimal'"
    )
