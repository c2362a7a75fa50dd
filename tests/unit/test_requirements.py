"""Requirements: what they refuse, exact thresholds, JSON both ways, the clause form, and the least class that can meet them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_sql.errors import PolicyError
from kanon_sql.model.requirements import (
    METRICS,
    VARIANTS,
    AlphaAnonymity,
    KAnonymity,
    LDiversity,
    Requirement,
    TCloseness,
    named_requirements,
    requirement_from_json,
)


def diversity(l: Any = 2, variant: str = "frequency", c: Any = None, sensitive: Any = "disease") -> LDiversity:  # noqa: E741
    return LDiversity(sensitive=sensitive, l=l, variant=variant, c=c)


def closeness(t: Any = 0.3, metric: Any = "equal", hierarchy: Any = None, sensitive: Any = "disease") -> TCloseness:
    return TCloseness(sensitive=sensitive, t=t, metric=metric, hierarchy=hierarchy)


def limited(alpha: Any = 0.2, value: Any = "flu", sensitive: Any = "disease") -> AlphaAnonymity:
    return AlphaAnonymity(sensitive=sensitive, value=value, alpha=alpha)


@pytest.mark.parametrize(
    ("written", "exact"),
    [
        (3, Fraction(3)),
        (2.5, Fraction(5, 2)),
        (1.1, Fraction(11, 10)),
        (4 / 3, Fraction(4, 3)),
        (1 + 1e-12, 1 + Fraction(1, 10**12)),
        (Decimal("1.30"), Fraction(13, 10)),
        ("4/3", Fraction(4, 3)),
        ("2.50", Fraction(5, 2)),
        (Fraction(7, 3), Fraction(7, 3)),
        (np.int64(3), Fraction(3)),
        (np.float64(4 / 3), Fraction(4, 3)),
    ],
)
def test_a_threshold_is_exact(written: Any, exact: Fraction) -> None:
    l = diversity(l=written).l  # noqa: E741
    assert (l, type(l), type(l.numerator)) == (exact, Fraction, int)


@given(st.fractions(min_value=0, max_value=1, max_denominator=10**6))
def test_a_quotient_of_floats_is_the_fraction_that_was_meant(t: Fraction) -> None:
    assert closeness(t=t.numerator / t.denominator).t == t


@given(st.integers(0, 10**15))
def test_a_float_is_the_decimal_that_was_written(digits: int) -> None:
    written = f"0.{digits:015d}"
    meant, found = Fraction(written), closeness(t=float(written)).t
    assert found == meant or (found.denominator <= 10**6 and float(found) == float(meant))


@pytest.mark.parametrize("t", [0, 0.0, "0", Decimal(0), 1, 1.0])
def test_t_may_be_nothing_or_everything(t: Any) -> None:
    assert closeness(t=t).t in (0, 1)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: diversity(l=0.99), "l must be at least 1, got 99/100"),
        (lambda: diversity(l=-2), "l must be at least 1"),
        (lambda: diversity(l="many"), "l must be a number, got str"),
        (lambda: diversity(l=None), "l must be a number, got NoneType"),
        (lambda: diversity(l=True), "l must be a number, got bool"),
        (lambda: diversity(l=float("nan")), "l must be a number, got float"),
        (lambda: diversity(l="1e999999999"), "l must be a number, got str"),
        (lambda: diversity(l=[2]), "l must be a number, got list"),
        (lambda: diversity(variant="recursiv", c=3), "cannot be 'recursiv'; hint: did you mean 'recursive'?"),
        (lambda: diversity(variant="Distinct"), "did you mean 'distinct'?"),
        (lambda: diversity(variant="simpson"), "use 'frequency', 'distinct', 'entropy', 'recursive'"),
        (lambda: diversity(variant=None), "the variant of l-diversity cannot be NoneType"),  # type: ignore[arg-type]
        (lambda: diversity(variant="recursive"), "recursive l-diversity needs c; hint"),
        (lambda: diversity(variant="recursive", c=0), "c must be above 0, got 0"),
        (lambda: diversity(variant="recursive", c="x"), "c must be a number"),
        (lambda: diversity(variant="recursive", c=3, l=2.5), "needs a whole number for l, got 5/2"),
        (lambda: diversity(variant="entropy", c=3), "c applies to the variant 'recursive', not to 'entropy'"),
        (lambda: diversity(sensitive=""), "the sensitive column of l-diversity must be a column name, got an empty text"),
        (lambda: diversity(sensitive=["a", "b"]), "column name, got list"),
        (lambda: closeness(t=-0.1), "t must be between 0 and 1, got -1/10"),
        (lambda: closeness(t="4/3"), "t must be between 0 and 1, got 4/3"),
        (lambda: closeness(t="1/0"), "t must be a number"),
        (lambda: closeness(metric="ordred"), "the metric 'ordred' looks like a misspelling of 'ordered'"),
        (lambda: closeness(metric="Numeric"), "the metric 'Numeric' looks like a misspelling of 'numeric'"),
        (lambda: closeness(metric="hierarchy"), "the metric 'hierarchy' looks like a misspelling of 'hierarchical'"),
        (lambda: closeness(metric=""), "must be a name, got an empty text"),
        (lambda: closeness(metric=3), "must be a name, got int"),
        (lambda: closeness(metric="hierarchical"), "'hierarchical' needs a table with a tree; hint"),
        (lambda: closeness(metric="hierarchical", hierarchy=""), "needs a table with a tree"),
        (lambda: closeness(metric="ordered", hierarchy="tree"), "a hierarchy applies to the metric 'hierarchical'"),
        (lambda: closeness(sensitive=None), "the sensitive column of t-closeness must be a column name"),
        (lambda: limited(alpha=0), "alpha must be above 0 and at most 1, got 0"),
        (lambda: limited(alpha=1.01), "alpha must be above 0 and at most 1"),
        (lambda: limited(value=30), "must be text, got int; hint: write 3 as '3'"),
        (lambda: limited(sensitive=3), "the sensitive column of alpha must be a column name, got int"),
    ],
)
def test_a_senseless_requirement_is_refused(build: Any, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        build()
    assert message in str(caught.value)


def test_a_value_of_the_wrong_type_is_not_repeated() -> None:
    with pytest.raises(PolicyError) as caught:
        limited(value=8472)
    assert "8472" not in str(caught.value)


@pytest.mark.parametrize("metric", ["distances", "main.ordered", "main.distances", '"odd name"', "order_lengths"])
def test_any_other_metric_is_a_table(metric: str) -> None:
    assert closeness(metric=metric).metric == metric


DESCRIBED = {
    "k >= 5": KAnonymity(k=5),
    "l(disease) >= 2": diversity(),
    "l(disease) >= 5/2": diversity(l=2.5),
    "l(disease, 'distinct') >= 3": diversity(l=3, variant="distinct"),
    "l(disease, 'entropy') >= 2": diversity(variant="entropy"),
    "l(disease, 'recursive', 3) >= 2": diversity(variant="recursive", c=3),
    "l(disease, 'recursive', 1/3) >= 2": diversity(variant="recursive", c="1/3"),
    't("Home disease") <= 3/10': closeness(sensitive="Home disease"),
    "t(\"order\", 'ordered') <= 1/3": closeness(t=1 / 3, metric="ordered", sensitive="order"),
    't("a""b", \'numeric\') <= 0': closeness(t=0, metric="numeric", sensitive='a"b'),
    "t(\"größe\", 'hierarchical', 'main.tree') <= 1": closeness(1, "hierarchical", "main.tree", "größe"),
    "t(_2, 'dist''s') <= 3/10": closeness(metric="dist's", sensitive="_2"),
    "alpha(disease, 'flu') <= 1/5": limited(),
    "alpha(disease, 'it''s') <= 1": limited(alpha=1, value="it's"),
}


@pytest.mark.parametrize("text", DESCRIBED)
def test_a_requirement_describes_itself_as_the_clause_writes_it(text: str) -> None:
    assert DESCRIBED[text].describe() == text


@pytest.mark.parametrize("text", DESCRIBED)
def test_json_goes_both_ways(text: str) -> None:
    data = DESCRIBED[text].to_json()
    assert requirement_from_json(data) == DESCRIBED[text]
    assert all(isinstance(value, str | int | None) for value in data.values())


def test_json_holds_fractions_exactly() -> None:
    third = {"type": "t", "sensitive": "disease", "t": "1/3", "metric": "equal", "hierarchy": None}
    assert closeness(t="1/3").to_json() == third
    assert diversity().to_json() == {"type": "l", "sensitive": "disease", "l": 2, "variant": "frequency", "c": None}
    assert limited().to_json() == {"type": "alpha", "sensitive": "disease", "value": "flu", "alpha": "1/5"}


def test_keys_left_out_of_json_take_their_defaults() -> None:
    assert requirement_from_json({"type": "l", "sensitive": "disease", "l": 2}) == diversity()
    assert requirement_from_json({"type": "t", "sensitive": "disease", "t": 0.3}) == closeness()


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"type": "l", "l": 2}, "the requirement 'l' lacks the key 'sensitive'"),
        ({"type": "l", "sensitive": "disease"}, "the requirement 'l' lacks the key 'l'"),
        ({"type": "t", "sensitive": "disease"}, "the requirement 't' lacks the key 't'"),
        ({"type": "alpha", "sensitive": "disease", "alpha": 0.5}, "the requirement 'alpha' lacks the key 'value'"),
        ({"type": "t", "sensitive": "disease", "t": 0.3, "l": 2}, "has the unknown key 'l'"),
        ({"type": "t", "sensitive": "disease", "t": "0,3"}, "t must be a number"),
        ({"type": "d"}, "use one of k, known, people, l, t, alpha"),
        ("l", "unknown requirement type None"),
    ],
)
def test_bad_json_is_a_policy_error(item: Any, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        requirement_from_json(item)
    assert message in str(caught.value)


def histograms(rows: int, most: int | None = None) -> Iterator[list[int]]:
    """Yield the counts of the values of a class, descending: the partitions of the number of its rows."""
    if rows == 0:
        yield []
    for first in range(min(rows, most or rows), 0, -1):
        for rest in histograms(rows - first, first):
            yield [first, *rest]


def meets(counts: list[int], guarantee: LDiversity) -> bool:
    rows = sum(counts)
    match guarantee.variant:
        case "frequency":
            return counts[0] * guarantee.l <= rows
        case "distinct":
            return len(counts) >= guarantee.l
        case "entropy":
            return rows**rows >= guarantee.l**rows * prod(count**count for count in counts)
        case _:
            return guarantee.c is not None and counts[0] < guarantee.c * sum(counts[int(guarantee.l) - 1 :])


WHOLE = [1, 2, 3, 4]
GUARANTEES = [
    *(diversity(values, variant) for variant in VARIANTS[:3] for values in (*WHOLE, Fraction(3, 2), Fraction(21, 10))),
    *(diversity(values, "recursive", c) for values in WHOLE for c in ("1/4", "2/5", "1/2", 1, 3)),
]


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=LDiversity.describe)
def test_the_least_class_is_the_smallest_that_can_meet_it(guarantee: LDiversity) -> None:
    smallest = next(rows for rows in range(1, 20) if any(meets(counts, guarantee) for counts in histograms(rows)))
    assert guarantee.least_class_size == smallest


COUNTS = st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(any)


@pytest.mark.sweep
@pytest.mark.parametrize("guarantee", GUARANTEES, ids=LDiversity.describe)
@settings(max_examples=30)
@given(one=COUNTS, other=COUNTS)
def test_merging_two_classes_keeps_diversity(guarantee: LDiversity, one: list[int], other: list[int]) -> None:
    one, other, both = (
        sorted(filter(None, counts), reverse=True) for counts in (one, other, [a + b for a, b in zip(one, other, strict=True)])
    )
    assert not (meets(one, guarantee) and meets(other, guarantee)) or meets(both, guarantee)


@pytest.mark.parametrize("guarantee", [closeness(t=0), closeness(metric="ordered"), limited(alpha="1/100")])
def test_one_row_may_be_close_and_limited(guarantee: Requirement) -> None:
    assert guarantee.least_class_size == 1


def test_names_that_every_entrance_shares() -> None:
    assert named_requirements(None) == ()
    assert named_requirements("disease", l=2) == (diversity(),)
    assert named_requirements("disease", t=0.3) == (closeness(),)
    assert named_requirements("disease", l=2, variant="recursive", c=3, t=1 / 3, metric="hierarchical", hierarchy="tree") == (
        diversity(variant="recursive", c=3),
        closeness("1/3", "hierarchical", "tree"),
    )


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"sensitive": "disease"}, "no guarantee uses the sensitive column"),
        ({"sensitive": None, "l": 2}, "l, t, beta and delta need a sensitive column"),
        ({"sensitive": None, "t": 0}, "l, t, beta and delta need a sensitive column"),
        ({"sensitive": "disease", "t": 0.3, "variant": "distinct"}, "variant has no effect without l"),
        ({"sensitive": "disease", "t": 0.3, "c": 3}, "c has no effect without l"),
        ({"sensitive": "disease", "l": 2, "metric": "ordered"}, "metric has no effect without t"),
        ({"sensitive": None, "hierarchy": "tree"}, "hierarchy has no effect without t"),
    ],
)
def test_a_name_that_would_be_ignored_is_refused(names: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        named_requirements(**names)


def test_the_metrics_are_those_of_the_documents() -> None:
    assert METRICS == ("equal", "ordered", "numeric", "hierarchical")
