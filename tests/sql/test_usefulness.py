"""The macros of usefulness give what plain NumPy gives, on random sources and releases with labels of every form."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
import usefulness_oracle as oracle

SQL = Path(__file__).parents[2] / "sql"
VALUES: dict[str, list[str | None]] = {
    "age": ["20", "22", "27", "31", "34", "40", "45", "52", None],
    "income": ["-1.5", "0.0", "2.25", "10.0", "100.0", None],
    "zip": ["13001", "13002", "13051", "14001", "14", None],
    "job": ["cook", "nurse", "pilot", "a, b"],
}
TYPES = {"age": "INTEGER", "income": "DOUBLE", "zip": "VARCHAR", "job": "VARCHAR"}
LABELS = {
    "age": ["[20, 30)", "[30, 45]", "[22, 22]", "[20, 52] or NULL", "2*", "unread", "{20, 52, NULL}"],
    "income": ["[-1.5, 2.25]", "[0.0, 100.0)", "[0.0, 10.0] or NULL", "x"],
    "zip": ["130**", "13***", "1*", "1****", "[13001, 14001]", "{13001, 14}", "*"],
    "job": ["{cook, pilot}", '{"a, b", nurse}', "[a, nurse]", "*"],
}
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.everything) for seed in range(4, 200))]


@pytest.fixture(scope="module")
def shared() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        con.execute((SQL / "kanon.sql").read_text(encoding="utf-8"))
        yield con


def tables(con: Any, seed: int) -> tuple[oracle.Tables, oracle.Tables]:
    """Fill o and r, and return their columns as texts."""
    rng = random.Random(seed)
    names = rng.sample(sorted(VALUES), rng.randint(2, 4))
    rows = rng.randint(1, 25)
    source, released = {}, {}
    for name in names:
        domain = rng.sample(VALUES[name], rng.randint(1, len(VALUES[name])))
        source[name] = [rng.choice(domain) for _ in range(rows)]
        change = rng.choice([0.0, 0.3, 0.8])
        released[name] = [rng.choice([None, *LABELS[name]]) if rng.random() < change else cell for cell in source[name]]
    for table, columns in (("o", source), ("r", released)):
        con.execute(f"CREATE OR REPLACE TABLE {table} ({', '.join(f'{name} VARCHAR' for name in names)})")
        con.executemany(
            f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", list(zip(*columns.values(), strict=True))
        )
    con.execute(f"CREATE OR REPLACE TABLE o AS SELECT {', '.join(f'{name}::{TYPES[name]} AS {name}' for name in names)} FROM o")
    return source, released


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", SEEDS)
def test_random_pairs_by_numpy(shared: duckdb.DuckDBPyConnection, seed: int) -> None:
    source, released = tables(shared, seed)
    names, bins = list(source), 32 if seed % 2 else 3
    size = 1 + seed % min(3, len(names))
    both = oracle.joint(source, released, size, bins)
    arguments = f"'r', 'o', {size}, bins := {bins}"
    found = {tuple(columns): (cells, distance) for columns, cells, distance in rows(shared, f"FROM marginals({arguments})")}
    assert found.keys() == both.keys()
    cells = {key: int(((one + two) > 0).sum()) for key, (one, two) in both.items()}
    assert {key: count for key, (count, _) in found.items()} == cells
    assert {key: distance for key, (_, distance) in found.items()} == pytest.approx(oracle.marginals(both), abs=1e-9)
    scores = {tuple(each[0]): each[2:] for each in rows(shared, f"FROM propensity({arguments})")}
    for key, (pmse, ratio) in oracle.propensity(both).items():
        assert scores[key] == (pytest.approx(pmse, abs=1e-9), None if ratio is None else pytest.approx(ratio, abs=1e-7))


@pytest.mark.sweep
@pytest.mark.parametrize("seed", SEEDS)
def test_random_correlations_by_numpy(shared: duckdb.DuckDBPyConnection, seed: int) -> None:
    source, released = tables(shared, seed)
    bins = 32 if seed % 2 else 3
    found = {tuple(each[0]): each[1:] for each in rows(shared, f"FROM correlations('r', 'o', bins := {bins})")}
    both = oracle.joint(source, released, 2, bins)
    assert found.keys() == both.keys()
    for key, (measure, original, now, drift) in found.items():
        if set(key) == {"age", "income"} and all(set(source[name]) - {None} for name in key):
            assert measure == "pearson"
            domains = [oracle.Domain(source[name], 100) for name in key]
            expected = [
                oracle.pearson(*domains, *(each.shares(table[name], mark) for name, each in zip(key, domains, strict=True)))
                for table, mark in ((source, None), (released, "*"))
            ]
        else:
            assert measure == "cramer"
            expected = [oracle.cramer(table, both[key][0]) for table in both[key]]
        assert [original, now] == [None if each is None else pytest.approx(each, abs=1e-6) for each in expected]
        assert drift == (None if None in (original, now) else pytest.approx(now - original))


@pytest.mark.sweep
@pytest.mark.parametrize("seed", SEEDS)
def test_random_predictions_by_numpy(shared: duckdb.DuckDBPyConnection, seed: int) -> None:
    source, released = tables(shared, seed)
    *features, target = source
    bins = 32 if seed % 2 else 3
    ((count, classes, *found),) = rows(shared, f"FROM predictability('r', 'o', '{target}', {features}, bins := {bins})")
    assert count == len(source[target])
    assert classes == len(set(oracle.Domain(source[target], bins).bins[1:])) + (None in source[target])
    assert found == pytest.approx(oracle.predictability(source, released, target, bins))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_groups_by_numpy(shared: duckdb.DuckDBPyConnection, seed: int) -> None:
    source, released = tables(shared, seed)
    released = {name: [None if cell == "*" else cell for cell in column] for name, column in released.items()}
    *qi, by = source
    if seed % 3 == 0:
        qi.append(by)
    found = {each[0]: each[1:] for each in rows(shared, f"FROM group_loss('r', 'o', {qi}, '{by}')")}
    expected = oracle.group_loss(source, released, qi, by)
    assert found.keys() == expected.keys()
    for group, (count, _, suppressed, loss) in found.items():
        shares = tuple(float("nan") if each is None else each for each in (suppressed, loss))
        assert (count, *shares) == pytest.approx(expected[group], abs=1e-9, nan_ok=True)


@pytest.fixture
def pair(shared: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    shared.execute("CREATE OR REPLACE TABLE o AS SELECT i % 4 AS a, i % 3 AS b, i % 2 AS c FROM range(24) AS t(i)")
    shared.execute("CREATE OR REPLACE TABLE r AS SELECT * REPLACE (CASE WHEN a > 0 THEN a END AS a) FROM o")
    shared.execute("CREATE OR REPLACE TABLE fewer AS FROM o LIMIT 3")
    shared.execute("CREATE OR REPLACE TABLE narrow AS SELECT a, b FROM o")
    return shared


@pytest.mark.everything
def test_the_same_table_differs_in_nothing(pair: duckdb.DuckDBPyConnection) -> None:
    assert {distance for *_, distance in rows(pair, "FROM marginals('o', 'o')")} == {0.0}
    assert {(pmse, ratio) for *_, pmse, ratio in rows(pair, "FROM propensity('o', 'o')")} == {(0.0, 0.0)}
    assert {drift for *_, drift in rows(pair, "FROM correlations('o', 'o')")} == {0.0}
    assert {(hidden, loss) for *_, hidden, loss in rows(pair, "FROM group_loss('o', 'o', ['a', 'b'], 'c')")} == {(0.0, 0.0)}
    ((_, _, _, before, after),) = rows(pair, "FROM predictability('o', 'o', 'c', ['a', 'b'])")
    assert before == after == 1.0


def test_a_suppressed_value_is_missed_by_its_group_alone(pair: duckdb.DuckDBPyConnection) -> None:
    """A quarter of the rows lose their cell: all those with the value 0, and nobody else."""
    assert rows(pair, "FROM marginals('r', 'o', 1, ['a'])") == [(["a"], 4, 0.25)]
    found = {each[0]: each[1:] for each in rows(pair, "FROM group_loss('r', 'o', ['a', 'b'], 'a')")}
    assert found == {"0": (6, 0.0, 0.5, 0.5), **{str(n): (6, 6.0, 0.0, 0.0) for n in (1, 2, 3)}}


@pytest.mark.parametrize("seed", [3, *(pytest.param(seed, marks=pytest.mark.everything) for seed in range(4, 40))])
def test_the_losses_of_groups_average_to_that_of_all(shared: duckdb.DuckDBPyConnection, seed: int) -> None:
    """If each row shows its group, the groups together are the release."""
    source, released = tables(shared, seed)
    *qi, by = source
    cells = ", ".join(f"CASE WHEN o.{name} IS NOT NULL THEN r.{name} END AS {name}" for name in qi)
    shared.execute(f"CREATE OR REPLACE TABLE r AS SELECT {cells}, o.{by} FROM r POSITIONAL JOIN o")
    found = rows(shared, f"FROM group_loss('r', 'o', {qi}, '{by}', suppress := NULL)")
    ((loss,),) = rows(shared, f"SELECT ncp FROM utility('r', 'o', {qi}, suppress := NULL)")
    assert sum(count * each for _, count, _, _, each in found) / len(released[by]) == pytest.approx(loss)


def test_a_hierarchy_says_what_a_label_covers(pair: duckdb.DuckDBPyConnection) -> None:
    pair.execute(
        "CREATE OR REPLACE TABLE tree AS SELECT i AS value, ['low', 'high'][1 + i // 2] AS parent FROM range(4) AS t(i)"
    )
    pair.execute("CREATE OR REPLACE TABLE r AS SELECT CASE WHEN a < 2 THEN 'low' ELSE 'high' END AS a, b FROM o")
    assert rows(pair, "FROM marginals('r', 'o', 1, ['a'], MAP {'a': 'tree'})") == [(["a"], 4, 0.0)]
    assert rows(pair, "SELECT cell, released FROM joint_tables('r', 'o', ['a'], 1, MAP {'A': 'tree'}) ORDER BY cell") == [
        ([n], 6.0) for n in (1, 2, 3, 4)
    ]


def test_ctes_need_their_columns_named(pair: duckdb.DuckDBPyConnection) -> None:
    ctes = "WITH c AS (FROM r), d AS (FROM o)"
    assert rows(pair, f"{ctes} FROM marginals('c', 'd', 1, ['a'])") == [(["a"], 4, 0.25)]
    with pytest.raises(duckdb.Error, match="the columns of original cannot be listed"):
        pair.execute(f"{ctes} FROM marginals('c', 'd')")


@pytest.mark.everything
def test_empty_tables(pair: duckdb.DuckDBPyConnection) -> None:
    pair.execute("CREATE OR REPLACE TABLE o AS FROM o LIMIT 0")
    for call in ("marginals('o', 'o')", "propensity('o', 'o')", "correlations('o', 'o')", "group_loss('o', 'o', ['a'], 'b')"):
        assert rows(pair, f"FROM {call}") == []
    assert rows(pair, "FROM predictability('o', 'o', 'a', ['b'])") == [(0, 0, None, None, None)]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("marginals('fewer', 'o')", "the release has 3 rows and the original 24"),
        ("propensity('fewer', 'o')", "the release has 3 rows and the original 24"),
        ("correlations('fewer', 'o')", "the release has 3 rows and the original 24"),
        ("predictability('fewer', 'o', 'a', ['b'])", "the release has 3 rows and the original 24"),
        ("group_loss('fewer', 'o', ['a'], 'b')", "the release has 3 rows and the original 24"),
        ("marginals('narrow', 'o')", 'does not have a column named "c"'),
        ("group_loss('r', 'o', ['a'], 'nothing')", 'does not have a column named "nothing"'),
        ("marginals('o; DROP TABLE o', 'o')", "released is not the name of a table"),
        ("marginals('r', 'o', 4)", "there are no sets of 4 of 3 columns"),
        ("marginals('r', 'o', 0)", "there are no sets of 0 of 3 columns"),
        ("marginals('r', 'o', NULL)", "there are no sets of NULL of 3 columns"),
        ("marginals('r', 'o', 1, [])", "qi is an empty list"),
        ("marginals('r', 'o', 1, ['a', 'A'])", "qi names a column twice"),
        ("marginals('r', 'o', bins := 0)", "bins is a number of groups of values, at least 1"),
        ("predictability('r', 'o', '', ['a'])", "target is missing"),
        ("predictability('r', 'o', 'a', [])", "features is missing"),
        ("predictability('r', 'o', 'a', ['b', 'A'])", "a column is named twice in target and features"),
        ("group_loss('r', 'o', NULL, 'a')", "qi is missing"),
        ("group_loss('r', 'o', ['a'], NULL)", "by is missing"),
    ],
)
def test_bad_input(pair: duckdb.DuckDBPyConnection, call: str, said: str) -> None:
    with pytest.raises(duckdb.Error, match=said):
        pair.execute(f"FROM {call}").fetchall()


def rows(con: Any, query: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = con.execute(query).fetchall()
    return found
