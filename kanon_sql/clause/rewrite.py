"""Put the released rows in the place of each query that an ANONYMIZE clause follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kanon_sql.clause.parse import parse_clause
from kanon_sql.clause.script import MENTIONED, Script
from kanon_sql.clause.split import check_tail, find_sites
from kanon_sql.policy import Policy


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    text: str


def rewrite(sql: str, release: Callable[[str, Policy], str]) -> str:
    """Replace each query with an ANONYMIZE clause by a query over its released rows.

    Parameters
    ----------
    sql : str
        One or more SQL statements.
    release : callable
        ``release(body, policy)`` returns the text of a query that yields the released rows of the query ``body``. It has
        to use ``body`` exactly once, so that the parameters of the statement keep their order.

    Returns
    -------
    str
        The text without clauses, every other character kept; without a clause, ``sql`` itself.

    Raises
    ------
    ClauseError
        When a clause cannot be read or stands where no query ends, or when the word ANONYMIZE stands where DuckDB would
        read it as an alias and release raw rows.

    Notes
    -----
    Linear in the length of the text for each clause. A text that never mentions the word costs one search.

    Examples
    --------
    >>> rewrite(
    ...     "FROM visits ANONYMIZE BY zip GUARANTEE k >= 5 ORDER BY zip",
    ...     lambda body, policy: f"FROM released(({body}), {policy.least_class_size})",
    ... )
    'SELECT * FROM (FROM released((FROM visits), 5)) ORDER BY zip'
    """
    if not MENTIONED.search(sql):
        return sql
    script = Script.read(sql)
    if not any(script.word(place) == "ANONYMIZE" for place in range(len(script.tokens))):
        return sql
    script.match_brackets()
    edits: list[_Edit] = []
    # An inner clause ends before the clause of the query around it, so it is already an edit of that query.
    for site in find_sites(script):
        policy, end = parse_clause(script, site.clause)
        check_tail(script, end)
        start, stop = script.start(site.body), script.stop(site.clause - 1)
        inner = [edit for edit in edits if edit.start >= start]
        released = release(_apply(sql, start, stop, inner), policy)
        # Comments in front of the clause stay; blanks go with it.
        gap = sql[stop : script.start(site.clause)].rstrip(" \t")
        text = "".join(("SELECT * FROM (", released, ")", gap if gap.strip() else ""))
        edits = [*edits[: len(edits) - len(inner)], _Edit(start, script.stop(end - 1), text)]
    return _apply(sql, 0, len(sql), edits) if edits else sql


def _apply(sql: str, start: int, stop: int, edits: list[_Edit]) -> str:
    parts = []
    for edit in edits:
        parts += [sql[start : edit.start], edit.text]
        start = edit.end
    return "".join([*parts, sql[start:stop]])
