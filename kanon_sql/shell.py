"""SQL from a person or a script: run statements one by one, show their results, stop them with Ctrl-C."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kanon_sql.errors import KanonError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

SHOWN_ROWS = 40
"""Rows of a result that a person sees; a pipe gets all of them."""

MAX_CELL = 80
"""Characters of a cell that a person sees."""

COMMANDS = (".exit", ".help", ".quit", ".read", ".tables")

CLAUSE = ("ANONYMIZE BY", "GUARANTEE", "USING", "WEIGHT")
"""Words of the ANONYMIZE clause that DuckDB does not list among its keywords."""

_NAMES = """
    SELECT name, kind FROM (
        SELECT table_name AS name, 'table' AS kind, 0 AS rank FROM duckdb_tables() WHERE NOT internal
        UNION SELECT view_name, 'view', 0 FROM duckdb_views() WHERE NOT internal
        UNION SELECT column_name, 'column', 1 FROM duckdb_columns() WHERE NOT internal
        UNION SELECT upper(keyword_name), 'keyword', 2 FROM duckdb_keywords()
        UNION SELECT function_name, 'function', 3 FROM duckdb_functions() WHERE regexp_matches(function_name, '^[a-z_0-9]+$')
    ) ORDER BY rank, name"""

T = TypeVar("T")

HELP = """\
Statements end with a semicolon and may run over many lines; ANONYMIZE is understood.
Ctrl-C stops a running statement or clears the line, Ctrl-D leaves.

  .help         this text
  .tables       the tables and views
  .read FILE    run the statements of a file
  .quit         leave
"""


class ScriptError(KanonError):
    """A statement of a script failed; the message says where."""


def interruptible(interrupt: Callable[[], None], work: Callable[[], T], *, patience: float | None = None) -> T:
    """Run work on another thread, so that Ctrl-C reaches this one and stops the statement that is running.

    Parameters
    ----------
    interrupt : callable
        Stops the work, such as the ``interrupt`` of the connection that it uses.
    work : callable
        What to do.
    patience : float, optional
        Seconds to wait for the work to stop, for ever by default.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C, when the work has stopped, or patience ran out, or Ctrl-C came again. Work that came to its end
        nevertheless has its result returned: what it did is done.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    # A daemon, because a thread that does not stop must not keep the program alive.
    threading.Thread(target=run, daemon=True).start()
    try:
        return future.result()
    except KeyboardInterrupt:
        waited = 0.0
        while not future.done() and (patience is None or waited < patience):
            # Again and again: an interrupt between two statements is lost.
            interrupt()
            try:
                future.exception(timeout=0.1)
            except FutureTimeoutError:
                waited += 0.1
        if future.done() and future.exception() is None:
            return future.result()
        raise


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


def printable(value: object) -> str:
    """Return a cell as one line of text in which no character can steer a terminal."""
    text = value if isinstance(value, str) else str(value)
    return text if text.isprintable() else "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def cell(value: object) -> Text:
    """Return a cell for a rich table: NULL is dim, a long text is cut."""
    from rich.text import Text

    if value is None:
        return Text("NULL", style="dim italic")
    text = printable(value)
    return Text(text if len(text) <= MAX_CELL else text[: MAX_CELL - 1] + "…")


def table_of(names: Iterable[str], rows: Iterable[Iterable[object]], *, title: str | None = None) -> Any:
    """Return a rich table; columns of numbers are aligned to the right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    cells = [list(row) for row in rows]
    table = Table(title=title, title_justify="left", title_style="bold", box=box.ROUNDED, header_style="bold cyan")
    for position, name in enumerate(names):
        values = [row[position] for row in cells if row[position] is not None]
        numbers = bool(values) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        table.add_column(Text(printable(name)), justify="right" if numbers else "left", overflow="fold")
    for row in cells:
        table.add_row(*map(cell, row))
    return table


def execute(con: Any, text: str, console: Console) -> None:
    """Run one statement and show its result: a table on a terminal, tab-separated lines elsewhere."""
    con.execute(text)
    names = [column[0] for column in con.description or ()]
    rows = rows_of(con)
    if names[:1] == ["explain_key"]:
        for row in rows:
            console.out(str(row[-1]), highlight=False)
        return
    if names in ([], ["Success"]) or (
        names == ["Count"] and not text.lstrip(" (").lower().startswith(("select", "from", "with"))
    ):
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
            interruptible(con.interrupt, partial(execute, con, statement.text, console), patience=patience)
        except (duckdb.Error, KanonError) as error:
            where = f"{name}, statement {number} (line {statement.line}): " if name else ""
            raise ScriptError(where + str(error).strip()) from None


def history_file() -> Path | None:
    """Return the private file of the shell's history, None where it cannot be written."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    path = state / "kanon" / "history"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Statements may hold personal data: only the owner reads them.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError:
        return None
    return path


