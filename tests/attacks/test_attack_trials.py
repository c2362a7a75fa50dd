"""The statistics of the lab, by independent means: by hand, by enumeration, by the binomial formula."""

from __future__ import annotations

from itertools import product
from math import comb, prod
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks import __main__ as benchmarks
from benchmarks import attacks
from benchmarks.attacks.trials import ALPHA, Trial, computed, judged, sampled, upper_tail


@pytest.mark.parametrize(("trials", "hits"), [(1, 0), (1, 1), (12, 5), (40, 20)])
def test_equal_chances_are_a_binomial_test(trials: int, hits: int) -> None:
    expected = sum(comb(trials, each) * 3 ** (trials - each) for each in range(hits, trials + 1)) / 4**trials
    assert upper_tail([1 / 4] * trials, hits) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("hits", range(6))
def test_unequal_chances_are_counted_one_by_one(hits: int) -> None:
    chances = [0.0, 0.1, 0.5, 0.9, 1.0]
    expected = sum(
        prod(chance if hit else 1 - chance for chance, hit in zip(chances, each, strict=True))
        for each in product((False, True), repeat=5)
        if sum(each) >= hits
    )
    assert upper_tail(chances, hits) == pytest.approx(expected, abs=1e-12)


def guesses(hits: int, of: int = 40) -> list[Trial]:
    return [Trial(hit=place < hits, chance=0.25) for place in range(of)]


def test_an_attacker_at_chance_passes_and_one_above_fails() -> None:
    records = judged([sampled("a", "chance", "chance", guesses(11)), sampled("a", "wins", "chance", guesses(30))])
    assert [record["ok"] for record in records] == [True, False]
    assert records[0]["threshold"] == ALPHA / 2


def test_a_control_that_finds_nothing_fails() -> None:
    records = judged([sampled("a", "blind", "success", guesses(11)), sampled("a", "sees", "success", guesses(30))])
    assert [record["ok"] for record in records] == [False, True]


def test_a_bound_holds_without_exception_and_what_is_open_never_fails() -> None:
    def record(expected: Any, rate: float) -> dict[str, Any]:
        return computed("a", "v", expected, trials=10, rate=rate, guessing=0.1, bound=0.2)

    records = judged([record("bound", 0.2), record("bound", 0.21), record("open", 1.0)])
    assert [each["ok"] for each in records] == [True, False, True]


@pytest.mark.parametrize(("hits", "code"), [(11, 0), (30, 1)])
def test_the_command_ends_with_1_when_something_gets_past(hits: int, code: int, monkeypatch: Any, tmp_path: Any) -> None:
    name = attacks.ATTACKS[0].NAME
    monkeypatch.setattr(attacks, "measure", lambda *_: iter([sampled(name, "v", "chance", guesses(hits))]))
    done = CliRunner().invoke(benchmarks.main, ["--only", "attacks", "--json", str(tmp_path / "figures.json")])
    assert done.exit_code == code
    assert ("must be at chance" in done.output.rpartition("records")[2]) == bool(code)
