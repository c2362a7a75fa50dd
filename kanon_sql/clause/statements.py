"""Split SQL text into statements: semicolons in texts, names, comments, dollar quotes and policies separate nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot import Token, TokenType
from sqlglot.errors import TokenError


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a script."""

    text: str  # the statement as it was written, from its first token to before its semicolon
    line: int  # where the statement begins in the script: the line, from 1
    column: int = 1


_POLICY_HEADS = (("CREATE", "ANONYMIZATION", "POLICY"), ("CREATE", "OR", "REPLACE", "ANONYMIZATION", "POLICY"))


def separators(tokens: Sequence[Token]) -> Iterator[int]:
    """Yield the places of the semicolons that end a statement: those in the brackets of a policy do not."""
    first, depth = 0, 0
    for place, token in enumerate(tokens):
        if token.token_type == TokenType.L_PAREN:
            depth += 1
        elif token.token_type == TokenType.R_PAREN:
            depth -= 1
        elif token.token_type == TokenType.SEMICOLON and (depth <= 0 or not _defines_policy(tokens, first)):
            yield place
            first, depth = place + 1, 0


def _defines_policy(tokens: Sequence[Token], first: int) -> bool:
    return any(
        tuple(token.text.upper() for token in tokens[first : first + len(head)]) == head
        and all(token.token_type != TokenType.IDENTIFIER for token in tokens[first : first + len(head)])
        for head in _POLICY_HEADS
    )


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
    first = 0
    for place in (*separators(tokens), len(tokens)):
        if place > first:
            found.append(_cut(text, tokens[first].start, tokens[place].start if place < len(tokens) else len(text)))
        first = place + 1
    return found


def _cut(text: str, start: int, stop: int) -> Statement:
    return Statement(text[start:stop].rstrip(), text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start))


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
    return len(tokens) - 1 in separators(tokens)


def has_rows(names: list[str], text: str) -> bool:
    """Return whether the columns of a statement's result are rows that were requested, not the count of what it did."""
    queries = text.lstrip(" (").lower().startswith(("select", "from", "with"))
    return names not in ([], ["Success"]) and (names != ["Count"] or queries)
