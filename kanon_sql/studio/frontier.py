"""All releases of a session as points: how risky each is, and how far its answers are from those of the source."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import duckdb

from kanon_sql.clause.queries import read_queries
from kanon_sql.engines.duckdb.files.csv_cells import give_types
from kanon_sql.engines.duckdb.files.spilling import private_spilling
from kanon_sql.engines.duckdb.files.tables import columns
from kanon_sql.engines.duckdb.python_tables.tables import register_table
from kanon_sql.errors import PolicyError
from kanon_sql.report.query_errors import query_errors, together
from kanon_sql.report.usefulness import prepare
from kanon_sql.studio.run import Run
from kanon_sql.studio.source import Source


@dataclass(frozen=True, slots=True)
class Point:
    """A release."""

    name: str  # the name of the run
    risk: float  # the risk of the worst row or person, as the certificate proves it
    suppressed: float  # the share of suppressed cells, as in the certificate
    error: float | None = None  # the median error of the queries


def frontier(source: Source, runs: Sequence[Run], queries: str = "") -> list[Point]:
    """Return a point for each release that has classes.

    Parameters
    ----------
    source : Source
        The opened table.
    runs : sequence of Run
        Releases.
    queries : str
        SELECT statements of counts, sums and averages, with ``;`` between them; whatever table they name, they are run on the
        rows of each run before and after. Without any, no error is measured.

    Raises
    ------
    PolicyError
        When a query cannot be run.
    """
    found = []
    for run in runs:
        certificate, _ = run.release
        if certificate.smallest_class:
            error = _error(source, run, queries) if queries.strip() else None
            found.append(Point(run.name, certificate.highest_risk or 1.0, certificate.suppressed_share, error))
    return found


def _error(source: Source, run: Run, text: str) -> float | None:
    """Return the median error of the queries over a release."""
    con = duckdb.connect()
    with private_spilling(":memory:", con), closing(con):
        register_table(con, "before", source.before(run.draft.query))
        register_table(con, "released", run.release[1])
        con.execute("CREATE TABLE source AS FROM before")
        if source.place.kind in ("csv", "tsv"):
            give_types(con, "source")
        prepare(con)
        shown = columns(con, "released")
        queries = read_queries(text, columns(con, "source"))
        for query in queries:
            for name in (*query.columns, *query.means):
                if name not in shown:
                    raise PolicyError(f"query {query.number} uses {name}, which {run.name} does not have; hint: remove it")
        return together(query_errors(con, queries, "released", {"key": [], "value": []})).median
