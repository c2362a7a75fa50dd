"""BEGIN PROTECTED ... COMMIT: protected tables that are solved together.

::

    BEGIN PROTECTED [TRANSACTION]; statement; {statement;} COMMIT | ROLLBACK

A statement creates a table, inserts into one, or copies into a file, with PROTECT.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kanon_sql.clause.cells.place import find_protected
from kanon_sql.clause.script import Script
from kanon_sql.errors import ClauseError

_ENDS = frozenset({"COMMIT", "END", "ROLLBACK", "ABORT"})

_EXAMPLE = "CREATE TABLE counts AS SELECT region, count(*) AS n FROM people GROUP BY CUBE (region) PROTECT n >= 5"


@dataclass(frozen=True, slots=True)
class Part:
    """A statement of a text."""

    kind: Literal["begin", "table", "end", "other"]  # 'other' is outside of BEGIN PROTECTED and COMMIT or ROLLBACK
    text: str  # the statement


def begins(sql: str) -> bool:
    """Return whether BEGIN PROTECTED is a statement of a text."""
    try:
        script = Script.read(sql)
    except ClauseError:  # DuckDB tells what is wrong with it
        return False
    return any(_begins(script, first) for first, _ in script.statements())


def parts(sql: str, *, inside: bool) -> Iterator[Part]:
    """Yield the statements of a text, one after the other.

    Parameters
    ----------
    sql : str
        One or more statements.
    inside : bool
        Whether the first of them comes after BEGIN PROTECTED.

    Raises
    ------
    ClauseError
        When a statement after BEGIN PROTECTED makes no protected table.
    """
    script = Script.read(sql)
    script.match_brackets()
    for first, end in script.statements():
        kind: Literal["begin", "table", "end", "other"] = "other"
        if _begins(script, first):
            if inside:
                raise script.error("BEGIN PROTECTED is already active; hint: run COMMIT or ROLLBACK first", first, first + 1)
            _check_begin(script, first, end)
            kind, inside = "begin", True
        elif inside and script.word(first) in _ENDS:
            kind, inside = "end", False
        elif inside:
            _check_table(script, first, end)
            kind = "table"
        yield Part(kind, script.text[script.start(first) : script.stop(end - 1)])


def commits(text: str) -> bool:
    """Return whether the statement that ends a transaction keeps what it did."""
    return Script.read(text).word(0) in {"COMMIT", "END"}


def _begins(script: Script, first: int) -> bool:
    return script.words(first, "BEGIN", "PROTECTED")


def _check_begin(script: Script, first: int, end: int) -> None:
    behind = first + 2 + script.words(first + 2, "TRANSACTION")
    if behind < end:
        raise script.error(f"unexpected {script.spelled(behind)}; hint: write BEGIN PROTECTED; ...; COMMIT", behind)


def _check_table(script: Script, first: int, end: int) -> None:
    """Refuse a statement that shows rows before all tables are known, or makes no protected table."""
    word = script.word(first)
    if word == "CREATE" and "VIEW" in {script.word(place) for place in range(first + 1, min(first + 5, end))}:
        raise script.error(
            "a view is protected whenever it is read, so it cannot be solved with other tables; hint: use CREATE TABLE", first
        )
    if word in {"SELECT", "FROM", "WITH", "("} or script.spelled(first) == "(":
        raise script.error(
            "a query inside BEGIN PROTECTED would show rows before all tables are solved; hint: query them after COMMIT: "
            f"{_EXAMPLE}",
            first,
        )
    if word not in {"CREATE", "INSERT", "COPY"} or not list(find_protected(script, first, end)):
        raise script.error(
            "only protected tables are allowed between BEGIN PROTECTED and COMMIT; hint: run other statements outside: "
            f"{_EXAMPLE}",
            first,
        )
