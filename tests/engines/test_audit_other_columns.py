"""An audit of some columns is no all-clear for the others: those that single rows out are named, and every row is counted."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv as csv
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.cli import main as kanon

NAMES = [f"N{n}" for n in range(60)]

WARNING = "{} singles out {} of the rows. It is not a quasi-identifier, so this audit does not count it."


def people(**more: list[Any]) -> pa.Table:
    return pa.table({"zip": [f"0213{n % 3}" for n in range(60)], "ward": ["a", "b"] * 30, **more})


def test_the_audit_of_a_table_with_names_is_no_all_clear() -> None:
    audit = kanon_sql.audit(people(name=NAMES), quasi_identifiers=["zip"], k=5)
    assert audit.warnings == (WARNING.format("name", "100.0%"),)
    assert repr(audit).splitlines() == [
        "rows              60",
        "classes           3, the smallest of 20 rows, 0 of a single row",
        "risk              5.0% of the worst row, 5.0% of the average row",
        f"warning           {WARNING.format('name', '100.0%')}",
    ]


@pytest.mark.everything
def test_quasi_identifiers_and_columns_of_few_values_are_no_warning() -> None:
    assert kanon_sql.audit(people(name=NAMES), quasi_identifiers=["zip", "name", "ward"]).warnings == ()
    assert kanon_sql.audit(people(), quasi_identifiers=["zip"]).warnings == ()
    assert kanon_sql.audit(people().slice(0, 0), quasi_identifiers=["zip"]).warnings == ()


@pytest.mark.parametrize(("single", "rows", "warned"), [(200, 1000, False), (201, 1000, True), (6, 12, False), (7, 12, True)])
def test_the_limits_are_those_of_a_release(single: int, rows: int, warned: bool) -> None:
    codes = [f"v{n}" for n in range(single)] + [None] * (rows - single)
    table = pa.table({"zip": ["1"] * rows, "code": codes})
    told = WARNING.format("code", f"{single / rows:.1%}")
    if rows == 1000:
        told = told.replace("the rows.", "the rows (values shared by fewer than 10 rows).")
    assert kanon_sql.audit(table, quasi_identifiers=["zip"]).warnings == ((told,) if warned else ())


def test_a_sensitive_column_counts_alone() -> None:
    table = people(salary=list(range(60)), **{"odd name": ["x"] * 60})
    assert kanon_sql.audit(table, quasi_identifiers=["zip"], sensitive="salary").warnings == (
        WARNING.format("salary", "100.0%"),
    )


def test_columns_that_single_rows_out_together() -> None:
    a, b = [n % 8 for n in range(60)], [n // 8 for n in range(60)]
    found = kanon_sql.audit(people(a=a, b=b), quasi_identifiers=["zip"]).warnings
    alone = sum(n == 1 for n in Counter(zip(["a", "b"] * 30, a, b, strict=True)).values())
    assert found == (
        f"ward, a and b together single out {alone / 60:.1%} of the rows. "
        "They are not quasi-identifiers, so this audit does not count them.",
    )


@pytest.mark.everything
def test_every_kind_of_table_is_counted() -> None:
    table = people(name=NAMES)
    mixed = table.to_pandas()
    mixed["thing"] = [{"of": n} if n % 2 else [n] for n in range(60)]
    told = kanon_sql.audit(mixed, quasi_identifiers=["zip"]).warnings
    assert told == (WARNING.format("name", "100.0%"), WARNING.format("thing", "100.0%"))
    with duckdb.connect() as con:
        con.register("people", table)
        assert kanon_sql.audit(con.table("people"), quasi_identifiers=["zip"]).warnings == told[:1]


@pytest.mark.everything
def test_the_command_warns_and_keeps_its_exit_code(tmp_path: Any) -> None:
    csv.write_csv(people(name=NAMES), tmp_path / "people.csv")
    arguments = ["audit", str(tmp_path / "people.csv"), "--qi", "zip", "--json"]
    done = CliRunner().invoke(kanon, [*arguments, "--k", "5"])
    told = WARNING.format("name", "100.0%")
    assert (done.exit_code, done.stderr) == (0, f"warning: {told}\n")
    found = json.loads(done.stdout)
    assert (found["holds"], found["broken"], found["warnings"]) == (True, [], [told])
    done = CliRunner().invoke(kanon, [*arguments, "--k", "21"])
    assert (done.exit_code, done.stderr.splitlines()[0]) == (1, f"warning: {told}")
    done = CliRunner().invoke(kanon, [*arguments, "--qi", "name,ward"])
    assert (done.exit_code, done.stderr, json.loads(done.stdout)["warnings"]) == (0, "", [])
