"""SQL: the clause, the table functions, counts by PROTECT, append, and the functions of ``kanon.sql`` without Python."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import kanon_sql
from benchmarks.careless.in_python import keyed, released
from benchmarks.careless.judge import Release
from benchmarks.careless.refusals import SECRET, refusals
from benchmarks.careless.request import Request
from benchmarks.careless.table import Table
from benchmarks.careless.walk import RefusedError

PLAIN = Path(__file__).resolve().parent.parent.parent / "sql" / "kanon.sql"


def quoted(name: str) -> str:
    """Return a name as SQL spells it."""
    return '"' + name.replace('"', '""') + '"'


def listed(names: list[str] | tuple[str, ...]) -> str:
    """Return columns as SQL lists them."""
    return ", ".join(map(quoted, names))


def texts(names: list[str] | tuple[str, ...]) -> str:
    """Return names as a list of SQL texts."""
    return "[" + ", ".join(text(each) for each in names) + "]"


def text(value: str) -> str:
    """Return an SQL text."""
    return "'" + value.replace("'", "''") + "'"


def clause(table: Table, request: Request, *, ordered: bool, known: int | None = None) -> str:
    """Return a release by the clause, in the order of the source if that is asked for."""
    columns = request.columns(table)
    selected = "*" if len(columns) == len(table.columns) else listed(columns)
    per = "" if request.per is None else f" PER {quoted(request.per)}"
    diverse = "" if request.sensitive is None else f" AND l({quoted(request.sensitive)}) >= 2"
    order = " (row_order = 'source')" if ordered else ""
    against = "" if known is None else f" FOR ANY {known} COLUMNS"
    guarantee = f"k >= {request.k}{per}{against}{diverse}"
    algorithm = "greedy" if known is None or known == len(request.by) else "projections"
    return f"SELECT {selected} FROM people ANONYMIZE BY {listed(request.by)} GUARANTEE {guarantee} USING {algorithm}{order}"


class Sql:
    """A connection that holds one table called ``people``; a surface says how it is released."""

    foreign = False

    def __init__(self) -> None:
        self.con: Any = self.connect()
        self._table: Table | None = None

    def connect(self) -> Any:
        """Return a new connection."""
        return kanon_sql.connect(secret=SECRET)

    @property
    def raw(self) -> duckdb.DuckDBPyConnection:
        """The connection of DuckDB."""
        raw: duckdb.DuckDBPyConnection = getattr(self.con, "raw", self.con)
        return raw

    def prepare(self, _table: Table, random: np.random.Generator, request: Request) -> Request:
        """Ask for all columns, half of the time without naming a sensitive one."""
        return request if random.random() < 0.5 else replace(request, sensitive=None)

    def load(self, table: Table) -> None:
        """Make the table, unless it is there."""
        if self._table is not table:
            self.raw.register("arrow", table.arrow)
            self.raw.execute("DROP VIEW IF EXISTS kept; CREATE OR REPLACE TABLE people AS FROM arrow")
            self.raw.unregister("arrow")
            self._table = table

    def seen(self, table: Table, _request: Request) -> list[str]:
        """Return the columns that the product can look at: all of the base table."""
        return [each.name for each in table.columns]

    def query(self, table: Table, request: Request, *, ordered: bool) -> str:
        """Return the release as SQL."""
        raise NotImplementedError

    def run(self, sql: str) -> pa.Table:
        """Return the rows of a statement."""
        return self.con.execute(sql).to_arrow_table()

    def release(self, table: Table, request: Request) -> Release:
        """Release a table, or raise `RefusedError`."""
        self.load(table)
        with refusals(foreign=self.foreign):
            rows = self.run(self.query(table, request, ordered=False))
        return released(request, rows, self.seen(table, request), self.run(self.query(table, request, ordered=True)))


class Clause(Sql):
    """The clause over ``SELECT *``, or over some columns."""

    def __init__(self, *, some: bool = False) -> None:
        super().__init__()
        self._some = some

    def prepare(self, table: Table, random: np.random.Generator, request: Request) -> Request:
        """Choose some of the columns: those of BY, and about half of the others."""
        request = super().prepare(table, random, request)
        if not self._some:
            return request
        others = [each.name for each in table.columns if each.name not in request.by and random.random() < 0.4]
        return replace(request, chosen=(*request.by, *others))

    def query(self, table: Table, request: Request, *, ordered: bool) -> str:
        """Return the statement."""
        return clause(table, request, ordered=ordered)


class Known(Sql):
    """The clause against an attacker who knows any two of the quasi-identifiers."""

    def query(self, table: Table, request: Request, *, ordered: bool) -> str:
        """Return the statement."""
        return clause(table, request, ordered=ordered, known=min(2, len(request.by)))

    def release(self, table: Table, request: Request) -> Release:
        """Release a table, or raise `RefusedError`."""
        return replace(super().release(table, request), known=2)


class Functions(Sql):
    """``k_anonymize`` and ``l_diversify`` on a connection of DuckDB."""

    foreign = True
    options = ", algorithm := 'greedy'"

    def connect(self) -> Any:
        """Return a new connection."""
        return kanon_sql.register(duckdb.connect(), secret=SECRET)

    def query(self, table: Table, request: Request, *, ordered: bool) -> str:
        """Return the call; columns that were taken out are those of a view."""
        columns, source = replace(request, dropped=()).columns(table), "people"
        if len(columns) < len(table.columns):
            self.raw.execute(f"CREATE OR REPLACE VIEW kept AS SELECT {listed(columns)} FROM people")
            source = "kept"
        words = f"qi := {texts(request.by)}"
        if request.per is not None:
            words += f", per := {text(request.per)}"
        if request.dropped:
            words += f", drop := {texts([each for each in request.dropped if each != request.per])}"
        words += self.options + (", row_order := 'source'" if ordered else "")
        if request.sensitive is None:
            return f"FROM k_anonymize('{source}', {request.k}, {words})"
        return f"FROM l_diversify('{source}', {text(request.sensitive)}, 2, k := {request.k}, {words})"


class PlainSql(Functions):
    """The same functions of ``kanon.sql``, in a connection without anything of Python."""

    options = ""

    def connect(self) -> Any:
        """Return a new connection."""
        con = duckdb.connect()
        con.execute(PLAIN.read_text(encoding="utf-8"))
        return con

    def release(self, table: Table, request: Request) -> Release:
        """Release a table, or raise `RefusedError`; there is no order of the source."""
        self.load(table)
        with refusals(foreign=True):
            rows = self.run(self.query(table, request, ordered=False))
        return released(request, rows, self.seen(table, request), None)


class Protect(Sql):
    """Counts and a sum behind GROUP BY and PROTECT; tables of one name would be protected together, so each has its own."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0

    def prepare(self, _table: Table, _random: np.random.Generator, request: Request) -> Request:
        """Ask for counts by two or three keys."""
        return replace(request, by=request.by[:3], sensitive=None)

    def release(self, table: Table, request: Request) -> Release:
        """Publish counts, or raise `RefusedError`."""
        self.raw.register("arrow", keyed(table, request.by))
        source, self._asked = f"people_{self._asked}", self._asked + 1
        self.raw.execute(f"CREATE TABLE {source} AS FROM arrow")
        self.raw.unregister("arrow")
        total = "" if request.measure is None else f", sum({quoted(request.measure)}) AS kanon_total"
        counted, per = "count(*)", ""
        if request.per is not None:
            counted, per = f"count(DISTINCT {quoted(request.per)})", f" PER {quoted(request.per)}"
        keys = listed(request.by)
        counts = f"SELECT {keys}, {counted} AS kanon_n{total} FROM {source} GROUP BY CUBE ({keys})"
        sql = f"{counts} PROTECT kanon_n >= {request.k}{per}"
        with refusals():
            rows = self.run(sql)
        return Release(rows, request.by, seen=tuple(self.seen(table, request)), counts="kanon_n")


