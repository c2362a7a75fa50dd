"""Queries of counts, sums and averages, and the same queries over a release whose rows have weights."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from kanon_sql.errors import PolicyError, nearest, raise_alone

SOURCE, WEIGHTED = "kanon#source", "kanon#weighted"
"""The relations that the two forms of a query read: the source, and a release as weighted rows."""

_AGGREGATES = (exp.Count, exp.Sum, exp.Avg, exp.CountIf)
_PARTS = {
    "with_": "WITH",
    "joins": "a JOIN",
    "laterals": "LATERAL",
    "distinct": "DISTINCT",
    "windows": "WINDOW",
    "qualify": "QUALIFY",
    "limit": "LIMIT",
    "offset": "OFFSET",
    "sample": "a sample",
    "pivots": "PIVOT",
}
_FORM = "hint: write SELECT keys, aggregates FROM one table WHERE ... GROUP BY ... HAVING ..."


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query that can run on a release."""

    number: int  # its place in the file, from 1
    text: str  # the query, without its order
    plain: str  # the query over `SOURCE`
    weighted: str  # the query over `WEIGHTED`
    columns: tuple[str, ...]  # columns that it compares, groups by or computes with
    means: tuple[str, ...]  # columns that it only sums, counts or averages
    keys: tuple[int, ...]  # places in its result of what it groups by
    values: tuple[int, ...]  # places in its result of its aggregates


def read_queries(text: str, columns: Iterable[str]) -> tuple[Query, ...]:
    """Read a file of queries over a table with these columns.

    Raises
    ------
    PolicyError
        When there is no query, or one cannot run on weighted rows; it says which, and why.
    """
    try:
        parsed = [
            each for each in sqlglot.parse(text, dialect="duckdb") if each is not None and not isinstance(each, exp.Semicolon)
        ]
    except SqlglotError:
        raise_alone(PolicyError(f"the query file is not valid SQL; {_FORM}"))
    if not parsed:
        raise PolicyError("the query file is empty; hint: write SELECT statements separated by ;")
    known = {name.lower(): name for name in columns}
    return tuple(_read(number, each, known) for number, each in enumerate(parsed, 1))


def _read(number: int, query: exp.Expr, known: dict[str, str]) -> Query:
    def refuse(what: str, hint: str = _FORM) -> PolicyError:
        return PolicyError(f"query {number} {what}; {hint}")

    if not isinstance(query, exp.Select):
        what = "is a set operation" if isinstance(query, exp.SetOperation) else "is not a SELECT, or writes data"
        raise refuse(what)
    for part, name in _PARTS.items():
        if query.args.get(part):
            raise refuse(f"has {name}")
    source = query.args.get("from_")
    table = None if source is None else source.this
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
        raise refuse("does not read a single table by name")
    if any(table.args.get(part) for part in ("joins", "pivots", "sample", "version")):
        raise refuse("reads more than one table")
    for kind, name in (
        (exp.Subquery, "a subquery"),
        (exp.Select, "a subquery"),
        (exp.Window, "a window"),
        (exp.Placeholder, "a parameter"),
    ):
        if any(each is not query for each in query.find_all(kind)):
            raise refuse(f"has {name}")
    for unknown in query.find_all(exp.Anonymous):
        raise refuse(
            f"calls {unknown.name}, which may be an aggregate", "hint: use count, sum, avg or standard scalar functions"
        )
    for call in query.find_all(exp.AggFunc):
        if not isinstance(call, _AGGREGATES) or isinstance(call.this, exp.Distinct):
            name = "count(DISTINCT ...)" if isinstance(call, exp.Count) else call.sql_name().lower()
            raise refuse(f"uses {name}, which cannot be computed from weights", "hint: use only count, sum and avg")
    aggregated = [each.find(exp.AggFunc) is not None for each in query.expressions]
    if any(each.find(exp.Star) and not each.find(exp.Count) for each in query.expressions) or not any(aggregated):
        raise refuse("has no aggregate, or returns rows")
    query.set("order", None)
    named = known.keys() | {each.alias.lower() for each in query.expressions if each.alias}
    for column in query.find_all(exp.Column):
        if column.name.lower() not in named:
            near = nearest(column.name, known.values())
            hint = f"did you mean {near}?" if near else f"the columns are {', '.join(known.values())}"
            raise refuse(f"uses {column.name}, which the source does not have", f"hint: {hint}")
    used = {each.name.lower() for each in query.find_all(exp.Column)} & known.keys()
    means = used - {each.name.lower() for each in query.find_all(exp.Column) if not _only_summed(each)}
    return Query(
        number=number,
        text=query.sql(dialect="duckdb", comments=False),
        plain=_reading(query, SOURCE).sql(dialect="duckdb", comments=False),
        weighted=_weighted(query, means),
        columns=tuple(known[name] for name in sorted(used - means)),
        means=tuple(known[name] for name in sorted(means)),
        keys=tuple(place for place, found in enumerate(aggregated) if not found),
        values=tuple(place for place, found in enumerate(aggregated) if found),
    )


