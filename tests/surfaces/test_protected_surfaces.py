"""Protected tables on every surface: each shows the rows that the clause shows."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.cli import main
from kanon_sql.errors import KanonError, PolicyError

GROUPINGS = {
    "cube": "CUBE (zip IN DIGITS (3, 1), sex)",
    "rollup": "ROLLUP (zip IN DIGITS (3, 1), sex)",
    "plain": "zip IN DIGITS (3, 1), sex",
}

LEVELS = {"zip": "DIGITS (3, 1)"}

Rows = list[tuple[Any, ...]]


def people() -> pa.Table:
    draw = random.Random(3)
    return pa.table(
        {
            "zip": [f"{draw.choice('ab')}{draw.randrange(2)}{draw.randrange(3)}" for _ in range(70)],
            "sex": [draw.choice("fm") for _ in range(70)],
            "cost": [draw.randrange(100) for _ in range(70)],
        }
    )


def by_clause(grouping: str) -> Rows:
    con = kanon_sql.connect()
    con.register("people", people())
    return con.execute(
        f"SELECT zip, sex, count(*) AS n, sum(cost) AS total FROM people GROUP BY {GROUPINGS[grouping]} PROTECT n >= 5"
    ).fetchall()


def by_function(grouping: str, _: Path) -> Rows:
    con = kanon_sql.register(duckdb.connect())
    con.register("people", people())
    return con.execute(
        "FROM protect('people', by := ['zip', 'sex'], measures := MAP {'total': 'cost'}, recodings := MAP {'ZIP': "
        f"'DIGITS (3, 1)'}}, grouping := '{grouping}')"
    ).fetchall()


def by_python(grouping: str, _: Path) -> Rows:
    found = kanon_sql.protect(people(), ["zip", "sex"], measures={"total": "cost"}, recodings=LEVELS, grouping=grouping).table
    return [tuple(row.values()) for row in found.to_pylist()]


def together(grouping: str, _: Path) -> Rows:
    asked = {"by": ["zip", "sex"], "measures": {"total": "cost"}, "recodings": LEVELS, "grouping": grouping}
    (found,) = kanon_sql.protect_together(people(), [asked])
    return [tuple(row.values()) for row in found.table.to_pylist()]


def by_command(grouping: str, folder: Path) -> Rows:
    files = [str(folder / name) for name in ("in.parquet", "out.parquet", "cert.json")]
    con = duckdb.connect()
    con.from_arrow(people()).write_parquet(files[0])
    asked = ["--by", "zip,sex", "--recode", "zip=DIGITS (3, 1)", "--measures", "total=cost", "--grouping", grouping]
    done = CliRunner().invoke(main, ["protect", files[0], "-o", files[1], *asked, "--certificate", files[2]])
    assert done.exit_code == 0, done.output
    verified = CliRunner().invoke(main, ["verify", *files])
    assert verified.exit_code == 0, verified.output
    return con.read_parquet(files[1]).fetchall()


@pytest.mark.everything
@pytest.mark.parametrize("surface", [by_function, by_python, together, by_command])
@pytest.mark.parametrize("grouping", GROUPINGS)
def test_levels_are_those_of_the_clause(grouping: str, surface: Callable[[str, Path], Rows], tmp_path: Path) -> None:
    expected = by_clause(grouping)
    assert any(row[2] is None for row in expected)
    assert {"a" in row[0] and row[0].count("*") for row in expected if row[0]} >= {0, 2}
    assert sorted(map(repr, surface(grouping, tmp_path))) == sorted(map(repr, expected))


@pytest.mark.parametrize(
    ("recodings", "text"),
    [
        ({"zi": "DIGITS (3)"}, 'unknown column "zi" in a recoding; hint: did you mean "zip"'),
        ({"zip": "SETS"}, "SETS cannot have levels before PROTECT"),
        ({"zip": "INTERVALS (0)"}, "an interval width must be above 0"),
        ({"zip": "DIGIT (3)"}, "DIGIT cannot have levels before PROTECT"),
        ({"zip": ""}, 'the recoding of "zip" is empty'),
        ({"zip": 3}, 'the recoding of "zip" must be a string'),
        ({"zip": "DIGITS (0)"}, "a level must show at least one character"),
        ({"zip": "DIGITS (3), 1; SELECT 1"}, "unexpected text after the recoding"),
        ({"zip": "DIGITS (3)", "ZIP": "DIGITS (2)"}, "recodings lists a column twice"),
        (["zip"], "recodings must be a mapping whose keys are names, got list"),
    ],
)
def test_what_is_wrong_with_levels_is_said(recodings: Any, text: str) -> None:
    with pytest.raises(PolicyError) as error:
        kanon_sql.protect(people(), ["zip", "sex"], recodings=recodings)
    assert text in str(error.value)


POLICIES = """policies:
  - name: weekly
    table: people
    protect: {k: 6, p: {total: 10}, dominance: {total: [1, 0.5]}, cost: n, rows: absent, show: [[]]}
  - {name: rows, table: people, quasi_identifiers: [{column: zip}], kept: [sex, cost], requirements: [{type: k, k: 2}]}
