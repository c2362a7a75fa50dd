"""Differencing: exact figures about a table before and after one person came tell where the person lives.

The strongest reader there is: he knows every row but one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from benchmarks.attacks.trials import computed
from benchmarks.attacks.victim import Victim

NAME = "differencing"
KNOWS = "all rows but the newcomer's, the newcomer's age, and the figures published with the release; not the release"
TRIES = "computes the figures for each zip code that the newcomer may have, and keeps those that fit"
NULL = "none: the rates are computed; guessing takes any of the six zip codes"
SAYS = "nothing: certificates, reports and utility() are exact, so they are as sensitive as the source"
ADVICE = "publish the release alone; certificates and reports are for those who may see the source"

ZIPS, AGES, ROWS = 6, 5, 40
QI = "['zip', 'age']"

Figures = dict[str, tuple[Any, ...]]


def figures(victim: Victim, columns: dict[str, list[int]]) -> Figures:
    """Return what each kind of document tells."""
    victim.load(columns)
    victim.con.raw.execute(
        f"CREATE OR REPLACE TABLE released AS FROM k_anonymize('source', 3, qi := {QI}, unlisted_limit := 1)"
    )
    found = victim.certificate
    utility = victim.con.raw.execute(f"FROM utility('released', 'source', {QI})").fetchall()[0]
    return {
        "cost of the certificate": (found.cost,),
        "certificate without prices": (found.cost, found.lower_bound, found.row_types, found.classes, found.smallest_class),
        "certificate with prices": (found.cost, found.row_types, found.classes, found.smallest_class, found.prices),
        "utility()": utility,
    }


def run(tables: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the records of the attack."""
    chance = random.Random(seed)
    newcomers = max(tables // 20, 1)
    right: dict[str, float] = {}
    with Victim() as victim:
        for _ in range(newcomers):
            zips = [min(chance.randrange(ZIPS), chance.randrange(ZIPS)) for _ in range(ROWS)]
            ages = [chance.randrange(AGES) for _ in range(ROWS + 1)]
            possible = [figures(victim, {"zip": [*zips, own], "age": ages}) for own in range(ZIPS)]
            truth = possible[chance.randrange(ZIPS)]
            for name, seen in truth.items():
                right[name] = right.get(name, 0.0) + 1 / sum(each[name] == seen for each in possible)
    for name, hits in right.items():
        yield computed(NAME, name, "open", trials=newcomers, rate=hits / newcomers, guessing=1 / ZIPS)
