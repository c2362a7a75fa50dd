"""Tables that come through the standard input or go to the standard output: ``-`` in the place of a file."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.engines.duckdb.connect.resources import system_words
from kanon_sql.engines.duckdb.files.staging import staging_directory
from kanon_sql.errors import SourceError, raise_alone

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.files.dialect import Dialect
    from kanon_sql.engines.duckdb.files.places import Place

STREAM = "-"

format_option = click.option(
    "--format",
    "ending",
    type=click.Choice(["csv", "tsv", "parquet", "json", "jsonl"]),
    default="csv",
    show_default=True,
    help="Format of piped data (-).",
)


def read_table(con: Any, place: Place, *, into: str = "source", look: bool = False) -> None:
    """Copy a table from its file into a connection; say how it was read, if not as it is expected.

    With ``look``, which options would read more of a CSV file is said, too.

    Raises
    ------
    SourceError
        When it cannot be read.
    """
    from kanon_sql.engines.duckdb.files.csv_cells import looked_at, unread
    from kanon_sql.engines.duckdb.files.tables import load

    remarks = load(con, place, into=into)
    if look and place.kind in ("csv", "tsv"):
        remarks += map(str, unread(looked_at(con, into)))
    for remark in remarks:
        click.echo(remark, err=True)


@contextmanager
def source_place(text: str, table: str | None, ending: str, dialect: Dialect) -> Iterator[Place]:
    """Give the place of a source; what comes through the standard input is kept in a private directory meanwhile."""
    from kanon_sql.engines.duckdb.files.places import Place

    if text != STREAM:
        yield Place.of(text, table, dialect)
        return
    if sys.stdin.isatty():
        raise SourceError("standard input (-) is a terminal; hint: redirect a file, as in kanon ... - < patients.csv")
    with staging_directory(Path(tempfile.gettempdir())) as private:
        path = private / f"stdin.{ending}"
        try:
            with path.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        except OSError as error:
            raise_alone(SourceError(f"cannot store standard input in {private.parent}: {system_words(error)}"))
        yield Place.of(str(path), table, dialect)


@contextmanager
def target_place(text: str, ending: str, dialect: Dialect) -> Iterator[Place]:
    """Give the place of a release; for the standard output, what was put there goes out when all else has succeeded.

    Raises
    ------
    SourceError
        When it is a folder, which is only read, or its format is unknown.
    """
    from kanon_sql.engines.duckdb.files.places import Place

    if text != STREAM:
        name = text.partition("::")[0]
        if os.path.isdir(name):
            raise SourceError(f"{name} is a folder; hint: write to a file in it, such as -o {os.path.join(name, 'out.csv')}")
        yield Place.of(text, dialect=dialect)
        return
    with staging_directory(Path(tempfile.gettempdir())) as private:
        path = private / f"stdout.{ending}"
        yield Place.of(str(path), dialect=dialect)
        try:
            with path.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        except BrokenPipeError:  # nobody reads any more
            raise
        except OSError as error:
            raise_alone(SourceError(f"cannot write to standard output: {system_words(error)}"))
