"""An item of the SELECT list in front of PROTECT: its expression, and the name of its column."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import TokenType

from kanon_sql.clause.script import Script
from kanon_sql.model.validation import as_identifier, same_name


@dataclass(slots=True)
class Column:
    """An item of the SELECT list."""

    start: int  # where its expression begins
    end: int  # the place behind its last token
    name: str  # the name of the column
    named: bool  # whether the query gives it that name
    # the key that it shows, once that is known; of a dimension with levels that of each, finest first
    keys: tuple[int, ...] = ()


def plain_text(script: Script, start: int, end: int) -> str:
    """Return tokens as a text that does not depend on blanks, comments and the case of words."""
    return " ".join(
        same_name(script.spelled(place)) if script.kind(place) is TokenType.VAR else script.spelled(place)
        for place in range(start, end)
    )


def text_of(script: Script, start: int, end: int) -> str:
    """Return tokens as they are written."""
    return script.text[script.start(start) : script.stop(end - 1)]


def read_column(script: Script, start: int, end: int) -> Column:
    """Split an item of the SELECT list into its expression and its name."""
    if "?" in {script.spelled(place) for place in range(start, end)}:
        raise script.error("parameters are not supported in this SELECT list; hint: use them in WHERE", start, end - 1)
    if script.spelled(end - 1) == "*":
        raise script.error("PROTECT does not support *; hint: write SELECT region, count(*) AS n", start, end - 1)
    if end - start >= 3 and script.spelled(start + 1) == ":" and (name := named_at(script, start)):
        return Column(start + 2, end, name, named=True)
    if end - start >= 3 and script.word(end - 2) == "AS" and (name := named_at(script, end - 1)):
        return Column(start, end - 2, name, named=True)
    implicit = end - start >= 2 and script.spelled(end - 2) not in {".", "::"} and _ends(script, end - 2)
    if implicit and (name := named_at(script, end - 1)):
        return Column(start, end - 1, name, named=True)
    plain = named_at(script, end - 1) if end - start == 1 or script.spelled(end - 2) == "." else None
    name = plain or text_of(script, start, end).lower()
    return Column(start, end, "count_star()" if name.replace(" ", "") == "count(*)" else name, named=False)


def _ends(script: Script, place: int) -> bool:
    """Return whether an expression may end at a place, so that a name behind it is an alias."""
    kind = script.kind(place)
    return script.spelled(place) in {")", "]"} or kind in {
        TokenType.VAR,
        TokenType.IDENTIFIER,
        TokenType.NUMBER,
        TokenType.STRING,
    }


def show_keys(script: Script, column: Column, keys: tuple[int, ...], start: int, end: int) -> None:
    """Let a column show keys; refuse others than it has, since a row would not tell which of them it shows."""
    if column.keys not in {(), keys}:
        name = as_identifier(column.name)
        raise script.error(f"{name} has levels in GROUP BY; hint: list it there once, with all its levels", start, end - 1)
    column.keys = keys


def named_at(script: Script, place: int) -> str | None:
    """Return a name as it is spelled, without its quotes."""
    if script.kind(place) is TokenType.IDENTIFIER:
        spelled = script.spelled(place)
        return spelled[1:-1].replace(spelled[0] * 2, spelled[0])
    return script.spelled(place) if script.kind(place) is TokenType.VAR else None


def measure_hint(word: str) -> str:
    """Return what to write instead of an aggregate that cannot be protected."""
    if word in {"AVG", "MEAN"}:
        return "write sum(income) AS s, count(*) AS n, and divide them in an outer query"
    if word == "COUNT":
        return "use count(*) to count rows, or count(DISTINCT patient) with PER patient to count people"
    return "remove it, or compute it from rows released with ANONYMIZE"
