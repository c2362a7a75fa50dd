"""Tables in files: read without changing a value, written and replaced whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.connect.resources import system_words
from kanon_sql.engines.duckdb.files.csv_files import CSV, found, in_utf8, load_csv
from kanon_sql.engines.duckdb.files.json_files import json_trouble
from kanon_sql.engines.duckdb.files.places import Place, plain, unreadable
from kanon_sql.engines.duckdb.files.staging import appeared, put, put_new
from kanon_sql.engines.duckdb.files.workbooks import load_workbook
from kanon_sql.engines.duckdb.gather.from_items import levels_of_file
from kanon_sql.engines.duckdb.names import literal, quoted, table_name
from kanon_sql.errors import SourceError, UnknownColumnError, raise_alone
from kanon_sql.model.validation import same_name

if TYPE_CHECKING:
    from kanon_sql.model.policy import Policy

# Depth 1 keeps every JSON value as it stands; _exact_json then names its type.
_JSON = "maximum_depth := 1, sample_size := -1, hive_partitioning := false"

_READERS = {
    "csv": CSV,
    "tsv": CSV,
    "parquet": "system.main.read_parquet($path, hive_partitioning := false)",
    "json": f"system.main.read_json($path, {_JSON})",
    "jsonl": f"system.main.read_json($path, format := 'newline_delimited', {_JSON})",
}

_WRITERS = {
    "csv": "FORMAT csv, HEADER, DELIMITER '{delimiter}'",
    "tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    "parquet": "FORMAT parquet",
    "json": "FORMAT json, ARRAY true",
    "jsonl": "FORMAT json",
}


def loading(place: Place, *, into: str, named: Place | None = None) -> str | None:
    """Return the statements that `load` a table; None for JSON, and for CSV files that are not read as they stand.

    Parameters
    ----------
    named : Place, optional
        The same place as the statements name it, such as from another folder.
    """
    named = named or place
    if place.kind in ("json", "jsonl", "workbook") or place.escaped:
        return None
    if place.kind == "duckdb":
        attach = f"ATTACH {literal(str(named.path))} AS kanon_input (READ_ONLY)"
        return f"{attach};\nCREATE TABLE {quoted(into)} AS FROM {place.within('kanon_input')};\nDETACH kanon_input;"
    reader = _READERS[place.kind].replace("$path", literal(named.glob))
    if place.kind in ("csv", "tsv"):
        dialect = found(place)
        if not dialect.is_utf8 or dialect.names or dialect.dates or dialect.decimal != ".":
            return None
        reader = reader.replace("$delimiter", literal(dialect.delimiter or ",")).replace("$header", "true")
    return f"CREATE TABLE {quoted(into)} AS FROM {reader};"


def load(con: Any, place: Place, *, into: str) -> list[str]:
    """Copy a table from its file into the connection: one snapshot, whatever happens to the file later.

    Parameters
    ----------
    into : str
        Name of the table to create.

    Returns
    -------
    list of str
        How a CSV file was read, if not with commas and in UTF-8, and which columns are called otherwise than in the file.

    Raises
    ------
    SourceError
        When the file cannot be read.
    """
    import duckdb

    place.require()
    if place.kind in ("csv", "tsv"):
        return load_csv(con, place, into)
    try:
        if place.kind == "duckdb":
            con.execute(f"ATTACH {literal(str(place.path))} AS kanon_input (READ_ONLY)")
            try:
                con.execute(f"CREATE TABLE {quoted(into)} AS FROM {place.within('kanon_input')}")
            except duckdb.CatalogException:
                con.execute("DETACH kanon_input")
                raise_alone(SourceError(place.without_table()))
            con.execute("DETACH kanon_input")
            return []
        if place.kind == "workbook":
            return load_workbook(con, place, into)
        con.execute(f"CREATE TABLE {quoted(into)} AS FROM {_READERS[place.kind]}", {"path": place.glob})
        if place.kind in ("json", "jsonl"):
            _exact_json(con, into)
    except duckdb.Error as error:
        damaged = place.kind == "parquet" and isinstance(error, duckdb.InvalidInputException)
        why = "it is not a Parquet file, or is damaged; hint: export it again" if damaged else json_trouble(place)
        raise_alone(unreadable(place, why or plain(error)))
    return []


@contextmanager
def remembering(con: Any, policy: Policy, places: Iterable[Place]) -> Iterator[None]:
    """Show the databases of ``places`` to a release of tokens, which is compared with the releases that they remember.

    Raises
    ------
    SourceError
        When a database cannot be read.
    """
    import duckdb

    files = {place.path.resolve(): place for place in places if place.kind == "duckdb" and place.path.exists()}
    shown = {f"kanon_memory_{number}": place for number, place in enumerate(files.values() if policy.pseudonyms else ())}
    for name, place in shown.items():
        try:
            con.execute(f"ATTACH {literal(str(place.path))} AS {name} (READ_ONLY)")
        except duckdb.Error as error:
            raise_alone(SourceError(f"cannot read {place}: {plain(error)}"))
    yield
    for name in shown:
        con.execute(f"DETACH {name}")


def load_policy_table(con: Any, place: Place, *, into: str) -> None:
    """Copy a table that a policy names from its file, as `load`; a CSV file without names of ours is a hierarchy as ARX has it.

    Raises
    ------
    SourceError
        When the file cannot be read.
    """
    import duckdb

    load(con, place, into=into)
    names = {name.lower() for name in columns(con, into)}
    named = names == {f"level{level}" for level in range(len(names))} or names >= {"value", "parent"} or names >= {"a", "b"}
    if place.kind in ("csv", "tsv") and not named:
        try:
            with in_utf8(place, found(place)) as path:
                con.execute(f"CREATE OR REPLACE TABLE {quoted(into)} AS FROM {levels_of_file(path)}")
        except duckdb.Error as error:
            raise_alone(SourceError(f"cannot read {place}: {plain(error)}"))


def load_named(con: Any, policy: Policy, places: Mapping[str, Place]) -> None:
    """Copy the tables that a policy names, by their names: a population as `load`, others as `load_policy_table`.

    Raises
    ------
    SourceError
        When a file cannot be read.
    """
    populations = {same_name(table_name(each)) for each in policy.populations}
    for name, place in places.items():
        if same_name(quoted(name)) not in populations:
            load_policy_table(con, place, into=name)
            continue
        load(con, place, into=name)
        there = columns(con, name)
        for qi in policy.quasi_identifiers:
            if same_name(qi.column) not in map(same_name, there):
                raise UnknownColumnError.of(qi.column, there, f"the guarantee about the population {name}")


def _exact_json(con: Any, table: str) -> None:
    """Give each JSON column the type that shows all its values exactly as they stand; others stay JSON."""
    for name in columns(con, table):
        column = quoted(name)
        every = "coalesce(system.main.bool_and({}), true)".format
        tests = ", ".join(
            every(f"TRY_CAST({column} AS {kind})::VARCHAR IS NOT DISTINCT FROM {column}::VARCHAR")
            for kind in ("BIGINT", "DOUBLE", "BOOLEAN")
        )
        texts = every(f"system.main.json_type({column}) = 'VARCHAR'")
        query = f"SELECT {texts}, {tests} FROM {quoted(table)}"  # noqa: S608
        row = con.execute(query).fetchall()[0]
        kind = next((kind for kind, fits in zip(("VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"), row, strict=True) if fits), None)
        if kind is not None:
            value = f"system.main.json_extract_string({column}, '$')" if kind == "VARCHAR" else f"{column}::{kind}"
            con.execute(f"ALTER TABLE {quoted(table)} ALTER {column} TYPE {kind} USING {value}")


def columns(con: Any, table: str) -> list[str]:
    """Return the names of a table's columns in their order."""
    query = """SELECT column_name FROM system.main.duckdb_columns() WHERE table_name = ? AND NOT internal
        ORDER BY column_index ASC NULLS LAST"""
    return [name for (name,) in con.execute(query, [table]).fetchall()]


