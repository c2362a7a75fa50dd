"""Where the PROTECT clauses of a text are: behind the GROUP BY of a query, where stock DuckDB refuses a word."""

from __future__ import annotations

from collections.abc import Iterator

from kanon_sql.clause.alias import BEFORE_NAMES, is_explicit_name
from kanon_sql.clause.script import Script
from kanon_sql.clause.split import BEHIND_CLAUSE, SET_OPERATIONS, level_start

_BEGINS = frozenset({"SELECT", "FROM"})

_SIGNS = frozenset(("", *"([{,;.:=<>+-/*%^|&~@#$", ">=", "<=", "**", "::"))
"""Behind these, a name begins."""

_PARTS = frozenset({"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY"})

_REFUSED = {
    "HAVING": "HAVING filters groups by their counts; hint: filter the protected table in an outer query",
    "QUALIFY": "QUALIFY cannot be combined with PROTECT; hint: use it in an outer query",
    "WINDOW": "WINDOW cannot be combined with PROTECT; hint: use it in an outer query",
}


def find_protected(script: Script, first: int, end: int) -> Iterator[int]:
    """Yield the places of the word PROTECT that begin a clause, from left to right."""
    for place in range(first, end):
        if script.word(place) == "PROTECT" and is_protect(script, place):
            yield place


def is_protect(script: Script, place: int) -> bool:
    """Return whether the word PROTECT at a place begins a clause: it ends a GROUP BY, and no name is expected there."""
    before = script.word(place - 1)
    if is_explicit_name(script, place) or (before in BEFORE_NAMES - {"ALL"}) or script.spelled(place - 1) in _SIGNS:
        return False
    return _grouped(script, place)


def explains_protect(script: Script, first: int) -> bool:
    """Return whether the statement that begins at ``first`` is EXPLAIN PROTECT."""
    return script.words(first, "EXPLAIN", "PROTECT")


def _grouped(script: Script, clause: int) -> bool:
    """Return whether GROUP BY is on the level of a place, in the last query before it."""
    grouped = False
    for place in script.level(level_start(script, clause), clause):
        word = script.keyword(place)
        if word == "GROUP" and script.word(place + 1) == "BY":
            grouped = True
        elif word in SET_OPERATIONS or word in BEHIND_CLAUSE or script.spelled(place) == ";":
            grouped = False
    return grouped


def query_start(script: Script, clause: int) -> int:
    """Return where the query begins whose GROUP BY the clause ends: its SELECT, or its FROM where that comes first."""
    places = list(script.level(level_start(script, clause), clause))
    operation = [place for place in places if script.keyword(place) in SET_OPERATIONS]
    if operation:
        raise script.error(
            f"{script.word(operation[0])} cannot be combined with PROTECT; hint: put each protected query in parentheses",
            operation[0],
        )
    start = next((place for place in places if script.word(place) in _BEGINS), None)  # CREATE TABLE t AS SELECT, too
    if start is None:
        raise script.error(
            "PROTECT needs a query with GROUP BY before it; hint: write SELECT region, count(*) AS n FROM people "
            "GROUP BY CUBE (region) PROTECT n >= 5",
            clause,
        )
    return start


def parts_of(script: Script, start: int, clause: int) -> dict[str, int]:
    """Return where each part of a query begins.

    Parameters
    ----------
    start, clause : int
        Where the query begins, and the word PROTECT.

    Raises
    ------
    ClauseError
        When a part is missing, or cannot be protected.
    """
    found = dict[str, int]()
    for place in script.level(start, clause):
        word = script.word(place) if place == start else script.keyword(place)
        distinct_from = word == "FROM" and script.word(place - 1) == "DISTINCT"
        if word in _PARTS and not distinct_from and not (word == "GROUP" and script.word(place + 1) != "BY"):
            found.setdefault(word, place)
        if word in _REFUSED:
            raise script.error(_REFUSED[word], place)
    if "FROM" not in found:
        raise script.error("PROTECT needs a query with FROM; hint: write SELECT region, count(*) AS n FROM people", start)
    if "SELECT" not in found:
        raise script.error("PROTECT needs a SELECT list; hint: write SELECT region, count(*) AS n", start)
    return found


def end_of(parts: dict[str, int], part: str, clause: int) -> int:
    """Return where a part ends: at the next one, or at the word PROTECT."""
    return min([place for place in parts.values() if place > parts[part]], default=clause)
