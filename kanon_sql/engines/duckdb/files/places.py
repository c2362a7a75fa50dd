"""Where tables lie: which format the name of a file means, and the table of a DuckDB file."""

from __future__ import annotations

import glob
import os
import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from kanon_sql.engines.duckdb.connect.remembered_failures import worded
from kanon_sql.engines.duckdb.connect.resources import MEANINGS, way_out
from kanon_sql.engines.duckdb.files.dialect import Dialect
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import SourceError, hint_of, raise_alone
from kanon_sql.model.validation import missing_file

_ENDINGS = {
    ".csv": "csv",
    ".csv.gz": "csv",
    ".tsv": "tsv",
    ".tsv.gz": "tsv",
    ".parquet": "parquet",
    ".json": "json",
    ".json.gz": "json",
    ".jsonl": "jsonl",
    ".jsonl.gz": "jsonl",
    ".ndjson": "jsonl",
    ".ndjson.gz": "jsonl",
    ".xlsx": "workbook",
    ".xlsm": "workbook",
    ".xls": "workbook",
    ".ods": "workbook",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
    ".db": "duckdb",
}

_URL = re.compile("[a-z][a-z0-9+.-]*://", re.IGNORECASE)

_LISTED = 12
"""Most tables that an error lists."""

_KIND = re.compile(r"^[A-Z][A-Za-z /-]* Error: ")
"""How DuckDB's words begin."""

_TABLE = re.compile(r"""(?:("(?:[^"]|"")+"|[^."]+)\.)?("(?:[^"]|"")+"|[^."]+)""")
"""A table's name, optionally after its schema; quotes as in SQL."""


def readable(folder: Path) -> list[str]:
    """Return the names of the files in a folder whose endings mean a table, in their order; none if it cannot be listed."""
    try:
        return sorted(path.name for path in folder.iterdir() if path.name.lower().endswith(tuple(_ENDINGS)))
    except OSError:
        return []


def kind_of(name: str) -> str | None:
    """Return the kind of a place that the name of a file or a URL means; None if its ending means no table."""
    return _ENDINGS.get(_ending_of(name) or "")


def _file_of(name: str) -> str:
    return Path(name.partition("?")[0] if _URL.match(name) else name).name.lower()


def _ending_of(name: str) -> str | None:
    return next((end for end in sorted(_ENDINGS, key=len, reverse=True) if _file_of(name).endswith(end)), None)


