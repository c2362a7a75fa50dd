"""The order of the released rows tells nothing of what is suppressed; the order of the source would."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from benchmarks.attacks import row_order
from benchmarks.attacks.trials import Trial, upper_tail
from benchmarks.attacks.victim import Rows, Victim

pytestmark = pytest.mark.everything

TABLES = 50
THRESHOLD = 1e-4

Pairs = list[tuple[Rows, dict[str, list[int]]]]


@pytest.fixture(scope="module")
def victim() -> Iterator[Victim]:
    with Victim() as victim:
        yield victim


@pytest.fixture(scope="module")
def sources() -> list[dict[str, list[int]]]:
    chance = random.Random(30)
    return [row_order.table(chance) for _ in range(TABLES)]


@pytest.fixture(scope="module")
def pairs(victim: Victim, sources: list[dict[str, list[int]]]) -> Pairs:
    return [(row_order.surfaces(victim)["function"](source), source) for source in sources]


def p_value(trials: list[Trial]) -> float:
    return upper_tail([trial.chance for trial in trials], sum(trial.hit for trial in trials))


def guesses(pairs: Pairs, name: str) -> list[Trial]:
    chance = random.Random(31)
    return [row_order.guessed(*pair, row_order.ATTACKERS[name], chance) for pair in pairs if row_order.hides(pair[0])]


@pytest.mark.parametrize("name", row_order.ATTACKERS)
def test_no_neighbour_and_no_rank_tells_a_suppressed_cell(name: str, pairs: Pairs) -> None:
    assert p_value(guesses(pairs, name)) >= THRESHOLD


@pytest.mark.parametrize("surface", ["clause", "Python"])
def test_no_rank_tells_a_suppressed_cell_elsewhere(surface: str, victim: Victim, sources: list[dict[str, list[int]]]) -> None:
    release = row_order.surfaces(victim)[surface]
    assert (
        p_value(guesses([(release(source), source) for source in sources[:25]], "rank among the suppressed rows")) >= THRESHOLD
    )


def test_rows_that_are_nothing_but_quasi_identifiers_are_not_in_the_order_of_hidden_values(victim: Victim) -> None:
    chance = random.Random(32)
    tables = [row_order.every_column(chance) for _ in range(40)]
    trials = [row_order.counted(victim.function(source, "4"), below) for source, below in tables]
    assert p_value(trials) >= THRESHOLD


@pytest.mark.parametrize("name", list(row_order.ATTACKERS)[:3])
def test_the_order_of_the_source_tells(name: str, pairs: Pairs) -> None:
    assert p_value(guesses([(row_order.in_source_order(*pair), pair[1]) for pair in pairs], name)) < THRESHOLD


@pytest.mark.parametrize("name", row_order.ATTACKERS)
def test_the_order_of_released_cells_does_not(name: str, pairs: Pairs) -> None:
    def cells(row: tuple[int | None, ...]) -> tuple[tuple[bool, int], ...]:
        return tuple((cell is None, cell or 0) for cell in row)

    assert p_value(guesses([(sorted(rows, key=cells), source) for rows, source in pairs], name)) >= THRESHOLD


def test_the_order_of_the_source_on_request_tells(victim: Victim, sources: list[dict[str, list[int]]]) -> None:
    call = f"{row_order.K}, qi := ['zip', 'age']"
    releases = [(victim.function(source, call, source_order=True), source) for source in sources]
    assert p_value(guesses(releases, "rank among the suppressed rows")) < THRESHOLD
