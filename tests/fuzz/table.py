"""Rows as the checker sees them: of each cell the exact text that a reader gets, and the value that SQL takes it for."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb

Look = str | None
"""What a reader sees of a cell; None is NULL."""


@dataclass(frozen=True)
class Table:
    """``looks[i][c]`` is the exact text of a cell, ``values[i][c]`` is equal for cells that are equal in SQL."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    looks: list[tuple[Look, ...]]
    values: list[tuple[Look, ...]]

    def column(self, name: str) -> int:
        """The place of a column."""
        return self.names.index(name)

    def seen(self, name: str) -> list[Look]:
        """The looks of a column."""
        place = self.column(name)
        return [row[place] for row in self.looks]

    def held(self, name: str) -> list[Look]:
        """The values of a column."""
        place = self.column(name)
        return [row[place] for row in self.values]

    def exactly(self, names: Collection[str]) -> Table:
        """The same, with the exact texts of some columns as their values."""
        chosen = [name in names for name in self.names]
        rows = zip(self.looks, self.values, strict=True)
        values = [tuple(s if c else v for s, v, c in zip(seen, held, chosen, strict=True)) for seen, held in rows]
        return replace(self, values=values)


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


FOLDS: dict[str, Callable[[str], str]] = {
    "": lambda text: text,
    "NOCASE": str.lower,
    "NOACCENT": lambda text: "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)),
}
"""What a collation takes texts for."""


def types_of(con: Any, relation: str) -> list[tuple[str, str]]:
    """The columns of a relation and their types."""
    return [(str(name), str(kind)) for name, kind, *_ in con.execute(f"DESCRIBE FROM {relation}").fetchall()]


def texts_of(con: Any, relation: str, names: Sequence[str]) -> list[tuple[Look, ...]]:
    """The exact texts of all cells, in the order in which the relation gives its rows."""
    columns = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name in names)
    return [tuple(row) for row in con.execute(f"SELECT {columns} FROM {relation}").fetchall()]


def read_pair(con: Any, source: str, released: str, folds: dict[str, str] | None = None) -> tuple[Table, Table]:
    """Read a source and its release.

    Parameters
    ----------
    con : connection
        Of plain DuckDB, or one that behaves as such.
    source, released : str
        Relations as SQL writes them; a column of one name is the same column.
    folds : dict, optional
        The collation of columns that have one, of `FOLDS`.
    """
    types = [types_of(con, relation) for relation in (source, released)]
    names = [[name for name, _ in each] for each in types]
    looks = [texts_of(con, relation, each) for relation, each in zip((source, released), names, strict=True)]
    alike: dict[str, dict[str, str]] = {}
    folded: dict[str, Callable[[str], str]] = {}
    for name, kind in types[0]:
        if kind == "VARCHAR":
            folded[name] = FOLDS[(folds or {}).get(name, "")]
        elif name in names[1] and any(part in kind for part in ("FLOAT", "DOUBLE", "INTERVAL")):
            alike[name] = _alike(con, source, released, name, kind)
    pair = []
    for own, rows in zip(types, looks, strict=True):
        columns = [name for name, _ in own]
        values = [tuple(_value(cell, name, alike, folded) for cell, name in zip(row, columns, strict=True)) for row in rows]
        pair.append(Table(tuple(columns), tuple(kind for _, kind in own), rows, values))
    return pair[0], pair[1]


def _value(cell: Look, name: str, alike: dict[str, dict[str, str]], folded: dict[str, Callable[[str], str]]) -> Look:
    if cell is None:
        return None
    if name in alike:
        return alike[name].get(cell, cell)
    return folded[name](cell) if name in folded else cell


def _alike(con: Any, source: str, released: str, name: str, kind: str) -> dict[str, str]:
    """One text for all texts of values that are equal in SQL: 0.0 and -0.0, 1 month and 30 days, also within lists."""
    # texts first: before DuckDB 2, a window over -0.0 makes 0.0 of it
    query = f"""SELECT DISTINCT told, min(told) OVER (PARTITION BY v)
        FROM (SELECT v, CAST(v AS VARCHAR) AS told
              FROM (SELECT {quoted(name)} AS v FROM {source} UNION ALL
                    SELECT TRY_CAST({quoted(name)} AS {kind}) FROM {released}) WHERE v IS NOT NULL)"""
    try:
        return dict(con.execute(query).fetchall())
    except duckdb.Error:  # a label that cannot even be tried
        one_side = query.replace(f"TRY_CAST({quoted(name)} AS {kind}) FROM {released}", f"{quoted(name)} FROM {source}")
        return dict(con.execute(one_side).fetchall())
