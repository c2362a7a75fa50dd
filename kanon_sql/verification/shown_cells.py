"""A release and its source as codes: equal cells of a column have equal codes in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.model.policy import Policy
from kanon_sql.table.arrays import Int64
from kanon_sql.verification.readings import Domain


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of one table, equal ones counted."""

    codes: Int64  # [r, m]: the quasi-identifiers
    rest: Int64  # [r]: all other columns, as one code
    count: Int64  # [r]: how many rows look so


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Both tables."""

    # source, released: their rows; those of the source also by whose they are, where people are counted and no token tells it
    source: Rows
    released: Rows
    domains: list[Domain]  # the cells of each quasi-identifier
    person: Int64  # [r]: whose each row of the source is; nobody is -1


def read_cells(con: Any, policy: Policy, others: Sequence[str]) -> Cells:
    """Read the tables ``source`` and ``released`` of a connection, whose columns have the same types.

    Parameters
    ----------
    policy : Policy
        Resolved.
    others : sequence of str
        The other columns, quoted.

    Notes
    -----
    O(r log r) for each column.
    """
    names = [quoted(qi.column) for qi in policy.quasi_identifiers]
    rank = "CAST(system.main.dense_rank() OVER (ORDER BY {} ASC NULLS LAST) AS BIGINT) - 1"
    ranks = [f'{rank.format(name)} AS "kanon#{c}"' for c, name in enumerate(names)]
    rest = rank.format(f"system.main.row({', '.join(others)})") if others else "0::BIGINT"
    listed = ", ".join([*names, *others])
    whose = "".join(map(quoted, policy.dropped)) or "NULL"
    sides = [
        f'SELECT {side} AS "kanon#side", {listed}, {owner} AS "kanon#who", system.main.count(*) AS "kanon#n" '  # noqa: S608
        f"FROM {table} GROUP BY ALL"
        for side, (table, owner) in enumerate((("source", whose), ("released", "NULL")))
    ]
    who = '"kanon#who"'
    person = f"CASE WHEN {who} IS NULL THEN -1 ELSE {rank.format(who)} END"
    query = f"""SELECT "kanon#side", {", ".join(ranks)}, {rest} AS "kanon#rest", {person} AS "kanon#person", "kanon#n"
        FROM ({" UNION ALL ".join(sides)})"""  # noqa: S608
    found = con.execute(query).fetchnumpy()
    side, *columns, alike, whose_rows, count = (np.asarray(column, np.int64) for column in found.values())
    codes = np.stack(columns, axis=1)
    tables = [Rows(codes=codes[side == one], rest=alike[side == one], count=count[side == one]) for one in (0, 1)]
    domains = [_domain(con, policy, c, tables) for c in range(len(names))]
    return Cells(source=tables[0], released=tables[1], domains=domains, person=whose_rows[side == 0])


def hidden(column: str, policy: Policy) -> str:
    """Return the SQL that tells whether a cell looks suppressed."""
    return f"{column} IS NULL" if policy.suppress is None else f"coalesce({column} = $suppress, false)"


def _domain(con: Any, policy: Policy, column: int, tables: Sequence[Rows]) -> Domain:
    qi = policy.quasi_identifiers[column]
    name = quoted(qi.column)
    text = "NULL" if qi.recoding is None else f"CAST({name} AS VARCHAR)"
    query = f"""SELECT {hidden(name, policy)}, {text}
        FROM (SELECT {name} FROM source UNION SELECT {name} FROM released)
        ORDER BY {name} ASC NULLS LAST"""  # noqa: S608
    cells = con.execute(query, {} if policy.suppress is None else {"suppress": policy.suppress}).fetchall()
    gone = [code for code, (each, _) in enumerate(cells) if each]
    counts = [np.bincount(each.codes[:, column], each.count, len(cells)).astype(np.int64) for each in tables]
    return Domain(
        texts=[] if qi.recoding is None else [each for _, each in cells],
        hidden=gone[0] if gone else None,
        rows=counts[0],
        cells=counts[1],
    )
