"""What a statement reads beside its ANONYMIZE clauses: rows of which nothing is guaranteed."""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from kanon_sql.clause.rewrite import rewrite
from kanon_sql.model.validation import same_name

_RELEASED = "SELECT 1"
"""Stands in the place of each release."""


def tables_beside(sql: str) -> list[str]:
    """Return the tables that a query reads outside of its releases, each once.

    Parameters
    ----------
    sql : str
        One query.

    Returns
    -------
    list of str
        Their names as they are written, without quotes. A query above (WITH) counts where something beside a release reads it.

    Raises
    ------
    ClauseError
        As `rewrite`.

    Examples
    --------
    >>> tables_beside("WITH v AS (FROM visits) SELECT * FROM (FROM v ANONYMIZE BY zip GUARANTEE k >= 5)")
    []
    >>> tables_beside("FROM raw.visits WHERE zip IN (SELECT zip FROM visits ANONYMIZE BY zip GUARANTEE k >= 5)")
    ['raw.visits']
    """
    try:
        tree = sqlglot.parse_one(rewrite(sql, lambda _body, _policy: _RELEASED), dialect="duckdb")
    except sqlglot.ParseError:
        return ["what cannot be read here"]
    above = {same_name(each.alias): each for each in tree.find_all(exp.CTE)}
    found: dict[str, None] = {}
    todo = [table for table in tree.find_all(exp.Table) if table.find_ancestor(exp.CTE) is None]
    followed: set[str] = set()
    while todo:
        table = todo.pop(0)
        name = same_name(table.name)
        if table.db or name not in above:
            found[".".join(part.name or part.sql(dialect="duckdb") for part in table.parts)] = None
        elif name not in followed:
            followed.add(name)
            todo += above[name].find_all(exp.Table)
    return list(found)
