"""Homogeneity, background knowledge and skewness: what a class tells of the sensitive value of its people."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from benchmarks.attacks.people import people
from benchmarks.attacks.trials import Expected, computed
from benchmarks.attacks.victim import Rows, Victim

NAME = "sensitive values"
KNOWS = "the quasi-identifiers of a person, so the class; against background knowledge also a disease that the person has not"
TRIES = "says the commonest disease of the class; with background knowledge, the commonest of those that are left"
NULL = "none: the rates are computed; guessing says the commonest disease of the whole table"
SAYS = "k: nothing; l(disease) >= l: at most 1/l of a class; t(disease) <= t: at most t more than in the whole table"
ADVICE = "guarantee l or t of every sensitive column; take l above what a reader can rule out"

ROWS = 1500
COLUMNS = 3
DISEASE = 3

GUARANTEES = {
    "k = 3": "k >= 3",
    "k = 3, l = 2": "k >= 3 AND l(disease) >= 2",
    "k = 3, l = 3": "k >= 3 AND l(disease) >= 3",
    "k = 3, t = 0.2": "k >= 3 AND t(disease) <= 0.2",
}
L = {"k = 3, l = 2": 2, "k = 3, l = 3": 3}
T = {"k = 3, t = 0.2": 0.2}


def classes_of(rows: Rows) -> list[Counter[Any]]:
    """Return the diseases of each class."""
    found: dict[Any, Counter[Any]] = defaultdict(Counter)
    for row in rows:
        found[row[:COLUMNS]][row[DISEASE]] += 1
    return list(found.values())


def commonest(classes: list[Counter[Any]]) -> float:
    """Return how often the commonest value of the own class is right."""
    return sum(max(counts.values()) for counts in classes) / sum(map(Counter.total, classes))


def disclosed(classes: list[Counter[Any]]) -> float:
    """Return the share of people in classes of one value."""
    return sum(counts.total() for counts in classes if len(counts) == 1) / sum(map(Counter.total, classes))


def highest(classes: list[Counter[Any]]) -> float:
    """Return the largest share of a value in a class."""
    return max(max(counts.values()) / counts.total() for counts in classes)


def ruled_out(classes: list[Counter[Any]]) -> tuple[float, float]:
    """Return how often a reader is right, and certain, who knows the commonest disease that the person has not."""
    right = certain = 0.0
    for counts in classes:
        for own, number in counts.items():
            left = Counter({value: count for value, count in counts.items() if value != own})
            out = max(left, key=lambda value: left[value]) if left else None
            rest = Counter({value: count for value, count in counts.items() if value != out})
            best = max(rest.values())
            right += number * (rest[own] == best) / sum(count == best for count in rest.values())
            certain += number * (len(rest) == 1)
    people_of_table = sum(map(Counter.total, classes))
    return right / people_of_table, certain / people_of_table


def skewed(classes: list[Counter[Any]]) -> float:
    """Return the largest excess of a value's share in a class over its share in the whole table."""
    whole = sum(classes, Counter())
    total = whole.total()
    return max(counts[value] / counts.total() - whole[value] / total for counts in classes for value in counts)


def run(_: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the records of the attack."""
    source = people(ROWS, seed)
    guessing = max(Counter(source["disease"]).values()) / ROWS

    def record(variant: str, rate: float, bound: float | None = None, note: str = "") -> dict[str, Any]:
        expected: Expected = "open" if bound is None else "bound"
        base = 0.0 if "certain" in variant or "share" in variant or "excess" in variant else guessing
        return computed(NAME, variant, expected, trials=ROWS, rate=rate, guessing=base, bound=bound, note=note)

    with Victim() as victim:
        for name, guarantee in GUARANTEES.items():
            clause = f"ANONYMIZE BY zip, age, sex GUARANTEE {guarantee}"
            classes = classes_of(victim.clause(source, clause))
            yield record(f"homogeneity, {name}: commonest", commonest(classes), 1 / L[name] if name in L else None)
            yield record(f"homogeneity, {name}: certain", disclosed(classes), 0.0 if name in L else None)
            right, certain = ruled_out(classes)
            yield record(f"background knowledge, {name}: right", right, note="a disease is ruled out")
            yield record(f"background knowledge, {name}: certain", certain, 0.0 if L.get(name, 0) > 2 else None)
            yield record(f"skewness, {name}: largest share", highest(classes), 1 / L[name] if name in L else None)
            yield record(f"skewness, {name}: largest excess", skewed(classes), T.get(name))
