"""The problem that every solver of pattern-guided recoding solves."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A table, the patterns that its rows may show, and what every class must meet."""

    table: CodedTable  # t row types, m columns, at least k rows
    patterns: PatternSet  # the permitted patterns, or none listed where all 2^m are permitted and too many
    requirement: ClassRequirement  # what every class of a release must meet
    # Most rows that a full-domain recoding may suppress entirely; None is 0. No other solver reads it.
    most_suppressed: int | None = None
    least: int = 0  # what every release is known to cost before it is searched, in units of the table: a search ends there
    for_a_start: bool = False  # whether another search starts from the release, and nobody asks for its bound

    @property
    def k(self) -> int:
        """Return the least number of rows that k-anonymity asks of a class."""
        return self.requirement.k
