"""Queries over a source and a release of it: how far the answers are apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Any

import duckdb

from kanon_sql.clause.queries import SOURCE, WEIGHTED, Query
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import PolicyError, raise_alone

_MOST = 20_000_000
"""Combinations of values that a query may spread a release over."""

_CHANGED = """SELECT (SELECT system.main.count(DISTINCT {column}) FROM source),
    (SELECT system.main.count({column}) FROM source) <> (SELECT system.main.count({column}) FROM {released})
    OR EXISTS (SELECT {column}::VARCHAR FROM {released} EXCEPT SELECT {column}::VARCHAR FROM source)"""

_WEIGHTED = "CREATE OR REPLACE TEMP TABLE {into} AS FROM weighted_rows($released, 'source', $columns, $means, $trees)"

_ONLY_COUNTED = "CREATE OR REPLACE TEMP TABLE {into} AS SELECT system.main.count(*)::DOUBLE AS weight FROM {released}"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryErrors:
    """How far the answers of a release are from those of its source."""

    number: int  # the place of the query in its file; 0 for all of them together
    groups: int  # groups that the source has
    lost: int  # groups that only the source has
    added: int  # that only the release has
    # For each value of each group of the source how far the answer of the release is from it, in shares of it, sorted. It is 1
    # if the group is lost, or if only one of the two is 0.
    errors: tuple[float, ...]

    @property
    def median(self) -> float | None:
        """Return the error that half of the values do not exceed."""
        return self._quantile(0.5)

    @property
    def most(self) -> float | None:
        """Return the error that 95 % of the values do not exceed."""
        return self._quantile(0.95)

    def _quantile(self, share: float) -> float | None:
        return self.errors[ceil(share * len(self.errors)) - 1] if self.errors else None

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "query": self.number,
            "groups": self.groups,
            "lost": self.lost,
            "added": self.added,
            "median_error": self.median,
            "error_95": self.most,
        }


def query_errors(con: Any, queries: Iterable[Query], released: str, trees: Mapping[str, Any]) -> tuple[QueryErrors, ...]:
    """Ask the tables ``source`` and ``released`` of a connection that has the macros of usefulness.

    Parameters
    ----------
    queries : iterable of Query
        The queries that run on both tables.
    released : str
        The table of the release.
    trees : mapping
        The hierarchies of columns, as a MAP of DuckDB.

    Raises
    ------
    PolicyError
        When a query fails, gives no numbers, or needs too many combinations of values.
    """
    con.execute(f"CREATE OR REPLACE TEMP VIEW {quoted(SOURCE)} AS FROM source")
    return tuple(_errors(con, query, released, trees) for query in queries)


def together(found: Sequence[QueryErrors]) -> QueryErrors:
    """Return the errors of all queries as one figure."""
    return QueryErrors(
        number=0,
        groups=sum(each.groups for each in found),
        lost=sum(each.lost for each in found),
        added=sum(each.added for each in found),
        errors=tuple(sorted(error for each in found for error in each.errors)),
    )


def _errors(con: Any, query: Query, released: str, trees: Mapping[str, Any]) -> QueryErrors:
    expected = _answers(con, query, query.plain)
    _spread(con, query, released, trees)
    found = _answers(con, query, query.weighted)
    errors = [
        _error(value, other)
        for key, values in expected.items()
        for value, other in zip(values, found.get(key, [None] * len(values)), strict=True)
        if value is not None
    ]
    return QueryErrors(
        number=query.number,
        groups=len(expected),
        lost=len(expected.keys() - found.keys()),
        added=len(found.keys() - expected.keys()),
        errors=tuple(sorted(errors)),
    )


def _error(value: float, other: float | None) -> float:
    if other is None or (value == 0) != (other == 0):
        return 1.0
    return abs(other - value) / abs(value) if value else 0.0


def _spread(con: Any, query: Query, released: str, trees: Mapping[str, Any]) -> None:
    """Make the weighted rows that a query reads."""
    spread = 1
    for column in query.columns:
        values, changed = con.execute(_CHANGED.format(column=quoted(column), released=quoted(released))).fetchone()
        spread *= max(values, 1) if changed else 1
    if spread > _MOST:
        raise PolicyError(
            f"query {query.number} needs too many combinations of values: up to {spread:,} (maximum {_MOST:,}); hint: use "
            "fewer columns per query"
        )
    into = quoted(WEIGHTED)
    if not (query.columns or query.means):
        con.execute(_ONLY_COUNTED.format(into=into, released=quoted(released)))
        return
    read = {name.lower() for name in (*query.columns, *query.means)}
    known = [(name, tree) for name, tree in zip(trees["key"], trees["value"], strict=True) if name.lower() in read]
    used = {"key": [name for name, _ in known], "value": [tree for _, tree in known]}
    values = {"released": quoted(released), "columns": list(query.columns), "means": list(query.means), "trees": used}
    con.execute(_WEIGHTED.format(into=into), values)


def _answers(con: Any, query: Query, text: str) -> dict[tuple[object, ...], list[float | None]]:
    """Return the values of each group."""
    try:
        rows = con.execute(text).fetchall()
    except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException) as error:
        # They are about the text of the query: no row has been read.
        message = str(error).partition("\n")[0]
        raise_alone(PolicyError(f"query {query.number} fails: {message}; hint: run it on the source first"))
    except (duckdb.ConversionException, duckdb.InvalidInputException, duckdb.OutOfRangeException):
        raise_alone(
            PolicyError(f"query {query.number} fails on a value; hint: use TRY_CAST, which returns NULL instead of an error")
        )
    return {tuple(row[place] for place in query.keys): [_number(query, row[place]) for place in query.values] for row in rows}


def _number(query: Query, value: Any) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise_alone(
            PolicyError(f"query {query.number} computes a value that is not a number; hint: use only count, sum and avg")
        )
    return number if isfinite(number) else None
