"""The figures against the same figures in plain Python, on random tables."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import audit_oracle
import duckdb
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

SQL = Path(__file__).parents[2] / "sql"
TEXT = st.sampled_from([None, "", "a", "A", "b", "*", "é", "NULL", "a b", "0"])
NUMBER = st.one_of(st.none(), st.integers(-2, 3))
ROWS = st.lists(st.tuples(TEXT, NUMBER, TEXT), max_size=30)


def load(con: duckdb.DuckDBPyConnection, name: str, rows: list[audit_oracle.Row], types: tuple[str, ...]) -> None:
    columns = ", ".join(f"q{j} {kind}" for j, kind in enumerate(types))
    con.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
    if rows:
        con.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(types))})", rows)


def row_of(con: duckdb.DuckDBPyConnection, query: str) -> dict[str, object]:
    con.execute(query)
    names = [column[0] for column in con.description]
    (row,) = con.fetchall()
    return dict(zip(names, row, strict=True))


@pytest.fixture(scope="module")
def shared() -> object:
    with duckdb.connect() as con:
        con.execute((SQL / "kanon.sql").read_text(encoding="utf-8"))
        yield con


@pytest.mark.everything
@settings(max_examples=60, deadline=None)
@given(rows=ROWS, columns=st.sets(st.integers(0, 2), min_size=1))
def test_classes_k_and_risk(shared: duckdb.DuckDBPyConnection, rows: list[audit_oracle.Row], columns: set[int]) -> None:
    load(shared, "t", rows, ("VARCHAR", "INTEGER", "VARCHAR"))
    order = sorted(columns, reverse=True)
    qi = str([f"q{j}" for j in order])
    projected = [tuple(row[j] for j in order) for row in rows]
    found = shared.execute(f"FROM equivalence_classes('t', {qi})").fetchall()
    assert Counter({row[:-1]: row[-1] for row in found}) == Counter(projected)
    assert len(found) == len(set(projected))
    assert row_of(shared, f"FROM k_anonymity('t', {qi})") == audit_oracle.k_anonymity(projected)
    risk = audit_oracle.reidentification_risk(projected)
    assert row_of(shared, f"FROM reidentification_risk('t', {qi})") == pytest.approx(risk)
    assert row_of(shared, "FROM k_anonymity('t')") == audit_oracle.k_anonymity(rows)


@pytest.mark.everything
@settings(max_examples=60, deadline=None)
@given(rows=ROWS.filter(len), data=st.data(), star=st.booleans())
def test_utility(shared: duckdb.DuckDBPyConnection, rows: list[audit_oracle.Row], data: st.DataObject, star: bool) -> None:
    def cell(value: object) -> object:
        fate = data.draw(st.sampled_from(["show", "show", "hide", "generalize"]))
        if value is None or value == "*" or fate == "show":
            return str(value) if star and value is not None else value
        if fate == "hide":
            return "*" if star else None
        return "[-9, 9]" if star else value

    released = [tuple(cell(value) for value in row) for row in rows]
    load(shared, "o", rows, ("VARCHAR", "INTEGER", "VARCHAR"))
    load(shared, "r", released, ("VARCHAR",) * 3 if star else ("VARCHAR", "INTEGER", "VARCHAR"))
    shared.execute("CREATE OR REPLACE TABLE r AS FROM r ORDER BY hash(q0), hash(q1)")  # pairing by position must not matter
    expected = pytest.approx(audit_oracle.utility(released, rows, ["q0", "q1", "q2"]))
    assert row_of(shared, "FROM utility('r', 'o', ['q0', 'q1', 'q2'])") == expected
    assert row_of(shared, "FROM utility('r', 'o')") == expected


@pytest.mark.everything
@pytest.mark.own_connection
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(4))
def test_against_pandas(con: duckdb.DuckDBPyConnection, seed: int) -> None:
    rng = random.Random(seed)
    n = 5_000
    frame = pd.DataFrame(
        {
            "zip": [rng.choice(["98101", "98102", "98109", None]) for _ in range(n)],
            "age": pd.array([rng.choice([*range(20, 20 + 10 * (seed + 1)), None]) for _ in range(n)], dtype="Int64"),
            "sex": [rng.choice("fm") for _ in range(n)],
        }
    )
    con.register("frame", frame)
    con.execute("CREATE TABLE patients AS SELECT zip, age::INTEGER AS age, sex FROM frame")
    size = frame.groupby(["zip", "age", "sex"], dropna=False).size()
    found = row_of(con, "FROM k_anonymity('patients', ['zip', 'age', 'sex'])")
    assert found == {
        "k": size.min(),
        "classes": len(size),
        "rows": n,
        "average_class_size": n / len(size),
        "largest_class": size.max(),
        "uniques": int((size == 1).sum()),
    }
    risk = row_of(con, "FROM reidentification_risk('patients', ['zip', 'age', 'sex'])")
    assert risk["marketer_risk"] == pytest.approx(len(size) / n)
    assert risk["share_above_0_05"] == pytest.approx(size[size < 20].sum() / n)
    found = row_of(con, "FROM utility('patients', 'patients')")
    assert found["discernibility"] == int((size**2).sum())
    assert found["suppressed_cells"] == 0


def test_a_worked_example_of_utility(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE o AS FROM (VALUES ('a', 20), ('a', 30), ('b', 40), ('c', 40)) t(zip, age)")
    con.execute("CREATE TABLE r AS FROM (VALUES ('a', NULL), ('a', NULL), (NULL, 40), (NULL, 40)) t(zip, age)")
    assert row_of(con, "FROM utility('r', 'o', qi := ['zip', 'age'])") == {
        "rows": 4,
        "cells": 8,
        "suppressed_cells": 4,
        "suppressed_share": 0.5,
        "generalized_cells": 0,
        "unread_cells": 0,
        "ncp": 0.5,
        "loss": {"zip": 0.5, "age": 0.5},
        "classes": 2,
        "average_class_size": 2.0,
        "discernibility": 8,
        "usefulness": pytest.approx(((1 / 3 + 1) + (1 + 0)) / 2),
    }


@pytest.mark.everything
def test_usefulness_bounds_definition_5_from_above(con: duckdb.DuckDBPyConnection) -> None:
    """With the row key at hand Definition 5 can be computed; the figure of the release is never below it."""
    rng = random.Random(11)
    for _ in range(20):
        rows = [(rng.choice("abc"), rng.randrange(5), rng.choice("xy")) for _ in range(12)]
        released = [tuple(None if rng.random() < 0.5 else value for value in row) for row in rows]
        load(con, "o", rows, ("VARCHAR", "INTEGER", "VARCHAR"))
        load(con, "r", released, ("VARCHAR", "INTEGER", "VARCHAR"))
        columns = list(zip(*rows, strict=True))
        exact = 0.0
        for shown in set(released):
            members = [row for row, out in zip(rows, released, strict=True) if out == shown]
            for j, values in enumerate(zip(*members, strict=True)):
                if j == 1:
                    exact += (max(values) - min(values)) / max(max(columns[j]) - min(columns[j]), 1)
                else:
                    exact += len(set(values)) / len(set(columns[j]))
        assert row_of(con, "FROM utility('r', 'o')")["usefulness"] >= exact / len(set(released)) - 1e-12
