"""Counts of the people of a table by what they share; without a column that tells them apart, of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from kanon_sql.engines.duckdb.names import quoted

_PEOPLE = "SELECT {people} FROM {table}"

_LEAST = "SELECT system.main.min(n) FROM (SELECT {people} AS n FROM {table} GROUP BY {by})"

_BELOW = """SELECT coalesce(system.main.sum(n) FILTER (n < {k}), 0) / system.main.greatest(system.main.sum(n), 1)
    FROM (SELECT {people} AS n FROM {table} GROUP BY {by})"""

_ALONE = """SELECT system.main.count(DISTINCT person)
    FROM (SELECT system.main.min({per}) AS person FROM {table} GROUP BY {by} HAVING system.main.count(DISTINCT {per}) = 1)"""


@dataclass(frozen=True, slots=True)
class Counted:
    """A table whose people, or rows, are counted."""

    con: Any  # a connection with the table
    table: str  # its quoted name
    per: str | None = None  # the column that tells people apart

    @property
    def what(self) -> str:
        """Return what is counted."""
        return "rows" if self.per is None else "people"

    @property
    def people(self) -> int:
        """Return how many there are."""
        return int(self._answer(_PEOPLE.format(people=self._count, table=self.table)))

    def least(self, columns: Sequence[str]) -> int:
        """Return the least number of people who share a combination of values; NULL is a value."""
        return int(self._answer(_LEAST.format(people=self._count, table=self.table, by=", ".join(map(quoted, columns)))) or 0)

    def share_below(self, by: Sequence[str], k: int) -> float:
        """Return the share of people in groups of fewer than k, by SQL expressions; who is in several counts in each."""
        return float(self._answer(_BELOW.format(people=self._count, table=self.table, by=", ".join(by), k=k)))

    def singled_out(self, columns: Sequence[str]) -> list[tuple[tuple[str, ...], float]]:
        """Return the sets of one or two columns, and the share of people who have a combination of values alone."""
        people = max(self.people, 1)
        sets = [chosen for size in (1, 2) for chosen in combinations(columns, size)]
        per = quoted(self.per or "")
        queries = (_ALONE.format(per=per, table=self.table, by=", ".join(map(quoted, chosen))) for chosen in sets)
        return [(chosen, self._answer(query) / people) for chosen, query in zip(sets, queries, strict=True)]

    @property
    def _count(self) -> str:
        return "system.main.count(*)" if self.per is None else f"system.main.count(DISTINCT {quoted(self.per)})"

    def _answer(self, query: str) -> Any:
        return self.con.execute(query).fetchall()[0][0]
