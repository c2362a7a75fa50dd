"""The tables that a protected query reads, to tell tables of the same people."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import TokenType

from kanon_sql.clause.cells.select_list import plain_text, text_of
from kanon_sql.clause.script import Script
from kanon_sql.clause.select import name_at, sources_of
from kanon_sql.clause.split import begins_query, common_tables, level_start
from kanon_sql.model.tabulation import named_table
from kanon_sql.model.validation import same_name

_TABLE_FOLLOWS = frozenset(
    {"TABLE", "PIVOT", "PIVOT_WIDER", "PIVOT_LONGER", "UNPIVOT", "SUMMARIZE", "DESCRIBE", "DESC", "SHOW"}
)
"""Words that begin a query, and stand in front of a table."""


def reads_of(script: Script, start: int, clause: int) -> tuple[str, ...]:
    """Return the names of the tables that a query and the queries of its WITH read, as they are written, in order.

    Notes
    -----
    Each part of the name of a table is quoted. Of a call such as ``read_csv('people.csv')`` the names are the texts in it, or
    the call itself if there are none.
    """
    found, defined = set[str](), set[str]()
    for named, body in _above(script, start, clause):
        own = _named(script, named)
        inner = set(_names(script, body + 1, script.partner[body])) - defined
        # WITH p AS (FROM p) reads a table p, unless the query repeats itself
        repeats = _repeats(script, named) and "UNION" in map(script.word, range(body, script.partner[body]))
        found |= inner - {own} if repeats else inner
        defined.add(own)
    return tuple(sorted(found | (set(_names(script, start, clause)) - defined)))


def single_table(script: Script, start: int, end: int) -> str | None:
    """Return the table that FROM and WHERE read, as SQL spells it; None if they read another one too, or something else.

    Parameters
    ----------
    start, end : int
        The place behind FROM, and that behind the last of WHERE.
    """
    last = start
    while script.spelled(last + 1) == ".":
        last += 2
    place = last + 1 + (script.word(last + 1) == "AS")
    place += place < end and script.keyword(place) != "WHERE" and name_at(script, place) is not None
    plain = name_at(script, last) is not None and (place >= end or script.keyword(place) == "WHERE")
    if not plain or any(script.word(each) in {"SELECT", "FROM", "TABLE", "VALUES"} for each in range(place, end)):
        return None
    return script.text[script.start(start) : script.stop(last)]


def tables_above(script: Script, start: int, clause: int) -> list[str]:
    """Return the queries of WITH that a query can name, as texts: all in front of it, and those around it that it names."""
    return [plain_text(script, named, script.after(body)) for named, body in _above(script, start, clause)]


def with_above(script: Script, start: int, clause: int) -> str:
    """Return the same as a WITH, as it is written; empty if there is none."""
    found = [(named, script.after(body)) for named, body in _above(script, start, clause)]
    word = "WITH RECURSIVE" if any(_repeats(script, named) for named, _ in found) else "WITH"
    return f"{word} {', '.join(text_of(script, *each) for each in found)}" if found else ""


def _above(script: Script, start: int, clause: int) -> list[tuple[int, int]]:
    """Return where each query of WITH is named, and where its bracket opens."""
    found, needed, place = list[tuple[int, int]](), set(_names(script, start, clause)), start
    while place >= 0:
        begin = level_start(script, place)
        begun = [each for each in script.level(begin, place) if script.keyword(each) == "WITH"]
        pairs = [pair for each in begun for pair in common_tables(script, each + 1, place) if pair[1] < place]
        for named, body in reversed(pairs):
            if place == start or _named(script, named) in needed:
                found.insert(0, (named, body))
                needed |= set(_names(script, body + 1, script.partner[body]))
        place = -1 if script.spelled(begin - 1) in {"", ";"} else begin - 1
    return found


def _repeats(script: Script, named: int) -> bool:
    """Return whether a query of WITH may name itself."""
    return "RECURSIVE" in map(script.word, script.level(level_start(script, named), named))


def _named(script: Script, place: int) -> str:
    return named_table([name_at(script, place) or ""])


def names_in(sql: str) -> Iterator[str]:
    """Yield the names of the tables that a statement reads, as `reads_of` does."""
    script = Script.read(sql)
    script.match_brackets()
    yield from _names(script, 0, len(script.tokens))


def calls_in(sql: str) -> set[str]:
    """Return the last parts of the names that a text calls, in the form that `same_name` compares."""
    script = Script.read(sql)
    places = (place for place in range(len(script.tokens)) if script.spelled(place + 1) == "(")
    return {name for name in (name_at(script, place) for place in places) if name is not None}


def _names(script: Script, first: int, end: int) -> Iterator[str]:
    for place in range(first, end):
        word = script.word(place)
        if word == "FROM" and script.word(place - 1) != "DISTINCT":
            # only within the brackets that hold this FROM
            for source in sources_of(script, place + 1, end):
                yield from _source(script, source)
        elif word == "JOIN" or (word in _TABLE_FOLLOWS and _begins(script, place, first)):
            yield from _source(script, place + 1 + (word != "TABLE" and script.word(place + 1) == "TABLE"))


def _begins(script: Script, place: int, first: int) -> bool:
    """Return whether a query begins with the word at a place."""
    before = script.word(place - 1)
    return place == first or script.spelled(place - 1) == "(" or before in {"AS", "UNION", "EXCEPT", "INTERSECT", "ALL", "NAME"}


def _source(script: Script, place: int) -> Iterator[str]:
    """Yield the name of a table, the name of a file, or what a call reads."""
    if script.spelled(place + 1) == ":":  # alias: table
        place += 2
    if script.kind(place) is TokenType.STRING:
        yield _text(script, place)
        return
    if script.spelled(place) == "(":
        if not begins_query(script, place):  # a join in brackets
            for inner in sources_of(script, place + 1, script.partner[place]):
                yield from _source(script, inner)
        return
    parts = [name_at(script, place)]
    while script.spelled(place + 1) == ".":
        place += 2
        parts.append(name_at(script, place))
    name = parts[-1]
    if name is None:
        return
    if script.spelled(place + 1) != "(":
        yield named_table([each or "" for each in parts])
        return
    behind = script.after(place + 1)
    texts = [_text(script, inner) for inner in range(place + 2, behind) if script.kind(inner) is TokenType.STRING]
    for text in texts:
        yield text
        if name == "query":
            yield from names_in(text)
        elif not name.startswith("read_"):
            yield named_table(text.split("."))  # a table with its schema
    if not texts:
        yield plain_text(script, place, behind)


def _text(script: Script, place: int) -> str:
    """Return what is in single quotes, as a name: a table may be named by a text."""
    return same_name(script.spelled(place)[1:-1])
