"""The protected tables that a database file remembers, so that a later session respects them too.

The table ``kanon_protected_tables`` in the schema ``main`` has a row for each. It holds counts of the source, so it is only
written into the file that holds the source. A row also holds SQL that later statements run, and a changed row could make a
later table unsafe: a row counts only with its seal, which nobody can compute without the secret.

The tables of a file or of Python are remembered in a ledger that the user names, or nowhere.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from kanon_sql.engines.cells.base_cells import BaseCells
from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.cells.earlier_tables import EarlierTable
from kanon_sql.engines.duckdb.cells.tables_read import identity
from kanon_sql.engines.duckdb.names import qualified
from kanon_sql.errors import KanonError, SourceError, raise_alone
from kanon_sql.model.protection import Protection
from kanon_sql.model.secret import Secret
from kanon_sql.model.tabulation import FINGERPRINT, named_table
from kanon_sql.model.validation import same_name

RECORD = "kanon_protected_tables"

_COLUMNS = (
    ("number", "BIGINT"),
    ("released_at", "TIMESTAMP"),
    ("counting", "VARCHAR"),
    ("protection", "VARCHAR"),
    ("base_cells", "BIGINT"),
    ("cells", "BLOB"),
    ("suppressed", "BLOB"),
    ("seal", "BLOB"),
)

_SEALED = "protected tables"
"""The purpose of the key of seals."""

_THERE = """SELECT c.database_name, d.database_oid,
        system.main.list([c.column_name, c.data_type] ORDER BY c.column_index ASC NULLS LAST)
    FROM system.main.duckdb_columns() AS c JOIN system.main.duckdb_databases() AS d USING (database_name)
    WHERE c.schema_name = 'main' AND c.table_name = 'kanon_protected_tables' GROUP BY ALL
    ORDER BY c.database_name ASC NULLS LAST"""

_PARTS = re.compile(r'"(?:[^"]|"")*"')

_NUMBERS = "SELECT number FROM {} ORDER BY number ASC NULLS LAST"

_READ = "SELECT seal, counting, protection, base_cells, cells, suppressed FROM {} WHERE number IS NOT DISTINCT FROM $1"

_WRITE = "INSERT INTO {0} SELECT 1 + coalesce(system.main.max(number), 0), $1, $2, $3, $4, $5, $6, $7 FROM {0}"

_UNREADABLE = "{} is not the table that remembers protected tables; hint: rename it, or restore it from a backup"

_UNSEALED = (
    "{} has a row that was written with a different secret or changed later; nothing was released; hint: use the secret "
    "it was written with, as KANON_SECRET or secret=..., or delete its rows if nobody can still see their tables"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Where the tables of the one source of an instance are remembered."""

    name: str  # the source, as a name that later sessions give it too
    database: str | None = None  # the attached ledger; None if nothing remembers the tables
    warning: str | None = None  # what is said if nothing does
    fingerprint: str | None = None  # that of a source that is no table of a database, see `fingerprint`

    def knows(self, counting: Counting) -> bool:
        """Return whether a remembered table is one of this source, so that both are counted together."""
        return self.name in counting.tabulation.reads

    def lasting(self, reads: Iterable[str], tables: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
        """Return what a table reads, as `tables_read` returns it, under names that later sessions give it too."""
        stored = {identity(each): each for each in tables if each["kind"] != "macro"}
        found = {self.name} if self.fingerprint is None else {self.name, self.fingerprint}
        for each in reads:
            what = stored.get(each)
            if what is None:
                found.add(each)
            elif what["path"] is not None:
                found.add(lasting_name(what["path"], what["schema"], what["name"]))
        return tuple(sorted(found))


def lasting_name(path: str | Path, *parts: str) -> str:
    """Return a name for a file, or for a table in it, that does not show its folder."""
    where = str(path)
    marked = [Path(where).name, sha256(where.encode()).hexdigest()[:16], *map(same_name, parts)]
    return named_table([" ".join(marked)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where a protected table is remembered."""

    database: str | None = None  # the attached database that remembers it; None where only the session does
    warning: str | None = None  # why no file remembers it, if the user should know


def home_of(
    reads: Iterable[str], tables: Iterable[Mapping[str, Any]], secret: Callable[[], Secret], memory: Memory | None
) -> Home:
    """Return where a table is remembered: where the user says, or in the one file that holds all that it reads.

    Parameters
    ----------
    reads : iterable of str
        What it reads, as `tables_read` returns it.
    tables : iterable of mapping
        Of each table and view its ``name``, ``schema`` and ``database``, and whether that is in a ``file`` and ``readonly``, as
        the statement sees it: other connections do not see tables of its transaction.
    secret : callable
        Returns the secret of the instance.
    memory : Memory, optional
        What the user says.
    """
    if memory is not None:
        return Home(database=memory.database, warning=memory.warning)
    reads = {each for each in reads if not each.startswith(FINGERPRINT)}
    found = [each for each in tables if each["kind"] != "macro" and identity(each) in reads]
    if not any(each["path"] is not None for each in found):
        return Home()
    database = found[0]["database"]
    if any(each["database"] != database for each in found) or reads != set(map(identity, found)):
        return Home(warning=_unremembered("its source is not in one database file"))
    if found[0]["readonly"]:
        return Home(warning=_unremembered("the database is read-only"))
    if not secret().repeatable:
        return Home(warning=_unremembered("its secret is lost when this process ends (set KANON_SECRET)"))
    return Home(database=database)


def _unremembered(why: str) -> str:
    return f"This table is not remembered: {why}, so later sessions do not compare tables of the same people with it"


def databases(con: Any) -> dict[str, int]:
    """Return the databases that remember protected tables, each with the number of its attachment.

    Raises
    ------
    SourceError
        When a table of that name has other columns.
    """
    found = con.execute(_THERE).fetchall()
    for database, _, columns in found:
        if [tuple(each) for each in columns] != list(_COLUMNS):
            raise SourceError(_UNREADABLE.format(_place(database)))
    return {database: attached for database, attached, _ in found}


def numbers(con: Any, database: str) -> list[int]:
    """Return the numbers of the tables that a database remembers, oldest first."""
    return [number for (number,) in con.execute(_NUMBERS.format(_place(database))).fetchall()]


def read(con: Any, database: str, number: int, secret: Secret) -> EarlierTable:
    """Return a table that a database remembers.

    Raises
    ------
    SourceError
        When its row has no seal of this secret, or cannot be read.
    """
    rows = con.execute(_READ.format(_place(database)), [number]).fetchall()
    for seal, *values in rows:
        if len(rows) > 1 or seal is None or not hmac.compare_digest(seal, _seal(secret, *values)):
            raise SourceError(_UNSEALED.format(_place(database)))
    return _parsed(rows, database)


def unsealed(con: Any, database: str, number: int) -> EarlierTable:
    """Return a table that a database remembers, for those who only look at it: its seal is not checked.

    Raises
    ------
    SourceError
        When its row cannot be read.
    """
    return _parsed(con.execute(_READ.format(_place(database)), [number]).fetchall(), database)


def _parsed(rows: list[tuple[Any, ...]], database: str) -> EarlierTable:
    """Return the table of a row that was read."""
    try:
        table = _table(*rows[0][1:])
        shape = replace(table.tabulation, reads=_here(table.tabulation.reads, database))
        return replace(table, counting=replace(table.counting, tabulation=shape))
    except (KanonError, KeyError, TypeError, ValueError, IndexError, AttributeError):
        raise_alone(SourceError(_UNREADABLE.format(_place(database))))


def write(con: Any, database: str, table: EarlierTable, secret: Secret) -> None:
    """Remember a table in a database.

    Raises
    ------
    SourceError
        When another connection does the same at the same time, or the file cannot be written.
    """
    cells, place = table.cells, _place(database)
    counts = np.concatenate([cells.keys, cells.people[:, None], cells.sums], axis=1).astype("<i8").tobytes()
    pattern = table.suppressed.astype(np.uint8).tobytes()
    values = (table.counting.to_json(), table.protection.to_json(), len(cells.people), counts, pattern)
    moment = datetime.now(UTC).replace(tzinfo=None)
    try:
        con.execute("BEGIN")
        if database not in databases(con):
            con.execute(
                f"CREATE TABLE {place} ({', '.join(f'{name} {kind}' for name, kind in _COLUMNS)}, PRIMARY KEY (number))"
            )
        con.execute(_WRITE.format(place), [moment, *values, _seal(secret, *values)])
        con.execute("COMMIT")
    except duckdb.Error:
        raise_alone(
            SourceError(
                f"{place} cannot be written, so later sessions would not know about this table; nothing was released; hint: "
                "run the statement again, or open the database read-only"
            )
        )


def _seal(secret: Secret, *values: str | int | bytes | None) -> bytes:
    """Return HMAC-SHA256 of what a row holds; each value is preceded by its length."""
    parts = [each if isinstance(each, bytes) else str(each).encode("utf-8", "surrogatepass") for each in values]
    message = b"".join(part for each in parts for part in (len(each).to_bytes(8, "big"), each))
    return hmac.digest(secret.derived(_SEALED), message, "sha256")


def _here(reads: Iterable[str], database: str) -> tuple[str, ...]:
    """Return what a table reads, with the present name of its database, without numbers of tables, which end with a session."""
    lasting = [each for each in reads if not (each.startswith(FINGERPRINT) and " " in each)]
    named = [(each, _PARTS.findall(each)) for each in lasting]
    here = named_table([same_name(database)])
    return tuple(".".join([here, *parts[1:]]) if len(parts) == 3 else each for each, parts in named)


def _place(database: str) -> str:
    return qualified([database, "main", RECORD])


def _table(counting: str, protection: str, count: int, cells: bytes, suppressed: bytes) -> EarlierTable:
    counted, requested = Counting.from_json(counting), Protection.from_dict(json.loads(protection))
    keys, sums = len(counted.tabulation.keys), len(counted.tabulation.sums)
    held = np.frombuffer(cells, "<i8").astype(np.int64).reshape(count, keys + 1 + sums)
    return EarlierTable(
        # tables of earlier versions counted fewer of the largest contributions
        counting=replace(counted, largest=max(counted.largest, requested.largest)),
        protection=requested,
        cells=BaseCells(
            keys=held[:, :keys],
            people=held[:, keys],
            sums=held[:, keys + 1 :],
            contributors=np.zeros((count, sums), np.int64),
            largest=[np.zeros((count, 0), np.int64) for _ in range(sums)],
        ),
        suppressed=np.frombuffer(suppressed, np.uint8) > 0,
    )
