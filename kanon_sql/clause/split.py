"""Where the ANONYMIZE clauses of a text stand, and how far the query reaches that each belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kanon_sql.clause.alias import BEFORE_NAMES, is_explicit_name, may_be_alias
from kanon_sql.clause.mistakes import behind_clause, is_like, without_by
from kanon_sql.clause.script import Script

_QUERY = frozenset({"SELECT", "FROM", "VALUES", "TABLE", "PIVOT", "PIVOT_WIDER", "PIVOT_LONGER", "UNPIVOT"})
_ABOUT_A_QUERY = frozenset({"DESCRIBE", "DESC", "SHOW", "SUMMARIZE"})

SET_OPERATIONS = frozenset({"UNION", "INTERSECT", "EXCEPT"})
"""What joins two queries to one."""

BEHIND_CLAUSE = frozenset({"ORDER", "LIMIT", "OFFSET", "FETCH"})
"""What may stand behind the clause of a query, and so behind a query without one."""

_BEHIND_QUERY = BEHIND_CLAUSE | frozenset({"ON", "RETURNING", "WITH"})
_OF_BODY = frozenset({"WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY", "JOIN", "FROM", "SELECT", "TABLESAMPLE"})

# GROUP BY ALL ends a query.
_UNFINISHED = (BEFORE_NAMES | {"VALUES"}) - {"ALL"}


@dataclass(frozen=True, slots=True)
class Site:
    """A clause and its query, as places of tokens."""

    body: int  # where the query begins: behind CREATE ... AS, INSERT INTO ..., and behind its leading WITH
    clause: int  # the word ANONYMIZE, just behind the query


def find_sites(script: Script, first: int, end: int) -> Iterator[Site]:
    """Yield the clauses of a statement from left to right, so that of nested ones the inner comes first.

    Parameters
    ----------
    script : Script
        The tokens of the text, with their brackets matched.
    first, end : int
        The first place of the statement, and the place behind its last.

    Raises
    ------
    ClauseError
        When the word stands where stock DuckDB would read an alias, or a clause where no query ends.
    """
    start = first + 2 if explains(script, first) else first
    for place in range(start, end):
        word = script.word(place)
        if word not in {"ANONYMIZE", "ANONYMISE"} or is_explicit_name(script, place):
            continue
        if is_clause(script, place):
            yield _site(script, place)
        elif word == "ANONYMISE" and script.word(place + 1) in {"BY", "WITH"}:
            continue  # DuckDB fails at the next word
        elif may_be_alias(script, place):
            raise without_by(script, place)


def is_clause(script: Script, place: int) -> bool:
    """Return whether the word ANONYMIZE at a place begins a clause; stock DuckDB refuses both forms."""
    return script.words(place, "ANONYMIZE", "BY") or script.words(place, "ANONYMIZE", "WITH", "POLICY")


def explains(script: Script, first: int) -> bool:
    """Return whether the statement that begins at ``first`` is EXPLAIN ANONYMIZE."""
    return script.words(first, "EXPLAIN", "ANONYMIZE")


def is_explained(script: Script, first: int, site: Site) -> bool:
    """Return whether EXPLAIN ANONYMIZE at ``first`` is about the clause: that of its outermost query."""
    body: int | None = first + 2
    if script.word(first + 2) == "WITH":
        body = behind_ctes(script, first + 3, site.clause)
    return body == site.body


def check_tail(script: Script, end: int) -> None:
    """Check what stands behind a clause that ends before ``end``: only what comes behind a whole query.

    Raises
    ------
    ClauseError
        When the query goes on, as with a UNION or a WHERE.
    """
    word = script.word(end)
    if script.spelled(end) not in {"", ";", ")", "]", "}"} and word not in _BEHIND_QUERY | SET_OPERATIONS:
        if word in _OF_BODY:
            raise script.error(
                f"{word} must come before the ANONYMIZE clause; hint: write the clause after WHERE and GROUP BY", end
            )
        raise behind_clause(script, end)
    while end < len(script.tokens) and script.spelled(end) not in {";", ")", "]", "}"}:
        if script.keyword(end) in SET_OPERATIONS:
            raise script.error(
                f"an ANONYMIZE clause before {script.word(end)} is ambiguous; hint: put its query in parentheses, "
                "or put the clause after the last query to anonymize all of them",
                end,
            )
        if is_clause(script, end) and not is_explicit_name(script, end):
            raise script.error("a query can have only one ANONYMIZE clause; hint: list all columns in one BY", end)
        end = script.after(end)


def _site(script: Script, clause: int) -> Site:
    start = level_start(script, clause)
    body: int | None = start
    while body is not None and body < clause and not begins_query(script, body):
        body = _behind_head(script, body, clause)
    if body is None or body >= clause:
        if script.word(start) == "EXPLAIN" and is_like(script.word(start + 1), "ANONYMIZE"):
            problem = f"unknown word {script.spelled(start + 1)}; hint: did you mean EXPLAIN ANONYMIZE?"
            raise script.mistake(problem, "ANONYMIZE", start + 1)
        begin = script.spelled(start) if start < clause else "nothing"
        raise script.error(f"ANONYMIZE needs a query before it, not {begin}; hint: write FROM t ANONYMIZE BY ...", start)
    if script.keyword(clause - 1) in _UNFINISHED:
        raise script.error("the query before ANONYMIZE is not finished; hint: write FROM t ANONYMIZE BY ...", clause - 1)
    for place in script.level(body, clause):
        if script.keyword(place) in BEHIND_CLAUSE:
            raise script.error(
                f"{script.word(place)} must come after the ANONYMIZE clause; hint: write ORDER and LIMIT after the clause, "
                "or in a subquery to choose the rows to anonymize",
                place,
            )
    return Site(body, clause)


def level_start(script: Script, place: int) -> int:
    """Return the first place on the level of a place: behind the bracket or the semicolon in front of both."""
    while place > 0 and script.spelled(place - 1) not in {"(", "[", "{", ";"}:
        place = script.partner.get(place - 1, place - 1)
    return place


def begins_query(script: Script, place: int) -> bool:
    """Return whether a query begins at a place, or with the bracket that opens there."""
    if script.spelled(place) != "(":
        return script.word(place) in _QUERY
    while script.spelled(place) == "(":
        place += 1
    return script.word(place) in _QUERY | _ABOUT_A_QUERY | {"WITH"}


def _behind_head(script: Script, place: int, clause: int) -> int | None:
    """Return where the statement goes on behind one head such as CREATE ... AS, or None where no head is known."""
    word = script.word(place)
    if word in _ABOUT_A_QUERY:
        return place + 1
    if word == "EXPLAIN":
        place += 2 if script.word(place + 1) in {"ANALYZE", "ANONYMIZE"} else 1
        return script.after(place) if script.spelled(place) == "(" and not begins_query(script, place) else place
    if word in {"CREATE", "PREPARE"}:
        head = {script.word(number) for number in range(place, place + 5)}
        return _behind_as(script, place, clause, ("TABLE",) if word == "CREATE" and head & {"MACRO", "FUNCTION"} else ())
    if word == "WITH":
        return behind_ctes(script, place + 1, clause)
    if word == "INSERT":
        return _behind_target(script, place, clause)
    return None


def _behind_as(script: Script, place: int, clause: int, options: tuple[str, ...]) -> int | None:
    behind = next((here + 1 for here in script.level(place, clause) if script.word(here) == "AS"), None)
    while behind is not None and script.word(behind) in options:
        behind, options = behind + 1, options[options.index(script.word(behind)) + 1 :]
    return behind


def behind_ctes(script: Script, place: int, end: int) -> int | None:
    """Return the place behind the queries of a WITH that begin at a place, or None where they do not end before ``end``."""
    behind = None
    for _, body in common_tables(script, place, end):
        behind = script.after(body)
    return None if behind is None or script.spelled(behind) == "," else behind


def common_tables(script: Script, place: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield for each query of a WITH where its name stands and where its bracket opens."""
    while True:
        body = _behind_as(script, place, end, ("NOT", "MATERIALIZED"))
        if body is None or script.spelled(body) != "(":
            return
        yield place + (script.word(place) == "RECURSIVE"), body
        place = script.after(body)
        if script.spelled(place) != ",":
            return
        place += 1


def _behind_target(script: Script, place: int, clause: int) -> int | None:
    while place < clause and script.word(place) != "INTO":
        place += 1
    # The name of the target may be any word, even one that begins a query elsewhere.
    place += 2
    while script.spelled(place) == ".":
        place += 2
    for here in script.level(place, clause):
        if script.keyword(here) in _QUERY | {"WITH"} or begins_query(script, here):
            return here
    return None
