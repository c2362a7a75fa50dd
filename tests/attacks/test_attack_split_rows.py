"""Readers who know the program cannot tell which suppressed rows are whose; without a secret they can."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from benchmarks.attacks import split_rows
from benchmarks.attacks.trials import Trial, upper_tail
from benchmarks.attacks.victim import Victim

TABLES, RERUNS = 50, 20
THRESHOLD = 1e-4


pytestmark = pytest.mark.everything


@pytest.fixture(scope="module")
def victim() -> Iterator[Victim]:
    with Victim() as victim:
        yield victim


@pytest.fixture(scope="module")
def sources() -> list[dict[str, list[object]]]:
    chance = random.Random(20)
    return [split_rows.table(chance, 2**40) for _ in range(TABLES)]


@pytest.fixture(scope="module")
def pairs(victim: Victim, sources: list[dict[str, list[object]]]) -> list[tuple[object, object]]:
    return [(split_rows.released(victim, source), source) for source in sources]


def p_value(trials: list[Trial]) -> float:
    return upper_tail([trial.chance for trial in trials], sum(trial.hit for trial in trials))


@pytest.mark.parametrize("name", split_rows.RULES)
def test_no_public_rule_finds_the_row(name: str, pairs: list[tuple[object, object]]) -> None:
    assert p_value([split_rows.by_rule(*pair, split_rows.RULES[name]) for pair in pairs]) >= THRESHOLD


@pytest.mark.parametrize("place", [0, -1])
def test_no_position_finds_the_row(place: int, pairs: list[tuple[object, object]]) -> None:
    assert p_value([split_rows.by_position(*pair, place) for pair in pairs]) >= THRESHOLD


def test_running_the_program_does_not_find_the_row(pairs: list[tuple[object, object]]) -> None:
    with Victim("attacker") as attacker:
        assert p_value([split_rows.by_rerun(*pair, attacker) for pair in pairs[:RERUNS]]) >= THRESHOLD


def test_running_the_program_under_the_secret_finds_the_row(victim: Victim, pairs: list[tuple[object, object]]) -> None:
    assert p_value([split_rows.by_rerun(*pair, victim) for pair in pairs[:RERUNS]]) < THRESHOLD


@pytest.fixture(scope="module")
def few() -> list[dict[str, list[object]]]:
    chance = random.Random(21)
    return [split_rows.table(chance, 5) for _ in range(TABLES)]


def test_equal_values_do_not_go_together(victim: Victim, few: list[dict[str, list[object]]]) -> None:
    # An order of values, keyed or not, suppresses all rows of a value before the next: that alone gives rows away.
    assert p_value([split_rows.by_ties(split_rows.released(victim, source), source) for source in few]) >= THRESHOLD


@pytest.mark.parametrize("name", split_rows.RULES)
def test_a_rule_that_is_public_is_found(name: str, sources: list[dict[str, list[object]]]) -> None:
    rule = split_rows.RULES[name]
    assert p_value([split_rows.by_rule(split_rows.simulated(each, rule), each, rule) for each in sources]) < THRESHOLD


def test_a_keyed_order_of_values_is_found_by_its_ties(few: list[dict[str, list[object]]]) -> None:
    rule = split_rows.keyed(b"secret")
    assert p_value([split_rows.by_ties(split_rows.simulated(each, rule), each) for each in few]) < THRESHOLD


def test_a_keyed_order_of_different_values_is_not_found(sources: list[dict[str, list[object]]]) -> None:
    releases = [(split_rows.simulated(each, split_rows.keyed(b"secret")), each) for each in sources]
    for rule in split_rows.RULES.values():
        assert p_value([split_rows.by_rule(*pair, rule) for pair in releases]) >= THRESHOLD


def test_two_secrets_for_the_same_people_give_the_row_away_and_one_does_not(sources: list[dict[str, list[object]]]) -> None:
    # Both times B's row and 3 rows of 12 are suppressed: with two secrets, B's is the only one in both in 84 of 220 cases.
    alone = dict.fromkeys((b"one", b"two"), 0)
    for source in sources:
        for again in alone:
            both = [{d for z, d in split_rows.simulated(source, split_rows.keyed(key)) if z is None} for key in (b"one", again)]
            alone[again] += both[0] & both[1] == {split_rows.value_of_b(source)}
    assert alone[b"one"] == 0
    assert alone[b"two"] > TABLES / 5