def _only_summed(column: exp.Column) -> bool:
    return isinstance(column.parent, exp.Sum | exp.Avg | exp.Count) and column.arg_key == "this"


def _reading(query: exp.Select, relation: str) -> exp.Select:
    """Return a query that reads a relation under the name that the query has for its table."""
    found = query.copy()
    table = found.args["from_"].this
    name = table.alias or table.name
    table.replace(exp.alias_(exp.Table(this=exp.to_identifier(relation, quoted=True)), name, table=True, quoted=True))
    return found


def _weighted(query: exp.Select, means: set[str]) -> str:
    """Return a query in which each row counts with its weight."""
    found = _reading(query, WEIGHTED)
    for call in list(found.find_all(*_AGGREGATES)):
        outer = call.parent if isinstance(call.parent, exp.Filter) and call.arg_key == "this" else call
        condition = outer.args["expression"].this if outer is not call else None
        outer.replace(_weighted_call(call, condition, means))
    return found.sql(dialect="duckdb", comments=False)


def _weighted_call(call: exp.AggFunc, condition: exp.Expr | None, means: set[str]) -> exp.Expr:
    weight, what = exp.column("weight"), call.this
    if isinstance(what, exp.Column) and what.name.lower() in means:
        total, rows = (
            _total(exp.column(exp.to_identifier(what.name + end, quoted=True)), condition) for end in ("_sum", "_count")
        )
        some = exp.func("nullif", rows, exp.Literal.number(0))
        if isinstance(call, exp.Count):
            return exp.func("coalesce", rows, exp.Literal.number(0))
        return total if isinstance(call, exp.Sum) else exp.Paren(this=exp.Div(this=total, expression=some))
    if isinstance(call, exp.CountIf):
        return _count(_both(what, condition))
    if isinstance(call, exp.Count):
        shown = None if isinstance(what, exp.Star) else what.copy().is_(exp.null()).not_()
        return _count(_both(shown, condition))
    total = _total(exp.Mul(this=exp.Paren(this=what.copy()), expression=weight), condition)
    if isinstance(call, exp.Sum):
        return total
    return exp.Paren(
        this=exp.Div(this=total, expression=_total(weight.copy(), _both(what.copy().is_(exp.null()).not_(), condition)))
    )


def _both(one: exp.Expr | None, two: exp.Expr | None) -> exp.Expr | None:
    given = [each.copy() for each in (one, two) if each is not None and not isinstance(each, exp.Semicolon)]
    return exp.and_(*given) if given else None


def _count(condition: exp.Expr | None) -> exp.Expr:
    return exp.func("coalesce", _total(exp.column("weight"), condition), exp.Literal.number(0))


def _total(what: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    total = exp.Sum(this=what)
    return total if condition is None else exp.Filter(this=total, expression=exp.Where(this=condition.copy()))
