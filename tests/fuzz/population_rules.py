"""Which rows of a population match what a release shows, and what follows from that, by definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import product
from operator import and_

from fuzz.guarantee import Guarantee
from fuzz.label_rules import covers
from fuzz.ladders import ladder
from fuzz.table import Look, Table


def matches_of(
    source: Table, released: Table, guarantee: Guarantee, population: Sequence[tuple[Look, ...]]
) -> dict[tuple[Look, ...], list[bool]]:
    """For what each class shows, which rows of the population match it; what looks suppressed matches everything."""
    places = [released.column(name) for name in guarantee.qi]
    kinds = [source.types[source.column(name)] for name in guarantee.qi]
    domains = [tuple(sorted({*source.held(name)} - {None})) for name in guarantee.qi]

    def matches(shown: tuple[Look, ...], row: tuple[Look, ...]) -> bool:
        for name, look, own, domain, kind in zip(guarantee.qi, shown, row, domains, kinds, strict=True):
            if look == guarantee.suppress or look == own:
                continue
            recoding = guarantee.recodings.get(name)
            if recoding is None or look is None or own is None or not covers(recoding, look, own, domain, kind):
                return False
        return True

    shown = dict.fromkeys(tuple(row[place] for place in places) for row in released.looks)
    return {each: [matches(each, row) for row in population] for each in shown}


def present(released: Table, guarantee: Guarantee, counted: dict[tuple[Look, ...], list[bool]], limit: Fraction) -> list[str]:
    """Whether for some row of the population the shares of the classes that it matches come to more than the limit."""
    places = [released.column(name) for name in guarantee.qi]
    sizes = Counter(tuple(row[place] for place in places) for row in released.looks)
    if any(sum(counted[shown]) < size for shown, size in sizes.items()):
        return ["a class has more rows than match it in the population"]
    shares = {shown: Fraction(size, sum(counted[shown])) for shown, size in sizes.items()}
    rows = len(next(iter(counted.values())))
    worst = max(sum((share for shown, share in shares.items() if counted[shown][row]), Fraction(0)) for row in range(rows))
    return [f"somebody is present by {worst}, more than {limit}"] if worst > limit else []


def cheapest_rows(source: Table, guarantee: Guarantee, population: Sequence[tuple[Look, ...]], k_map: int) -> Fraction:
    """What is lost where each row takes its cheapest levels: what matches it follows from what it shows alone."""
    options = [_options(source, guarantee, name, [row[place] for row in population]) for place, name in enumerate(guarantee.qi)]
    places = [source.column(name) for name in guarantee.qi]

    def least(row: tuple[Look, ...]) -> Fraction:
        return min(
            sum((loss for loss, _ in chosen), Fraction(0))
            for chosen in product(*(each[row[place]] for each, place in zip(options, places, strict=True)))
            if reduce(and_, (matched for _, matched in chosen)).bit_count() >= k_map
        )

    return sum((rows * least(row) for row, rows in Counter(source.looks).items()), Fraction(0))


def _options(
    source: Table, guarantee: Guarantee, name: str, population: Sequence[Look]
) -> dict[Look, list[tuple[Fraction, int]]]:
    """For each value of a column what it may show: the loss, and a bit for each row of the population that matches it."""
    seen, weight, recoding = source.seen(name), guarantee.weight(name), guarantee.recodings.get(name)
    kind, domain = source.types[source.column(name)], tuple(sorted({*source.held(name)} - {None}))

    def matched(label: Look) -> int:
        found = 0
        for place, value in enumerate(population):
            covered = recoding is not None and None not in (label, value) and covers(recoding, label, value, domain, kind)
            found |= (label == value or covered) << place
        return found

    everybody = (1 << len(population)) - 1
    rungs = ladder(recoding, seen, every=True)
    return {
        value: [(weight, everybody), *((weight * rung.loss, matched(rung.label[value])) for rung in rungs)] for value in {*seen}
    }
