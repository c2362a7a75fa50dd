"""Readers who know the program cannot tell which suppressed people are whose; by the numbers of the people they could."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from benchmarks.attacks import split_choices
from benchmarks.attacks.trials import Trial, upper_tail
from benchmarks.attacks.victim import Rows, Victim

TABLES, RERUNS = 50, 25
THRESHOLD = 1e-4

pytestmark = pytest.mark.everything

Pairs = list[tuple[Rows, dict[str, list[object]]]]


@pytest.fixture(scope="module")
def victim() -> Iterator[Victim]:
    with Victim() as victim:
        yield victim


@pytest.fixture(scope="module")
def pairs(victim: Victim) -> Pairs:
    chance = random.Random(40)
    sources = [split_choices.table(chance) for _ in range(TABLES)]
    return [(split_choices.people_released(victim, source), source) for source in sources]


def p_value(trials: list[Trial]) -> float:
    return upper_tail([trial.chance for trial in trials], sum(trial.hit for trial in trials))


@pytest.mark.parametrize("name", split_choices.GUESSES)
def test_the_numbers_of_people_do_not_tell_which_of_them_are_suppressed(name: str, pairs: Pairs) -> None:
    guess = split_choices.GUESSES[name]
    assert p_value([split_choices.by_day(*pair, guess) for pair in pairs]) >= THRESHOLD


def test_people_suppressed_in_the_order_of_their_numbers_are_found(pairs: Pairs) -> None:
    releases = [(split_choices.simulated(source), source) for _, source in pairs]
    assert p_value([split_choices.by_day(*pair, max) for pair in releases]) < THRESHOLD


def test_the_earliest_day_is_ruled_out_only_where_people_are_suppressed_in_the_order_of_their_numbers(pairs: Pairs) -> None:
    # The guess that is never right tells as much as the one that always is: whoever rules it out is right in 1/3.
    def missed(rows: Rows, columns: dict[str, list[object]]) -> Trial:
        trial = split_choices.by_day(rows, columns, min)
        return Trial(hit=not trial.hit, chance=1 - trial.chance)

    assert p_value([missed(*pair) for pair in pairs]) >= THRESHOLD
    assert p_value([missed(split_choices.simulated(source), source) for _, source in pairs]) < THRESHOLD


# Under the secret a reader is certain where B's number lies behind those of the suppressed people of A: in 9 of 13 tables.
def test_running_the_program_finds_the_person_under_the_secret_alone(victim: Victim, pairs: Pairs) -> None:
    with Victim("attacker") as attacker:
        assert p_value([split_choices.by_people(*pair, attacker) for pair in pairs[:RERUNS]]) >= THRESHOLD
    assert p_value([split_choices.by_people(*pair, victim) for pair in pairs[:RERUNS]]) < THRESHOLD
