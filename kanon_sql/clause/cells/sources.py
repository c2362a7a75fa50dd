"""The tables that a protected query reads, to tell tables of the same people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqlglot import TokenType

from kanon_sql.clause.cells.select_list import plain_text
from kanon_sql.clause.script import Script
from kanon_sql.clause.select import name_at, sources_of
from kanon_sql.clause.split import common_tables, level_start
from kanon_sql.model.validation import same_name


def reads_of(script: Script, start: int, clause: int) -> tuple[str, ...]:
    """Return the names of the tables that a query and the queries of its WITH read, without schemas, in order.

    Notes
    -----
    Of a call such as ``read_csv('people.csv')`` the names are the texts in it, or the call itself if there are none.
    """
    bodies = [(body + 1, script.partner[body]) for _, body in _above(script, start)]
    defined = {name_at(script, named) for named, _ in _above(script, start)}
    return tuple(sorted({name for first, end in [*bodies, (start, clause)] for name in _names(script, first, end)} - defined))


def with_views(reads: Sequence[str], views: Mapping[str, str]) -> tuple[str, ...]:
    """Return names together with the tables that the views among them read.

    Parameters
    ----------
    reads : sequence of str
        Names in the form that `same_name` compares.
    views : mapping of str to str
        For the name of each view, in the same form, its statement.
    """
    found, left = set(reads), list(reads)
    while left:
        statement = views.get(left.pop())
        if statement is not None:
            new = set(names_in(statement)) - found
            found |= new
            left += new
    return tuple(sorted(found))


def single_table(script: Script, start: int, end: int) -> str | None:
    """Return the table that FROM and WHERE read, as SQL spells it; None if they read another one too, or something else.

    Parameters
    ----------
    script : Script
        The tokens of the text.
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


def tables_above(script: Script, start: int) -> list[str]:
    """Return the queries of the WITH in front of a query, as texts."""
    return [plain_text(script, named, script.after(body)) for named, body in _above(script, start)]


def _above(script: Script, start: int) -> list[tuple[int, int]]:
    """Return where each query of the WITH in front of a query is named, and where its bracket opens."""
    return [
        pair
        for place in script.level(level_start(script, start), start)
        if script.keyword(place) == "WITH"
        for pair in common_tables(script, place + 1, start)
    ]


def names_in(sql: str) -> Iterator[str]:
    """Yield the names of the tables that a statement reads, as `reads_of` does."""
    script = Script.read(sql)
    script.match_brackets()
    yield from _names(script, 0, len(script.tokens))


def _names(script: Script, first: int, end: int) -> Iterator[str]:
    for place in range(first, end):
        if script.word(place) == "FROM" and script.word(place - 1) != "DISTINCT":
            # only within the brackets that hold this FROM
            for source in sources_of(script, place + 1, end):
                yield from _source(script, source)


def _source(script: Script, place: int) -> Iterator[str]:
    """Yield the last part of the name of a table, the name of a file, or what a call reads."""
    if script.kind(place) is TokenType.STRING:
        yield _text(script, place)
        return
    while script.spelled(place + 1) == ".":
        place += 2
    name = name_at(script, place)
    if name is not None and script.spelled(place + 1) != "(":
        yield name
        return
    if name is None:
        return
    behind = script.after(place + 1)
    texts = [_text(script, inner) for inner in range(place + 2, behind) if script.kind(inner) is TokenType.STRING]
    for text in texts:
        yield text
        if name == "query":
            yield from names_in(text)
        elif not name.startswith("read_"):
            yield text.rpartition(".")[2]  # a table with its schema
    if not texts:
        yield plain_text(script, place, behind)


def _text(script: Script, place: int) -> str:
    """Return what is in single quotes, as a name: a table may be named by a text."""
    return same_name(script.spelled(place)[1:-1])
