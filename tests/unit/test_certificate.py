"""Certificates: derived figures and plain data."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from kanon_sql.certificate import Certificate, Release, Status
from kanon_sql.model.policy import Policy
from kanon_sql.pipeline import empty_certificate


def certificate(cost: Fraction | int, lower_bound: Fraction | int) -> Certificate:
    return Certificate(
        requirements=("k >= 2",),
        algorithm="greedy",
        reason="named by the policy",
        status=Status.FEASIBLE,
        cost=Fraction(cost),
        lower_bound=Fraction(lower_bound),
        bound_method="trivial",
        rows=4,
        row_types=3,
        suppressed_cells=5,
        cells=8,
        seconds=0.25,
        policy="{}",
    )


@pytest.mark.parametrize(("cost", "bound", "gap"), [(10, 10, 0.0), (10, 5, 0.5), (10, 0, 1.0), (0, 0, 0.0)])
def test_the_gap_is_the_share_not_proven(cost: int, bound: int, gap: float) -> None:
    assert certificate(cost, bound).gap == gap


@pytest.mark.parametrize(
    ("bound", "told"),
    [
        (1000, "no release costs less"),
        (999, "at most 0.1% of the cost could be saved"),
        (900, "at most 10.0% of the cost could be saved"),
        (899, "the bound is weak, and only proves that no release costs less than 89.9% of this cost"),
        (313, "the bound is weak, and only proves that no release costs less than 31.3% of this cost"),
        (0, "the bound is weak, and proves nothing about cheaper releases"),
    ],
)
def test_a_weak_bound_is_not_called_a_release_that_could_be_better(bound: int, told: str) -> None:
    assert certificate(1000, bound).saving == told
    assert certificate(1000, bound).figures()["cost"].endswith(f": {told}")


def test_it_is_audited_once_the_audit_has_counted() -> None:
    before = certificate(3, 2)
    after = before.passed(7, 2)
    assert (before.audited, after.audited) == (False, True)
    assert (after.classes, after.smallest_class) == (7, 2)
    assert before.classes is None


def test_plain_data_is_exact_and_json() -> None:
    data = certificate(Fraction(7, 3), 2).to_dict()
    assert data["cost"] == "7/3"
    assert data["lower_bound"] == 2
    assert isinstance(data["lower_bound"], int)
    assert data["status"] == "FEASIBLE"
    assert data["gap"] == pytest.approx(1 / 7)
    assert json.loads(json.dumps(data)) == data


def test_nothing_lost_on_an_empty_table() -> None:
    empty = empty_certificate(Policy.of(k=5, quasi_identifiers=["a"]))
    assert (empty.cost, empty.gap, empty.status, empty.rows, empty.audited) == (0, 0.0, Status.OPTIMAL, 0, True)


def test_a_release_shows_no_rows_in_its_repr() -> None:
    release = Release(table="the secret rows", certificate=certificate(3, 2), sql="SELECT 'secret'")
    assert "secret" not in repr(release)
