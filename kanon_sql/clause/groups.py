"""Queries whose rows are groups: several people may be in one row, and a guarantee would count such rows.

A query groups if

- it has GROUP BY, HAVING, DISTINCT, PIVOT, SUMMARIZE, or an aggregate function that is not a window function;
- it is a UNION, INTERSECT or EXCEPT without ALL, or one of its branches groups;
- everything that its FROM reads is a subquery or a common table expression that groups.

So a join of people with a grouped subquery has rows of people. Tables, views and functions are taken to have rows of people. A
query does not group if it returns the column that tells people apart as it is: then each of its rows is of one person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kanon_sql.clause.alias import BEFORE_NAMES
from kanon_sql.clause.script import Script
from kanon_sql.clause.select import GROUPING_WORDS, Grouping, name_at, origin, read_select, sources_of
from kanon_sql.clause.split import (
    BEHIND_CLAUSE,
    SET_OPERATIONS,
    begins_query,
    behind_ctes,
    common_tables,
    is_clause,
    level_start,
)
from kanon_sql.errors import ClauseError, raise_alone
from kanon_sql.model.guarantee import Guarantee
from kanon_sql.model.validation import as_identifier, same_name

_SET_OPERATIONS = SET_OPERATIONS | {"MINUS"}  # as Spark calls EXCEPT
_WORDS = GROUPING_WORDS | _SET_OPERATIONS

_FIRST_RELEASED = (
    "release the rows first, then group them: CREATE TABLE released AS SELECT ... ANONYMIZE BY ...; "
    "SELECT ... FROM released GROUP BY ..."
)


def refuse_groups(script: Script, start: int, end: int, guarantee: Guarantee, permitted: str | None = None) -> None:
    """Refuse a query whose rows are groups, unless the guarantee says what it counts.

    Parameters
    ----------
    script : Script
        The tokens of the text, with their brackets matched.
    start, end : int
        The first place of the query, behind its leading WITH, and the place behind its last.
    permitted : str, optional
        How to say that rows are what counts; by default as in the clause.

    Raises
    ------
    ClauseError
        When the rows are groups, and the guarantee counts neither rows (PER ROW) nor people by a column that the query returns.
    """
    if guarantee.per_row:
        return
    per = None if guarantee.people is None else guarantee.people.per
    person = None if per is None else same_name(per)
    found = _searched(script, start, lambda search: search.query(start, end, person))
    if found is not None:
        raise _refusal(script, found, per, _FIRST_RELEASED, permitted or f"write k >= {guarantee.k} PER ROW")


def refuse_grouped_sources(script: Script, start: int, end: int, per: str | None, permitted: str) -> None:
    """Refuse a protected query over groups: it would count groups, not people.

    Parameters
    ----------
    script : Script
        The tokens of the text, with their brackets matched.
    start, end : int
        The first place of the query, behind its leading WITH, and the place behind its last.
    permitted : str
        How to say that rows are what counts.

    Raises
    ------
    ClauseError
        When all that its FROM reads are groups, and these do not show the column that tells people apart.
    """
    person = None if per is None else same_name(per)
    found = _searched(script, start, lambda search: search.sources_of_query(start, end, person))
    if found is not None:
        raise _refusal(script, found, per, "group once, in the protected query", permitted)


def refuse_grouped_query(sql: str, guarantee: Guarantee, permitted: str) -> None:
    """Refuse a query as `refuse_groups`, from its text.

    Examples
    --------
    >>> refuse_grouped_query("SELECT zip, count(*) OVER () AS people FROM visits", Guarantee(), "say so")
    """
    script = Script.read(sql)
    script.match_brackets()
    for start, end in script.statements():
        refuse_groups(script, start, end, guarantee, permitted)


def _searched(script: Script, start: int, search: Callable[[_GroupingSearch], Grouping | None]) -> Grouping | None:
    """Return what a search finds in a text, None without one if no word of it groups."""
    if not any(token.text.upper() in _WORDS for token in script.tokens):
        return None
    try:
        return search(_GroupingSearch(script))
    except RecursionError:
        raise_alone(script.error("the query is nested too deeply; hint: create views of its inner queries", start))


def _refusal(script: Script, found: Grouping, per: str | None, grouped: str, permitted: str) -> ClauseError:
    """Return the refusal of groups; ``grouped`` is what to do instead of GROUP BY."""
    if per is not None:
        person = as_identifier(per)
        counted = "count them as one person"
        hint = f"return the column {person} itself, so that each row belongs to one person"
    else:
        counted = "count rows, not people"
        if found.what in _SET_OPERATIONS:
            hint = f"use {found.what} ALL, which keeps a row for each person"
        elif found.what == "DISTINCT":
            hint = "remove DISTINCT"
        else:
            hint = grouped
    return script.error(
        f"{found.what} can merge several people into one row, so the guarantee would {counted}; hint: {hint}; "
        f"or, if each row of this query counts as one person, {permitted}",
        found.first,
        found.last,
    )


class _GroupingSearch:
    """The search for what makes the rows of a query groups."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._known: dict[tuple[int, str | None], Grouping | None] = {}

    def query(self, start: int, end: int, person: str | None) -> Grouping | None:
        """Return what makes the rows of a query groups; ``person`` is the column that tells people apart."""
        script = self._script
        if script.word(start) == "WITH":
            behind = behind_ctes(script, start + 1, end)
            if behind is None:
                raise script.error("this WITH clause cannot be parsed; hint: write WITH name AS (query)", start)
            start = behind
        branches = []
        for place in script.level(start, end):
            if script.keyword(place) in BEHIND_CLAUSE or is_clause(script, place):
                end = place
                break
            behind = self._behind_set_operation(place)
            if behind is not None:
                if person is None and script.word(place + 1) != "ALL":
                    return Grouping(script.word(place), place, place)
                branches.append((start, place))
                start = behind
        return _first(self._branch(*branch, person) for branch in [*branches, (start, end)])

    def sources_of_query(self, start: int, end: int, person: str | None) -> Grouping | None:
        """Return what makes the rows that a query without a set operation reads groups."""
        return self._sources(read_select(self._script, start, end).sources, person)

    def _behind_set_operation(self, place: int) -> int | None:
        """Return where the query behind a set operation begins; None where there is no set operation."""
        script = self._script
        word, behind = script.keyword(place), place + 1
        if word not in _SET_OPERATIONS:
            return None
        while script.word(behind) in {"ALL", "DISTINCT", "BY", "NAME"}:
            behind += 1
        # In Spark, SELECT * EXCEPT (zip) leaves a column out. MINUS may be an alias.
        return behind if word in {"UNION", "INTERSECT"} or begins_query(script, behind) else None

    def _branch(self, start: int, end: int, person: str | None) -> Grouping | None:
        script = self._script
        if script.spelled(start) == "(":
            return self.query(start + 1, script.partner[start], person)
        select = read_select(script, start, end)
        grouping = select.grouping
        if grouping is not None and grouping.summary:
            return grouping
        person = None if person is None else origin(script, select, person)
        return grouping if grouping is not None and person is None else self._sources(select.sources, person)

    def _sources(self, sources: Iterable[int], person: str | None) -> Grouping | None:
        """Return what makes the rows of a FROM groups: all that it reads groups."""
        found = [self._source(source, person) for source in sources]
        return found[0] if found and None not in found else None

    def _source(self, place: int, person: str | None) -> Grouping | None:
        script = self._script
        if script.word(place) == "LATERAL":
            place += 1
        if script.spelled(place + 1) == ":":  # in front of its alias
            place += 2
        if script.spelled(place) == "(":
            end = script.partner[place]
            if not _holds_query(script, place):
                return self._sources(sources_of(script, place + 1, end), person)
            return self.query(place + 1, end, None if _renames(script, end + 1) else person)
        if name_at(script, place) is None or script.spelled(place + 1) in {".", "("}:
            return None
        above = _above(script, place)
        if above is None:
            return None
        named, body = above
        if _renames(script, named) or _renames(script, place + 1):
            person = None
        if (body, person) not in self._known:
            self._known[body, person] = self.query(body + 1, script.partner[body], person)
        return self._known[body, person]


