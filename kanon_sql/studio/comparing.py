"""Two runs side by side, by the functions of `kanon compare`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import closing

import duckdb

from kanon_sql.engines.duckdb.files.csv_cells import give_types
from kanon_sql.engines.duckdb.files.spilling import private_spilling
from kanon_sql.engines.duckdb.python_tables.tables import register_table
from kanon_sql.errors import KanonWarning, PolicyError
from kanon_sql.report.comparison import Comparison, compared
from kanon_sql.studio.run import Run
from kanon_sql.studio.source import Source


def compare_runs(source: Source, runs: Sequence[Run], queries: str = "") -> Comparison:
    """Return what runs still risk, have lost, and are good for.

    Parameters
    ----------
    source : Source
        The opened table.
    runs : sequence of Run
        Releases of the same rows.
    queries : str
        SELECT statements of the people who will use the release, with ``;`` between them.

    Raises
    ------
    PolicyError
        When the runs released other rows, or a query cannot be run.
    """
    plain = all(run.draft.dropped is not None for run in runs)
    if not plain and len({run.draft.query for run in runs}) > 1:
        raise PolicyError("these runs release the rows of different queries; hint: compare runs of one query")
    names = _names(runs)
    per = next((run.draft.policy.people.per for run in runs if run.draft.policy.people is not None), None)
    con = duckdb.connect()
    with private_spilling(":memory:", con), closing(con), warnings.catch_warnings():
        warnings.simplefilter("ignore", KanonWarning)  # the comparison has it
        register_table(con, "before", source.whole(runs[0].draft))
        con.execute("CREATE TABLE source AS FROM before")
        if source.place.kind in ("csv", "tsv"):
            give_types(con, "source")
        for number, run in enumerate(runs):
            register_table(con, f"released{number}", run.release[1])
        return compared(
            con,
            names,
            {name: run.release[0] for name, run in zip(names, runs, strict=True)},
            quasi_identifiers=None,
            queries=queries.strip() or None,
            by=(),
            target=None,
            per=per,
            per_row=per is None and any(run.draft.policy.per_row for run in runs),
            surface="command",
        )


def _names(runs: Sequence[Run]) -> list[str]:
    """Return the names of runs, with their numbers where two have the same."""
    names = [run.name for run in runs]
    return [f"{run.name} ({run.number})" if names.count(run.name) > 1 else run.name for run in runs]
