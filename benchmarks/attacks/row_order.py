"""Row order: a source that is sorted by zip code must not show, through the order of the release, what is suppressed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.attacks.trials import Expected, Trial, sampled
from benchmarks.attacks.victim import Rows, Victim

NAME = "row order"
KNOWS = "the release in the order in which it comes; that the source was sorted by zip code; not the secret"
TRIES = "takes the zip code of the neighbours, or assigns the suppressed zip codes in the order of the rows"
NULL = "the suppressed zip codes are exchangeable among the rows of a class, whatever the order of the rows"
SAYS = "nothing: the guarantee counts rows; the product orders rows by what it releases"
ADVICE = "leave row_order alone; where the source's order is needed, sort the source by released columns first"

K = 3
_SHOWN = 50
"""The shown zip code of the tables all of whose columns are quasi-identifiers."""

_SHORT = 4
"""Rows of these tables whose zip codes are suppressed, and their k."""

Guess = Callable[[Rows, int, list[int]], int | None]
"""From the rows, the place of a suppressed one and the suppressed zip codes of its class, the guess."""


def table(chance: random.Random) -> dict[str, list[int]]:
    """Return rows sorted by zip code, 4 to 12 of each, with an age, and a random number by which a guess can be checked."""
    zips = [10_000 + place for place in range(8) for _ in range(chance.randint(4, 12))]
    ages = [chance.choice((20, 30, 40, 50, 60)) for _ in zips]
    return {"zip": zips, "age": ages, "visit": [chance.randrange(2**60) for _ in zips]}


def before(rows: Rows, place: int, _: list[int]) -> int | None:
    """Guess the last zip code shown before the row, else the next one shown behind it."""
    shown = [row[0] for row in (*reversed(rows[:place]), *rows[place:]) if row[0] is not None]
    return shown[0] if shown else None


def behind(rows: Rows, place: int, _: list[int]) -> int | None:
    """Guess the next zip code shown behind the row, else the last one shown before it."""
    shown = [row[0] for row in (*rows[place:], *reversed(rows[:place])) if row[0] is not None]
    return shown[0] if shown else None


def rank(rows: Rows, place: int, suppressed: list[int]) -> int | None:
    """Guess that the suppressed rows of a class are in the order of their zip codes."""
    return suppressed[sum(_class(row) == _class(rows[place]) for row in rows[:place])]


def backwards(rows: Rows, place: int, suppressed: list[int]) -> int | None:
    """Guess that the suppressed rows of a class are in the reverse order of their zip codes."""
    return rank(rows, place, suppressed[::-1])


def _class(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return row[:2]


ATTACKERS: dict[str, Guess] = {
    "last zip code shown before": before,
    "next zip code shown behind": behind,
    "rank among the suppressed rows": rank,
    "reverse rank": backwards,
}


def guessed(rows: Rows, columns: dict[str, list[int]], guess: Guess, chance: random.Random) -> Trial:
    """Return the guess of one suppressed row, drawn at random."""
    truth = dict(zip(columns["visit"], columns["zip"], strict=True))
    place = chance.choice([place for place, row in enumerate(rows) if row[0] is None])
    suppressed = sorted(truth[row[-1]] for row in rows if _class(row) == _class(rows[place]))
    counts = Counter(suppressed)
    told = guess(rows, place, suppressed)
    best = max(counts.values()) / len(suppressed)
    return Trial(hit=told == truth[rows[place][-1]], chance=counts[told] / len(suppressed) if told else 0.0, best=best)


def hides(rows: Rows) -> bool:
    """Tell whether a cell is suppressed, so that there is something to guess."""
    return any(row[0] is None for row in rows)


def surfaces(victim: Victim) -> dict[str, Callable[[dict[str, list[int]]], Rows]]:
    """Return the ways to ask for the same release."""
    return {
        "function": lambda columns: victim.function(columns, f"{K}, qi := ['zip', 'age']"),
        "clause": lambda columns: victim.clause(columns, f"ANONYMIZE BY zip, age GUARANTEE k >= {K}"),
        "Python": lambda columns: victim.python(columns, k=K, quasi_identifiers=["zip", "age"]),
    }


def every_column(chance: random.Random) -> tuple[dict[str, list[int]], int]:
    """Return a sorted table of one column, and how many of its four suppressed zip codes are below the one shown."""
    below = chance.randint(0, _SHORT)
    zips = [*(10 + place for place in range(below)), *[_SHOWN] * 6, *(90 + place for place in range(_SHORT - below))]
    return {"zip": zips}, below


def counted(rows: Rows, below: int) -> Trial:
    """Guess that as many suppressed zip codes are below the shown one as suppressed rows stand before the first shown."""
    return Trial(hit=next(place for place, row in enumerate(rows) if row[0] is not None) == below, chance=1 / (_SHORT + 1))


def run(tables: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the records of the attack."""
    chance = random.Random(seed)
    note = "positive control: the order of the source"
    with Victim() as victim:
        sources = [table(chance) for _ in range(tables)]
        for name, release in surfaces(victim).items():
            some = sources if name == "function" else sources[: max(tables // 5, 1)]
            pairs = [(release(source), source) for source in some]
            yield from _guesses(pairs, name, "chance", chance)
            if name == "function":
                yield from _guesses([(in_source_order(*pair), pair[1]) for pair in pairs], "simulated", "success", chance, note)
        controls = sources[: max(tables // 5, 1)]
        pairs = [(victim.function(each, f"{K}, qi := ['zip', 'age']", source_order=True), each) for each in controls]
        yield from _guesses(pairs, "row_order := 'source'", "success", chance, note)
        alone = [every_column(chance) for _ in range(tables)]
        trials = [counted(victim.function(source, str(_SHORT)), below) for source, below in alone]
        yield sampled(NAME, "every column a quasi-identifier: rows before the first shown", "chance", trials)


def in_source_order(rows: Rows, columns: dict[str, list[int]]) -> Rows:
    """Return the rows in the order of their source, as a program that keeps it would."""
    places = {visit: place for place, visit in enumerate(columns["visit"])}
    return sorted(rows, key=lambda row: places[row[-1]])


def _guesses(
    pairs: list[tuple[Rows, dict[str, list[int]]]], surface: str, expected: Expected, chance: random.Random, note: str = ""
) -> Iterator[dict[str, Any]]:
    useful = [(rows, columns) for rows, columns in pairs if hides(rows)]
    for name, guess in ATTACKERS.items():
        if expected == "chance" or guess in (before, rank):
            yield sampled(NAME, f"{surface}: {name}", expected, (guessed(*pair, guess, chance) for pair in useful), note)
