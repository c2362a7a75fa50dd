"""The tables that a protected query reads, to tell tables of the same people."""

from __future__ import annotations

from sqlglot import TokenType

from kanon_sql.clause.script import Script
from kanon_sql.clause.select import name_at, sources_of
from kanon_sql.clause.split import common_tables, level_start
from kanon_sql.model.validation import same_name


def reads_of(script: Script, start: int, clause: int) -> tuple[str, ...]:
    """Return the names of the tables that a query and the queries of its WITH read, without schemas, in order."""
    bodies = [(body + 1, script.partner[body]) for _, body in _above(script, start)]
    defined = {name_at(script, named) for named, _ in _above(script, start)}
    found = set[str]()
    for first, end in [*bodies, (start, clause)]:
        for place in range(first, end):
            if script.word(place) == "FROM" and script.word(place - 1) != "DISTINCT":
                # only within the brackets that hold this FROM
                for source in sources_of(script, place + 1, end):
                    name = _name(script, source)
                    if name is not None:
                        found.add(name)
    return tuple(sorted(found - defined))


def tables_above(script: Script, start: int) -> list[str]:
    """Return the queries of the WITH in front of a query, as texts."""
    return [
        " ".join(
            same_name(script.spelled(place)) if script.kind(place) is TokenType.VAR else script.spelled(place)
            for place in range(named, script.after(body))
        )
        for named, body in _above(script, start)
    ]


def _above(script: Script, start: int) -> list[tuple[int, int]]:
    """Return where each query of the WITH in front of a query is named, and where its bracket opens."""
    return [
        pair
        for place in script.level(level_start(script, start), start)
        if script.keyword(place) == "WITH"
        for pair in common_tables(script, place + 1, start)
    ]


def _name(script: Script, place: int) -> str | None:
    """Return the last part of the name of a table, or the name of a file in single quotes."""
    if script.kind(place) is TokenType.STRING:
        return script.spelled(place)
    while script.spelled(place + 1) == ".":
        place += 2
    name = name_at(script, place)
    return None if name is None or script.spelled(place + 1) == "(" else name
