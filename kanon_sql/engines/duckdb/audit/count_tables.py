"""The audit of a published table of counts in Python: which suppressed cells its totals give away."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import duckdb

from kanon_sql.engines.cells.table_audit import TableAudit, hidden_cell
from kanon_sql.engines.duckdb.cells.arguments import check_columns
from kanon_sql.engines.duckdb.cells.intervals_with_sums import intervals_with_sums
from kanon_sql.engines.duckdb.cells.published_rows import published_rows
from kanon_sql.engines.duckdb.python_tables.duckdb_relations import is_relation, place_rows
from kanon_sql.engines.duckdb.python_tables.tables import frame_of, names_of, readable, to_arrow
from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.model.validation import same_name, whole
from kanon_sql.solvers.budget import Budget, Progress, silent


def audit_table(
    table: Any,
    by: Sequence[str],
    *,
    measure: str = "n",
    k: int = 5,
    total: str | None = None,
    suppressed: Sequence[str] = (),
    least: int = 1,
    rows: str = "null",
    sums: Sequence[str] = (),
    possible: Any = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> TableAudit:
    """Find the suppressed cells of a published table that its totals give away, whatever tool made it.

    Parameters
    ----------
    table : pyarrow.Table or RecordBatch, pandas.DataFrame, polars.DataFrame or LazyFrame, or DuckDBPyRelation
        The table of counts with its totals.
    by : sequence of str
        The keys. A NULL in a key means all of its values.
    measure : str
        The column of the counts or sums. A NULL means suppressed.
    k : int
        Values of 1 to k - 1 are small.
    total : str, optional
        A text in a key that also means all of its values, such as ``'Total'``.
    suppressed : sequence of str
        Texts of the count that also mean suppressed, such as ``['*']``.
    least : int
        The least value of a suppressed cell. Pass 0 if the table may suppress empty cells, as `PROTECT` does.
    rows : {'null', 'absent'}
        ``'absent'`` for a table that leaves suppressed cells out.
    sums : sequence of str
        Columns of sums next to the counts: a group without people has a sum of 0.
    possible : table, optional
        The combinations of some keys that can have people, with columns of their names. All others are known to be empty.
    time_limit : float, optional
        Seconds; an error is raised if they are not enough.
    progress : callable, optional
        As for `kanon_sql.anonymize`.

    Returns
    -------
    TableAudit
        For each suppressed cell, the least and the greatest value that agree with all that is published. Groups that rows name
        together are listed if they are provably small.

    Raises
    ------
    PolicyError
        When an argument is wrong.
    SourceError
        When the cells do not add up, or cannot be checked.

    Notes
    -----
    Two linear programs for each suppressed cell that does not follow at once. Programs in whole numbers could find more: a cell
    that is reported is given away, one that is not may be.

    Examples
    --------
    >>> import pyarrow as pa
    >>> counts = pa.table({"region": ["north", "south", None], "n": [12, None, 15]})
    >>> audit_table(counts, by=["region"])
    TableAudit(rows=3, hidden=1, exact=1, small=1, disclosed=1)
    """
    source = table if is_relation(table) else frame_of(table)
    if isinstance(by, str) or not isinstance(by, Sequence) or not by:
        raise PolicyError("by must be a list of columns; hint: pass by=['region', 'sex']")
    if isinstance(sums, str):
        raise PolicyError("sums must be a list of columns; hint: pass sums=['total']")
    check_columns((*by, measure, *sums), names_of(source))
    combinations = None if possible is None else frame_of(possible)
    with closing(duckdb.connect()) as con:
        if is_relation(table):
            place_rows(table, con, "source")
        else:
            con.register("source", readable(to_arrow(table)))
        if combinations is not None:
            con.register("possible", readable(to_arrow(possible)))
        return audited_table(
            con,
            by,
            measure,
            k=k,
            budget=Budget(seconds=time_limit, progress=progress or silent),
            total=total,
            suppressed=suppressed,
            least=least,
            rows=rows,
            sums=sums,
            possible=() if combinations is None else names_of(combinations),
        )


def audited_table(con: Any, by: Sequence[str], measure: str, *, k: int, budget: Budget, **options: Any) -> TableAudit:
    """Audit the table ``source`` of a connection of one's own; the options are those of `audit_table`."""
    k, least = whole(k, "k", 1), whole(options.pop("least"), "least", 0)
    rows, markers = options.pop("rows"), options.pop("suppressed")
    sums, possible = options.pop("sums"), options.pop("possible")
    if rows not in ("null", "absent"):
        raise PolicyError(f"unknown value {rows!r} for rows; hint: use null or absent")
    if isinstance(markers, str):
        raise PolicyError("suppressed must be a list of strings; hint: pass suppressed=['*']")
    requested = {**options, "suppressed": markers, "absent": rows == "absent", "possible": possible_keys(by, possible)}
    read = published_rows(con, by, measure, least=least, **requested)
    with_sums = [published_rows(con, by, each, least=0, **requested) for each in sums]
    found = intervals_with_sums(read, with_sums, budget)
    cells = [
        hidden_cell(read.keys[row], found[row], read.unit, k, absent=row >= read.published)
        for row in sorted(found)
        if not read.cells.unseen[row] and (row < read.published or found[row][1] != 0)
    ]
    named = {read.keys[row]: found[row] for row in sorted(found) if read.cells.unseen[row]}
    named |= {keys: (rest, rest) for keys, rest in read.rests}
    groups = [hidden_cell(keys, each, read.unit, k, absent=True) for keys, each in named.items()]
    return TableAudit.of(by, read.published, cells, [each for each in groups if each.small])


def possible_keys(by: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the keys that the table of possible combinations is about.

    Raises
    ------
    UnknownColumnError
        When one of its columns is not a key.
    """
    keys = {same_name(each): each for each in by}
    for each in names:
        if same_name(each) not in keys:
            raise UnknownColumnError.of(each, by, "the table of possible combinations")
    return [keys[same_name(each)] for each in names]
