"""Split zip codes where people are counted, or where a disease is guarded: the choice must not follow known numbers or values.

Twelve people live in zip code A and one in B; k = 4 suppresses B's zip code and those of three people of A.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

from benchmarks.attacks.people import DISEASES
from benchmarks.attacks.trials import Trial, sampled
from benchmarks.attacks.victim import Victim
from kanon_sql.errors import KanonError

NAME = "split choices"
KNOWS = (
    "the release, the algorithm, who lives in A and B; that patient numbers grow with the day of admission, which is released"
)
TRIES = "guesses the latest or earliest suppressed day; runs the program, with another secret, on every table that is possible"
NULL = "each of the suppressed rows is equally likely to be B's"
SAYS = "PER: a reader finds B's row with probability 1/4; l, t and alpha: nothing about why a row is in its class"
ADVICE = "number people at random; promise more of a sensitive column than you need"

SIZE, K = 13, 4
GUARANTEES = ("l(disease) >= 2", "t(disease) <= 0.6", "alpha(disease, 'HIV') <= 1/2")


def by_day(victim: Victim, chance: random.Random) -> list[Trial]:
    """Return the guesses of the latest and the earliest suppressed day, people counted by numbers that grow with it."""
    days, of_b = sorted(chance.sample(range(10**6), SIZE)), chance.randrange(SIZE)
    rows = [("B" if number == of_b else "A", days[number], number) for number in range(SIZE)]
    chance.shuffle(rows)
    columns = {name: [row[place] for row in rows] for place, name in enumerate(("zip", "day", "patient"))}
    released = victim.clause(columns, f"ANONYMIZE BY zip GUARANTEE k >= {K} PER patient")
    hidden = [row[1] for row in released if row[0] is None]
    return [Trial(hit=guess == days[of_b], chance=1 / len(hidden)) for guess in (max(hidden), min(hidden))]


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
        guesses = [by_day(victim, chance) for _ in range(max(tables // 5, 1))]
        yield sampled(NAME, "PER patient: latest suppressed day", "chance", (latest for latest, _ in guesses))
        yield sampled(NAME, "PER patient: earliest suppressed day", "chance", (earliest for _, earliest in guesses))
        for guarantee in GUARANTEES:
            trials = (by_rerun(victim, attacker, guarantee, chance) for _ in range(max(tables // 20, 1)))
            yield sampled(NAME, f"run the program, {guarantee}", "open", (trial for trial in trials if trial is not None))
