"""Split SQL text into statements: semicolons in texts, names, comments and dollar quotes separate nothing."""

from __future__ import annotations

from dataclasses import dataclass

import sqlglot
from sqlglot import Token, TokenType
from sqlglot.errors import TokenError


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a script.

    Attributes
    ----------
    text : str
        The statement as it was written, from its first token to before its semicolon.
    line : int
        The line of the script, from 1, on which the statement begins.
    """

    text: str
    line: int


def _tokens(text: str) -> list[Token]:
    return sqlglot.tokenize(text, dialect="duckdb")


def statements(text: str) -> list[Statement]:
    r"""Return the statements of a script in their order; empty ones and lone comments are left out.

    Parameters
    ----------
    text : str
        SQL, with or without the ANONYMIZE clause.

    Returns
    -------
    list of Statement
        A script with an open quote or comment comes back whole, as one statement: DuckDB parses everything before it runs
        anything, so nothing of such a script is executed.

    Examples
    --------
    >>> [(each.line, each.text) for each in statements("SELECT ';' AS a; -- one;two\n\nSELECT $$;$$")]
    [(1, "SELECT ';' AS a"), (3, 'SELECT $$;$$')]
    """
    try:
        tokens = _tokens(text)
    except TokenError:
        return [Statement(text, 1)]
    found = []
    first: int | None = None
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            if first is not None:
                found.append(_cut(text, first, token.start))
            first = None
        elif first is None:
            first = token.start
    if first is not None:
        found.append(_cut(text, first, len(text)))
    return found


def _cut(text: str, start: int, stop: int) -> Statement:
    return Statement(text[start:stop].rstrip(), text.count("\n", 0, start) + 1)


def is_complete(text: str) -> bool:
    r"""Tell whether a person who typed this has finished: nothing at all, or a semicolon after the last statement.

    Examples
    --------
    >>> is_complete("SELECT 1; -- done"), is_complete("SELECT 1\n"), is_complete("SELECT ';"), is_complete("")
    (True, False, False, True)
    """
    try:
        tokens = _tokens(text)
    except TokenError:
        return False
    if not tokens:
        return not text.strip()
    return bool(tokens[-1].token_type == TokenType.SEMICOLON)
