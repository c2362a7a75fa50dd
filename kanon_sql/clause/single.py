"""One statement whose outermost query has an ANONYMIZE clause, in its parts: for engines that run a release by themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from kanon_sql.clause.corrections import corrected
from kanon_sql.clause.definitions import begins_definition
from kanon_sql.clause.groups import refuse_groups
from kanon_sql.clause.names import table_name
from kanon_sql.clause.parse import parse_clause
from kanon_sql.clause.reader import Reader
from kanon_sql.clause.script import CorrectableError, Script, is_mentioned
from kanon_sql.clause.split import check_tail, explains, find_sites
from kanon_sql.errors import raise_alone
from kanon_sql.model.guarantee import Guarantee
from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.model.policy import Policy

_HEADS = ("SELECT", "FROM", "WITH", "VALUES", "TABLE", "(")


@dataclass(frozen=True, slots=True, kw_only=True)
class Anonymized:
    """The parts of a statement."""

    query: str  # the query in front of the clause
    policy: Policy | str  # what the clause asks for, or the name of the policy that does
    into: str | None  # the table that the statement creates, each part quoted where it has to be; None for a query
    using: str | None  # the format of that table, where one is named
    tail: str  # what stands behind the clause: ORDER BY, LIMIT
    check_rows: Callable[[Guarantee], None]  # refuses the query under a guarantee if its rows are groups, as `refuse_groups`


def single_release(sql: str) -> Anonymized | None:
    """Take a statement apart that has an ANONYMIZE clause; None where it has none.

    Parameters
    ----------
    sql : str
        One statement: a query, or ``CREATE TABLE name [USING format] AS`` a query.

    Raises
    ------
    ClauseError
        When the clause cannot be read, when there are several, or when it does not belong to the outermost query.

    Examples
    --------
    >>> parts = single_release("CREATE TABLE r AS SELECT zip FROM visits ANONYMIZE BY zip GUARANTEE k >= 5")
    >>> parts.into, parts.query
    ('r', 'SELECT zip FROM visits')
    """
    if not is_mentioned(sql):
        return None
    try:
        return _taken_apart(Script.read(sql))
    except CorrectableError as wrong:
        raise_alone(corrected(wrong))


def _taken_apart(script: Script) -> Anonymized | None:
    sql = script.text
    statements = list(script.statements())
    if any(begins_definition(script, first) or explains(script, first) for first, _ in statements):
        raise script.error(
            "this engine supports neither EXPLAIN ANONYMIZE nor stored policies; hint: pass policies='policies.yaml'",
            0,
        )
    script.match_brackets()
    sites = [(first, end, site) for first, end in statements for site in find_sites(script, first, end)]
    if not sites:
        return None
    first, end, site = sites[-1]
    if len(sites) > 1:
        raise script.error(
            "the query has several ANONYMIZE clauses; hint: release the inner query into a table first", site.clause
        )
    if len(statements) > 1:
        raise script.error("a release must be the only statement; hint: run the other statements first", statements[1][0])
    begin, into, using = _head(script, first)
    if not all(place in script.level(begin, end) for place in (site.body, site.clause)):
        raise script.error(
            "the ANONYMIZE clause is in an inner query; hint: release that query into a table first, then query the table",
            site.clause,
        )
    policy, behind = parse_clause(script, site.clause)
    if isinstance(policy, LinkedHistories):
        raise script.error(
            "linked histories are not supported here; hint: use kanon_sql.connect, or kanon anonymize --known-rows 2",
            site.clause,
            behind - 1,
        )
    check_tail(script, behind)
    if into is not None and behind < end:
        raise script.error("ORDER BY has no effect in a stored table; hint: order the query that reads the table", behind)
    return Anonymized(
        query=sql[script.start(begin) : script.stop(site.clause - 1)],
        policy=policy,
        into=into,
        using=using,
        check_rows=partial(refuse_groups, script, site.body, site.clause),
        tail=sql[script.start(behind) : script.stop(end - 1)] if behind < end else "",
    )


def _head(script: Script, first: int) -> tuple[int, str | None, str | None]:
    """Return where the query begins, the table that is created, and its format."""
    if script.word(first) in _HEADS or script.spelled(first) in _HEADS:
        return first, None, None
    reader = Reader(script, first)
    if not reader.skip("CREATE", "TABLE"):
        raise reader.error("expected a query or CREATE TABLE; hint: write CREATE TABLE released AS SELECT ... ANONYMIZE BY ...")
    into = table_name(reader, "CREATE TABLE released AS SELECT ...")
    using = None
    if reader.skip("USING"):
        using = reader.word.lower()
        reader.place += 1
    reader.expect("AS", "after the name of the table")
    return reader.place, into, using
