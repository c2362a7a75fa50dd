"""The named arguments of function calls in a text."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kanon_sql.clause.script import Script
from kanon_sql.errors import ClauseError

_SIGNS = (":=", "=>")


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
