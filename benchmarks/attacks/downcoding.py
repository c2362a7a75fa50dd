"""Downcoding (Cohen 2022): a release that coarsens as little as possible excludes values that its labels permit.

Every table of six rows over four zip codes is released, so the rates are exact.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any

from benchmarks.attacks.trials import computed
from benchmarks.attacks.victim import Victim

NAME = "downcoding"
KNOWS = "the release, the algorithm, the labels, and that all zip codes are equally likely"
TRIES = "runs the program on every table that the labels permit and keeps those with this release"
NULL = "none: the rates are computed; guessing takes any value that the label permits"
SAYS = "nothing of hidden cells: k rows show the same, whatever a reader can infer of them"
ADVICE = "a larger k; a policy that does not depend on the table (fixed masks, full_domain); no certificate beside the release"

DOMAIN = ("11", "12", "21", "22")
ROWS = 6

POLICIES = {
    "suppression, k = 2": "ANONYMIZE BY zip GUARANTEE k >= 2",
    "digits, k = 2": "ANONYMIZE BY zip IN DIGITS GUARANTEE k >= 2",
    "digits, k = 3": "ANONYMIZE BY zip IN DIGITS GUARANTEE k >= 3",
}


def permitted(label: str | None) -> int:
    """Return how many zip codes a label stands for."""
    return len([value for value in DOMAIN if label is None or value.startswith(label.rstrip("*"))])


def _linked(source: tuple[str, ...], victim: Victim, clause: str) -> Counter[Any]:
    """Return how many rows of each zip code got which label; a row's number is released beside it."""
    columns: dict[str, list[Any]] = {"zip": list(source), "row": list(range(ROWS))}
    return Counter((label, source[row]) for label, row in victim.clause(columns, clause))


def attacked(victim: Victim, clause: str) -> tuple[float, float, float, float]:
    """Return the share of cells hidden; of these, how often guessing and the attacker are right, and the attacker certain."""
    releases: dict[Any, Counter[Any]] = defaultdict(Counter)
    for source in combinations_with_replacement(DOMAIN, ROWS):
        linked = _linked(source, victim, clause)
        orders = factorial(ROWS) // prod(factorial(number) for number in Counter(source).values())
        seen = Counter(label for label, _ in linked.elements())
        for pair, number in linked.items():
            releases[frozenset(seen.items())][pair] += orders * number
    hidden = guessing = aware = certain = Fraction(0)
    for counts in releases.values():
        for label in {label for label, _ in counts}:
            values = [number for (own, _), number in counts.items() if own == label]
            if permitted(label) > 1:
                hidden += sum(values)
                guessing += Fraction(sum(values), permitted(label))
                aware += max(values)
                certain += sum(values) if len(values) == 1 else 0
    cells = ROWS * len(DOMAIN) ** ROWS
    return float(hidden / cells), float(guessing / hidden), float(aware / hidden), float(certain / hidden)


def run(_: int, __: int) -> Iterator[dict[str, Any]]:
    """Yield the records of the attack."""
    with Victim() as victim:
        for name, clause in POLICIES.items():
            hidden, guessing, aware, certain = attacked(victim, clause)
            note = f"{hidden:.0%} of the cells hidden; certain of {certain:.1%} of these"
            trials = len(DOMAIN) ** ROWS
            yield computed(NAME, name, "open", trials=trials, rate=aware, guessing=guessing, note=note)
