"""The interactive shell: SQL from a person, with history, completion and Ctrl-C."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.cli.interrupt import Terminated
from kanon_sql.cli.script import read_input, run_script
from kanon_sql.errors import KanonError, raise_alone

if TYPE_CHECKING:
    from rich.console import Console

COMMANDS = (".exit", ".help", ".quit", ".read", ".tables")

CLAUSE = (
    "ANONYMIZE BY",
    "ANONYMIZE WITH POLICY",
    "ANONYMIZATION POLICY",
    "EXPLAIN ANONYMIZE",
    "GUARANTEE",
    "IDENTIFIER",
    "IN",
    "KEEP",
    "LINKED",
    "USING",
    "WEIGHT",
)
"""Words of the ANONYMIZE clause that DuckDB does not list among its keywords."""

_NAMES = """
    SELECT name, kind FROM (
        SELECT table_name AS name, 'table' AS kind, 0 AS rank FROM system.main.duckdb_tables() WHERE NOT internal
        UNION SELECT view_name, 'view', 0 FROM system.main.duckdb_views() WHERE NOT internal
        UNION SELECT column_name, 'column', 1 FROM system.main.duckdb_columns() WHERE NOT internal
        UNION SELECT system.main.upper(keyword_name), 'keyword', 2 FROM system.main.duckdb_keywords()
        UNION SELECT function_name, 'function', 3 FROM system.main.duckdb_functions()
            WHERE system.main.regexp_matches(function_name, '^[a-z_0-9]+$')
    ) ORDER BY rank ASC NULLS LAST, name ASC NULLS LAST"""

HELP = """\
Statements end with a semicolon and may run over many lines; ANONYMIZE is understood.
Ctrl-C stops a running statement or clears the line, Ctrl-D leaves.
While a release is searched, the first Ctrl-C takes the best one found so far.

  .help         this text
  .tables       the tables and views
  .read FILE    run the statements of a file
  .quit         leave
"""


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

    from kanon_sql.engines.duckdb.release import quoted

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
        raise_alone(KanonError(f"the shell needs the package {error.name}; hint: pip install 'kanon-sql[shell]'"))
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
        except Terminated:
            raise
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        try:
            if not _command(con, text.strip(), console):
                return
        except Terminated:
            raise
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
            query = """SELECT schema_name AS "schema", table_name AS name, 'table' AS kind FROM system.main.duckdb_tables()
                WHERE NOT internal
                UNION ALL SELECT schema_name, view_name, 'view' FROM system.main.duckdb_views() WHERE NOT internal
                ORDER BY ALL ASC NULLS LAST"""
            run_script(con, query, console, name=None)
        case ".read":
            path = rest.strip().rstrip(";").strip("'\"")
            run_script(con, read_input(path), console, name=path)
        case other if other.startswith("."):
            raise KanonError(f"there is no command {other}; hint: .help lists them")
        case _:
            run_script(con, text, console, name=None)
    return True
