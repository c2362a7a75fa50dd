"""The bound that prices prove: against all instances one by one, and never above the optimum."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import optimum

from kanon_sql import verification
from kanon_sql.certificate import Certificate, Status
from kanon_sql.errors import CertificateError
from kanon_sql.model.policy import Policy
from kanon_sql.verification import verify

COLUMNS = ("a", "b", "c", "d")


@dataclass(frozen=True, kw_only=True)
class Case:
    """A small table of row types, a policy over its first columns, and prices."""

    codes: list[tuple[int, ...]]
    counts: list[int]
    k: int
    masks: list[tuple[str, ...]] | None
    linked: list[tuple[str, ...]]
    weights: dict[str, Fraction]
    scale: int
    prices: tuple[int, ...]

    @property
    def columns(self) -> list[tuple[str, ...]]:
        """The coded columns: a linked group is one."""
        group = dict.fromkeys(self.linked[0], self.linked[0]) if self.linked else {}
        return list(dict.fromkeys(group.get(name, (name,)) for name in COLUMNS[: len(self.weights)]))

    @property
    def cost(self) -> list[Fraction]:
        """The cost of hiding each coded column."""
        return [sum((self.weights[name] for name in names), Fraction(0)) for names in self.columns]

    @property
    def shown(self) -> list[frozenset[int]]:
        """The permitted masks, as sets of coded columns."""
        places = range(len(self.columns))
        if self.masks is None:
            return [frozenset(mask) for size in (*places, len(places)) for mask in itertools.combinations(places, size)]
        named = [{c for c in places if set(self.columns[c]) <= set(mask)} for mask in self.masks]
        whole = [{name for c in shown for name in self.columns[c]} for shown in named]
        return [frozenset(shown) for shown, names, mask in zip(named, whole, self.masks, strict=True) if names == set(mask)]

    @property
    def policy(self) -> Policy:
        return Policy.of(
            k=self.k, quasi_identifiers=list(self.weights), weights=self.weights, masks=self.masks, linked=self.linked
        )

    def certificate(self, **claims: Any) -> Certificate:
        rows = sum(self.counts)
        unit = max(1, *(cost.denominator for cost in self.cost))
        given: dict[str, Any] = {
            "requirements": (f"k >= {self.k}",),
            "algorithm": "by hand",
            "reason": "a test",
            "status": Status.FEASIBLE,
            "cost": Fraction(10**9),
            "lower_bound": Fraction(0),
            "bound_method": "Lagrangian relaxation",
            "rows": rows,
            "row_types": len(self.counts),
            "suppressed_cells": 0,
            "cells": rows * len(self.weights),
            "seconds": 0.0,
            "policy": self.policy.to_json(),
            "prices": self.prices,
            "scale": self.scale,
            "unit": unit,
        }
        return Certificate(**{**given, **claims})


@st.composite
def cases(draw: st.DrawFn, most_rows: int) -> Case:
    names = COLUMNS[: draw(st.integers(1, 4))]
    linked = [names[:2]] if len(names) > 2 and draw(st.booleans()) else []
    width = len(names) - len(linked)
    codes = draw(st.lists(st.tuples(*[st.integers(0, 2)] * width), min_size=1, max_size=5, unique=True))
    counts = [draw(st.integers(1, 3)) for _ in codes]
    while sum(counts) > most_rows:
        counts[counts.index(max(counts))] -= 1
    scale = draw(st.sampled_from([1, 4, 64]))
    weights = {name: Fraction(draw(st.sampled_from([1, 2, 3])), draw(st.sampled_from([1, 1, 2]))) for name in names}
    masks = None
    if draw(st.booleans()):
        some = st.lists(st.sampled_from(names), unique=True).map(lambda mask: tuple(sorted(mask)))
        masks = [*draw(st.lists(some, unique=True, max_size=6).map(lambda found: [mask for mask in found if mask])), ()]
    price = st.integers(-2 * scale, 12 * scale)
    prices = tuple(draw(price) for _ in codes)
    k = draw(st.integers(1, 3))
    return Case(codes=codes, counts=counts, k=k, masks=masks, linked=linked, weights=weights, scale=scale, prices=prices)


def bound_by_listing(case: Case) -> Fraction:
    """List all instances, leave out the dominated ones by comparing all with all, and open each row by row."""
    unit = case.certificate().unit
    instances = set()
    for mask in case.shown:
        groups: dict[tuple[int, ...], list[int]] = {}
        for i, code in enumerate(case.codes):
            groups.setdefault(tuple(code[c] for c in sorted(mask)), []).append(i)
        cost = sum(case.cost[c] for c in range(len(case.columns)) if c not in mask) * unit * case.scale
        instances |= {(cost, frozenset(group)) for group in groups.values() if sum(case.counts[i] for i in group) >= case.k}
    total = sum(price * count for price, count in zip(case.prices, case.counts, strict=True))
    for cost, support in instances:
        if any(wider >= support and (other < cost or (other == cost and wider > support)) for other, wider in instances):
            continue
        gains = sorted((case.prices[i] - cost for i in support for _ in range(case.counts[i])), reverse=True)
        total -= max(0, *(sum(gains[:rows]) for rows in range(case.k, len(gains) + 1)), 0)
    return Fraction(max(0, -(-total // case.scale)), unit)


@pytest.mark.everything
@settings(max_examples=400)
@given(cases(most_rows=12))
def test_the_search_finds_what_listing_everything_finds(case: Case) -> None:
    assert verify(case.certificate(), case.codes, case.counts) == bound_by_listing(case)


@settings(max_examples=300)
@given(cases(most_rows=7))
def test_no_prices_prove_more_than_the_optimum(case: Case) -> None:
    rows = [code for code, count in zip(case.codes, case.counts, strict=True) for _ in range(count)]
    best = optimum(rows, case.k, None if case.masks is None else case.shown, case.cost)
    if best is not None:
        assert verify(case.certificate(), case.codes, case.counts) <= best


PAIRS = Case(
    codes=[(0, 0), (0, 1), (1, 0), (1, 1)],
    counts=[1, 1, 1, 1],
    k=2,
    masks=None,
    linked=[],
    weights={"a": Fraction(1), "b": Fraction(1)},
    scale=1,
    prices=(1, 1, 1, 1),
)


def test_good_prices_prove_the_optimum() -> None:
    assert verify(PAIRS.certificate(), PAIRS.codes, PAIRS.counts) == 4


def test_values_of_any_kind_will_do() -> None:
    codes = [tuple(("zip", value) for value in code) for code in PAIRS.codes]
    assert verify(PAIRS.certificate(), codes, PAIRS.counts) == 4


def test_of_equally_dear_masks_one_counts() -> None:
    # Four equal rows: each mask gains 2 from them, but they can only be in one class at a time.
    case = replace(PAIRS, codes=[(0, 0)], counts=[4], masks=[("a",), ("b",)], prices=(3,))
    assert bound_by_listing(case) == 4
    assert verify(case.certificate(), case.codes, case.counts) == 4


def test_without_prices_nothing_is_proven_and_all_else_checked() -> None:
    assert verify(PAIRS.certificate(prices=None), PAIRS.codes, PAIRS.counts) == 0
    with pytest.raises(CertificateError, match='"rows": 5, but the table has 4 rows'):
        verify(PAIRS.certificate(prices=None, rows=5), PAIRS.codes, PAIRS.counts)


def test_an_empty_table() -> None:
    empty = replace(PAIRS, codes=[], counts=[], prices=())
    claims = {"cost": Fraction(0), "status": Status.OPTIMAL, "classes": 0}
    assert verify(empty.certificate(**claims), [], []) == 0
    assert verify(empty.certificate(**claims, prices=None), [], []) == 0


def test_a_bound_from_a_search_may_be_above_what_the_prices_prove() -> None:
    certificate = PAIRS.certificate(lower_bound=Fraction(5), bound_method="integer programming")
    assert verify(certificate, PAIRS.codes, PAIRS.counts) == 4


@pytest.mark.parametrize(
    ("field", "claims"),
    [
        ("requirements", {"requirements": ("k >= 3",)}),
        ("rows", {"rows": 5}),
        ("row_types", {"row_types": 3}),
        ("cells", {"cells": 7}),
        ("suppressed_cells", {"suppressed_cells": 9}),
        ("cost", {"cost": Fraction(1, 3)}),
        ("cost", {"cost": Fraction(3)}),
        ("smallest_class", {"smallest_class": 1}),
        ("smallest_class_people", {"smallest_class_people": 2}),
        ("lower_bound", {"cost": Fraction(4), "lower_bound": Fraction(5)}),
        ("lower_bound", {"lower_bound": Fraction(5)}),
        ("status", {"status": Status.OPTIMAL}),
        ("status", {"cost": Fraction(4), "lower_bound": Fraction(4)}),
        ("unit", {"unit": 2}),
        ("scale", {"scale": 0}),
        ("prices", {"prices": (1, 1, 1)}),
    ],
)
def test_a_false_claim_is_named(field: str, claims: dict[str, Any]) -> None:
    with pytest.raises(CertificateError) as caught:
        verify(PAIRS.certificate(**claims), PAIRS.codes, PAIRS.counts)
    assert caught.value.field == field


def test_row_types_of_another_width_are_refused() -> None:
    with pytest.raises(CertificateError, match='"policy": it creates 2 coded columns'):
        verify(PAIRS.certificate(), [(*code, 0) for code in PAIRS.codes], PAIRS.counts)


def test_it_is_plain_python_and_public() -> None:
    assert verification.verify is verify
    assert "verify" in verification.__all__
    source = Path(sys.modules[verify.__module__].__file__ or "").read_text()
    libraries = Counter(line.split()[1].split(".")[0] for line in source.splitlines() if line.startswith(("import ", "from ")))
    assert not {"numpy", "pyarrow", "ortools", "duckdb"} & set(libraries)
