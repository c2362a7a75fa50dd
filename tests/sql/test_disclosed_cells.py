"""`disclosed_cells`: the suppressed cells that follow from totals, beside a propagation in Python."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import duckdb
import pytest

import kanon_sql

MACRO = (Path(kanon_sql.__file__).parent.parent / "sql" / "disclosed_cells.sql").read_text(encoding="utf-8")

Cell = tuple[str | None, ...]


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect()
    con.execute(MACRO)
    return con


def propagated(table: dict[Cell, int | None]) -> dict[Cell, int]:
    """Return what follows from lines with one unknown, repeated."""
    known, found = dict(table), {}
    patterns = {tuple(key is not None for key in cell) for cell in table}
    lines = []
    for total, refined in itertools.product(table, patterns):
        shown = tuple(key is not None for key in total)
        if shown != refined and all(fine or not coarse for fine, coarse in zip(refined, shown, strict=True)):
            parts = [
                cell
                for cell in table
                if tuple(key is not None for key in cell) == refined
                and all(key is None or key == own for key, own in zip(total, cell, strict=True))
            ]
            lines.append((total, parts))
    while True:
        before = len(found)
        for total, parts in lines:
            unknown = [cell for cell in (total, *parts) if known[cell] is None]
            if len(unknown) == 1:
                rest = sum(known[cell] or 0 for cell in parts)
                value = rest if unknown[0] == total else (known[total] or 0) - rest
                known[unknown[0]] = found[unknown[0]] = value
        if len(found) == before:
            return found


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(12))
def test_it_finds_what_propagation_finds(con: duckdb.DuckDBPyConnection, seed: int) -> None:
    draw = random.Random(seed)
    keys = ["a", "b", "c"][: draw.choice([1, 2, 3])]
    people = [[draw.choice(["x", "y", "", "z'"]) for _ in keys] for _ in range(40)]
    con.execute(f"CREATE TABLE people ({', '.join(f'{key} VARCHAR' for key in keys)})")
    con.executemany(f"INSERT INTO people VALUES ({', '.join('?' for _ in keys)})", people)
    listed, grouping = ", ".join(keys), draw.choice(["CUBE", "ROLLUP"])
    con.execute(f"CREATE TABLE counts AS SELECT {listed}, count(*) AS n FROM people GROUP BY {grouping} ({listed})")
    con.execute(f"UPDATE counts SET n = NULL WHERE n < 4 OR hash({listed}, {seed}) % 4 = 0")
    table = {row[:-1]: row[-1] for row in con.execute("FROM counts").fetchall()}
    rows = con.execute("SELECT cell, value, small FROM disclosed_cells('counts', 'n', 5, ?)", [keys]).fetchall()
    assert {tuple(cell): value for cell, value, _ in rows} == propagated(table)
    assert all(small == (0 < value < 5) for _, value, small in rows)


@pytest.mark.everything
def test_small_cells_alone_are_not_enough_and_protect_is(con: duckdb.DuckDBPyConnection) -> None:
    both = kanon_sql.connect()
    both.execute("CREATE TABLE people AS SELECT range * 7 % 11 % 4 AS region, range * 31 % 7 % 2 AS sex FROM range(40)")
    both.execute(MACRO)
    sql = "SELECT region, sex, count(*) AS n FROM people GROUP BY CUBE (region, sex)"
    both.execute(f"CREATE TABLE naive AS SELECT region, sex, CASE WHEN n >= 5 THEN n END AS n FROM ({sql})")
    both.execute(f"CREATE TABLE safe AS {sql} PROTECT n >= 5")
    found = "SELECT count(*) FROM disclosed_cells('{}', 'n', 5, ['region', 'sex']) WHERE small"
    assert both.execute(found.format("naive")).fetchall()[0][0] > 0
    assert both.execute(found.format("safe")).fetchall() == [(0,)]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("'counts', 'n', 5, NULL", "dimensions is missing"),
        ("'counts', 'n', 5, ['a', NULL]", "instead of a column name"),
        ("'counts', NULL, 5, ['a']", "measure is missing"),
        ("'counts', 'n', 0, ['a']", "k is a count"),
        ("'(SELECT 1)', 'n', 5, ['a']", "not the name of a table"),
    ],
)
def test_wrong_arguments_are_refused(con: duckdb.DuckDBPyConnection, arguments: str, text: str) -> None:
    con.execute("CREATE TABLE counts AS SELECT 'x' AS a, 5 AS n")
    with pytest.raises(duckdb.Error, match=text):
        con.execute(f"FROM disclosed_cells({arguments})")
