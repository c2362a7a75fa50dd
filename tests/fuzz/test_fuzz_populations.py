"""The fuzz of populations finds releases that guarantee less than they were asked for."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from fuzz.guarantee import Guarantee
from fuzz.population_rules import cheapest_rows, matches_of, present
from fuzz.populations import Asked, Populations
from fuzz.table import Look, Table

NAMES = ("zip", "age")
GUARANTEE = Guarantee(qi=NAMES, k=1)
POPULATION: list[tuple[Look, ...]] = [("a", "30"), ("a", "31"), ("b", "30"), ("b", None)]


def table(*rows: tuple[Look, ...]) -> Table:
    return Table(NAMES, ("VARCHAR", "VARCHAR"), list(rows), list(rows))


def test_what_is_suppressed_matches_everything_and_what_is_shown_only_itself() -> None:
    shown = table(("a", None), (None, "30"), (None, None), ("b", "31"))
    counted = matches_of(shown, shown, GUARANTEE, POPULATION)
    assert [sum(each) for each in counted.values()] == [2, 2, 4, 0]


def test_shares_of_classes_that_overlap_are_added_up() -> None:
    shown = table(("a", None), (None, "30"))
    counted = matches_of(shown, shown, GUARANTEE, POPULATION)
    assert present(shown, GUARANTEE, counted, Fraction(1)) == []
    assert present(shown, GUARANTEE, counted, Fraction(3, 4)) == ["somebody is present by 1, more than 3/4"]
    crowded = table(*[("a", None)] * 3)
    assert present(crowded, GUARANTEE, counted, Fraction(1)) == ["a class has more rows than match it in the population"]


def test_each_row_loses_what_its_cheapest_mask_hides() -> None:
    source = table(("a", "30"), ("b", None))
    assert [cheapest_rows(source, GUARANTEE, POPULATION, k) for k in (1, 2, 3)] == [0, 2, 4]
    assert cheapest_rows(source, replace(GUARANTEE, weights={"age": Fraction(3)}), POPULATION, 2) == 4


@pytest.mark.everything
@pytest.mark.parametrize("seed", ["populations:lax:7", "populations:lax:19"])
def test_a_release_that_guarantees_less_is_found(seed: str) -> None:
    class Lax(Populations):
        def _released(self, asked: Asked):
            return super()._released(replace(asked, k_map=asked.k_map and 1, presence=asked.presence and Fraction(1)))

    lax = Lax()
    try:
        assert lax.judge(seed).found
    finally:
        lax.close()
