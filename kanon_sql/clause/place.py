"""Where a text names a column that is not there: known once DuckDB has bound the query, long after the clause was read."""

from __future__ import annotations

from sqlglot import TokenType

from kanon_sql.clause.corrections import clauses
from kanon_sql.clause.script import Script, is_mentioned
from kanon_sql.errors import ClauseError
from kanon_sql.model.validation import same_name


def place_of(column: str, sql: str, message: str) -> ClauseError | None:
    """Return the error that points at the column in the one clause, or statement about policies, that names it.

    Parameters
    ----------
    sql : str
        One or more SQL statements.
    message : str
        What is wrong with the column.

    Returns
    -------
    ClauseError or None
        None where no clause names the column, or several do, of which each may mean another query.
    """
    if not is_mentioned(sql):
        return None
    script = Script.read(sql)
    script.match_brackets()
    places = (_place(script, column, first, end) for first, end in clauses(script))
    found = [place for place in places if place is not None]
    return script.error(message, found[0]) if len(found) == 1 else None


def _place(script: Script, column: str, first: int, end: int) -> int | None:
    return next((place for place in range(first, end) if _names(script, place, column)), None)


def _names(script: Script, place: int, column: str) -> bool:
    spelled = script.spelled(place)
    if script.kind(place) is TokenType.IDENTIFIER:
        return same_name(spelled[1:-1].replace(spelled[0] * 2, spelled[0])) == same_name(column)
    # A word with a list behind it is l(...) or GROUPING SETS (...).
    return script.kind(place) is TokenType.VAR and script.spelled(place + 1) != "(" and same_name(spelled) == same_name(column)
