"""More freedom never costs more, on random tables of 50 to 2,000 rows, and the fuzz finds it if it does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest

import kanon_sql
from fuzz.freedom import CELLS, SHARE, Asked, Freedom, drawn
from fuzz.trials import Verdict

TABLES, TOGETHER = 2_000, 10
"""Tables in all, and in a test."""

QUICK = (2, 3, 6, 9, 11, 12)
"""Tables of at most 100 rows that take about a second: people, a population, t-closeness, and a time limit."""


@pytest.fixture
def surface() -> Iterator[Freedom]:
    found = Freedom()
    yield found
    found.close()


@pytest.mark.everything
@pytest.mark.parametrize("first", range(0, TABLES, TOGETHER))
def test_more_freedom_never_costs_more(surface: Freedom, first: int) -> None:
    seeds = range(first, first + TOGETHER)
    assert {seed: each for seed in seeds if (each := surface.judge(f"freedom:{seed}").found)} == {}


@pytest.mark.everything
@pytest.mark.parametrize("seed", QUICK)
def test_more_freedom_never_costs_more_in_small_tables(surface: Freedom, seed: int) -> None:
    verdict = surface.judged(drawn(f"freedom:small:{seed}", most=100))
    assert (verdict.found, verdict.released) == ([], True)


@pytest.mark.everything
def test_people_are_counted_as_rows_move(surface: Freedom) -> None:
    """Classes of too few people take single rows of others; when whole classes were merged, it was 44 cells."""
    asked = drawn("freedom:65")
    surface._store(asked)
    verdict = Verdict()
    assert surface._cost(asked, "k >= 10 PER person", "suppression", verdict) == 30
    assert verdict.found == []
    assert kanon_sql.releases(surface.con)[-1].lower_bound == 30


@pytest.mark.everything
def test_exact_solvers_are_asked_next_to_a_population(surface: Freedom) -> None:
    """When only a search was asked, the release for fewer guarantees cost 143.6 cells, and the other one 128.6."""
    assert surface.judge("freedom:367").found == []


@pytest.mark.everything
def test_prices_of_small_tables_know_every_instance(surface: Freedom) -> None:
    """When those much dearer than a row's cheapest were not listed, k alone cost 43.019 cells, and more than with PER."""
    asked = drawn("freedom:1848")
    surface._store(asked)
    verdict = Verdict()
    assert surface._cost(asked, "k >= 3", "levels", verdict) == Fraction(35452, 1000)
    assert verdict.found == []


@pytest.mark.everything
def test_sets_of_people_are_searched_as_those_of_rows(surface: Freedom) -> None:
    """When classes of too few people were merged, the first cost 124.2 cells, and the second, which asks for more, 99.4."""
    asked = drawn("freedom:800")
    surface._store(asked)
    verdict = Verdict()
    guarantees = "k >= 10 PER person", "k >= 10 PER person AND l(s) >= 1"
    assert max(surface._cost(asked, guarantee, "SETS", verdict) for guarantee in guarantees) < 80
    assert verdict.found == []


@pytest.mark.everything
def test_both_sets_of_prices_lead_a_search_of_a_small_table(surface: Freedom) -> None:
    """When only one did, this cost 332.6 cells, and the stronger guarantee for people 275.4."""
    asked = drawn("freedom:1902")
    surface._store(asked)
    verdict = Verdict()
    assert surface._cost(asked, "k >= 3 AND l(s) >= 2.2", "levels", verdict) < 300
    assert verdict.found == []


class Costs(Freedom):
    """Releases that cost what they are told to, by recoding and guarantee; the others cost 100."""

    def __init__(self, **told: Fraction) -> None:
        super().__init__()
        self.told = told

    def _cost(self, asked: Asked, guarantee: str, recoding: str, verdict: Verdict) -> Fraction:
        return self.told.get(recoding if guarantee == asked.guarantee else "weaker", Fraction(100))


ASKED = Asked(rows=((0, 0, 0),) * 4, sizes=(5,), guarantees=("k >= 2", "l(s) >= 1"), limit=None)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("told", "findings"),
    [
        ({}, []),
        ({"levels": Fraction(101)}, ["101 with levels, 100 by suppression"]),
        ({"SETS": Fraction(201, 2)}, ["100.5 with SETS, 100 by suppression"]),
        ({"weaker": 100 * (1 + SHARE) + CELLS}, []),
        ({"suppression": Fraction(88), "levels": Fraction(88), "SETS": Fraction(88)}, ["suppression: 100 for k >= 2, 88"]),
    ],
)
def test_a_release_that_costs_more_than_it_may_is_found(told: dict[str, Fraction], findings: list[str]) -> None:
    found = Costs(**told).judged(ASKED).found
    assert all(any(part in each for each in found) for part in findings)
    assert bool(found) == bool(findings)


@pytest.mark.everything
def test_a_release_after_the_time_limit_is_found(surface: Freedom, monkeypatch) -> None:
    monkeypatch.setattr("fuzz.freedom.ALLOWED", -2.0)
    found = surface.judged(replace(ASKED, limit=1.0)).found
    assert len(found) == 6
    assert all("with a time limit of 1.0 s" in each for each in found)


@pytest.mark.everything
def test_row_types_are_split_for_sensitive_sets(surface: Freedom) -> None:
    """45 row types of 1,578 rows: when none was split, it was 726.75 cells, and 397.5 with people, who split them."""
    asked = drawn("freedom:1011")
    surface._store(asked)
    assert surface._cost(asked, "k >= 2 AND t(s) <= 0.2", "SETS", Verdict()) < 450