def names_of(con: Any) -> dict[str, str]:
    """Return what a person may want to type, and what each word is: names, never values."""
    import duckdb

    from kanon_sql.files import quoted

    known = dict.fromkeys(COMMANDS, "command")
    # Inside a failed transaction a database answers nothing; the prompt must come up nevertheless.
    with suppress(duckdb.Error):
        for word, kind in con.execute(_NAMES).fetchall():
            plain = kind in ("function", "keyword") or re.fullmatch(r"[A-Za-z_]\w*", word)
            known.setdefault(word if plain else quoted(word), kind)
    return known | dict.fromkeys(CLAUSE, "clause")


def prompt_session(con: Any) -> Callable[[], str]:
    """Return a function that asks a person for the next statement; it raises EOFError on Ctrl-D.

    Raises
    ------
    KanonError
        When prompt_toolkit is not installed.
    """
    try:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.application import get_app
        from prompt_toolkit.completion import ConditionalCompleter, WordCompleter
        from prompt_toolkit.filters import Condition
        from prompt_toolkit.history import FileHistory, InMemoryHistory
        from prompt_toolkit.lexers import PygmentsLexer
    except ModuleNotFoundError as error:
        raise KanonError(f"the shell needs the package {error.name}; hint: pip install 'kanon-sql[shell]'") from None
    from kanon_sql.clause.statements import is_complete

    def unfinished() -> bool:
        text = get_app().current_buffer.text
        return not text.lstrip().startswith(".") and not is_complete(text)

    lexer = None
    with suppress(ModuleNotFoundError):
        from pygments.lexers.sql import SqlLexer  # type: ignore[import-untyped]

        lexer = PygmentsLexer(SqlLexer)
    history = history_file()
    prompt: PromptSession[str] = PromptSession(
        "kanon> ",
        history=InMemoryHistory() if history is None else FileHistory(str(history)),
        lexer=lexer,
        # Enter ends a finished statement and breaks the line of any other.
        multiline=Condition(unfinished),
        prompt_continuation="  ...> ",
    )

    def in_word() -> bool:
        return bool(get_app().current_buffer.document.char_before_cursor.strip())

    def ask() -> str:
        known = names_of(con)
        words = WordCompleter(list(known), ignore_case=True, meta_dict=known, pattern=re.compile(r'[."]?\w+'))
        # Otherwise each new line would open a menu of every word there is.
        return prompt.prompt(completer=ConditionalCompleter(words, Condition(in_word)))

    return ask


def interactive(con: Any, console: Console) -> None:
    """Talk to a person until Ctrl-D or ``.quit``.

    Raises
    ------
    KanonError
        When prompt_toolkit is not installed.
    """
    ask = prompt_session(con)
    console.print("[bold]kanon[/bold] [dim]- SQL with ANONYMIZE; .help for help, Ctrl-D to leave[/dim]")
    while True:
        try:
            text = ask()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        try:
            if not _command(con, text.strip(), console):
                return
        except KeyboardInterrupt:
            console.print("[yellow]interrupted[/yellow]")
        except KanonError as error:
            console.print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)


def _command(con: Any, text: str, console: Console) -> bool:
    """Run what a person typed; tell whether to go on."""
    word, _, rest = text.partition(" ")
    match word.rstrip(";"):
        case ".quit" | ".exit":
            return False
        case ".help":
            console.out(HELP, highlight=False, end="")
        case ".tables":
            query = """SELECT schema_name AS "schema", table_name AS name, 'table' AS kind FROM duckdb_tables()
                WHERE NOT internal UNION ALL SELECT schema_name, view_name, 'view' FROM duckdb_views() WHERE NOT internal
                ORDER BY ALL"""
            run_script(con, query, console, name=None)
        case ".read":
            path = rest.strip().rstrip(";").strip("'\"")
            run_script(con, read_input(path), console, name=path)
        case other if other.startswith("."):
            raise KanonError(f"there is no command {other}; hint: .help lists them")
        case _:
            run_script(con, text, console, name=None)
    return True


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
        raise KanonError(f"there is no file {name}") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise KanonError(f"cannot read {name}: {reason}") from None
