"""The columns that a query leaves out: a patient number that is not selected still says that people have several rows."""

from __future__ import annotations

from kanon_sql.clause.script import Script
from kanon_sql.clause.select import name_at, read_select
from kanon_sql.clause.split import SET_OPERATIONS, behind_ctes

_BEHIND_FROM = frozenset({"WHERE", "SELECT", "WINDOW", "QUALIFY"})


def wide_query(script: Script, start: int, end: int, *, tried: bool = True) -> str | None:
    """Return a query of the same rows with all columns of what it reads; None if it returns them already, or cannot.

    Parameters
    ----------
    script : Script
        The tokens of the text, with their brackets matched.
    start, end : int
        The first place of the query, behind its leading WITH, and the place behind its last.
    tried : bool
        Whether casts are in TRY, which Spark does not have.

    Notes
    -----
    Expressions stay, since WHERE may refer to their aliases. A query with parameters would need them twice. Its rows are then
    all of those behind FROM. Rows that are groups, and set operations, have no further columns.

    Examples
    --------
    >>> script = Script.read("SELECT zip, year(born) AS born FROM visits WHERE ward = 3")
    >>> script.match_brackets()
    >>> wide_query(script, 0, len(script.tokens))
    'SELECT *, year(born) AS born FROM visits WHERE ward = 3'
    """
    if script.spelled(start) == "(" or any(script.keyword(place) in SET_OPERATIONS for place in script.level(start, end)):
        return None
    select = read_select(script, start, end)
    if not select.items or not select.sources or select.grouping is not None:
        return None

    items = [item for item in select.items if not _is_plain(script, *item) and not _has_parameter(script, *item)]
    kept = [_text(script, *item, tried=tried) for item in items]
    shown = ", ".join(["*", *kept])
    if _has_parameter(script, start, end):
        return _all_rows(script, start, end, shown)
    first, last = script.start(select.items[0][0]), script.stop(select.items[-1][1] - 1)
    return f"{script.text[script.start(start) : first]}{shown}{script.text[last : script.stop(end - 1)]}"


def _text(script: Script, start: int, end: int, *, tried: bool) -> str:
    """Return an item; a cast that fails is left to the query itself, whose error says where it stands."""
    named = next((place for place in script.level(start, end) if script.word(place) == "AS"), None)
    calls = (place for place in range(start, end) if script.spelled(place) == "(" and script.word(place - 1) != "CAST")
    text = script.text[script.start(start) : script.stop(end - 1)]
    if not tried or named is None or next(calls, None) is not None:
        return text
    cut = script.start(named) - script.start(start)
    return f"TRY({text[:cut].rstrip()}) {text[cut:]}"


def _has_parameter(script: Script, start: int, end: int) -> bool:
    return any(script.spelled(place) == "?" for place in range(start, end))


def wide_text(sql: str, *, tried: bool = True) -> str:
    """Return a query of the rows of a query with all columns of what it reads, as far as there is one; see `wide_query`.

    Examples
    --------
    >>> wide_text("WITH old AS (FROM visits WHERE year < 2000) SELECT zip FROM old")
    'WITH old AS (FROM visits WHERE year < 2000) SELECT * FROM old'
    """
    script = Script.read(sql)
    script.match_brackets()
    start, end = next(iter(script.statements()))
    behind = behind_ctes(script, start + 1, end) if script.word(start) == "WITH" else start
    found = None if behind is None else wide_query(script, behind, end, tried=tried)
    return sql if behind is None or found is None else f"{sql[: script.start(behind)]}{found}"


def _is_plain(script: Script, start: int, end: int) -> bool:
    """Return whether an item is a column under its own name, or a star."""
    while script.spelled(start + 1) == ".":
        start += 2
    return script.spelled(start) == "*" or (start + 1 == end and name_at(script, start) is not None)


def _all_rows(script: Script, start: int, end: int, shown: str) -> str | None:
    """Return all rows behind FROM, if these need no parameter."""
    found = (place for place in script.level(start, end) if script.word(place) == "FROM")
    first = next((place for place in found if script.word(place - 1) != "DISTINCT"), None)
    if first is None:
        return None
    stop = next((place for place in script.level(first, end) if script.keyword(place) in _BEHIND_FROM), end)
    if _has_parameter(script, first, stop):
        return None
    return f"SELECT {shown} {script.text[script.start(first) : script.stop(stop - 1)]}"
