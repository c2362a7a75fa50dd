"""From the arguments of `l_diversify` and `t_close` to a policy, as SQL hands them over: no release is made."""

from __future__ import annotations

import duckdb
import pytest
from kanon_sql.udfs import arguments

import kanon_sql
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.errors import PolicyError
from kanon_sql.model.policy import Policy


def told(_session: object, _table: str, policy: Policy, _drop: object) -> str:
    return f"SELECT {literal(policy.to_json())} AS policy"


@pytest.fixture
def con(shared: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> duckdb.DuckDBPyConnection:
    monkeypatch.setattr(arguments, "release_of_table", told)
    return shared


def guaranteed(con: duckdb.DuckDBPyConnection, call: str) -> list[str]:
    policy = Policy.from_json(con.execute(f"FROM {call}").fetchall()[0][0])
    return [requirement.describe() for requirement in policy.requirements]


@pytest.mark.parametrize(
    ("call", "guarantees"),
    [
        ("l_diversify('p', 'disease', 2)", ["k >= 2", "l(disease) >= 2"]),
        ("l_diversify('p', 'disease', 2, k := 7)", ["k >= 7", "l(disease) >= 2"]),
        ("l_diversify('p', 'disease', 2.50)", ["k >= 2", "l(disease) >= 5/2"]),
        ("l_diversify('p', 'disease', 4.0 / 3)", ["k >= 2", "l(disease) >= 4/3"]),
        ("l_diversify('p', 'disease', '4/3')", ["k >= 2", "l(disease) >= 4/3"]),
        ("l_diversify('p', 'Home disease', 3, 'distinct')", ["k >= 2", "l(\"Home disease\", 'distinct') >= 3"]),
        ("l_diversify('p', 'disease', 2, variant := 'entropy')", ["k >= 2", "l(disease, 'entropy') >= 2"]),
        ("l_diversify('p', 'disease', 2, variant := 'recursive', c := 0.5)", ["k >= 2", "l(disease, 'recursive', 1/2) >= 2"]),
        ("l_diversify('p', 'disease', 2, 'recursive', 3)", ["k >= 2", "l(disease, 'recursive', 3) >= 2"]),
        ("t_close('p', 'disease', 0.3)", ["k >= 2", "t(disease) <= 3/10"]),
        ("t_close('p', 'disease', 0)", ["k >= 2", "t(disease) <= 0"]),
        ("t_close('p', 'disease', 1.0 / 3)", ["k >= 2", "t(disease) <= 1/3"]),
        ("t_close('p', 'disease', (2.0 / 7)::DOUBLE)", ["k >= 2", "t(disease) <= 2/7"]),
        ("t_close('p', 'disease', 0.1::DOUBLE, k := 5)", ["k >= 5", "t(disease) <= 1/10"]),
        ("t_close('p', 'disease', 0.3, 'ordered')", ["k >= 2", "t(disease, 'ordered') <= 3/10"]),
        ("t_close('p', 'disease', 0.3, metric := 'main.far')", ["k >= 2", "t(disease, 'main.far') <= 3/10"]),
        (
            "t_close('p', 'disease', 0.3, metric := 'hierarchical', hierarchy := 'tree')",
            ["k >= 2", "t(disease, 'hierarchical', 'tree') <= 3/10"],
        ),
    ],
)
def test_arguments_make_requirements(con: duckdb.DuckDBPyConnection, call: str, guarantees: list[str]) -> None:
    assert guaranteed(con, call) == guarantees


def test_the_shared_arguments_hold_too(con: duckdb.DuckDBPyConnection) -> None:
    call = """l_diversify('p', 'disease', 2, qi := ['zip', 'age'], masks := [['zip'], []], weights := MAP {'age': 1.0 / 3},
        algorithm := 'greedy', time_limit := 1.5, seed := 3, suppress := '*')"""
    policy = Policy.of(
        quasi_identifiers=["zip", "age"],
        masks=[["zip"], []],
        weights={"age": "1/3"},
        sensitive="disease",
        l=2,
        algorithm="greedy",
        time_limit=1.5,
        seed=3,
        suppress="*",
    )
    assert con.execute(f"FROM {call}").fetchall() == [(policy.to_json(),)]


def test_every_other_column_identifies_by_default(con: duckdb.DuckDBPyConnection) -> None:
    policy = Policy.from_json(con.execute("FROM t_close('p', 'disease', 0.3)").fetchall()[0][0])
    assert [qi.column for qi in policy.resolve(["zip", "Disease", "age"]).quasi_identifiers] == ["zip", "age"]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("l_diversify('p', 'disease', 0.5)", "l must be at least 1, got 1/2"),
        ("l_diversify('p', 'disease', NULL)", "l must be a number"),
        ("l_diversify('p', 'disease', 2, 'frequent')", "did you mean 'frequency'?"),
        ("l_diversify('p', 'disease', 2, 'recursive')", "recursive l-diversity needs c"),
        ("l_diversify('p', 'disease', 2, c := 3)", "c applies to the variant 'recursive'"),
        ("l_diversify('p', NULL, 2)", "the sensitive column of l-diversity must be a column name"),
        ("l_diversify('p', ['disease'], 2)", "its second argument is not the list of quasi-identifiers"),
        (
            "l_diversify('p', 'disease', 2, qi := ['zip', 'Disease'])",
            'the sensitive column "disease" is also a quasi-identifier',
        ),
        ("l_diversify('p', 'disease', 2, k := 0)", "k must be a whole number of at least 1"),
        ("t_close('p', 'disease', 1.5)", "t must be between 0 and 1, got 3/2"),
        ("t_close('p', 'disease', 'NaN'::DOUBLE)", "t must be a number"),
        ("t_close('p', 'disease', 0.3, 'ordred')", "looks like a misspelling of 'ordered'"),
        ("t_close('p', 'disease', 0.3, NULL)", "the metric of t-closeness must be a name"),
        ("t_close('p', 'disease', 0.3, 'hierarchical')", "needs a table with a tree"),
        ("t_close('p', 'disease', 0.3, hierarchy := 'tree')", "a hierarchy applies to the metric 'hierarchical'"),
    ],
)
def test_senseless_arguments_are_refused(con: duckdb.DuckDBPyConnection, call: str, message: str) -> None:
    with pytest.raises(duckdb.Error, match="PolicyError") as caught:
        con.execute(f"FROM {call}")
    assert message in str(caught.value)
    with kanon_sql.connect() as mine, pytest.raises(PolicyError):
        mine.execute(f"FROM {call}")
