"""LOSS counts for every level that is shown, also for a finest one that reveals as much as the values it stands for."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from fuzz.brute_force import optimum
from fuzz.guarantee import Guarantee, Recoding
from fuzz.population_rules import cheapest_rows
from fuzz.table import Table

import kanon_sql

LEVELS = [steps for n in (1, 2, 3) for steps in combinations(range(4), n)]
LOSSES = (Fraction(1, 10), Fraction(3, 10), Fraction(8, 10))


def hierarchy(steps: tuple[int, ...], *, losses: bool) -> Recoding:
    """Six values; the first level has a label for each of them, the others put them together."""
    tree = {f"{value}": (f"own {value}", f"few {value // 2}", f"many {value // 4}") for value in range(6)}
    loss = LOSSES[: sum(step > 0 for step in steps)] if losses else ()
    return Recoding(kind="hierarchy", steps=steps, tree=tree, table="tree", loss=loss)


@pytest.fixture
def con(shared_clause: Any) -> Any:
    shared_clause.execute("CREATE TABLE tree (level0 VARCHAR, level1 VARCHAR, level2 VARCHAR, level3 VARCHAR, level4 VARCHAR)")
    for value, above in hierarchy((1,), losses=False).tree.items():
        shared_clause.execute("INSERT INTO tree VALUES ($1, $2, $3, $4, '*')", [value, *above])
    return shared_clause


def spelled(each: Recoding) -> str:
    steps = ", ".join(map(str, each.steps))
    loss = f" LOSS ({', '.join(str(float(loss)) for loss in each.loss)})" if each.loss else ""
    return f"v IN HIERARCHY tree ({steps}){loss}"


def table(rows: list[tuple[str | None, ...]]) -> Table:
    return Table(names=("v", "w"), types=("VARCHAR", "VARCHAR"), looks=rows, values=rows)


def fill(con: Any, name: str, rows: list[tuple[str | None, ...]]) -> None:
    columns = [*map(list, zip(*rows, strict=True))]
    con.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT unnest($1) AS v, unnest($2) AS w", columns)


def drawn(draw: random.Random, rows: int) -> list[tuple[str | None, ...]]:
    return [(f"{draw.randrange(6)}", draw.choice("ab")) for _ in range(rows)]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("steps", LEVELS, ids=str)
@pytest.mark.parametrize("losses", [True, False], ids=["LOSS", "shares"])
def test_the_cost_is_that_of_the_cheapest_release(con: Any, steps: tuple[int, ...], losses: bool) -> None:
    draw = random.Random(f"{steps} {losses}")
    each = hierarchy(steps, losses=losses)
    for k in (1, 2, 3):
        rows = drawn(draw, 6)
        fill(con, "t", rows)
        best = optimum(table(rows), Guarantee(qi=("v", "w"), k=k, recodings={"v": each}))
        con.execute(f"FROM t ANONYMIZE BY {spelled(each)}, w GUARANTEE k >= {k} USING optimal").fetchall()
        found = kanon_sql.releases(con)[-1]
        assert (found.cost, found.lower_bound, found.status.value) == (best, best, "OPTIMAL")
        con.execute(f"FROM t ANONYMIZE BY {spelled(each)}, w GUARANTEE k >= {k}").fetchall()
        found = kanon_sql.releases(con)[-1]
        assert found.lower_bound <= best <= found.cost


@pytest.mark.sweep
@pytest.mark.parametrize("steps", LEVELS, ids=str)
def test_a_guarantee_about_the_population_costs_the_same(con: Any, steps: tuple[int, ...]) -> None:
    draw = random.Random(f"{steps}")
    each = hierarchy(steps, losses=True)
    rows, people = drawn(draw, 6), drawn(draw, 25)
    fill(con, "t", rows)
    fill(con, "town", people)
    for k in (1, 3, 8):
        guarantee = Guarantee(qi=("v", "w"), k=1, recodings={"v": each})
        con.execute(f"FROM t ANONYMIZE BY {spelled(each)}, w GUARANTEE k >= {k} IN town").fetchall()
        assert kanon_sql.releases(con)[-1].cost == cheapest_rows(table(rows), guarantee, people, k)


@pytest.mark.everything
def test_one_cost_whether_the_population_is_asked_or_not(con: Any) -> None:
    con.execute("CREATE OR REPLACE TABLE t AS SELECT (i % 6)::VARCHAR AS v FROM range(30) AS r(i)")
    for guarantee in ("k >= 5", "k >= 5 IN t", "k >= 2 AND k >= 5 IN t"):
        con.execute(f"FROM t ANONYMIZE BY v IN HIERARCHY tree (1) LOSS (0.3) GUARANTEE {guarantee}").fetchall()
        assert kanon_sql.releases(con)[-1].cost == 9
        con.execute(f"FROM t ANONYMIZE BY v IN DIGITS (1) GUARANTEE {guarantee}").fetchall()
        assert kanon_sql.releases(con)[-1].cost == 0
