"""Guarantees about sensitive values where masks of levels are too many to look at all instances."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql import pipeline
from kanon_sql.certificate import Certificate
from kanon_sql.errors import InfeasibleError
from kanon_sql.model.policy import Policy
from kanon_sql.solvers import automatic
from kanon_sql.solvers.budget import Budget, Moment
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.problem_classes import Exact, Masks
from kanon_sql.solvers.sensitive import row_prices, search_space
from kanon_sql.solvers.sensitive.lagrangian import METHOD
from kanon_sql.table.recoding import Recoding
from kanon_sql.verification.dual_bound import PricedTable
from kanon_sql.verification.sensitive_bound import gains_under

GUARANTEES = (
    "k >= 2 AND alpha(disease, 'a') <= 0.5",
    "k >= 2 AND l(disease) >= 2",
    "k >= 2 AND l(disease, 'distinct') >= 2",
    "k >= 2 AND t(disease) <= 0.4",
    "k >= 2 AND t(disease, 'ordered') <= 0.3",
    "k >= 2 AND delta(disease) <= 2",
)

BY = "age IN INTERVALS (10, 50), zip IN DIGITS (1, 2)"


def table(draw: random.Random, rows: int) -> pa.Table:
    """A table whose rows have more than one level in common with few others."""
    return pa.table(
        {
            "age": [draw.randrange(20, 60, 3) for _ in range(rows)],
            "zip": [str(draw.choice([101, 102, 111, 112, 201, 211])) for _ in range(rows)],
            "disease": [draw.choice("aabbc") for _ in range(rows)],
        }
    )


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_what_is_not_listed_is_proven_to_gain_nothing(guarantee: str, many: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (search_space, row_prices):
        monkeypatch.setattr(module, "FEW_PAIRS", 0)
    monkeypatch.setattr(row_prices, "are_many", lambda *_: many)
    paid: list[bool] = []
    first = row_prices.solve
    monkeypatch.setattr(row_prices, "solve", lambda *of: (found := first(*of), paid.append(found is not None))[0])
    solved: list[Problem] = []
    original = pipeline.placed

    def placed(problems: Masks, problem: Problem, *others: Any) -> Recoding:
        solved.append(problem)
        return original(problems, problem, *others)

    for module in (pipeline, automatic):
        monkeypatch.setattr(module, "placed", placed)
    draw, known = random.Random(guarantee), 0
    for _ in range(8):
        source = table(draw, draw.randrange(6, 13))
        with kanon_sql.connect() as con:
            con.register("arrow", source)
            con.execute("CREATE OR REPLACE TABLE t AS FROM arrow")
            try:
                optimum = released(con, f"GUARANTEE {guarantee} USING subset_dp")
            except InfeasibleError:
                continue
            found = released(con, f"GUARANTEE {guarantee}")
        assert found.lower_bound <= optimum.cost <= found.cost
        if found.prices is not None and found.bound_method == METHOD:
            assert proven(found, solved[-1]) == found.lower_bound
        known += 1
    assert known >= 2
    assert paid == [True] * len(paid)
    assert bool(paid) == (many and "distinct" in guarantee)  # frequency 2-diversity is a matching, and the others are not mild


def released(con: Any, guarantee: str) -> Certificate:
    """The certificate of a release."""
    con.execute(f"CREATE OR REPLACE TABLE released AS FROM t ANONYMIZE BY {BY} {guarantee}")
    return kanon_sql.releases(con)[-1]


def proven(certificate: Certificate, problem: Problem) -> Fraction:
    """What prices prove by the code of the verification."""
    table, scale = problem.table, certificate.scale
    permitted = [tuple(bool(int(shown) >> c & 1) for c in range(len(table.columns))) for shown in problem.patterns.shown]
    prices, counts = list(certificate.prices or ()), table.weight.tolist()
    columns, cost = table.codes.T.tolist(), (table.cost * scale).tolist()
    policy = Policy.from_json(certificate.policy)
    gained = gains_under(
        policy, table.sensitive, PricedTable(codes=columns, counts=counts, prices=prices, cost=cost, permitted=permitted)
    )
    total = sum(price * rows for price, rows in zip(prices, counts, strict=True)) - gained
    return Fraction(max(0, -(-total // scale)), table.unit)


@pytest.mark.parametrize("guarantee", ["k >= 3", "k >= 3 AND l(disease) >= 2"])
def test_where_no_search_finds_levels_the_exact_release_by_suppression_is_taken(
    guarantee: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = table(random.Random(4), 60)
    keep = "" if "disease" in guarantee else "KEEP disease"
    costs, heard = [], list[Moment]()
    original, close_gap = automatic.placed, Exact.close_gap

    def placed(problems: Masks, problem: Problem, *others: Any) -> Recoding:
        return hidden(problem) if problem.table.has_ladders else original(problems, problem, *others)

    def closed(exact: Exact, problem: Problem, best: Recoding, budget: Budget) -> Recoding:
        return best if problem.table.has_ladders else close_gap(exact, problem, best, budget)

    monkeypatch.setattr(automatic, "placed", placed)
    monkeypatch.setattr(Exact, "close_gap", closed)
    with kanon_sql.connect() as con:
        con.register("arrow", source)
        con.watch(heard.append)
        for items in ("age, zip", "age IN INTERVALS (10, 50), zip"):
            con.execute(f"FROM arrow ANONYMIZE BY {items} {keep} GUARANTEE {guarantee}").fetchall()
            costs.append(kanon_sql.releases(con)[-1].cost)
    assert costs[0] == costs[1] < 2 * source.num_rows
    assert min(moment.cost for moment in heard if moment.cost is not None) >= costs[1]  # in units of the table with levels, too


def hidden(problem: Problem) -> Recoding:
    """The release that shows nothing."""
    every = np.arange(problem.table.row_types, dtype=np.int32)
    return Recoding(row_type=every, shown=np.zeros(len(every), np.uint64), count=problem.table.weight.copy())
