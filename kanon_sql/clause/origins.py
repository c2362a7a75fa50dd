"""Which columns of FROM the items of a SELECT list carry: a column under another name, a cast, a call over a window.

::

    item := [name :] carried [[AS] name]
    carried := {qualifier .} column | (carried) | [TRY_]CAST (carried AS type) | carried :: type
             | TRY (carried) | function (... column ...) [FILTER (...)] OVER (window)
"""

from __future__ import annotations

from collections.abc import Iterator

from kanon_sql.clause.script import Script
from kanon_sql.clause.select import name_at, read_select

_CASTS = frozenset({"CAST", "TRY_CAST"})

_COUNTING_WORDS = """
    APPROX_COUNT_DISTINCT COUNT COUNTIF COUNT_IF CUME_DIST DENSE_RANK ENTROPY NTILE PERCENT_RANK RANK REGR_COUNT ROW_NUMBER
"""

_COUNTING = frozenset(_COUNTING_WORDS.split())
"""Functions over a window that return no value of their arguments, and no sum of them."""

_BEHIND_ARGUMENTS = (("ORDER", "BY"), ("IGNORE", "NULLS"), ("RESPECT", "NULLS"))

_OPERATORS = "AND AS BETWEEN CASE DISTINCT ELSE END FALSE IN IS LIKE NOT NULL OR THEN TRUE WHEN"

_NOT_COLUMNS = frozenset(_OPERATORS.split())


def origins(script: Script, start: int, end: int) -> dict[str, tuple[str, ...]]:
    """Return for the items of a query that carry columns of its FROM which ones, in the form that `same_name` compares.

    Parameters
    ----------
    script : Script
        With its brackets matched.
    start, end : int
        Where the query begins, and where it has ended: one query without set operations.

    Returns
    -------
    dict of str to tuple of str
        By the name of the result column, or by the text of an item that has none. Other expressions are left out, and so are
        stars, whose columns keep their names.

    Examples
    --------
    >>> script = Script.read("SELECT zip, p.name AS n, list(name) OVER () AS them, age // 10 AS decade FROM p")
    >>> script.match_brackets()
    >>> origins(script, 0, len(script.tokens))
    {'zip': ('zip',), 'n': ('name',), 'them': ('name',)}
    """
    found: dict[str, tuple[str, ...]] = {}
    for first, behind in read_select(script, start, end).items or ():
        prefixed = name_at(script, first) if script.spelled(first + 1) == ":" else None
        place = first if prefixed is None else first + 2
        columns, stop = _carried(script, place, behind)
        alias = stop + (script.word(stop) == "AS")
        if columns and stop == behind:
            plain = len(columns) == 1 and name_at(script, behind - 1) == columns[0]
            text = script.text[script.start(place) : script.stop(behind - 1)]
            found[prefixed or (columns[0] if plain else text)] = columns
        elif columns and alias + 1 == behind and (name := name_at(script, alias)) is not None:
            found[name] = columns
    return found


def origins_of(query: str) -> dict[str, tuple[str, ...]]:
    """Return the same for the text of a query."""
    script = Script.read(query)
    script.match_brackets()
    return origins(script, 0, len(script.tokens))


def _carried(script: Script, place: int, end: int) -> tuple[tuple[str, ...], int]:
    """Return the columns that an expression carries, and where it has ended; none for any other expression."""
    columns: tuple[str, ...] = ()
    if script.spelled(place) == "(":
        stop = script.after(place)
        columns, inner = _carried(script, place + 1, stop - 1)
        columns = columns if inner == stop - 1 else ()
    elif script.spelled(place + 1) == "(":
        stop = script.after(place + 1)
        if script.word(place) == "TRY":
            columns, inner = _carried(script, place + 2, stop - 1)
            columns = columns if inner == stop - 1 else ()
        elif script.word(place) in _CASTS:
            columns, inner = _carried(script, place + 2, stop - 1)
            columns = columns if script.word(inner) == "AS" else ()
        else:
            over = _over(script, stop)
            columns = tuple(dict.fromkeys(_named(script, place + 2, stop - 1))) if over is not None else ()
            columns = () if script.word(place) in _COUNTING else columns
            stop = stop if over is None else over
    else:
        while script.spelled(place + 1) == "." and place + 2 < end:
            place += 2
        name, stop = name_at(script, place), place + 1
        columns = () if name is None else (name,)
    while script.spelled(stop) == "::":
        stop = script.after(stop + 2) if script.spelled(stop + 2) == "(" else stop + 2
        while script.spelled(stop) == "[":
            stop = script.after(stop)
    return columns, stop


def _over(script: Script, place: int) -> int | None:
    """Return where the window of a call ends, which follows the brackets of the call; None if it has none."""
    while (word := script.word(place)) in {"FILTER", "IGNORE", "RESPECT"}:
        place = script.after(place + 1) if word == "FILTER" else place + 2
    return script.after(place + 1) if script.word(place) == "OVER" else None


def _named(script: Script, place: int, end: int) -> Iterator[str]:
    """Yield the columns in the arguments of a call; an order decides only which values come first."""
    last = next((at for at in script.level(place, end) if any(script.words(at, *words) for words in _BEHIND_ARGUMENTS)), end)
    for at in range(place, last):
        name = name_at(script, at)
        follows = script.spelled(at + 1)
        if name is not None and follows not in {"(", "."} and script.word(at) not in _NOT_COLUMNS:
            yield name
