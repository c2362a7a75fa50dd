"""A release beside its source, in plain SQL: what is hidden, what has changed, and whether each row can come from the source.

The tables are named ``source`` and ``released``. No row key leads from one to the other, and a cell that was empty before
looks like a suppressed one; every check here holds for each true release all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import duckdb

from kanon_sql.engines.release import quoted
from kanon_sql.errors import AuditError
from kanon_sql.files import columns
from kanon_sql.links import units
from kanon_sql.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """What a release has lost: exact where no cell of the source looks like a suppressed one, else between two figures.

    Attributes
    ----------
    cells : tuple of int
        Suppressed cells, at least and at most.
    cost : tuple of Fraction
        Their weights, at least and at most.
    """

    cells: tuple[int, int]
    cost: tuple[Fraction, Fraction]


def compare(con: Any, policy: Policy, *, from_json: bool) -> Loss:
    """Compare the table ``released`` with the table ``source``; their columns may take other types by it.

    Parameters
    ----------
    con : connection
        A DuckDB connection with both tables.
    policy : Policy
        Resolved against the source.
    from_json : bool
        Whether the release was read from JSON, where texts and other values have lost their quotes.

    Raises
    ------
    AuditError
        When the release has other columns or rows than the source, or shows what the source or the policy does not allow.

    Notes
    -----
    One GROUP BY over each table for each set of columns that rows show together.
    """
    names = columns(con, "source")
    if columns(con, "released") != names:
        raise AuditError("the release has other columns than the source; hint: is it a release of that table?")
    rows = [con.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0] for table in ("source", "released")]  # noqa: S608
    if rows[0] != rows[1]:
        raise AuditError(f"the release has {rows[1]} rows, the source {rows[0]}")
    chosen = [qi.column for qi in policy.quasi_identifiers]
    others = [quoted(name) for name in names if name not in chosen]
    _align(con, policy, from_json)
    loss = _loss(con, policy)
    if others:
        listed = ", ".join(others)
        query = f"SELECT count(*) FROM (SELECT {listed} FROM source EXCEPT ALL SELECT {listed} FROM released)"  # noqa: S608
        changed = con.execute(query).fetchall()[0][0]
        if changed:
            raise AuditError(
                f"in {changed} rows of the release, columns that are no quasi-identifiers are not those of the source"
            )
    _check_origin(con, policy, others)
    return loss


def _align(con: Any, policy: Policy, from_json: bool) -> None:
    """Give each column one type in both tables, so that what was the same before it was written is the same again."""
    query = "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? AND NOT internal"
    kinds = {table: dict(con.execute(query, [table]).fetchall()) for table in ("source", "released")}
    as_text = set() if policy.suppress is None else {qi.column for qi in policy.quasi_identifiers}
    for name, given in kinds["source"].items():
        kind, column = "VARCHAR" if name in as_text else given, quoted(name)
        value = f"to_json({column})" if kind == "JSON" and from_json else f"CAST({column} AS {kind})"
        for table, types in kinds.items():
            if types[name] != kind:
                try:
                    con.execute(f"ALTER TABLE {table} ALTER {column} TYPE {kind} USING {value}")
                except duckdb.Error:
                    raise AuditError(f'the column "{name}" of the release has values that are none of the source') from None


def _hidden(column: str, policy: Policy) -> str:
    """Return the SQL that tells whether a cell looks suppressed."""
    return f"{column} IS NULL" if policy.suppress is None else f"coalesce({column} = $suppress, false)"


def _values(policy: Policy) -> dict[str, Any]:
    return {} if policy.suppress is None else {"suppress": policy.suppress}


def _loss(con: Any, policy: Policy) -> Loss:
    counts = ", ".join(f"count(*) FILTER ({_hidden(quoted(qi.column), policy)})" for qi in policy.quasi_identifiers)
    before, after = (
        con.execute(f"SELECT {counts} FROM {table}", _values(policy)).fetchall()[0]  # noqa: S608
        for table in ("source", "released")
    )
    for qi, empty, hidden in zip(policy.quasi_identifiers, before, after, strict=True):
        if hidden < empty:
            raise AuditError(f'the column "{qi.column}" shows {empty - hidden} cells more in the release than in the source')
    weights = [qi.weight for qi in policy.quasi_identifiers]
    least = [hidden - empty for empty, hidden in zip(before, after, strict=True)]

    def cost(cells: Iterable[int]) -> Fraction:
        return sum((weight * count for weight, count in zip(weights, cells, strict=True)), Fraction(0))

    return Loss(cells=(sum(least), sum(after)), cost=(cost(least), cost(after)))


def _check_origin(con: Any, policy: Policy, others: Sequence[str]) -> None:
    """Check for each kind of released row that as many source rows could be shown so, under some permitted mask."""
    chosen = [qi.column for qi in policy.quasi_identifiers]
    pattern = f"[{', '.join(_hidden(quoted(name), policy) for name in chosen)}]"
    for (hidden,) in con.execute(f"SELECT DISTINCT {pattern} FROM released", _values(policy)).fetchall():  # noqa: S608
        shown = [name for name, gone in zip(chosen, hidden, strict=True) if not gone]
        masks = _covering(policy, set(shown))
        if not masks:
            raise AuditError(f"rows of the release show the columns ({', '.join(shown)}), which no permitted mask shows")
        # Under a mask that shows more, the cell must have looked suppressed in the source.
        fits = " OR ".join(
            f"({' AND '.join(['true', *(_hidden(quoted(name), policy) for name in mask - set(shown))])})" for mask in masks
        )
        look = f"row({', '.join(['true', *map(quoted, shown), *others])})"
        query = f"""
            SELECT coalesce(sum(looks.n - coalesce(origins.n, 0)), 0)
            FROM (SELECT {look} AS look, count(*) AS n FROM released WHERE {pattern} = $pattern GROUP BY ALL) AS looks
            LEFT JOIN (SELECT {look} AS look, count(*) AS n FROM source WHERE {fits} GROUP BY ALL) AS origins
                ON looks.look IS NOT DISTINCT FROM origins.look
            WHERE looks.n > coalesce(origins.n, 0)"""  # noqa: S608
        astray = con.execute(query, {**_values(policy), "pattern": hidden}).fetchall()[0][0]
        if astray:
            raise AuditError(f"{astray} rows of the release come from no row of the source under a permitted mask")


def _covering(policy: Policy, shown: set[str]) -> list[frozenset[str]]:
    """Return the permitted masks that show these columns and as few others as possible."""
    masks = policy.permitted_masks
    if masks is None:
        groups = units((qi.column for qi in policy.quasi_identifiers), policy.linked)
        return [frozenset(name for group in groups if shown & set(group) for name in group)]
    wider = {frozenset(mask) for mask in masks if shown <= set(mask)}
    return [mask for mask in wider if not any(other < mask for other in wider)]