"""


def under_policy(policy: str, folder: Path) -> Rows:
    """Return the rows that the command writes under a policy of a file."""
    duckdb.connect().from_arrow(people()).write_parquet(str(folder / "in.parquet"))
    asked = ["--by", "zip,sex", "--measures", "total=cost", "--policy", policy]
    files = [str(folder / name) for name in ("in.parquet", "out.parquet")]
    done = CliRunner().invoke(main, ["protect", files[0], "-o", files[1], *asked], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return duckdb.connect().read_parquet(files[1]).fetchall()


@pytest.mark.everything
def test_a_policy_of_a_file_is_the_clause_that_it_holds(tmp_path: Path) -> None:
    file = tmp_path / "policies.yaml"
    file.write_text(POLICIES)
    con = kanon_sql.connect()
    con.register("people", people())
    expected = con.execute(
        "SELECT zip, sex, count(*) AS n, sum(cost) AS total FROM people GROUP BY CUBE (zip, sex) PROTECT n >= 6 AND "
        "dominance(total, 1) <= 0.5 AND p(total) >= 10 SHOW GROUPING SETS (()) COST n ROWS ABSENT"
    ).fetchall()
    found = kanon_sql.protect(people(), ["zip", "sex"], measures={"total": "cost"}, policy=f"{file}::weekly").table
    assert sorted(map(repr, (tuple(row.values()) for row in found.to_pylist()))) == sorted(map(repr, expected))
    assert sorted(map(repr, under_policy(f"{file}::weekly", tmp_path))) == sorted(map(repr, expected))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            {"policy": "policies.yaml"},
            "contains 2 policies; hint: choose one, such as policies.yaml::weekly (available: weekly, rows)",
        ),
        ({"policy": "policies.yaml::weeky"}, 'did you mean "weekly"'),
        ({"policy": "policies.yaml::rows"}, 'the policy "rows" is for rows'),
        ({"policy": "policies.csv"}, "is not a policy file"),
        ({"policy": "nowhere.yaml"}, "there is no file nowhere.yaml; hint: the folder contains policies.yaml"),
        ({"policy": 5}, "policy must be a file of policies, got int"),
        ({"policy": "policies.yaml::weekly", "k": 5}, "k is already part of the policy"),
        ({"policy": "policies.yaml::weekly", "measures": {"s": "cost"}}, "has no rule for the sum s"),
    ],
)
def test_what_is_wrong_with_a_policy_is_said(
    arguments: dict[str, Any], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("policies.yaml").write_text(POLICIES)
    with pytest.raises(KanonError) as error:
        kanon_sql.protect(people(), ["zip", "sex"], **arguments)
    assert text in str(error.value)


def test_the_command_refuses_options_beside_a_policy(tmp_path: Path) -> None:
    file = tmp_path / "policies.yaml"
    file.write_text(POLICIES)
    asked = ["protect", "in.csv", "-o", "out.csv", "--by", "zip", "--policy", f"{file}::weekly"]
    done = CliRunner().invoke(main, [*asked, "--p", "total=10"])
    assert done.exit_code == 2
    assert "--p cannot be combined with --policy; hint: set it in the policy file" in done.output
    done = CliRunner().invoke(main, ["anonymize", "in.csv", "-o", "out.csv", "--policy", f"{file}::weekly"])
    assert 'the policy "weekly" is for tables of counts' in done.output


def test_the_grouping_sets_of_levels_have_a_limit() -> None:
    names = [f"c{number}" for number in range(7)]
    table = pa.table({name: ["a"] * 9 for name in names})
    with pytest.raises(PolicyError, match="CUBE creates more than 4096 grouping sets"):
        kanon_sql.protect(table, names, recodings=dict.fromkeys(names, "DIGITS (3, 2, 1)"))
    with pytest.raises(PolicyError, match="levels create more than 4096 grouping sets"):
        kanon_sql.protect(table, names, recodings=dict.fromkeys(names, "DIGITS (4, 3, 2, 1)"), grouping="plain")
