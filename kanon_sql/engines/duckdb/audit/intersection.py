"""What two releases of the same people give away together, of tables in Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import duckdb

from kanon_sql.engines.duckdb.audit.measures import record
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.engines.duckdb.python_tables.tables import register_table
from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.model.validation import named, same_name, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class IntersectionRisk:
    """How many candidates are left for each person who is in both of two releases.

    Attributes
    ----------
    people : int
        People in both releases; where there is nobody, the figures that are about a person are None.
    smallest_in_first, smallest_in_second : int or None
        The fewest people in a class of one release that holds one of them.
    smallest_candidates, average_candidates : int or float or None
        The people who are in the same classes of both releases, himself or herself included: the fewest, and on average.
    average_risk : float or None
        How often who draws one of the candidates finds the person.
    alone, below_k : int
        People who are their only candidate, and those with fewer than k.
    share_below_k : float or None
        Of the people.

    Examples
    --------
    >>> import pyarrow as pa
    >>> release = pa.table({"patient": [1, 2, 3, 4], "zip": [1, 1, 2, 2]})
    >>> risk = intersection_risk(release, release, "patient", ["zip"], k=2)
    >>> risk.people, risk.smallest_candidates, risk.below_k
    (4, 2, 0)
    """

    people: int
    smallest_in_first: int | None
    smallest_in_second: int | None
    smallest_candidates: int | None
    average_candidates: float | None
    average_risk: float | None
    alone: int
    below_k: int
    share_below_k: float | None


def intersection_risk(first: Any, second: Any, key: str, quasi_identifiers: Iterable[str], *, k: int = 5) -> IntersectionRisk:
    """Measure what two releases of the same people give away together, as ``intersection_risk`` does in SQL.

    Parameters
    ----------
    first, second : pyarrow.Table, pandas.DataFrame, polars.DataFrame or DuckDBPyRelation
        The releases, with the key still in them.
    key : str
        The column that tells people apart; an empty cell is nobody.
    quasi_identifiers : iterable of str
        The columns that make the classes, in both.
    k : int
        People with fewer candidates are counted.

    Raises
    ------
    SourceError
        When a table cannot be read.
    UnknownColumnError
        When a table does not have one of the columns.
    PolicyError
        When there is no quasi-identifier, or k is not an integer above 0.

    Notes
    -----
    A scan and a GROUP BY of each table, and a join.

    Examples
    --------
    >>> import pyarrow as pa
    >>> first = pa.table({"patient": [1, 2, 3, 4], "zip": [1, 1, 2, 2]})
    >>> second = pa.table({"patient": [1, 2, 3, 4], "zip": [1, 2, 2, 1]})
    >>> intersection_risk(first, second, "patient", ["zip"], k=2).alone
    4
    """
    columns = [named(each, "a quasi-identifier") for each in quasi_identifiers]
    if isinstance(quasi_identifiers, str) or not columns:
        raise PolicyError("quasi_identifiers must be a list of names; hint: pass ['zip', 'age']")
    whole(k, "k", 1)
    with duckdb.connect() as con:
        audit_macros(con, ("intersection_risk",))
        for name, table in (("first", first), ("second", second)):
            register_table(con, name, table)
            there = [row[0] for row in con.execute(f'DESCRIBE FROM "{name}"').fetchall()]
            for column in (named(key, "the key"), *columns):
                if same_name(column) not in map(same_name, there):
                    raise UnknownColumnError.of(column, there, f"the {name} release")
        query = "FROM intersection_risk('first', 'second', $key, $qi, k := $k)"
        return IntersectionRisk(**record(con, query, {"key": key, "qi": columns, "k": k}))
