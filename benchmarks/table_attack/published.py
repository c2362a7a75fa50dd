"""Publishes the tables of a database with the product, and keeps only what a reader sees."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import duckdb

import kanon_sql
from benchmarks.table_attack.draw import APART, ONE, Database
from benchmarks.table_attack.statement import Statement
from kanon_sql.errors import KanonError, KanonWarning

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """Tables that were asked for together.

    Attributes
    ----------
    how : str
        One after the other, in one transaction, or in one statement.
    statements : tuple of Statement
        The tables.
    rows : tuple of list of tuple, optional
        The rows of each; None if they were refused.
    refusal : str
        The error.
    kind : str
        Its class.
    """

    how: str
    statements: tuple[Statement, ...]
    rows: tuple[list[Row], ...] | None
    refusal: str = ""
    kind: str = ""


def script(database: Database) -> list[str]:
    """Return the statements of a database, the source first."""
    found = [database.source]
    for number, (how, places) in enumerate(database.batches):
        queries = [(place, database.statements[place].query) for place in places]
        if how == ONE:
            parts = [f"(SELECT *, {place} AS part FROM ({query}))" for place, query in queries]
            found.append(f"CREATE TABLE o{number} AS {' UNION ALL BY NAME '.join(parts)}")
            continue
        tables = [f"CREATE TABLE t{place} AS {query}" for place, query in queries]
        found.append(tables[0] if how == APART else "; ".join(["BEGIN PROTECTED", *tables, "COMMIT"]))
    return found


def published(database: Database) -> list[Batch]:
    """Run the statements of a database; what is refused is left out."""
    texts = script(database)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KanonWarning)
        con = kanon_sql.connect(config={"threads": 1})
        try:
            con.execute("SET enable_progress_bar = false")
            con.execute(texts[0])
            return [
                _batch(con, number, how, tuple(database.statements[place] for place in places), places, text)
                for number, ((how, places), text) in enumerate(zip(database.batches, texts[1:], strict=True))
            ]
        finally:
            con.close()


def _batch(con: Any, number: int, how: str, statements: tuple[Statement, ...], places: tuple[int, ...], text: str) -> Batch:
    try:
        con.execute(text)
    except KanonError as error:
        _nothing_came_out(con, [f"o{number}", *(f"t{place}" for place in places)])
        return Batch(how, statements, None, str(error), type(error).__name__)
    rows = []
    for place, each in zip(places, statements, strict=True):
        source = f"o{number} WHERE part = {place}" if how == ONE else f"t{place}"
        rows.append(con.execute(f"SELECT {', '.join(each.columns)} FROM {source}").fetchall())
    return Batch(how, statements, tuple(rows))


def _nothing_came_out(con: Any, tables: list[str]) -> None:
    """Raise if a table exists that was refused."""
    for table in tables:
        try:
            con.execute(f"FROM {table}")
        except duckdb.CatalogException:
            continue
        raise AssertionError(f"{table} was refused and exists")
