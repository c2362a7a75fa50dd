"""The command that opens a local page: ``kanon studio``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from kanon_sql.cli.option_groups import GroupedCommand
from kanon_sql.cli.options import dialect_options, table_option
from kanon_sql.errors import MissingPackageError

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.files.dialect import Dialect

_ROWS, _SEED = 2_000, 0


@click.command(cls=GroupedCommand)
@click.argument("source", required=False, metavar="[SOURCE]")
@click.option("--demo", is_flag=True, help="Open a sample table of fictional patient visits.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="PORT", help="Local port to use.  [default: a free port]"
)
@click.option("--no-browser", is_flag=True, help="Print the address without opening a browser.")
@click.option("--ledger", metavar="FILE.duckdb", help="Record published tables of counts in this database.")
@table_option
@dialect_options
def studio(
    source: str | None, demo: bool, port: int, no_browser: bool, ledger: str | None, table: str | None, dialect: Dialect
) -> None:
    """Open a local page to configure, create and check a release.

    SOURCE is a file or FILE.duckdb::TABLE. The page shows the equivalent SQL for every click.

    Only a browser on this machine can open the page, and only at the printed address. Rows never leave the machine.
    """
    if find_spec("nicegui") is None:
        raise MissingPackageError.of("kanon studio", "nicegui", "studio")
    if source is not None and demo:
        raise click.UsageError("--demo opens its own table; hint: omit SOURCE")
    from kanon_sql.engines.duckdb.cells.remembered_source import ledger_path
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.studio.address import announce, listen

    place = None if source is None else Place.of(source, table, dialect)
    if place is not None:
        place.require()
    remembering = None if ledger is None else ledger_path(ledger)
    with listen(port) as address, suppress(KeyboardInterrupt):  # the usual end of a page
        announce(address, browser=not no_browser, say=click.echo)
        from kanon_sql.studio.recent import Recent  # the browser starts while this is imported
        from kanon_sql.studio.session import Session

        session = Session(remembering, Recent.of_user())
        with demo_file(demo) as file, ThreadPoolExecutor(1) as reading:
            opened = place or (None if file is None else Place.of(file, dialect=dialect))
            read = None if opened is None else reading.submit(session.open, opened)
            from kanon_sql.studio.server import serve  # the table is read while this is imported

            if read is not None:
                read.result()
            session.demo = demo
            if session.source is not None:
                session.source.temporary = demo
            if place is not None:
                session.recent.remember(place)
            serve(session, address, partial(click.echo, err=True))
    sys.stdout.flush()
    os._exit(0)  # a count that still runs in a thread would delay the end


@contextmanager
def demo_file(wanted: bool) -> Iterator[str | None]:
    """Yield the path of a CSV file with visits of invented patients, or None."""
    if not wanted:
        yield None
        return
    from kanon_sql.cli.demo_table import FILE, write_visits

    with TemporaryDirectory(prefix="kanon-studio-") as folder:
        write_visits(folder, _ROWS, _SEED)
        yield str(Path(folder) / FILE)
