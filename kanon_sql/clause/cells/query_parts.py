"""Where the parts of a query in front of PROTECT begin and end."""

from __future__ import annotations

from kanon_sql.clause.script import Script

_PARTS = frozenset({"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY"})

_REFUSED = {
    "HAVING": "HAVING suppresses groups by their counts; hint: filter the protected table in a query around it",
    "QUALIFY": "QUALIFY cannot be combined with PROTECT; hint: use it in a query around the protected one",
    "WINDOW": "WINDOW cannot be combined with PROTECT; hint: use it in a query around the protected one",
}


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
        raise script.error("PROTECT needs a query with FROM; hint: SELECT region, count(*) AS n FROM people", start)
    if "SELECT" not in found:
        raise script.error("PROTECT needs a SELECT list; hint: SELECT region, count(*) AS n", start)
    return found


def end_of(parts: dict[str, int], part: str, clause: int) -> int:
    """Return where a part ends: at the next one, or at the word PROTECT."""
    return min([place for place in parts.values() if place > parts[part]], default=clause)
