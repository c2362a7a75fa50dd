"""Split zip codes where people are counted, or where a disease is guarded.

Which people are suppressed follows the secret; rows of which disease is the choice of the solver, and follows none.

Twelve people live in zip code A and one in B; k = 4 suppresses B's zip code and those of three people of A.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.attacks.people import DISEASES
from benchmarks.attacks.trials import Trial, sampled
from benchmarks.attacks.victim import Rows, Victim
from kanon_sql.errors import KanonError

NAME = "split choices"
KNOWS = "the release, the algorithm, who lives in A and B, and the patient numbers, which grow with a released day"
TRIES = "guesses the latest or earliest suppressed day; runs the program, with another secret, on every table that is possible"
NULL = "each of the suppressed rows is equally likely to be B's"
SAYS = "PER: a reader finds B's row with probability 1/4; l, t and alpha: nothing about why a row is in its class"
ADVICE = "keep the secret; a larger k where people have different numbers of rows, a stricter guarantee for a sensitive column"

SIZE, K = 13, 4

Guess = Callable[[list[int]], int]
"""From the suppressed days, that of B's row."""

GUESSES: dict[str, Guess] = {"latest": max, "earliest": min}
GUARANTEES = ("l(disease) >= 2", "t(disease) <= 0.6", "alpha(disease, 'HIV') <= 1/2")


def table(chance: random.Random, numbers: int = 2**40) -> dict[str, list[Any]]:
    """Return thirteen people, shuffled, with patient numbers below ``numbers`` that grow with the day of admission."""
    days, patients = sorted(chance.sample(range(10**6), SIZE)), sorted(chance.sample(range(numbers), SIZE))
    of_b = chance.randrange(SIZE)
    rows = [("B" if place == of_b else "A", days[place], patients[place]) for place in range(SIZE)]
    chance.shuffle(rows)
    return _columns(rows)


def _columns(rows: Rows) -> dict[str, list[Any]]:
    return {name: [row[place] for row in rows] for place, name in enumerate(("zip", "day", "patient"))}


def people_released(victim: Victim, columns: dict[str, list[Any]]) -> Rows:
    """Return the release of the product."""
    return victim.clause(columns, f"ANONYMIZE BY zip GUARANTEE k >= {K} PER patient")


def simulated(columns: dict[str, list[Any]]) -> Rows:
    """Return the release of a program that suppresses the people of A with the lowest numbers."""
    rows = list(zip(*columns.values(), strict=True))
    lowest = sorted(patient for zipcode, _, patient in rows if zipcode == "A")[: K - 1]
    return [(None if zipcode == "B" or patient in lowest else "A", day) for zipcode, day, patient in rows]


def _day_of_b(columns: dict[str, list[Any]]) -> int:
    return int(columns["day"][columns["zip"].index("B")])


def by_day(rows: Rows, columns: dict[str, list[Any]], guess: Guess) -> Trial:
    """Guess the latest or the earliest suppressed day."""
    hidden = [day for zipcode, day in rows if zipcode is None]
    return Trial(hit=guess(hidden) == _day_of_b(columns), chance=1 / len(hidden))


def by_people(rows: Rows, columns: dict[str, list[Any]], attacker: Victim) -> Trial:
    """Run the program on each of the possible sources; guess one that gives the release that was seen."""
    patients = dict(zip(columns["day"], columns["patient"], strict=True))
    hidden = [day for zipcode, day in rows if zipcode is None]
    fits = []
    for own in hidden:
        source = _columns([(("B" if day == own else "A"), day, patients[day]) for _, day in rows])
        if Counter(people_released(attacker, source)) == Counter(rows):
            fits.append(own)
    return Trial(hit=(fits or hidden)[0] == _day_of_b(columns), chance=1 / len(hidden))


def by_visits(victim: Victim, chance: random.Random) -> Trial:
    """Guess the suppressed person with most rows: the cheapest release takes the people of A with fewest."""
    rows = [row for row in zip(*table(chance).values(), strict=True) for _ in range(chance.randint(1, 3))]
    columns = _columns(rows)
    hidden = Counter(day for zipcode, day in people_released(victim, columns) if zipcode is None)
    return Trial(hit=max(hidden, key=lambda day: (hidden[day], day)) == _day_of_b(columns), chance=1 / len(hidden))


