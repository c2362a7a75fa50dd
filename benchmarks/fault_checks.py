"""What must hold after a kill, told by plain DuckDB and Python: nothing here comes from kanon_sql."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import duckdb

QI = ("zip", "age")

_STAGING = re.compile(r"\.kanon-[0-9a-f]{16}")

_READERS = {
    ".csv": "read_csv('{}', all_varchar := true, header := true, auto_detect := false, delim := ',', quote := '\"', "
    "columns := {{'zip': 'VARCHAR', 'age': 'VARCHAR', 'x': 'VARCHAR', 'note': 'VARCHAR', 'more': 'VARCHAR'}})",
    ".parquet": "read_parquet('{}')",
    ".json": "read_json('{}')",
}


def release_of_rows(con: duckdb.DuckDBPyConnection, relation: str, rows: int, k: int) -> Iterator[str]:
    """Yield what is wrong with a release that is there: it has all rows, and no class of fewer than k."""
    found = con.execute(f"SELECT count(*) FROM {relation}").fetchall()[0][0]
    if found != rows:
        yield f"{found:,} of {rows:,} rows"
    least = con.execute(
        f"SELECT min(n) FROM (SELECT count(*) AS n FROM {relation} GROUP BY {', '.join(QI)})"  # NULL is a value of its own here
    ).fetchall()[0][0]
    if least is not None and least < k:
        yield f"a class of {least} rows"


def file(path: Path, rows: int, k: int) -> Iterator[str]:
    """Yield what is wrong with a file or folder, if there is one."""
    if not path.exists():
        return
    if path.suffix == ".html":
        if not path.read_text(encoding="utf-8").rstrip().endswith("</html>"):
            yield f"{path.name} is cut off"
        return
    if path.suffix == ".duckdb":
        yield from database(path, rows, k, source=False)
        return
    pattern = f"{path}/*/*.csv" if path.is_dir() else str(path)
    reader = "read_csv('{}', all_varchar := true, hive_partitioning := true)" if path.is_dir() else _READERS[path.suffix]
    try:
        with duckdb.connect() as con:
            con.execute(f"CREATE TABLE there AS FROM {reader.format(pattern)}")
            for problem in release_of_rows(con, "there", rows, k):
                yield f"{path.name}: {problem}"
    except duckdb.Error as error:
        yield f"{path.name} cannot be read: {type(error).__name__}"


def database(path: Path, rows: int, k: int, *, source: bool = True, empty: bool = False) -> Iterator[str]:
    """Yield what is wrong with a database: it opens, the source is whole, ``released`` is whole or not there.

    Parameters
    ----------
    path : Path
        The file.
    rows, k : int
        Rows of the source, least size of a class.
    source : bool
        Whether it holds the source, as ``p``.
    empty : bool
        Whether ``released`` was there without rows before.
    """
    if not path.exists():
        return
    try:
        with duckdb.connect(str(path)) as con:
            names = {name for (name,) in con.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()}
            if source and con.execute("SELECT count(*) FROM p").fetchall() != [(rows,)]:
                yield "the source has lost rows"
            if names - {"p", "released", "kanon_policies", "other"}:
                yield f"there is a table {', '.join(names - {'p', 'released', 'kanon_policies', 'other'})}"
            if "released" in names and not (empty and con.execute("SELECT count(*) FROM released").fetchall() == [(0,)]):
                for problem in release_of_rows(con, "released", rows, k):
                    yield f"the table: {problem}"
            if "kanon_policies" in names:
                for (text,) in con.execute("SELECT policy FROM kanon_policies").fetchall():
                    json.loads(text)
    except (duckdb.Error, ValueError) as error:
        yield f"{path.name} does not open: {type(error).__name__}"


def folder(path: Path, allowed: set[str]) -> Iterator[str]:
    """Yield what is in a folder that does not belong there: others may see nothing but the inputs and what is whole."""
    for entry in path.iterdir():
        if _STAGING.fullmatch(entry.name):
            if stat.S_IMODE(entry.stat().st_mode) & 0o077:
                yield f"others may look into {entry.name}"
        elif entry.name not in allowed:
            yield f"{entry.name} was left"


def written(path: Path) -> int:
    """Return how many bytes of output lie in the private directories of a folder."""
    found = (each for private in path.glob(".kanon-*") for each in private.rglob("*") if not each.name.startswith(".owner"))
    return sum(each.stat().st_size for each in found if each.is_file() and "spill" not in each.parts)
