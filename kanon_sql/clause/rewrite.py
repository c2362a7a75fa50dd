"""Put the released rows in the place of each query that an ANONYMIZE or a PROTECT clause follows."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from kanon_sql.clause.cells.place import explains_protect, find_protected, query_start
from kanon_sql.clause.corrections import corrected, read_as_meant
from kanon_sql.clause.definitions import Database, begins_definition, parse_definition
from kanon_sql.clause.groups import refuse_grouped_sources, refuse_groups
from kanon_sql.clause.parse import parse_clause
from kanon_sql.clause.script import CorrectableError, Script, is_mentioned
from kanon_sql.clause.select import name_at
from kanon_sql.clause.split import Site, check_tail, explains, find_sites, is_explained
from kanon_sql.clause.wide import wide_query
from kanon_sql.errors import ClauseError, PolicyError, raise_alone
from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.model.policy import Policy
from kanon_sql.model.protection import Protection
from kanon_sql.model.refusals import IdentifierError
from kanon_sql.model.repetition import RepeatedPeopleError
from kanon_sql.model.validation import same_name

if TYPE_CHECKING:
    from kanon_sql.clause.cells.table_query import TableQuery

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    text: str


def rewrite(
    sql: str,
    release: Callable[[str, Policy, str | None], str],
    database: Database | None = None,
    protect: Callable[[TableQuery, Protection, bool], str] | None = None,
    link: Callable[[str, LinkedHistories, str | None], str] | None = None,
    once: Collection[str] = (),
) -> str:
    """Replace each query with an ANONYMIZE or PROTECT clause by a query over what is released, and statements about policies.

    Parameters
    ----------
    sql : str
        One or more SQL statements.
    release : callable
        ``release(body, policy, wide)`` returns the text of a query that yields the released rows of the query ``body``. It has
        to use ``body`` exactly once, so that the parameters of the statement keep their order. ``wide`` is a query of the same
        rows with the columns that ``body`` leaves out, if any; it has no parameters.
    database : Database, optional
        What stores policies and explains releases; without it, statements that need one are errors.
    protect : callable, optional
        ``protect(query, protection, explained)`` returns the text of a query that yields the rows of a protected table, or what
        protecting it would take; without it, PROTECT is an error. It has to use ``query.source`` exactly once.
    link : callable, optional
        ``link(body, histories, wide)`` returns the text of a query that yields the rows of ``body`` with tokens that link them;
        without it, that is an error. It has to use ``body`` exactly once.
    once : collection of str
        Names of what can be read only once: a query of them has no ``wide``.

    Returns
    -------
    str
        The text without clauses, every other character kept; without a clause and a statement of ours, ``sql`` itself.

    Raises
    ------
    ClauseError
        When a clause or a statement about policies cannot be read, when a clause stands where no query ends, when the rows of
        its query are groups and the guarantee does not say what it counts, or when the word ANONYMIZE stands where DuckDB
        would read it as an alias and release raw rows.

    Notes
    -----
    Linear in the length of the text for each clause. A text that never mentions the words costs two searches.

    Examples
    --------
    >>> rewrite(
    ...     "FROM visits ANONYMIZE BY zip GUARANTEE k >= 5 ORDER BY zip",
    ...     lambda body, policy, wide: f"FROM released(({body}), {policy.least_class_size})",
    ... )
    'SELECT * FROM (FROM released((FROM visits), 5)) ORDER BY zip'
    """
    if not is_mentioned(sql):
        return sql
    edits = _Rewriting(Script.read(sql), release, database, protect, link, once).edited()
    return _apply(sql, 0, len(sql), edits) if edits else sql


class _Rewriting:
    """The edits of a text, in its order; an edit that holds others has taken their place."""

    def __init__(
        self,
        script: Script,
        release: Callable[[str, Policy, str | None], str],
        database: Database | None,
        protect: Callable[[TableQuery, Protection, bool], str] | None,
        link: Callable[[str, LinkedHistories, str | None], str] | None,
        once: Collection[str],
    ) -> None:
        self.edits: list[_Edit] = []
        self._script, self._release, self._database, self._protect, self._link = script, release, database, protect, link
        self._once = set(map(same_name, once))

    def edited(self) -> list[_Edit]:
        """Return the edits of all statements, none where the words are only names."""
        script = self._script
        parts = list(script.statements())
        if not any(begins_definition(script, first) for first, _ in parts) and not any(
            script.word(place) in {"ANONYMIZE", "ANONYMISE", "PROTECT"} for place in range(len(script.tokens))
        ):
            return []
        try:
            script.match_brackets()
            for first, end in parts:
                self._statement(first, end)
        except CorrectableError as wrong:
            raise_alone(corrected(wrong))
        except ClauseError:
            meant = read_as_meant(script)
            if meant is None:
                raise
            raise_alone(meant)
        return self.edits

    def _statement(self, first: int, end: int) -> None:
        script = self._script
        if begins_definition(script, first):
            definition = parse_definition(script, first, end)
            text = self._answer(lambda database: definition.sql(database), first, end)
            self.edits.append(_Edit(script.start(first), script.stop(end - 1), text))
            return
        explained = explains(script, first)
        if explained:
            self.edits.append(_Edit(script.start(first), script.start(min(first + 2, end - 1)), ""))
        explains_a_table = explains_protect(script, first)
        if explains_a_table:
            self.edits.append(_Edit(script.start(first), script.start(min(first + 2, end - 1)), ""))
        # An inner clause ends before the clause of the query around it, so it is already an edit of that query.
        protected = list(find_protected(script, first, end))
        for site in find_sites(script, first, end):
            while protected and protected[0] < site.clause:
                self._table(protected.pop(0), end, explained=False)
            if explained and is_explained(script, first, site):
                self._explain(site, end)
                return
            self._site(site)
        for number, place in enumerate(protected, 1):
            self._table(place, end, explained=explains_a_table and number == len(protected))
        if explains_a_table and not protected:
            raise script.error(
                "EXPLAIN PROTECT needs a query with a PROTECT clause; hint: write EXPLAIN PROTECT SELECT region, count(*) AS n "
                "FROM people GROUP BY CUBE (region) PROTECT n >= 5",
                first,
                min(first + 1, end - 1),
            )
        if explained:
            raise script.error(
                "EXPLAIN ANONYMIZE needs a query with an ANONYMIZE clause; hint: write EXPLAIN ANONYMIZE FROM patients "
                "ANONYMIZE BY zip GUARANTEE k >= 5, without CREATE, INSERT or parentheses around it",
                first,
                min(first + 1, end - 1),
            )

    def _site(self, site: Site) -> None:
        script = self._script
        policy, end = parse_clause(script, site.clause)
        check_tail(script, end)
        self._check_rows(site, policy, end)
        body, inner = self._body(site)
        wide = self._wide(site, inner)
        if isinstance(policy, Policy):
            released = self._release(body, policy, wide)
        elif isinstance(policy, LinkedHistories):
            if self._link is None:
                raise script.error(
                    "linked histories are not supported here; hint: use kanon_sql.connect, or kanon anonymize --known-rows 2",
                    site.clause,
                    end - 1,
                )
            released = self._link(body, policy, wide)
        else:
            released = self._answer(lambda database: database.release(body, policy, wide), site.clause, end)
        # Comments in front of the clause stay; blanks go with it.
        gap = script.text[script.stop(site.clause - 1) : script.start(site.clause)].rstrip(" \t")
        text = "".join(("SELECT * FROM (", released, ")", gap if gap.strip() else ""))
        self._put(_Edit(script.start(site.body), script.stop(end - 1), text), inner)

    def _table(self, clause: int, end: int, *, explained: bool) -> None:
        """Put a protected table in the place of its query; with ``explained``, what protecting it would take."""
        from kanon_sql.clause.cells.parse import parse_protect
        from kanon_sql.clause.cells.table_query import read_table_query

        script = self._script
        if self._protect is None:
            raise script.error("PROTECT needs a database connection; hint: use kanon_sql.connect", clause)
        start = query_start(script, clause)
        query = read_table_query(script, start, clause)
        requested, behind = parse_protect(script, clause, query)
        inner = [edit for edit in self.edits if edit.start >= script.start(start)]
        if inner:  # in FROM or WHERE, which go into the text of the protected table once
            source = query.source
            for edit in inner:
                source = source.replace(script.text[edit.start : edit.end], edit.text, 1)
            query = replace(query, source=source)
        protection = self._protection(requested, query, clause, behind)
        if not protection.per_row:
            permitted = f"write {query.tabulation.count} >= {protection.k} PER ROW"
            refuse_grouped_sources(script, start, clause, protection.per, permitted)
        try:
            text = self._protect(query, protection, explained)
        except (IdentifierError, RepeatedPeopleError):  # of an engine that reads the source at once
            raise
        except PolicyError as problem:
            raise script.error(str(problem), clause, behind - 1) from problem
        last = end if explained else behind
        edit = _Edit(script.start(start), script.stop(last - 1), "".join(("SELECT * FROM (", text, ")")))
        self._put(edit, len(inner))

    def _protection(self, requested: Protection | str, query: TableQuery, first: int, end: int) -> Protection:
        """Return the requirement of a table, of a stored policy if that is named."""
        if isinstance(requested, Protection):
            return requested
        return self._answer(
            lambda database: database.protection(requested).protection_for(query.tabulation, query.person), first, end
        )

    def _explain(self, site: Site, last: int) -> None:
        """Put the explanation in the place of the whole query: it has no use for an ORDER BY and a LIMIT."""
        script = self._script
        policy, end = parse_clause(script, site.clause)
        check_tail(script, end)
        if isinstance(policy, LinkedHistories):
            raise script.error(
                "EXPLAIN ANONYMIZE does not support linked histories; hint: run the release, then read FROM "
                "kanon_linked_releases()",
                site.clause,
                end - 1,
            )
        explained = policy
        self._check_rows(site, explained, end)
        body, inner = self._body(site)
        wide = self._wide(site, inner)
        text = self._answer(lambda database: database.explain(body, explained, wide), site.clause, end)
        self._put(_Edit(script.start(site.body), script.stop(last - 1), "".join(("SELECT * FROM (", text, ")"))), inner)

    def _check_rows(self, site: Site, policy: Policy | LinkedHistories | str, end: int) -> None:
        if isinstance(policy, LinkedHistories):
            unlinked = f"write k >= {policy.k} PER ROW without LINKED"
            refuse_groups(self._script, site.body, site.clause, policy.roles, unlinked)
            return
        if not isinstance(policy, Policy):
            name = policy
            policy = self._answer(lambda database: database.policy(name), site.clause, end)
        refuse_groups(self._script, site.body, site.clause, policy)

    def _body(self, site: Site) -> tuple[str, int]:
        """Return the query in front of a clause as it is after its own edits, and how many these are."""
        script, start = self._script, self._script.start(site.body)
        inner = [edit for edit in self.edits if edit.start >= start]
        return _apply(script.text, start, script.stop(site.clause - 1), inner), len(inner)

    def _wide(self, site: Site, inner: int) -> str | None:
        """Return the query with the columns that are left out; what holds a release, or is a stream, is not read twice."""
        script = self._script
        if inner or any(name_at(script, place) in self._once for place in range(site.body, site.clause)):
            return None
        return wide_query(script, site.body, site.clause)

    def _put(self, edit: _Edit, inner: int) -> None:
        self.edits = [*self.edits[: len(self.edits) - inner], edit]

    def _answer(self, ask: Callable[[Database], T], first: int, end: int) -> T:
        if self._database is None:
            raise self._script.error(
                "policies and EXPLAIN ANONYMIZE need a database connection; hint: use kanon_sql.connect", first, end - 1
            )
        try:
            return ask(self._database)
        except PolicyError as problem:
            raise self._script.error(str(problem), first, end - 1) from problem


def _apply(sql: str, start: int, stop: int, edits: list[_Edit]) -> str:
    parts = []
    for edit in edits:
        parts += [sql[start : edit.start], edit.text]
        start = edit.end
    return "".join([*parts, sql[start:stop]])
