"""Which rows of a population match what a release shows, and what follows from that, by definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from fuzz.label_rules import covers
from fuzz.promise import Promise
from fuzz.table import Look, Table


def matches_of(
    source: Table, released: Table, promise: Promise, population: Sequence[tuple[Look, ...]]
) -> dict[tuple[Look, ...], list[bool]]:
    """For what each class shows, which rows of the population match it; what looks suppressed matches everything."""
    places = [released.column(name) for name in promise.qi]
    kinds = [source.types[source.column(name)] for name in promise.qi]
    domains = [tuple(sorted({*source.held(name)} - {None})) for name in promise.qi]

    def matches(shown: tuple[Look, ...], row: tuple[Look, ...]) -> bool:
        for name, look, own, domain, kind in zip(promise.qi, shown, row, domains, kinds, strict=True):
            if look == promise.suppress or look == own:
                continue
            recoding = promise.recodings.get(name)
            if recoding is None or look is None or own is None or not covers(recoding, look, own, domain, kind):
                return False
        return True

    shown = dict.fromkeys(tuple(row[place] for place in places) for row in released.looks)
    return {each: [matches(each, row) for row in population] for each in shown}


def present(released: Table, promise: Promise, counted: dict[tuple[Look, ...], list[bool]], limit: Fraction) -> list[str]:
    """Whether for some row of the population the shares of the classes that it matches come to more than the limit."""
    places = [released.column(name) for name in promise.qi]
    sizes = Counter(tuple(row[place] for place in places) for row in released.looks)
    if any(sum(counted[shown]) < size for shown, size in sizes.items()):
        return ["a class has more rows than match it in the population"]
    shares = {shown: Fraction(size, sum(counted[shown])) for shown, size in sizes.items()}
    rows = len(next(iter(counted.values())))
    worst = max(sum((share for shown, share in shares.items() if counted[shown][row]), Fraction(0)) for row in range(rows))
    return [f"somebody is present by {worst}, more than {limit}"] if worst > limit else []


def cheapest_rows(source: Table, promise: Promise, population: Sequence[tuple[Look, ...]], k_map: int) -> Fraction:
    """What is lost where each row takes its cheapest mask: what matches it follows from what it shows alone."""
    places = [source.column(name) for name in promise.qi]
    masks = [chosen for n in range(len(places) + 1) for chosen in combinations(range(len(places)), n)]
    best = Fraction(0)
    for looks in source.looks:
        row = tuple(looks[place] for place in places)
        best += min(
            sum((promise.weight(promise.qi[place]) for place in range(len(places)) if place not in mask), Fraction(0))
            for mask in masks
            if sum(all(row[place] == other[place] for place in mask) for other in population) >= k_map
        )
    return best
