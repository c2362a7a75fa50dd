"""Queries that are no more than a list of columns of one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from kanon_sql.model.validation import same_name

_PARTS = frozenset({"kind", "expressions", "from", "from_"})
"""What such a query has."""


def shown_columns(query: str, table: str, columns: Sequence[str]) -> tuple[str, ...] | None:
    """Return the columns that a query shows of a table; None if it does more than that.

    Parameters
    ----------
    query : str
        A query without a clause.
    table : str
        The table, as SQL spells it.

    Examples
    --------
    >>> shown_columns("SELECT * EXCLUDE (name) FROM patients", "patients", ["name", "zip", "age"])
    ('zip', 'age')
    >>> shown_columns("SELECT zip FROM patients WHERE age > 17", "patients", ["name", "zip", "age"]) is None
    True
    """
    try:
        tree: Any = sqlglot.parse_one(query, dialect="duckdb")
    except SqlglotError:  # DuckDB itself says what is wrong with it
        return None
    if not isinstance(tree, exp.Select) or {name for name, value in tree.args.items() if value} - _PARTS:
        return None
    source = tree.find(exp.From)
    if source is None or same_name(source.this.sql("duckdb")) != same_name(table):
        return None
    known = {same_name(name): name for name in columns}
    shown: list[str] = []
    for each in tree.expressions or [exp.Star()]:
        if isinstance(each, exp.Star):
            if any(each.args.get(part) for part in ("replace", "rename")):
                return None
            gone = {same_name(name.name) for name in each.args.get("except_") or each.args.get("except") or ()}
            shown += [name for name in columns if same_name(name) not in gone]
        elif isinstance(each, exp.Column) and not each.table and same_name(each.name) in known:
            shown.append(known[same_name(each.name)])
        else:
            return None
    return tuple(shown)
