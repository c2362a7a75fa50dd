"""SQL scripts: run statements one by one and show their results."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.terminal import release_line, solving
from kanon_sql.engines.interrupt import interruptible
from kanon_sql.errors import ClauseError, KanonError, raise_alone
from kanon_sql.model.how_many import how_many
from kanon_sql.model.validation import missing_file

if TYPE_CHECKING:
    from rich.console import Console

    from kanon_sql.cli.display import Display


_NAME = r'(?:"(?:[^"]|"")+"|\w+)'

_CREATED = re.compile(
    rf"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP(?:ORARY)?\s+)?(TABLE|VIEW)\s+(?:IF\s+NOT\s+EXISTS\s+)?({_NAME}(?:\.{_NAME})*)",
    re.IGNORECASE,
)

_COPY = re.compile(r"copy\b", re.IGNORECASE)

_DID = {"insert": "inserted", "update": "updated", "delete": "deleted", "copy": "copied"}


class ScriptError(KanonError):
    """A statement of a script failed; the message says where."""


def rows_of(con: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the statement that the connection has just executed."""
    if any("TIME ZONE" in str(column[1]) for column in con.description or ()):
        # DuckDB's own conversion of time zones to Python asks for a package that nothing else here needs.
        import warnings

        from kanon_sql.engines.duckdb.versions import READER

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader = getattr(con, READER)()
        for batch in reader:
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
        return
    while rows := con.fetchmany(1000):
        yield from rows


def execute(con: Any, text: str, console: Console, display: Display | None = None) -> None:
    """Run one statement and show its result, and on a terminal how its release is coming on and what became of it.

    Parameters
    ----------
    con : Connection
        A connection of kanon-sql.
    display : Display, optional
        How it is shown; by default a table on a terminal, lines with tabs elsewhere.
    """
    from kanon_sql.cli.display import Display

    display, before = display or Display(), len(con.session.releases)
    with display.timed(console), solving(con, console) as rows_come:
        con.execute(text)
        _show(con, text, console, display, rows_come)
    if console.is_terminal:
        for certificate in con.session.releases[before:]:
            console.print(f"[dim]{release_line(certificate)}[/dim]", soft_wrap=True)


def done_line(text: str, count: int | None) -> str:
    """Return what a statement without rows did, such as ``created table released (32,561 rows)``.

    Parameters
    ----------
    count : int, optional
        The rows that DuckDB has counted.
    """
    rows = "" if count is None else how_many(count, "row")
    if found := _CREATED.match(text):
        return f"created {found[1].lower()} {found[2]}" + (f" ({rows})" if rows and found[1].lower() == "table" else "")
    if rows and (did := _DID.get(text.split(None, 1)[0].lower())):
        return f"{did} {rows}"
    return f"{rows} changed" if rows else "done"


def _show(con: Any, text: str, console: Console, display: Display, rows_come: Callable[[], None]) -> None:
    from rich.text import Text

    from kanon_sql.clause.statements import has_rows

    names = [column[0] for column in con.description or ()]
    rows = rows_of(con)
    first = list(islice(rows, 1))
    rows_come()
    rows = chain(first, rows)
    if names[:1] == ["explain_key"]:
        for row in rows:
            console.out(str(row[-1]), highlight=False)
        return
    if not has_rows(names, text):
        done = list(rows)
        if console.is_terminal:
            count = done[0][0] if done and names == ["Count"] else None
            line = "tables are created at COMMIT" if con.waits else done_line(text, count)
            console.print(Text(line, style="dim"), soft_wrap=True)
        return
    display.show(names, rows, console)


def run_script(
    con: Any,
    text: str,
    console: Console,
    *,
    name: str | None,
    patience: float | None = None,
    display: Display | None = None,
    evidence: bool = False,
) -> None:
    """Run the statements of a script one after the other, up to the first that fails.

    Parameters
    ----------
    con : connection
        A connection of kanon-sql.
    name : str, optional
        What to call the script in an error; a person who has just typed a statement knows where it is.
    patience : float, optional
        See :func:`interruptible`.
    display : Display, optional
        See :func:`execute`.
    evidence : bool
        Whether the certificate of what COPY writes is put next to its file, and each release has a line on the error output.

    Raises
    ------
    ScriptError
        When a statement fails; those before it stand.
    """
    import duckdb

    from kanon_sql.clause.statements import statements

    for number, statement in enumerate(statements(text), 1):
        before = [len(issued) for issued in _certificates(con)]
        try:
            work = partial(execute, con, statement.text, console, display)
            interruptible(con.interrupt, work, finish=con.finish, patience=patience)
            if evidence:
                new = [each for issued, old in zip(_certificates(con), before, strict=True) for each in issued[old:]]
                _keep(con, new, statement.text, told=console.is_terminal)
        except (duckdb.Error, KanonError) as error:
            where = f"{name}, statement {number} (line {statement.line}): " if name else ""
            placed = error.in_script(statement.line, statement.column) if isinstance(error, ClauseError) else error
            raise_alone(ScriptError(where + str(placed).strip()))


def _certificates(con: Any) -> tuple[Sequence[Any], ...]:
    """Return the certificates of a session: of releases, of linked histories, and of protected tables."""
    session = con.session
    return session.releases, session.linked_releases, session.protected_tables.certificates


def _keep(con: Any, certificates: Sequence[Any], text: str, *, told: bool) -> None:
    """Write the certificates of what a COPY has written next to its file, and say what was released unless that was told."""
    if not certificates:
        return
    from kanon_sql.engines.duckdb.files.copying import copied_to
    from kanon_sql.engines.duckdb.files.staging import put_text

    file = copied_to(con.raw, text) if _COPY.match(text) else None
    for number, each in enumerate(certificates):
        line = f"released under {', '.join(each.requirements)}"
        if file is not None:
            place = file.with_name(f"{file.name}.certificate{number or ''}.json")
            put_text(each.to_json(), place, replace=True)
            line = f"{line}; certificate: {place}"
        elif told:
            continue
        click.echo(line, err=True)


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
        raise_alone(KanonError(missing_file(name, (".sql",))))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text; hint: save the file as UTF-8"
        raise_alone(KanonError(f"cannot read {name}: {reason}"))