def learned(victim: Victim, tables: int, chance: random.Random) -> Iterator[Trial]:
    """Number the people of every table from 0 to 12; guess the suppressed number that was suppressed least often before."""
    often: Counter[int] = Counter()
    for _ in range(tables):
        columns = table(chance, SIZE)
        patients = dict(zip(columns["day"], columns["patient"], strict=True))
        hidden = [day for zipcode, day in people_released(victim, columns) if zipcode is None]
        guess = min(hidden, key=lambda day: (often[patients[day]], day))
        often.update(patients[day] for day in hidden)
        yield Trial(hit=guess == _day_of_b(columns), chance=1 / len(hidden))


def by_rerun(victim: Victim, attacker: Victim, guarantee: str, chance: random.Random) -> Trial | None:
    """Return the guess of the disease of B's row; None where the guarantee cannot be kept."""
    clause = f"ANONYMIZE BY zip GUARANTEE k >= {K} AND {guarantee}"
    rows = [("B" if place == 0 else "A", chance.choice(DISEASES)) for place in range(SIZE)]
    truth = rows[0][1]
    chance.shuffle(rows)
    released = _release(victim, rows, clause)
    if released is None:
        return None
    hidden = Counter(disease for zipcode, disease in released.elements() if zipcode is None)
    shown = [disease for zipcode, disease in released.elements() if zipcode is not None]
    fits = [own for own in hidden if _release(attacker, _possible(shown, hidden, own), clause) == released]
    guess = max(fits or list(hidden), key=lambda disease: (hidden[disease], disease))
    best = max(hidden.values()) / hidden.total()
    return Trial(hit=guess == truth, chance=hidden[guess] / hidden.total(), best=best)


def _possible(shown: list[str], hidden: Counter[str], own: str) -> list[tuple[str, str]]:
    """Return the source in which B's row has this disease."""
    return [("B", own), *(("A", disease) for disease in (*shown, *(hidden - Counter([own])).elements()))]


def _release(victim: Victim, rows: list[tuple[str, str]], clause: str) -> Counter[Any] | None:
    try:
        return Counter(victim.clause({"zip": [row[0] for row in rows], "disease": [row[1] for row in rows]}, clause))
    except KanonError:
        return None


def run(tables: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the records of the attack."""
    chance = random.Random(seed)
    with Victim() as victim, Victim("attacker") as attacker:
        yield from _of_people(victim, attacker, max(tables // 2, 1), chance)
        for guarantee in GUARANTEES:
            trials = (by_rerun(victim, attacker, guarantee, chance) for _ in range(max(tables // 10, 1)))
            yield sampled(NAME, f"run the program, {guarantee}", "open", (trial for trial in trials if trial is not None))


def _of_people(victim: Victim, attacker: Victim, tables: int, chance: random.Random) -> Iterator[dict[str, Any]]:
    sources = [table(chance) for _ in range(tables)]
    pairs = [(people_released(victim, source), source) for source in sources]
    for name, guess in GUESSES.items():
        yield sampled(NAME, f"PER patient: {name} suppressed day", "chance", (by_day(*pair, guess) for pair in pairs))
    note = "positive control: a simulated program that suppresses the lowest numbers"
    trials = (by_day(simulated(source), source, max) for source in sources)
    yield sampled(NAME, "PER patient: latest suppressed day, simulated", "success", trials, note)
    reruns = pairs[: max(tables // 5, 1)]
    trials = (by_people(*pair, attacker) for pair in reruns)
    yield sampled(NAME, "PER patient: run the program, another secret", "chance", trials)
    note = "positive control: the secret is all that protects"
    trials = (by_people(*pair, victim) for pair in reruns)
    yield sampled(NAME, "PER patient: run the program, the victim's secret", "success", trials, note)
    note = "every table numbers its people from 0 to 12, under one secret"
    series = max(tables // 5, 1)
    yield sampled(NAME, "PER patient: numbers learned from earlier tables", "open", learned(victim, series, chance), note)
    note = "least suppression takes people with few rows, whatever the secret"
    trials = (by_visits(victim, chance) for _ in range(series))
    yield sampled(NAME, "PER patient of 1 to 3 rows: most suppressed rows", "open", trials, note)
