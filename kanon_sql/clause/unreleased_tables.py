"""The tables that a statement reads outside its ANONYMIZE clauses: nothing is guaranteed of their rows."""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from kanon_sql.clause.rewrite import rewrite
from kanon_sql.model.validation import same_name

_RELEASED = "SELECT 1"
"""Stands in the place of each release."""


def unreleased_tables(sql: str) -> list[str]:
    """Return the tables that a query reads outside of its releases, each once.

    Parameters
    ----------
    sql : str
        One query.

    Returns
    -------
    list of str
        Their names as they are written, without quotes. A query above (WITH) counts if something outside a release reads it.

    Raises
    ------
    ClauseError
        As `rewrite`.

    Examples
    --------
    >>> unreleased_tables("WITH v AS (FROM visits) SELECT * FROM (FROM v ANONYMIZE BY zip GUARANTEE k >= 5)")
    []
    >>> unreleased_tables("FROM raw.visits WHERE zip IN (SELECT zip FROM visits ANONYMIZE BY zip GUARANTEE k >= 5)")
    ['raw.visits']
    """
    try:
        tree = sqlglot.parse_one(rewrite(sql, _released, link=_released), dialect="duckdb")
    except sqlglot.ParseError:
        return ["a query that cannot be parsed"]
    found: dict[str, None] = {}
    todo = [table for table in tree.find_all(exp.Table) if table.find_ancestor(exp.CTE) is None]
    followed: set[int] = set()
    while todo:
        table = todo.pop(0)
        above = _above(table)
        if above is None:
            found[".".join(part.name or part.sql(dialect="duckdb") for part in table.parts)] = None
        elif id(above) not in followed:
            followed.add(id(above))
            todo += above.find_all(exp.Table)
    return list(found)


def _released(_body: str, _policy: object, _wide: str | None = None) -> str:
    return _RELEASED


def _above(table: exp.Table) -> exp.CTE | None:
    """Return the query above that a name stands for: of all around it, the nearest; in a WITH, one that is written before.

    A query above that reads its own name reads a table of the database, but in the recursive part of WITH RECURSIVE.
    """
    name = same_name(table.name)
    node: exp.Expr | None = table
    while node is not None and not table.db:
        before, node = node, node.parent
        queries: list[exp.CTE] = []
        if isinstance(node, exp.With):
            place = next(i for i, query in enumerate(node.expressions) if query is before)
            queries = node.expressions[: place + _is_recursive(node, before.this, table)]
            node = node.parent  # whose WITH this is
        elif node is not None and (around := node.args.get("with_")) is not None:
            queries = around.expressions
        for query in reversed(queries):
            if same_name(query.alias) == name:
                return query
    return None


def _is_recursive(around: exp.With, query: exp.Expr, table: exp.Table) -> bool:
    """Return whether a table stands in the part of a query above that is run again and again."""
    if not around.recursive or not isinstance(query, exp.Union):
        return False
    return any(each is table for each in query.expression.find_all(exp.Table))  # equal ones stand elsewhere, too
