"""SQL scripts: run statements one by one and show their results."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.cli.interrupt import interruptible
from kanon_sql.cli.terminal import table_of
from kanon_sql.errors import KanonError, raise_alone
from kanon_sql.report.text import printable

if TYPE_CHECKING:
    from rich.console import Console

SHOWN_ROWS = 40
"""Rows of a result that a person sees; a pipe gets all of them."""


class ScriptError(KanonError):
    """A statement of a script failed; the message says where."""


def rows_of(con: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the statement that the connection has just executed."""
    if any("TIME ZONE" in str(column[1]) for column in con.description or ()):
        # DuckDB's own conversion of time zones to Python asks for a package that nothing else here needs.
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader = con.to_arrow_reader()
        for batch in reader:
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
        return
    while rows := con.fetchmany(1000):
        yield from rows


def has_rows(names: list[str], text: str) -> bool:
    """Return whether the columns of a statement's result are rows that were asked for, not the count of what it did."""
    queries = text.lstrip(" (").lower().startswith(("select", "from", "with"))
    return names not in ([], ["Success"]) and (names != ["Count"] or queries)


def execute(con: Any, text: str, console: Console) -> None:
    """Run one statement and show its result: a table on a terminal, tab-separated lines elsewhere."""
    con.execute(text)
    names = [column[0] for column in con.description or ()]
    rows = rows_of(con)
    if names[:1] == ["explain_key"]:
        for row in rows:
            console.out(str(row[-1]), highlight=False)
        return
    if not has_rows(names, text):
        done = list(rows)
        if console.is_terminal:
            console.print(f"[dim]{done[0][0]:,} rows changed[/dim]" if done and names == ["Count"] else "[dim]done[/dim]")
        return
    if not console.is_terminal:
        # Written past the console, which would wrap long lines.
        write = console.file.write
        write("\t".join(map(printable, names)) + "\n")
        for row in rows:
            write("\t".join("NULL" if value is None else printable(value) for value in row) + "\n")
        return
    shown = list(islice(rows, SHOWN_ROWS))
    more = sum(1 for _ in rows)
    console.print(table_of(names, shown))
    counted = f"{len(shown) + more:,} row{'s' if len(shown) + more != 1 else ''}"
    console.print(f"[dim]{counted}{f' ({len(shown)} shown)' if more else ''}[/dim]")


def run_script(con: Any, text: str, console: Console, *, name: str | None, patience: float | None = None) -> None:
    """Run the statements of a script one after the other, up to the first that fails.

    Parameters
    ----------
    con : connection
        A connection of kanon-sql.
    text : str
        The statements.
    console : Console
        Where results go.
    name : str, optional
        What to call the script in an error; a person who has just typed a statement knows where it is.
    patience : float, optional
        See :func:`interruptible`.

    Raises
    ------
    ScriptError
        When a statement fails; those before it stand.
    """
    import duckdb

    from kanon_sql.clause.statements import statements

    for number, statement in enumerate(statements(text), 1):
        try:
            work = partial(execute, con, statement.text, console)
            interruptible(con.interrupt, work, finish=con.finish, patience=patience)
        except (duckdb.Error, KanonError) as error:
            where = f"{name}, statement {number} (line {statement.line}): " if name else ""
            raise_alone(ScriptError(where + str(error).strip()))


def read_input(name: str) -> str:
    """Return the text of a file, or of the standard input for ``-``.

    Raises
    ------
    KanonError
        When it cannot be read as text.
    """
    try:
        if name == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        return Path(name).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise_alone(KanonError(f"there is no file {name}"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise_alone(KanonError(f"cannot read {name}: {reason}"))