def stage(con: Any, query: str, place: Place, *, staging: Path) -> Place:
    """Write a query's rows to a new file of the kind of ``place`` in a private directory.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the tables that the query reads.
    query : str
        The rows to write, in their order.
    place : Place
        Where they are meant to go; it is not touched.
    staging : Path
        A private directory on the same file system.

    Returns
    -------
    Place
        The file that was written.

    Raises
    ------
    SourceError
        When the rows cannot be written.
    """
    import duckdb

    staged = replace(place, path=staging / f"release{place.ending}")
    try:
        if place.kind == "duckdb":
            con.execute(f"ATTACH {literal(str(staged.path))} AS kanon_stage")
            con.execute(f"CREATE SCHEMA IF NOT EXISTS kanon_stage.{quoted(place.name[0])}")
            con.execute(f"CREATE TABLE {place.within('kanon_stage')} AS {query}")
            con.execute("DETACH kanon_stage")
        else:
            options = _WRITERS[place.kind].format(delimiter=(place.dialect.delimiter or ",").replace("'", "''"))
            gzip = ", COMPRESSION gzip" if place.ending.endswith(".gz") else ""
            con.execute(f"COPY ({query}) TO $path ({options}{gzip})", {"path": str(staged.path)})
    except duckdb.Error as error:
        raise_alone(SourceError(f"cannot write {place}: {plain(error)}"))
    return staged


def publish(con: Any, staged: Place, place: Place, *, replace: bool) -> bool:
    """Put staged rows in their place in one step: a file gets its name, a table is created in a transaction.

    Parameters
    ----------
    staged, place : Place
        What was written, and where it goes.
    replace : bool
        Whether it replaces what is there.

    Returns
    -------
    bool
        Whether the file itself is new.

    Raises
    ------
    SourceError
        When something is in its place, also when it has appeared just now, or the place cannot be written; what was there is
        still there.
    """
    import duckdb

    if place.kind != "duckdb":
        put(staged.path, place.path, replace=replace)
        return True
    try:
        put_new(staged.path, place.path)
        return True
    except FileExistsError:  # then the table goes into that database
        pass
    except OSError as error:
        raise_alone(SourceError(f"cannot write {place}: {system_words(error)}"))
    create = "CREATE OR REPLACE TABLE" if replace else "CREATE TABLE"
    try:
        con.execute(f"ATTACH {literal(str(staged.path))} AS kanon_stage (READ_ONLY)")
        con.execute(f"ATTACH {literal(str(place.path))} AS kanon_output")
        con.execute(f"{create} {place.within('kanon_output')} AS FROM {place.within('kanon_stage')}")
        con.execute("DETACH kanon_output")
        con.execute("DETACH kanon_stage")
    except duckdb.Error as error:
        if isinstance(error, duckdb.CatalogException) and "already exists" in str(error):
            raise_alone(appeared(place))
        raise_alone(SourceError(f"cannot write {place}: {plain(error)}"))
    return False


def withdraw(con: Any, place: Place, new_file: bool) -> None:
    """Take back what :func:`publish` has just put where nothing was."""
    if new_file:
        place.path.unlink()
        return
    con.execute(f"ATTACH {literal(str(place.path))} AS kanon_output")
    con.execute(f"DROP TABLE {place.within('kanon_output')}")
    con.execute("DETACH kanon_output")