def _parquet_of(folder: Path, name: str) -> str:
    """Return the pattern of the Parquet files in a folder and below it.

    Raises
    ------
    SourceError
        When there are none, or other tables, too.
    """
    found = {
        path.suffix.lower() for path in folder.rglob("*") if path.is_file() and path.name.lower().endswith(tuple(_ENDINGS))
    }
    if found != {".parquet"}:
        some = (
            "no Parquet files"
            if ".parquet" not in found
            else f"files other than Parquet: {', '.join(sorted(found - {'.parquet'}))}"
        )
        raise SourceError(f"{name} is a folder with {some}; hint: pass one file, or a pattern such as '{name}/*.csv'")
    return os.path.join(glob.escape(name), "**", "*.parquet")


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table lies: a file, and for a DuckDB file the table in it."""

    path: Path  # the file, with symbolic links resolved, so that replacing it replaces what the link points to
    kind: str  # ``'csv'``, ``'tsv'``, ``'parquet'``, ``'json'``, ``'jsonl'``, ``'workbook'`` or ``'duckdb'``
    table: str | None  # the table of a DuckDB file, optionally with its schema, or the sheet of a workbook
    ending: str  # the ending that gave the kind
    pattern: str | None = None  # a pattern of many files, or a URL, as DuckDB reads them; it is only read, never written
    escaped: bool = False  # whether cells of the CSV file that a spreadsheet takes for formulas have a quote before them
    dialect: Dialect = field(default_factory=Dialect)  # how a CSV file is written

    @classmethod
    def of(cls, text: str, table: str | None = None, dialect: Dialect | None = None) -> Place:
        """Read ``FILE``, ``FILE.duckdb::table``, a folder of Parquet files, a URL, or a pattern such as ``visits-*.csv``.

        Raises
        ------
        SourceError
            When the ending is unknown, or a table is missing or makes no sense.
        """
        name, _, inner = (text, "", "") if _URL.match(text) else text.partition("::")
        if inner and table:
            raise SourceError(f"{text} already contains a table; hint: omit --table")
        path = Path(os.path.realpath(name))
        if path.is_dir():
            name = _parquet_of(path, name)
        many = _URL.match(name) is not None or (glob.has_magic(name) and not os.path.lexists(name))
        ending = _ending_of(name)
        if ending is None:
            hint = hint_of(Path(_file_of(name)).suffix, _ENDINGS, f"use one of {', '.join(_ENDINGS)}", spelled=str)
            raise SourceError(f"{name} has no known extension; hint: {hint}")
        place = cls(
            path, _ENDINGS[ending], inner or table or None, ending, name if many else None, dialect=dialect or Dialect()
        )
        if many and place.kind == "duckdb":
            raise SourceError(f"{name} must be one local database file; hint: write FILE::TABLE")
        if place.kind == "duckdb" and not place.table:
            raise SourceError(_without_table(path, name))
        if place.kind == "workbook":
            return place
        if place.kind != "duckdb" and place.table:
            raise SourceError(f"{name} is not a database, so it has no tables; hint: use a file with the extension .duckdb")
        if place.table and not _TABLE.fullmatch(place.table):
            raise SourceError(f"{place.table} is not a table name; hint: write patients, or main.patients")
        return place

    def without_table(self) -> str:
        """Return what to say if the database has no such table."""
        tables = tables_in(self.path)
        hint = hint_of(self.table, tables, f"its tables are {', '.join(tables[:_LISTED]) or 'none'}", spelled=str)
        return f"there is no table {self.table} in {self.path}; hint: {hint}"

    def escaping(self, formulas: bool) -> Place:
        """Return the same place, with formulas escaped if requested.

        Raises
        ------
        SourceError
            When it is not a CSV or TSV file: only these are read by spreadsheets without types.
        """
        if formulas and self.kind not in ("csv", "tsv"):
            raise SourceError(f"--escape-formulas supports only CSV and TSV files, not {self}; hint: omit it")
        return replace(self, escaped=formulas)

    def __str__(self) -> str:
        return self.pattern or (f"{self.path}::{self.table}" if self.table else str(self.path))

    @property
    def glob(self) -> str:
        """Return what DuckDB's readers are given: a name such as data[1].csv is a name, not a pattern."""
        return self.pattern or glob.escape(str(self.path))

    @property
    def name(self) -> tuple[str, str]:
        """Return the schema and the name of the table; the schema is ``main`` where none is named."""
        schema, table = _TABLE.fullmatch(self.table or "").groups()  # type: ignore[union-attr]
        return _unquoted(schema or "main"), _unquoted(table)

    @property
    def called(self) -> str:
        """Return what its table is called: its name in a database, or that of the file without its ending."""
        if self.kind == "duckdb":
            return self.name[-1]
        name = self.path.name
        return name[: -len(self.ending)] if name.lower().endswith(self.ending) else name  # a folder has none

    def within(self, database: str) -> str:
        """Return the table as an SQL name in an attached database."""
        return ".".join(quoted(part) for part in (database, *self.name))

    def same(self, other: Place) -> bool:
        """Tell whether both are the same table of the same file, by whatever names, or this one is a pattern of the other."""
        if self.pattern is not None:
            return any(other.path == Path(os.path.realpath(each)) for each in glob.iglob(self.pattern, recursive=True))
        if not (self.path.exists() and other.path.exists() and self.path.samefile(other.path)):
            return False
        if self.kind != "duckdb" or other.kind != "duckdb":
            return True
        return [part.casefold() for part in self.name] == [part.casefold() for part in other.name]

    def occupied(self) -> bool:
        """Tell whether writing here would replace something.

        Raises
        ------
        SourceError
            When what is there is not a file, or not a database that can be read.
        """
        import duckdb

        if not self.path.exists():
            return False
        self.require()
        if self.kind != "duckdb":
            return True
        query = """SELECT system.main.count(*) FROM system.information_schema.tables
            WHERE system.main.lower(table_schema) = system.main.lower(?)
                AND system.main.lower(table_name) = system.main.lower(?)"""
        try:
            with duckdb.connect(self.path, read_only=True) as con:
                return con.execute(query, self.name).fetchall() != [(0,)]
        except duckdb.Error as error:
            raise_alone(SourceError(f"cannot read {self}: {plain(error)}"))

    def require(self) -> None:
        """Raise a SourceError unless there is a file to read; whether there is one behind a URL shows when it is read."""
        if self.pattern is not None:
            if not _URL.match(self.pattern) and not glob.glob(self.pattern, recursive=True):
                raise SourceError(f"no file matches {self.pattern}; hint: check the folder, and quote the pattern")
            return
        if not self.path.exists():
            raise SourceError(missing_file(self.path, tuple(_ENDINGS)))
        if not self.path.is_file():
            raise SourceError(f"{self.path} is not a file")


def tables_in(path: Path) -> list[str]:
    """Return the tables and views of a database; none if it cannot be read."""
    import duckdb

    query = """SELECT CASE table_schema WHEN 'main' THEN '' ELSE table_schema || '.' END || table_name
        FROM system.information_schema.tables ORDER BY ALL ASC NULLS LAST"""
    with suppress(duckdb.Error), duckdb.connect(path, read_only=True) as con:
        return [name for (name,) in con.execute(query).fetchall()]
    return []


def _without_table(path: Path, name: str) -> str:
    tables = tables_in(path) if path.exists() else []
    first = next((each for each in tables if not each.startswith("kanon_")), "patients")
    listed = f" (its tables are {', '.join(tables[:_LISTED])}{', ...' if len(tables) > _LISTED else ''})" if tables else ""
    return f"{name} is a database, so it needs a table name{listed}; hint: write {name}::{first}"


def plain(error: Exception) -> str:
    """Return what a DuckDB error says, without the values that some of them quote.

    Notes
    -----
    Errors of conversion and of CSV files repeat the offending cell or line; only their kind and line number are kept.
    """
    import duckdb

    speaking = (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.CatalogException, duckdb.PermissionException)
    cause = way_out(error)
    if cause or isinstance(error, speaking):
        words = _KIND.sub("", worded(str(error)).splitlines()[0])
        return words + (f"; hint: {cause}" if cause else "")
    line = re.search(r"\bLine: (\d+)", str(error))
    broken = re.search(r"not utf-8|unicode", str(error), re.IGNORECASE)
    place = f" at line {line[1]}" if line else ""
    if broken:
        return f"it is not in UTF-8{place}; hint: pass its encoding, such as --encoding latin-1"
    kind = MEANINGS.get(type(error).__name__, "its format differs from its extension")
    return f"{kind}{place}; hint: open it in DuckDB to see its message, which may quote values"


def unreadable(place: Place, why: str) -> SourceError:
    """Return the error for a table that cannot be read."""
    web = "; hint: check the network, and that DuckDB has its extension httpfs" if "://" in str(place) else ""
    return SourceError(f"cannot read {place}: {why}{web}")
