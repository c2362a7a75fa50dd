"""`audit` and `anonymize` in Python with a sensitive attribute."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import AuditError, KanonError, PolicyError, SourceError, UnknownColumnError
from kanon_sql.model.requirements import LDiversity

VISITS = pd.DataFrame(
    {
        "zip": ["a"] * 4 + ["b"] * 6,
        "cost": [10, 10, 20, 40, 10, 20, 20, 20, 40, 40],
        "disease": ["flu", "flu", "cold", None, "flu", "cold", "cold", "cold", None, None],
    }
)
"""In class a 2, 1, 1 rows of the three values, in class b 1, 3, 2; in the whole table 3, 4, 3."""

TREE = pd.DataFrame({"value": ["flu", "cold", None, "lung"], "parent": ["lung", "lung", "any", "any"]})
FAR = pd.DataFrame({"a": ["flu", "flu", "cold"], "b": ["cold", None, None], "distance": ["0.5", "1", "1"]})


def audit(**names: Any) -> kanon_sql.Audit:
    return kanon_sql.audit(VISITS, **{"quasi_identifiers": ["zip"], "sensitive": "disease", **names})


def test_the_audit_measures_diversity_and_closeness() -> None:
    found = audit()
    assert (found.k, found.classes, found.distinct_l, found.frequency_l) == (4, 2, 3, 2)
    assert found.entropy_l == pytest.approx(6 / (3 ** (3 / 6) * 2 ** (2 / 6)), abs=1e-8), "class b"
    assert found.t == Fraction(1, 2) * (Fraction(1, 5) + Fraction(3, 20) + Fraction(1, 20))


@pytest.mark.everything
def test_the_metric_tells_what_far_means() -> None:
    assert audit(metric="ordered").t == audit(metric="ordered", t=1).t
    assert audit(sensitive="cost", metric="ordered", quasi_identifiers=["zip"]).t == Fraction(1, 2) * (
        Fraction(1, 5) + Fraction(1, 20)
    )
    assert audit(sensitive="cost", metric="numeric").t == (10 * Fraction(1, 5) + 20 * Fraction(1, 20)) / 30


LEVELS = ["low", "mid", "high"]
GRADES = ["low", "mid", "low", "high", "low", "mid"]
ORDERED = {
    "pandas": pd.DataFrame({"zip": list("aabbbb"), "grade": pd.Categorical(GRADES, LEVELS, ordered=True)}),
    "polars": pl.DataFrame({"zip": list("aabbbb"), "grade": pl.Series(GRADES, dtype=pl.Enum(LEVELS))}),
    "arrow": pa.table(
        {
            "zip": list("aabbbb"),
            "grade": pa.DictionaryArray.from_arrays([LEVELS.index(each) for each in GRADES], LEVELS, ordered=True),
        }
    ),
}
"""Class a has 1, 1, 0 rows of the three levels, class b 2, 1, 1, the whole table 3, 2, 1."""


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("kind", ORDERED)
def test_an_ordered_type_gives_its_values_their_order(kind: str) -> None:
    found = kanon_sql.audit(ORDERED[kind], quasi_identifiers=["zip"], sensitive="grade", metric="ordered")
    assert found.t == Fraction(1, 2) * Fraction(1, 6), "class a; by the texts it would be 1 / 6"
    released = kanon_sql.anonymize(ORDERED[kind], k=2, quasi_identifiers=["zip"], sensitive="grade", t="1/12", metric="ordered")
    assert released.certificate.cost == 0
    texts = pd.DataFrame({"zip": list("aabbbb"), "grade": GRADES})
    assert kanon_sql.audit(texts, quasi_identifiers=["zip"], sensitive="grade", metric="ordered").t != found.t


@pytest.mark.everything
def test_trees_and_tables_of_distances_are_passed_by_name() -> None:
    assert audit(metric="hierarchical", hierarchy="tree", tables={"tree": TREE}).t == Fraction(1, 2) * Fraction(
        3, 20
    ) + Fraction(1, 20)
    assert audit(metric="far", tables={"far": FAR}).t == Fraction(1, 2) * Fraction(3, 20) + Fraction(1, 20)


@pytest.mark.everything
def test_a_table_may_have_any_name() -> None:
    assert audit(metric='"Far apart"', tables={"far Apart": FAR}).t == audit(metric="far", tables={"Far": FAR}).t


@pytest.mark.sweep
@pytest.mark.parametrize(
    "guarantee",
    [
        {"l": 2},
        {"l": 3, "variant": "distinct"},
        {"l": 2.7, "variant": "entropy"},
        {"l": 2, "variant": "recursive", "c": 1.1},
        {"t": 0.2},
        {"t": "1/5", "k": 4},
    ],
)
def test_a_guarantee_that_holds_raises_nothing(guarantee: dict[str, Any]) -> None:
    assert audit(**guarantee).rows == 10


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("guarantee", "message"),
    [
        ({"l": 2.01}, "l(disease) >= 201/100 does not hold: in the worst class, one value has 3 of 6 rows"),
        ({"l": 4, "variant": "distinct"}, "does not hold: the worst class has 3 different values"),
        ({"l": 2.8, "variant": "entropy"}, "does not hold: the least entropy is that of 2.7"),
        ({"l": 2, "variant": "recursive", "c": 1}, "the most frequent value has 3 rows and those from place 2 on 3"),
        ({"t": 0.199}, "t(disease) <= 199/1000 does not hold: the farthest class is at a distance of 0.200000"),
        ({"k": 5}, "the smallest class has 4 rows, fewer than k = 5"),
    ],
)
def test_a_broken_guarantee_is_an_audit_error(guarantee: dict[str, Any], message: str) -> None:
    with pytest.raises(AuditError) as caught:
        audit(**guarantee)
    assert message in str(caught.value)
    assert not {"flu", "cold"} & set(str(caught.value).replace(",", " ").split())


def test_every_other_column_is_a_quasi_identifier_by_default() -> None:
    assert audit(quasi_identifiers=None).classes == len(VISITS[["zip", "cost"]].drop_duplicates())


def test_an_empty_table_keeps_every_guarantee() -> None:
    found = kanon_sql.audit(VISITS.head(0), quasi_identifiers=["zip"], sensitive="disease", l=9, t=0)
    assert (found.k, found.rows, found.distinct_l, found.frequency_l, found.entropy_l, found.t) == (
        None,
        0,
        None,
        None,
        None,
        None,
    )


def test_without_a_sensitive_column_nothing_is_said_of_one() -> None:
    found = kanon_sql.audit(VISITS, quasi_identifiers=["zip"])
    assert (found.distinct_l, found.frequency_l, found.entropy_l, found.t) == (None, None, None, None)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        ({"sensitive": "Zip"}, PolicyError, "is also a quasi-identifier"),
        ({"sensitive": "salary"}, UnknownColumnError, 'unknown column "salary"'),
        ({"sensitive": None, "l": 2}, PolicyError, "l, t, beta and delta need a sensitive column"),
        ({"variant": "entropy"}, PolicyError, "variant has no effect without l"),
        ({"metric": "ordred"}, PolicyError, "looks like a misspelling of 'ordered'"),
        ({"metric": "far"}, PolicyError, "uses the table 'far', which is missing"),
        ({"metric": "main.far", "tables": {"far": FAR}}, PolicyError, "uses the table 'main.far', which is missing"),
        ({"tables": {"tree": TREE}}, PolicyError, "the policy does not use the table 'tree'"),
        ({"metric": "source", "tables": {"source": FAR}}, PolicyError, "cannot be called 'source'"),
        ({"metric": "a.b.c.d"}, SourceError, "the table name cannot be read"),
        ({"metric": "numeric"}, SourceError, ""),
    ],
)
def test_a_senseless_audit_is_refused(names: dict[str, Any], error: type[KanonError], message: str) -> None:
    with pytest.raises(error) as caught:
        audit(**names)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"sensitive": "disease"}, "no guarantee uses the sensitive column"),
        ({"sensitive": "disease", "l": 2, "metric": "equal"}, "metric has no effect without t"),
        ({"sensitive": "zip", "l": 2}, "is also a quasi-identifier"),
        ({"sensitive": "salary", "l": 2}, 'unknown column "salary"'),
        ({"requirements": ["l(disease) >= 2"]}, "a requirement cannot be a str"),
        ({"requirements": [LDiversity(sensitive="ZIP", l=2)]}, "is also a quasi-identifier"),
        ({"sensitive": "disease", "t": 0.3, "tables": {"tree": TREE}}, "the policy does not use the table 'tree'"),
        ({"sensitive": "disease", "t": 0.3, "metric": "hierarchical", "hierarchy": "tree"}, "'tree', which is missing"),
    ],
)
def test_a_senseless_guarantee_is_refused(names: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        kanon_sql.anonymize(VISITS, quasi_identifiers=["zip"], **names)
    assert message in str(caught.value)
