"""Periodic releases: a reader keeps every monthly release and diffs them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks import periodic
from benchmarks.attacks.trials import computed

NAME = "periodic releases"
KNOWS = "every monthly release, in which month a person came, and the person's quasi-identifiers"
TRIES = "pairs the rows of all releases, and keeps those that came in that month and are shown alike in each of them"
NULL = "none: the rates are computed; guessing takes any visit of the month"
SAYS = "k holds within each batch of append, and of no two releases of the whole table together"
ADVICE = "kanon append: each row is released once, in a class of its own batch"

MONTHS = 6


def run(tables: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the records of the attack."""
    number = max(5 * tables // 10, 100)
    for each in periodic.measure(MONTHS, number, seed):
        if "risk" in each:
            yield from _linked(each, number)


def _linked(way: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """Tell how often the reader is right who takes one of the candidates: on average, and of the person with the fewest."""
    bound = way["work"].startswith("append")
    for name, rate in (("", way["risk"]), (", the person with the fewest candidates", 1 / way["candidates"])):
        yield computed(
            NAME,
            way["work"] + name,
            "bound" if bound else "open",
            trials=way["released"],
            rate=rate,
            guessing=1 / number,
            bound=1 / periodic.K if bound else None,
            note="" if name else f"fewer than {periodic.K} candidates for {way['below_k']:.1%}",
        )
