"""Minimality: a release that suppresses as little as possible says why a cell is suppressed.

Two people live in zip code A, six in B; each has HIV with the same probability. The release keeps
alpha(disease, 'HIV') <= bound. A's zip code is suppressed only where it has to be. All tables
are tried, so the rates are exact.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from math import comb
from typing import Any

from benchmarks.attacks.trials import computed
from benchmarks.attacks.victim import Victim
from kanon_sql.errors import InfeasibleError

NAME = "minimality"
KNOWS = "the release, the algorithm, who lives in A and in B, and that each has HIV with probability 0.3"
TRIES = "runs the program on every table that is possible, keeps those with this release, and weighs them"
NULL = "none: the rates are computed; guessing takes the share of HIV in the class, as if cells were suppressed at random"
SAYS = "alpha(disease, 'HIV') <= 1/2: at most half of a class; nothing about why the class is what it is"
ADVICE = "guarantee more than you need; the certificate is for those who have the source"

PRIOR = Fraction(3, 10)
OF_A, OF_B = 2, 6


def tables() -> Iterator[tuple[int, int, Fraction]]:
    """Yield how many of A and of B have HIV, with the probability."""
    for a in range(OF_A + 1):
        for b in range(OF_B + 1):
            ill = a + b
            weight = comb(OF_A, a) * comb(OF_B, b) * PRIOR**ill * (1 - PRIOR) ** (OF_A + OF_B - ill)
            yield a, b, weight


def release(victim: Victim, a: int, b: int, bound: str) -> Counter[Any] | None:
    """Return the released rows without their order; None if the guarantee cannot be kept."""
    source = {
        "zip": ["A"] * OF_A + ["B"] * OF_B,
        "disease": ["HIV"] * a + ["flu"] * (OF_A - a) + ["HIV"] * b + ["flu"] * (OF_B - b),
    }
    try:
        return Counter(victim.clause(source, f"ANONYMIZE BY zip GUARANTEE k >= 2 AND alpha(disease, 'HIV') <= {bound}"))
    except InfeasibleError:
        return None


def attacked(victim: Victim, bound: str) -> tuple[int, float, float, float]:
    """Return the releases that suppress A's zip code, how often guessing and the attacker are right, the highest belief."""
    possible: dict[Any, list[tuple[int, Fraction]]] = defaultdict(list)
    for a, b, weight in tables():
        rows = release(victim, a, b, bound)
        if rows is not None and not any(zipcode == "A" for zipcode, _ in rows):
            possible[frozenset(rows.items())].append((a, weight))
    total = float(sum(weight for found in possible.values() for _, weight in found))
    naive = aware = belief = 0.0
    for seen, found in possible.items():
        hidden = Counter({disease: number for (zipcode, disease), number in seen if zipcode is None})
        own = float(sum(weight for _, weight in found))
        truth = float(sum(weight * a for a, weight in found)) / own / OF_A  # the attacker's belief that a person of A has HIV
        share = hidden["HIV"] / hidden.total()
        naive += own * (truth if share > 1 / 2 else 1 - truth if share < 1 / 2 else 1 / 2)
        aware += own * max(truth, 1 - truth)
        belief = max(belief, truth)
    return len(possible), naive / total, aware / total, belief


def run(_: int, __: int) -> Iterator[dict[str, Any]]:
    """Yield the records of the attack."""
    with Victim() as victim:
        for bound in ("1/2", "1/4"):
            trials, naive, aware, belief = attacked(victim, bound)
            note = f"highest belief that a person of A has HIV: {belief:.0%}"
            yield computed(NAME, f"alpha <= {bound}", "open", trials=trials, rate=aware, guessing=naive, note=note)