def _first(found: Iterable[Grouping | None]) -> Grouping | None:
    return next((each for each in found if each is not None), None)


def _holds_query(script: Script, place: int) -> bool:
    """Return whether the brackets at a place hold a query; else they hold a join."""
    inner, end = place + 1, script.partner[place]
    while script.spelled(inner) == "(":
        behind = script.after(inner)
        ends = behind >= end or is_clause(script, behind)
        if not ends and script.keyword(behind) not in _SET_OPERATIONS | BEHIND_CLAUSE:
            return False
        inner, end = inner + 1, script.partner[inner]
    return begins_query(script, place)


def _above(script: Script, place: int) -> tuple[int, int] | None:
    """Return where the common table expression is named, and where its bracket opens, whose name stands at a place.

    Of those around the place the nearest counts, and only those that are written before.
    """
    name, here = name_at(script, place), place
    while True:
        start = level_start(script, here)
        found = [
            (named, body)
            for each in script.level(start, here)
            if script.word(each) == "WITH"
            for named, body in common_tables(script, each + 1, here)
            if body < here and name_at(script, named) == name
        ]
        if found:
            return found[-1]
        if script.spelled(start - 1) in {"", ";"}:
            return None
        here = start - 1


def _renames(script: Script, place: int) -> bool:
    """Return whether a list of names for the columns stands behind the alias at a place, with AS in front or without."""
    place += script.word(place) == "AS"
    named = name_at(script, place) is not None and script.word(place) not in BEFORE_NAMES
    return named and script.spelled(place + 1) == "("
