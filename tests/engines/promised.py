"""What requirements on sensitive values mean, by their definitions, with fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import prod

from kanon_sql.model.requirements import LDiversity

Histogram = dict[int, int]
"""Rows per value, by the number of the value from 1."""

Apart = Callable[[int, int], Fraction]
"""How far two values are apart."""


def total(classes: Sequence[Histogram]) -> Histogram:
    return dict(sum((Counter(counts) for counts in classes), Counter()))


def diverse(requirement: LDiversity, counts: Histogram) -> bool:
    rows, high = sum(counts.values()), sorted(counts.values(), reverse=True)
    least, c = requirement.l, requirement.c
    match requirement.variant:
        case "frequency":
            return high[0] * least <= rows
        case "distinct":
            return len(high) >= least
        case "entropy":
            sides = (rows * least.denominator) ** rows, least.numerator**rows * prod(each**each for each in high)
            return sides[0] >= sides[1]
        case _:
            assert c is not None
            return high[0] < c * sum(high[int(least) - 1 :])


def emd(one: Histogram, other: Histogram, distance: Apart) -> Fraction:
    """Return the earth mover's distance of two histograms, by ortools."""
    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    scale = 27720  # every denominator up to 12
    sizes = sum(one.values()), sum(other.values())
    network = SimpleMinCostFlow()
    for i in one:
        for j in other:
            cost = distance(i, j) * scale
            assert cost.denominator == 1
            network.add_arc_with_capacity_and_unit_cost(i, 100 + j, sizes[0] * sizes[1], int(cost))
    for i, rows in one.items():
        network.set_node_supply(i, rows * sizes[1])
    for j, rows in other.items():
        network.set_node_supply(100 + j, -rows * sizes[0])
    assert network.solve() == network.OPTIMAL
    return Fraction(network.optimal_cost(), scale * sizes[0] * sizes[1])
