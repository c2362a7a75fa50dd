"""The file of a ledger: a DuckDB database with a row for each published table and one for each of its rows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from kanon_sql.engines.duckdb.cells.remembered_source import ledger_path
from kanon_sql.engines.duckdb.files.places import plain
from kanon_sql.engines.duckdb.ledger.recorded_tables import RecordedTable, recorded_tables
from kanon_sql.engines.duckdb.names import literal, qualified
from kanon_sql.errors import PolicyError, SourceError, raise_alone
from kanon_sql.model.how_many import how_many
from kanon_sql.model.published_table import PublishedRow, PublishedTable

_TABLES, _ROWS = "kanon_ledger_tables", "kanon_ledger_rows"

_COLUMNS = {
    _TABLES: {
        "number": "BIGINT",
        "added_at": "TIMESTAMP",
        "name": "VARCHAR",
        "keys": "VARCHAR[]",
        "condition": "VARCHAR",
        "absent": "BOOLEAN",
        "state": "VARCHAR",
        "protected": "BIGINT",  # the number of the same table among those that PROTECT remembers, if it is one
    },
    _ROWS: {
        "number": "BIGINT",
        "row": "BIGINT",
        "labels": "VARCHAR[]",
        "lower": "BIGINT",
        "upper": "BIGINT",
        "suppressed": "BOOLEAN",
    },
}

_THERE = """SELECT table_name, system.main.list(column_name ORDER BY column_index ASC NULLS LAST)
    FROM system.main.duckdb_columns() WHERE database_name = $1 AND schema_name = 'main'
    AND table_name IN ('kanon_ledger_tables', 'kanon_ledger_rows') GROUP BY table_name"""

_ATTACHED = "kanon_audited_ledger"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A table of a ledger."""

    number: int  # from 1, in the order in which the tables were added or protected
    added_at: datetime
    table: PublishedTable | None = None  # what a reader knows; None if the ledger does not show it
    recorded: RecordedTable | None = None  # what PROTECT remembers, if it made the table

    @property
    def name(self) -> str:
        """Return what people call it."""
        return "protected table" if self.table is None else self.table.name

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the columns that it is counted by."""
        return self.table.keys if self.table is not None else self.recorded.keys if self.recorded is not None else ()

    @property
    def condition(self) -> str | None:
        """Return the condition that its people meet."""
        found = self.table or self.recorded
        return None if found is None else found.condition


@contextmanager
def opened(ledger: str | os.PathLike[str], *, writable: bool = False) -> Iterator[tuple[Any, str]]:
    """Give a connection to a ledger, and the name of its database there. One that is written is made if it is not there.

    Raises
    ------
    SourceError
        When it is not there, or not a ledger.
    """
    path = ledger_path(ledger)
    if not writable and not path.is_file():
        raise SourceError(f"there is no ledger {path}; hint: create it with kanon ledger add")
    with duckdb.connect() as con, attached(con, path, writable=writable) as database:
        yield con, database


@contextmanager
def attached(con: Any, path: Path, *, writable: bool = False) -> Iterator[str]:
    """Give the name of the database of a ledger; the file is attached to a connection meanwhile if it is not yet.

    Raises
    ------
    SourceError
        When it cannot be opened.
    """
    databases = con.execute("SELECT database_name, path FROM system.main.duckdb_databases()").fetchall()
    name = next((name for name, place in databases if place and Path(os.path.realpath(place)) == path), None)
    if name is not None:
        yield name
        return
    try:
        con.execute(f"ATTACH {literal(str(path))} AS {_ATTACHED}{'' if writable else ' (READ_ONLY)'}")
    except duckdb.Error as error:
        raise_alone(SourceError(f"cannot open {path}: {plain(error)}; hint: close it in other programs, or check the path"))
    try:
        yield _ATTACHED
    finally:
        con.execute(f"DETACH {_ATTACHED}")


def entries(con: Any, database: str) -> list[Entry]:
    """Return the tables of a ledger, those that PROTECT remembers among them.

    Raises
    ------
    SourceError
        When the file cannot be read as a ledger.
    """
    recorded = {each.record: each for each in recorded_tables(con, database)}
    found = []
    for number, moment, table, record in _stored(con, database):
        own = None if record is None else recorded.pop(record, None)
        if table is not None or own is not None:
            found.append(Entry(number=number, added_at=moment, table=table, recorded=own))
    last = max((each.number for each in found), default=0)
    later = [Entry(number=last + place, added_at=each.moment, recorded=each) for place, each in enumerate(recorded.values(), 1)]
    return [*found, *later]


def add(con: Any, database: str, tables: Sequence[PublishedTable]) -> list[int]:
    """Add tables to a ledger, all or none, and return their numbers. One that PROTECT remembers has its number already.

    Raises
    ------
    SourceError
        When the file cannot be written.
    """
    before = entries(con, database)
    stored = {number for number, *_ in _stored(con, database)}
    moment = datetime.now(UTC).replace(tzinfo=None)
    # Tables of PROTECT keep the numbers under which they are listed.
    open_records = {each.recorded.record: each for each in before if each.table is None and each.recorded is not None}
    new = 1 + max((each.number for each in before), default=0)
    numbers = []
    try:
        con.execute("BEGIN")
        for name, columns in _COLUMNS.items():
            kinds = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
            con.execute(f"CREATE TABLE IF NOT EXISTS {_place(database, name)} ({kinds})")
        for key, each in open_records.items():
            if each.number not in stored:
                _insert(con, database, [each.number, each.added_at, *[None] * 5, key])
        for table in tables:
            same = next((each for each in open_records.values() if each.recorded and each.recorded.shows(table)), None)
            number, added_at = new, moment
            record: int | None = None
            if same is None or same.recorded is None:
                new += 1
            else:
                number, added_at, record = same.number, same.added_at, same.recorded.record
                table = same.recorded.published(table)
                del open_records[record]
                con.execute(f"DELETE FROM {_place(database, _TABLES)} WHERE number = $1", [number])  # noqa: S608
            shape = [table.name, list(table.keys), table.condition, table.absent, table.state]
            _insert(con, database, [number, added_at, *shape, record])
            _insert_rows(con, database, number, table.rows)
            numbers.append(number)
        con.execute("COMMIT")
    except duckdb.Error as error:
        raise_alone(SourceError(f"cannot write the ledger: {plain(error)}; hint: close it in other programs"))
    return numbers


def remove(con: Any, database: str, number: int) -> Entry:
    """Remove a table from a ledger, and return it. Of one that PROTECT remembers, the published file is removed.

    Raises
    ------
    PolicyError
        When there is no such table, or PROTECT remembers it.
    """
    found = entry(entries(con, database), number)
    if found.table is None:
        raise PolicyError(
            f"table {number} is a protected table that later ones respect; hint: delete its row from kanon_protected_tables "
            "only if nobody can still see it"
        )
    con.execute("BEGIN")
    for name in _COLUMNS:
        con.execute(f"DELETE FROM {_place(database, name)} WHERE number = $1", [number])  # noqa: S608
    if found.recorded is not None:
        _insert(con, database, [number, found.added_at, *[None] * 5, found.recorded.record])
    con.execute("COMMIT")
    return found


def entry(found: Sequence[Entry], number: int) -> Entry:
    """Return the table of a number.

    Raises
    ------
    PolicyError
        When there is none.
    """
    for each in found:
        if each.number == number:
            return each
    raise PolicyError(
        f"there is no table {number}; hint: "
        + (f"the ledger has {how_many(len(found), 'table')}, see kanon ledger list" if found else "the ledger is empty")
    )


def _stored(con: Any, database: str) -> list[tuple[int, datetime, PublishedTable | None, int | None]]:
    """Return the number of each table that was added, its time, the table, and the record of PROTECT that it is."""
    there = dict(con.execute(_THERE, [database]).fetchall())
    if not there:
        return []
    if there != {name: list(columns) for name, columns in _COLUMNS.items()}:
        raise SourceError(f"{_place(database, _TABLES)} is not the table of a ledger; hint: rename it, or restore it")
    rows: dict[int, list[PublishedRow]] = {}
    listed = f'FROM {_place(database, _ROWS)} ORDER BY number ASC NULLS LAST, "row" ASC NULLS LAST'
    for number, _, labels, lower, upper, suppressed in con.execute(listed).fetchall():
        row = PublishedRow(keys=tuple(labels), lower=lower, upper=upper, suppressed=suppressed)
        rows.setdefault(number, []).append(row)
    found = []
    query = f"FROM {_place(database, _TABLES)} ORDER BY number ASC NULLS LAST"
    for number, moment, name, keys, condition, absent, state, record in con.execute(query).fetchall():
        table = None
        if keys is not None:
            shape = {"condition": condition, "absent": absent, "state": state}
            table = PublishedTable(number=number, name=name, keys=tuple(keys), rows=tuple(rows.get(number, ())), **shape)
        found.append((number, moment, table, record))
    return found


def _insert(con: Any, database: str, values: Sequence[Any]) -> None:
    slots = ", ".join(f"${place}" for place in range(1, len(values) + 1))
    con.execute(f"INSERT INTO {_place(database, _TABLES)} VALUES ({slots})", values)  # noqa: S608


def _insert_rows(con: Any, database: str, number: int, rows: Sequence[PublishedRow]) -> None:
    """Insert the rows of a table as one Arrow table: one statement for each row would take seconds."""
    import pyarrow as pa

    columns = {
        "number": pa.array([number] * len(rows), pa.int64()),
        "row": pa.array(range(1, len(rows) + 1), pa.int64()),
        "labels": pa.array([list(each.keys) for each in rows], pa.list_(pa.string())),
        "lower": pa.array([each.lower for each in rows], pa.int64()),
        "upper": pa.array([each.upper for each in rows], pa.int64()),
        "suppressed": pa.array([each.suppressed for each in rows], pa.bool_()),
    }
    con.register("kanon#ledger_rows", pa.table(columns))
    con.execute(f'INSERT INTO {_place(database, _ROWS)} FROM "kanon#ledger_rows"')
    con.unregister("kanon#ledger_rows")


def _place(database: str, name: str) -> str:
    return qualified([database, "main", name])