class Append(Sql):
    """The first batch of a release that grows; its key is a number of the row that the release leaves out."""

    def release(self, table: Table, request: Request) -> Release:
        """Release a batch, or raise `RefusedError`."""
        self.load(table)
        columns = listed(replace(request, dropped=()).columns(table))
        self.raw.execute("DROP TABLE IF EXISTS grown; DROP TABLE IF EXISTS grown_kanon_ledger")
        self.raw.execute("DROP TABLE IF EXISTS numbered")
        self.raw.execute(f"CREATE TABLE numbered AS SELECT {columns}, row_number() OVER () AS kanon_row FROM people")
        self._forget()
        options: dict[str, Any] = {"quasi_identifiers": list(request.by), "algorithm": "greedy"}
        if request.sensitive is not None:
            options |= {"sensitive": request.sensitive, "l": 2}
        if request.per is not None:
            options["per"] = request.per
        if request.dropped:
            options["drop"] = [each for each in request.dropped if each != request.per]
        with refusals():
            kanon_sql.append("numbered", "grown", key="kanon_row", con=self.con, k=request.k, **options)
        if not self.raw.execute("FROM duckdb_tables() WHERE table_name = 'grown'").fetchall():
            raise RefusedError("all rows wait")
        rows = self.raw.execute("FROM grown").to_arrow_table()
        return released(request, rows, replace(request, dropped=()).columns(table), None)

    def _forget(self) -> None:
        """Drop the ledger of the table before."""
        found = self.raw.execute("SELECT table_name FROM duckdb_tables() WHERE table_name LIKE '%kanon%' AND NOT temporary")
        for (name,) in found.fetchall():
            self.raw.execute(f"DROP TABLE {quoted(name)}")
