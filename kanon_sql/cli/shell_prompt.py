"""The prompt of the shell: history, completion, and lines that go on until a statement is finished."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from kanon_sql.errors import MissingPackageError, raise_alone

CLAUSE = (
    "AGAINST CONTRIBUTORS",
    "ANONYMIZE BY",
    "ANONYMIZE WITH POLICY",
    "ANONYMIZATION POLICY",
    "BEGIN PROTECTED",
    "COST",
    "EXPLAIN ANONYMIZE",
    "EXPLAIN PROTECT",
    "GUARANTEE",
    "IDENTIFIER",
    "IN",
    "KEEP",
    "LINKED",
    "PER",
    "PROTECT",
    "ROWS ABSENT",
    "SHOW GROUPING SETS",
    "USING",
    "WEIGHT",
)
"""Words of the clauses that DuckDB does not list among its keywords."""

_NAMES = """
    SELECT name, kind FROM (
        SELECT table_name AS name, 'table' AS kind, 0 AS rank FROM system.main.duckdb_tables() WHERE NOT internal
        UNION SELECT view_name, 'view', 0 FROM system.main.duckdb_views() WHERE NOT internal
        UNION SELECT column_name, 'column', 1 FROM system.main.duckdb_columns() WHERE NOT internal
        UNION SELECT system.main.upper(keyword_name), 'keyword', 2 FROM system.main.duckdb_keywords()
        UNION SELECT function_name, 'function', 3 FROM system.main.duckdb_functions()
            WHERE system.main.regexp_matches(function_name, '^[a-z_0-9]+$')
    ) ORDER BY rank ASC NULLS LAST, name ASC NULLS LAST"""


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


def names_of(con: Any, commands: Iterable[str]) -> dict[str, str]:
    """Return what a person may want to type, and what each word is: names, never values."""
    import duckdb

    from kanon_sql.engines.duckdb.names import quoted

    known = dict.fromkeys(commands, "command")
    # Inside a failed transaction a database answers nothing; the prompt must come up nevertheless.
    with suppress(duckdb.Error):
        for word, kind in con.execute(_NAMES).fetchall():
            plain = kind in ("function", "keyword") or re.fullmatch(r"[A-Za-z_]\w*", word)
            known.setdefault(word if plain else quoted(word), kind)
    return known | dict.fromkeys(CLAUSE, "clause")


def prompt_session(is_command: Callable[[str], bool], commands: Iterable[str]) -> Callable[[Any], str]:
    """Return a function that asks a person for the next statement on a connection; it raises EOFError on Ctrl-D.

    Parameters
    ----------
    is_command : callable
        Whether a text is a command of the shell, which ends with its line.
    commands : iterable of str
        Their names, for completion.

    Raises
    ------
    MissingPackageError
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
        raise_alone(MissingPackageError.of("the shell", error.name, "shell"))
    from kanon_sql.clause.statements import is_complete

    def unfinished() -> bool:
        text = get_app().current_buffer.text
        return not is_command(text) and not is_complete(text)

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

    def ask(con: Any) -> str:
        known = names_of(con, commands)
        words = WordCompleter(list(known), ignore_case=True, meta_dict=known, pattern=re.compile(r'[."]?\w+'))
        # Otherwise each new line would open a menu of every word there is.
        return prompt.prompt(completer=ConditionalCompleter(words, Condition(in_word)))

    return ask
