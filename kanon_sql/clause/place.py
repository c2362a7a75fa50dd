"""What a text says where DuckDB refuses it: a column that is not there, or the named arguments of a call.

This is known once DuckDB has bound the query, long after the clause was read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlglot import TokenType

from kanon_sql.clause.corrections import clauses
from kanon_sql.clause.script import Script, is_mentioned
from kanon_sql.errors import ClauseError
from kanon_sql.model.validation import same_name

_SIGNS = (":=", "=>")


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


def named_arguments(sql: str, functions: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the function and the name of each named argument in the calls of some functions, in the order of the text.

    Parameters
    ----------
    sql : str
        One or more SQL statements; a text that cannot be split into words has no calls.
    functions : collection of str
        The functions, in lower case.

    Examples
    --------
    >>> list(named_arguments("FROM k_anonymize('t', 5, qii := ['zip'], seed => f(x := 1))", ["k_anonymize"]))
    [('k_anonymize', 'qii'), ('k_anonymize', 'seed')]
    """
    try:
        script = Script.read(sql)
        script.match_brackets()
    except ClauseError:
        return
    for place in range(len(script.tokens)):
        function = script.word(place).lower()
        if function not in functions or script.spelled(place + 1) != "(":
            continue
        for argument in script.level(place + 2, script.partner[place + 1]):
            sign = script.spelled(argument + 1)
            if script.word(argument) and (sign in _SIGNS or sign + script.spelled(argument + 2) in _SIGNS):
                yield function, script.spelled(argument)
