"""Tables for analysis: each suppressed or generalized cell of a release drawn from what the release shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import duckdb

from kanon_sql.certificate import Release
from kanon_sql.engines.duckdb.files.csv_cells import give_types
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.python_tables.tables import register_table
from kanon_sql.errors import PolicyError
from kanon_sql.model.validation import whole

_LABELS = r"""SELECT system.main.bool_or(system.main.regexp_matches({column},
    '^[\[(].*[\])]( or NULL)?$|^-?[0-9.]+[+]$|^<=?-?[0-9.]+$')) FROM released"""


def impute(
    release: Any,
    n: int = 5,
    *,
    seed: int = 1,
    quasi_identifiers: Iterable[str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    suppress: str | None = "*",
) -> list[Any]:
    """Draw each suppressed or generalized cell of a release, several times: multiple imputation.

    Parameters
    ----------
    release : Release, or pyarrow.Table, pandas.DataFrame, polars.DataFrame or DuckDBPyRelation
        The release. Nothing else is read.
    n : int
        Number of tables.
    seed : int
        The first table is drawn with this seed, the next one with the number after it.
    quasi_identifiers : iterable of str, optional
        Columns whose cells are drawn, and whose values find the donors. None takes every column. Leave out columns that single
        rows out: such rows have no donors.
    hierarchies : mapping, optional
        For columns that are generalized by a hierarchy its table: ``value`` and ``parent``, or ``level0``, ``level1``, ...
        A label takes one of the values below it.
    suppress : str, optional
        Text of suppressed cells, next to NULL.

    Returns
    -------
    list
        Tables of the kind of the release; a relation gives Arrow. Columns with intervals of numbers or dates become numbers or
        dates.

    Raises
    ------
    PolicyError
        When n is not a number of tables, or a column is unknown.

    Notes
    -----
    The macro `imputed` says how a cell is drawn. Combine what the tables give by the rules of Rubin.

    Examples
    --------
    >>> import pyarrow as pa
    >>> release = pa.table({"age": ["[20, 29]", "[20, 29]", "41", "41", None], "sex": ["f", "f", "m", "m", "m"]})
    >>> [table["age"].type.equals(pa.int64()) for table in impute(release, n=2)]
    [True, True]
    """
    whole(n, "n", 1)
    whole(seed, "seed", 0)
    table = release.table if isinstance(release, Release) else release
    with duckdb.connect() as con:
        register_table(con, "released", table)
        audit_macros(con, ("imputed", "imputed_columns"))
        described = {name: kind for name, kind, *_ in con.execute("DESCRIBE released").fetchall()}
        chosen = list(described if quasi_identifiers is None else quasi_identifiers)
        trees = {name: f"hierarchy{number}" for number, name in enumerate(hierarchies or {})}
        for name, tree in zip(trees.values(), (hierarchies or {}).values(), strict=True):
            register_table(con, name, tree)
        for name in (*chosen, *trees):
            if name not in described:
                raise PolicyError(f"the release has no column {name}; hint: use one of {', '.join(described)}")
        texts = [name for name in chosen if described[name] == "VARCHAR"]
        ranged = [name for name in texts if con.execute(_LABELS.format(column=quoted(name))).fetchall()[0][0]]
        values = {"columns": chosen, "trees": {"key": list(trees), "value": list(trees.values())}, "suppress": suppress}
        return [_drawn(con, values | {"seed": seed + number}, ranged, table) for number in range(n)]


def _drawn(con: duckdb.DuckDBPyConnection, values: dict[str, Any], ranged: list[str], table: Any) -> Any:
    drawn = "imputed('released', seed := $seed, qi := $columns, hierarchies := $trees, suppress := $suppress)"
    con.execute(f"CREATE OR REPLACE TABLE drawn AS FROM {drawn}", values)
    give_types(con, "drawn", ranged)
    match type(table).__module__.split(".")[0]:
        case "pandas":
            return con.table("drawn").df()
        case "polars":
            return con.table("drawn").pl()
    return con.table("drawn").to_arrow_table()
