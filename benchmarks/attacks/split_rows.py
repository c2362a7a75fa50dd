"""Split row types: which rows of one zip code are suppressed must not tell whose the other suppressed rows are.

Twelve rows of zip code A and one of B; k = 4 suppresses B's zip code and those of three rows of A. The column ``d`` is
released unchanged. Whoever can compute which rows of A are suppressed finds B's row among the four.
"""

from __future__ import annotations

import hashlib
import hmac
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.attacks.trials import Trial, sampled
from benchmarks.attacks.victim import Rows, Victim

NAME = "split rows"
KNOWS = "the release, the algorithm and its code, how many people live in each zip code; not the secret"
TRIES = "computes which rows of A the program would suppress; the suppressed row that is left is B's"
NULL = "each of the four suppressed rows is equally likely to be B's, whatever the released columns say"
SAYS = "k = 4: a reader finds B's row with probability 1/4"
ADVICE = "keep the secret out of reach of the readers, and use the same one for every release of the same people"

ROWS_OF_A, K = 12, 4

Rule = Callable[[int], Any]
"""A public order of the rows of A: those with the lowest keys are suppressed."""


def _digest(kind: str) -> Rule:
    return lambda d: hashlib.new(kind, str(d).encode()).digest()


RULES: dict[str, Rule] = {
    "d, lowest first": lambda d: d,
    "d, highest first": lambda d: -d,
    "md5(d)": _digest("md5"),
    "sha256(d)": _digest("sha256"),
}


def table(chance: random.Random, values: int) -> dict[str, list[Any]]:
    """Return the thirteen rows, shuffled, with ``d`` drawn from so many values."""
    rows = [("A", chance.randrange(values)) for _ in range(ROWS_OF_A)] + [("B", chance.randrange(values))]
    chance.shuffle(rows)
    return {"zip": [row[0] for row in rows], "d": [row[1] for row in rows]}


def released(victim: Victim, columns: dict[str, list[Any]], k: int = K) -> Rows:
    """Return the release of the product."""
    return victim.function(columns, f"{k}, qi := ['zip']")


def simulated(columns: dict[str, list[Any]], rule: Rule) -> Rows:
    """Return the release of a program that suppresses the rows of A with the lowest keys."""
    rows = list(zip(columns["zip"], columns["d"], strict=True))
    of_a = sorted((place for place, row in enumerate(rows) if row[0] == "A"), key=lambda place: rule(rows[place][1]))
    return [(None if place in of_a[: K - 1] or row[0] == "B" else "A", row[1]) for place, row in enumerate(rows)]


def keyed(secret: bytes) -> Rule:
    """Return the order that a keyed hash gives."""
    return lambda d: hmac.digest(secret, str(d).encode(), "sha256")


def _sides(rows: Rows) -> tuple[list[int], list[int]]:
    return [d for zipcode, d in rows if zipcode is None], [d for zipcode, d in rows if zipcode is not None]


def value_of_b(columns: dict[str, list[Any]]) -> int:
    """Return what the attacker is after."""
    return int(columns["d"][columns["zip"].index("B")])


def by_rule(rows: Rows, columns: dict[str, list[Any]], rule: Rule) -> Trial:
    """Guess the suppressed row that the rule would have suppressed last."""
    hidden, _ = _sides(rows)
    return Trial(hit=max(hidden, key=rule) == value_of_b(columns), chance=1 / K)


def by_ties(rows: Rows, columns: dict[str, list[Any]]) -> Trial:
    """Guess without knowing the order: in any order of *values*, at most one value of A is suppressed in part.

    So a suppressed row is B's if without it fewer values are both suppressed and shown. This needs no secret; an order of
    rows, not of values, defeats it.
    """
    hidden, shown = _sides(rows)
    partial = {value: len(set(_without(hidden, value)) & set(shown)) for value in hidden}
    counts = Counter(hidden)
    fewest = min(partial.values())
    guess = max((value for value in counts if partial[value] == fewest), key=lambda value: (counts[value], value))
    return Trial(hit=guess == value_of_b(columns), chance=counts[guess] / K, best=max(counts.values()) / K)


def _without(values: list[int], one: int) -> list[int]:
    rest = list(values)
    rest.remove(one)
    return rest


def by_rerun(rows: Rows, columns: dict[str, list[Any]], attacker: Victim) -> Trial:
    """Run the program on each of the four possible sources; guess one that gives the release that was seen."""
    hidden, shown = _sides(rows)
    seen = Counter(rows)
    fits = []
    for place in range(K):
        zips = ["A"] * len(shown) + ["B" if place == each else "A" for each in range(K)]
        if Counter(released(attacker, {"zip": zips, "d": shown + hidden})) == seen:
            fits.append(place)
    return Trial(hit=hidden[(fits or [0])[0]] == value_of_b(columns), chance=1 / K)


def by_position(rows: Rows, columns: dict[str, list[Any]], place: int) -> Trial:
    """Guess the first or the last suppressed row of the release."""
    return Trial(hit=_sides(rows)[0][place] == value_of_b(columns), chance=1 / K)


def run(tables: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the records of the attack."""
    chance = random.Random(seed)
    with Victim() as victim, Victim("attacker") as attacker:
        sources = [table(chance, 2**40) for _ in range(tables)]
        releases = [released(victim, source) for source in sources]
        pairs = list(zip(releases, sources, strict=True))
        for name, rule in RULES.items():
            yield sampled(NAME, f"rule: {name}", "chance", (by_rule(*pair, rule) for pair in pairs))
        for name, place in (("first", 0), ("last", -1)):
            yield sampled(NAME, f"the {name} suppressed row", "chance", (by_position(*pair, place) for pair in pairs))
        reruns = pairs[: max(tables // 5, 1)]
        yield sampled(NAME, "run the program, another secret", "chance", (by_rerun(*pair, attacker) for pair in reruns))
        controls = reruns[:50]
        note = "positive control: the secret is all that protects"
        yield sampled(NAME, "run the program, the victim's secret", "success", (by_rerun(*p, victim) for p in controls), note)
        few = [table(chance, 5) for _ in range(tables)]
        yield sampled(NAME, "ties: d of 5 values", "chance", (by_ties(released(victim, source), source) for source in few))
    yield from controls_of(sources, few, seed)


def controls_of(sources: list[dict[str, list[Any]]], few: list[dict[str, list[Any]]], seed: int) -> Iterator[dict[str, Any]]:
    """Yield the records of simulated programs, which show what the attackers can do."""
    note = "positive control: a simulated program"
    for name in ("d, lowest first", "md5(d)"):
        rule = RULES[name]
        trials = (by_rule(simulated(source, rule), source, rule) for source in sources)
        yield sampled(NAME, f"rule: {name}, simulated", "success", trials, note)
    rule = keyed(seed.to_bytes(8, "big", signed=True))
    trials = (by_ties(simulated(source, rule), source) for source in few)
    yield sampled(NAME, "ties, a keyed hash of values, simulated", "success", trials, note)
