"""Conditions of published tables: which parts of them are tests of one column, which a reader can compare."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from kanon_sql.errors import PolicyError
from kanon_sql.model.condition_tests import (
    ColumnTest,
    Comparison,
    ConditionPart,
    Every,
    Negated,
    OneOf,
    ParsedCondition,
    Some,
)
from kanon_sql.model.validation import same_name

_SIGNS: dict[Any, str] = {exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}

_ORDERED = re.compile(r"-?\d+(\.\d+)?|\d{4}-\d\d(-\d\d)?([ T]\d\d:\d\d(:\d\d)?)?")
"""Numbers and dates: the values that have one order in all systems."""


def parsed_condition(condition: str | None, table: str) -> ParsedCondition:
    """Read a condition; parts that are not tests of one column stay texts.

    Parameters
    ----------
    condition : str, optional
        SQL, such as ``age >= 15 AND sex = 'F'``; None for everybody.
    table : str
        What people call the table, for the error.

    Raises
    ------
    PolicyError
        When it is not a condition.

    Examples
    --------
    >>> [part.text for part in parsed_condition("age >= 15 AND NOT (sex = 'F')", "t")]
    ["NOT sex = 'F'", 'age >= 15']
    """
    if condition is None:
        return ()
    try:
        tree: Any = sqlglot.parse_one(condition, dialect="duckdb", into=exp.Condition)
    except SqlglotError:
        tree = None
    if not isinstance(tree, exp.Condition) or tree.find(exp.Query):
        raise PolicyError(f"the condition of the table {table} cannot be read; hint: write a condition such as age >= 15")
    tests: dict[str, list[tuple[ColumnTest, str]]] = {}
    opaque: list[ConditionPart] = []
    for part, negated in _parts(tree, negated=False):
        text = _text(part)
        columns = {same_name(each.name) for each in part.find_all(exp.Column)}
        test = _test(part) if len(columns) == 1 else None
        if test is None:
            opaque.append(ConditionPart(column=text, test=None, text=text, negated=negated))
        else:
            written = f"NOT {text}" if negated else text
            tests.setdefault(columns.pop(), []).append((Negated(test) if negated else test, written))
    known = [
        ConditionPart(column=column, test=Every(tuple(test for test, _ in found)), text=" AND ".join(text for _, text in found))
        for column, found in tests.items()
    ]
    return tuple(sorted({*known, *opaque}, key=lambda part: (part.test is None, part.text)))


def _parts(tree: Any, *, negated: bool) -> Iterator[tuple[Any, bool]]:
    """Yield what AND joins, and NOT (... OR ...), and whether each is negated."""
    if isinstance(tree, exp.Paren):
        yield from _parts(tree.this, negated=negated)
    elif isinstance(tree, exp.Not):
        yield from _parts(tree.this, negated=not negated)
    elif isinstance(tree, exp.Or if negated else exp.And):
        yield from _parts(tree.left, negated=negated)
        yield from _parts(tree.right, negated=negated)
    else:
        yield tree, negated


def _text(tree: Any) -> str:
    """Return SQL that is the same for the same condition, however it is spaced and its names are spelled."""
    tree = tree.copy()
    for each in tree.find_all(exp.Identifier):
        each.set("this", same_name(each.this))
    return str(tree.sql(dialect="duckdb", comments=False))


def _test(tree: Any) -> ColumnTest | None:
    if isinstance(tree, exp.Paren):
        return _test(tree.this)
    if isinstance(tree, exp.Not):
        inner = _test(tree.this)
        return None if inner is None else Negated(inner)
    if isinstance(tree, exp.And | exp.Or):
        both = _test(tree.left), _test(tree.right)
        if both[0] is None or both[1] is None:
            return None
        return Every((both[0], both[1])) if isinstance(tree, exp.And) else Some((both[0], both[1]))
    if isinstance(tree, exp.Between) and not tree.args.get("symmetric"):
        return _every(_compared(">=", tree.this, tree.args["low"]), _compared("<=", tree.this, tree.args["high"]))
    if isinstance(tree, exp.In) and tree.expressions:
        values = [_literal(each) for each in tree.expressions]
        known = tuple(value for value in values if value is not None)
        return OneOf(known) if isinstance(tree.this, exp.Column) and len(known) == len(values) else None
    if isinstance(tree, exp.EQ | exp.NEQ):
        column, value = (tree.this, tree.expression) if isinstance(tree.this, exp.Column) else (tree.expression, tree.this)
        literal = _literal(value)
        if literal is None or not isinstance(column, exp.Column):
            return None
        return OneOf((literal,)) if isinstance(tree, exp.EQ) else Negated(OneOf((literal,)))
    if type(tree) in _SIGNS:
        sign = _SIGNS[type(tree)]
        if isinstance(tree.this, exp.Column):
            return _compared(sign, tree.this, tree.expression)
        return _compared(_TURNED[sign], tree.expression, tree.this)
    return None


def _every(low: ColumnTest | None, high: ColumnTest | None) -> ColumnTest | None:
    return None if low is None or high is None else Every((low, high))


def _compared(sign: str, column: Any, value: Any) -> ColumnTest | None:
    literal = _literal(value)
    if literal is None or not isinstance(column, exp.Column) or not _ORDERED.fullmatch(literal):
        return None
    return Comparison(sign, literal)


def _literal(tree: Any) -> str | None:
    if isinstance(tree, exp.Paren):
        return _literal(tree.this)
    if isinstance(tree, exp.Literal):
        return str(tree.this)
    if isinstance(tree, exp.Neg) and isinstance(tree.this, exp.Literal) and not tree.this.is_string:
        return f"-{tree.this.this}"
    if isinstance(tree, exp.Cast) and tree.to.this in (exp.DType.DATE, exp.DType.TIMESTAMP):
        return _literal(tree.this)
    if isinstance(tree, exp.Boolean):
        return "true" if tree.this else "false"
    return None
