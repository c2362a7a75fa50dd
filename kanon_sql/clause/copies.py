"""Where a COPY statement writes: the place of its target in the text."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import TokenType

from kanon_sql.clause.script import Script
from kanon_sql.errors import ClauseError, SourceError, raise_alone

_TEXTS = frozenset({TokenType.STRING, TokenType.BYTE_STRING, TokenType.HEREDOC_STRING})
_ABOUT_FILES = frozenset({"RETURN_FILES", "RETURN_STATS"})


@dataclass(frozen=True, slots=True)
class Target:
    """What stands behind TO."""

    start: int  # offset of its first character
    stop: int  # offset behind its last one
    parameter: str | int | None  # the name of the parameter that it is, or its number from 0; None for a text or an expression
    optional: bool  # whether no row may mean no file


def copied_text(sql: str) -> str | None:
    """Return the COPY statement that a statement such as EXPLAIN ANALYZE holds, if it does."""
    script = _script(sql)
    first = next((place for place in range(len(script.tokens)) if script.keyword(place) == "COPY"), None)
    return None if first is None else sql[script.start(first) :]


def target_of(sql: str, *, first: bool = False) -> Target:
    """Find the target of one COPY ... TO statement that DuckDB has parsed already.

    Parameters
    ----------
    first : bool
        Whether ``?`` as a target counts as the first parameter, wherever others stand.

    Raises
    ------
    SourceError
        When the target is no text, expression or parameter of its own.
    """
    script = _script(sql)
    script.match_brackets()
    end = len(script.tokens)
    place = next((here + 1 for here in script.level(1, end) if script.word(here) == "TO"), end)
    options = {script.word(here) for here in range(place, end)}
    if options & _ABOUT_FILES:
        raise SourceError("RETURN_FILES and RETURN_STATS report files before they are in place; hint: omit both options")
    last, parameter = _last(script, place, end, first=first)
    return Target(script.start(place), script.stop(last), parameter, "WRITE_EMPTY_FILE" in options)


def _last(script: Script, place: int, end: int, *, first: bool) -> tuple[int, str | int | None]:
    """Return the last place of the target, and which parameter it is."""
    if script.spelled(place) == "(":
        return script.partner[place], None
    if script.kind(place) in _TEXTS:
        return place, None
    if script.spelled(place) == "?":
        return place, 0 if first else sum(script.spelled(here) == "?" for here in range(place))
    if script.spelled(place) == "$":
        name = script.spelled(place + 1)
        used = sum(script.spelled(here) == "$" and script.spelled(here + 1) == name for here in range(end))
        if used == 1:
            return place + 1, int(name) - 1 if name.isdecimal() else name
        raise SourceError(f"${name} is used as the file name and elsewhere; hint: use a separate parameter for the file name")
    raise SourceError("the target of COPY must be a file name in quotes; hint: write COPY (...) TO 'released.csv'")


def _script(sql: str) -> Script:
    try:
        return Script.read(sql)
    except ClauseError:
        raise_alone(
            SourceError("this COPY statement cannot be parsed; hint: put spaces between its symbols, and close every comment")
        )
