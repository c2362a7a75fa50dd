"""The reductions about regions, rectangles and bins as tests: the optimum is k where the problem behind it is solvable.

References
----------
Du, Eppstein, Goodrich, Lueker: On the Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering
Problem (2009).
"""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest
from instances import Hyperedge, most_disjoint

from kanon_sql.solvers.budget import UNLIMITED
from kanon_sql.solvers.labels import balanced, bin_exact, kd_tree, rectangle_exact, region_exact, regions
from kanon_sql.table.arrays import Int64

TRIPLES: dict[str, tuple[int, list[tuple[int, int, int]]]] = {
    "two of three": (2, [(0, 2, 4), (1, 2, 4), (1, 3, 5)]),
    "two of four": (2, [(0, 2, 5), (0, 3, 4), (1, 3, 5), (1, 2, 5)]),
    "three of five": (3, [(0, 3, 6), (1, 4, 6), (1, 5, 8), (2, 4, 7), (2, 3, 8)]),
    "none of three": (2, [(0, 2, 4), (1, 3, 4), (1, 2, 5)]),
    "none of five": (3, [(0, 3, 6), (1, 4, 6), (1, 5, 6), (2, 4, 7), (2, 3, 8)]),
}
"""Elements 0 to n - 1 of X, then those of Y and Z; and triples of them."""

SOLVABLE = {"two of three", "two of four", "three of five"}

ROW = "1211121211121211121"
"""Three triples in a row: each is 111, and shares the element at its right or left, behind a pair, with the next one."""

MAPS = {
    "two of three": ["###1.....2#########", "###.#####.#####1###", "###2#####.#####2###", ROW],
    "none of three": ["###1...........2###", "###.#####1#####.###", "###2#####2#####.###", ROW],
}
"""Rows at the places of a map: three at each wall (#), and none in an empty corridor."""

CORRIDORS = ["1.1.1", ".#2#.", "12121", ".#2#.", "1.1.1"]
"""The cross-over gadget as a map: corridors end at its corners, and one of its four sides is a rectangle."""


def matched(name: str) -> bool:
    n, triples = TRIPLES[name]
    sets: list[Hyperedge] = [frozenset(each) for each in triples]
    return most_disjoint(sets) == n


def tuple_gadgets(n: int, triples: list[tuple[int, int, int]]) -> tuple[int, list[tuple[int, int]]]:
    """Return nodes and edges of Figure 2: a triangle for each triple, with a connector to each of its elements.

    A connector is a node with a leaf, so that both are with the triangle or with the element.
    """
    nodes, edges = 3 * n, []
    for triple in triples:
        corners = range(nodes, nodes + 3)
        edges += list(combinations(corners, 2))
        for corner, element in zip(corners, triple, strict=True):
            connector, leaf = corner + 3, corner + 6
            edges += [(corner, connector), (connector, element), (connector, leaf)]
        nodes += 9
    return nodes, edges


@pytest.mark.parametrize("name", TRIPLES)
def test_the_triples_are_what_they_are_called(name: str) -> None:
    assert matched(name) == (name in SOLVABLE)


@pytest.mark.parametrize("name", TRIPLES)
def test_theorem_1_regions_of_three_nodes_are_a_matching(name: str) -> None:
    nodes, edges = tuple_gadgets(*TRIPLES[name])
    weight = np.ones(nodes, np.int64)
    found = region_exact.group(weight, np.array(edges), 3, UNLIMITED)
    heaviest = int(found.rows(weight).max())
    assert found.lower_bound == heaviest
    assert (heaviest == 3) == matched(name)


SIDES = "NESW"


class PlanarMap:
    """The map of Figures 2 and 3: the connectors of tuples cross in cross-over gadgets only."""

    def __init__(self, n: int, triples: list[tuple[int, int, int]]) -> None:
        self.nodes, self.edges = 3 * n, []
        wires: list[tuple[int, int]] = []
        for triple in triples:
            corners = self.new(3)
            self.edges += combinations(corners, 2)
            wires += zip(corners, triple, strict=True)
        for right in range(len(wires), 1, -1):  # bubble sort: neighbours cross until the elements are in their order
            for place in range(1, right):
                if wires[place - 1][1] > wires[place][1]:
                    (start, first), (other, second) = wires[place - 1 : place + 1]
                    ports = crossing(self)
                    self.connect(start, ports["N"])
                    self.connect(other, ports["W"])
                    wires[place - 1 : place + 1] = [(ports["E"], second), (ports["S"], first)]
        for start, element in wires:
            self.connect(start, element)

    def new(self, count: int) -> range:
        self.nodes += count
        return range(self.nodes - count, self.nodes)

    def connect(self, a: int, b: int) -> None:
        """Put a connector between two nodes: a node with a leaf, so that both are with one of the two."""
        connector, leaf = self.new(2)
        self.edges += [(a, connector), (connector, b), (connector, leaf)]


def crossing(into: PlanarMap) -> dict[str, int]:
    """Add a cross-over gadget and return its four ports.

    A ring of ports and of nodes between them; the center has a connector to each of the latter.
    """
    ports, between, (center,) = dict(zip(SIDES, into.new(4), strict=True)), into.new(4), into.new(1)
    for place, node in enumerate(between):
        into.edges += [(ports[SIDES[place]], node), (node, ports[SIDES[(place + 1) % 4]])]
        into.connect(center, node)
    return ports


@pytest.mark.parametrize("taken", ["".join(each) for each in combinations(SIDES, 2)])
def test_a_crossing_has_one_of_two_opposite_ports_in_regions_outside(taken: str) -> None:
    """Figure 5: four ways, one for each pair of states of the two connectors that cross."""
    gadget = PlanarMap(0, [])
    ports = crossing(gadget)
    outside = {ports[side] for side in taken}
    number = {node: place for place, node in enumerate(node for node in range(gadget.nodes) if node not in outside)}
    edges = np.array([(number[a], number[b]) for a, b in gadget.edges if a in number and b in number])
    weight = np.ones(len(number), np.int64)
    heaviest = int(region_exact.group(weight, edges, 3, UNLIMITED).rows(weight).max())
    assert (heaviest == 3) == (taken not in {"NS", "EW"})


@pytest.mark.sweep
@pytest.mark.parametrize("name", TRIPLES)
def test_theorem_1_planar_regions_of_three_nodes_are_a_matching(name: str) -> None:
    found = PlanarMap(*TRIPLES[name])
    weight, edges = np.ones(found.nodes, np.int64), np.array(found.edges)
    assert len(edges) <= 3 * found.nodes - 6
    best = region_exact.group(weight, edges, 3, UNLIMITED)
    heaviest = int(best.rows(weight).max())
    assert best.lower_bound == heaviest
    assert (heaviest == 3) == matched(name)


def two_hubs(weight: list[int]) -> tuple[list[int], list[tuple[int, int]], int]:
    """Return a planar map of two heavy nodes, to which all others are joined; and k, half of all rows."""
    hub = sum(weight)
    edges = [(each + 2, center) for each in range(len(weight)) for center in (0, 1)]
    return [hub, hub, *weight], edges, hub + sum(weight) // 2


def halves(weight: list[int]) -> bool:
    return any(2 * sum(chosen) == sum(weight) for size in range(len(weight) + 1) for chosen in combinations(weight, size))


def partitions(seed: int) -> list[int]:
    """Draw weights of an even sum, none of which is more than half of it."""
    rng = random.Random(seed)
    while True:
        weight = [rng.randint(10**6, 10**7) if seed % 2 else rng.randint(1, 40) for _ in range(rng.randint(4, 8))]
        if seed % 4 == 1:
            weight += [sum(weight[: len(weight) // 2]), sum(weight[len(weight) // 2 :])]
        if sum(weight) % 2 == 0 and 2 * max(weight) <= sum(weight):
            return weight


@pytest.mark.parametrize("seed", range(24))
def test_theorem_4_two_bins_of_k_rows_are_two_halves(seed: int) -> None:
    """In binary, nothing is between k and 2 k: a factor below 2 decides whether some numbers have halves of one sum."""
    weight = partitions(seed)
    k = sum(weight) // 2
    for solve in (bin_exact.group, balanced.group):
        found = solve(np.array(weight), k, UNLIMITED)
        heaviest = int(found.rows(np.array(weight)).max())
        assert heaviest == found.lower_bound == (k if halves(weight) else 2 * k)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(24))
def test_two_planar_regions_of_k_rows_are_two_halves(seed: int) -> None:
    weight, edges, k = two_hubs(partitions(seed))
    best = k if halves(weight[2:]) else 2 * k
    exact = region_exact.group(np.array(weight), np.array(edges), k, UNLIMITED)
    assert int(exact.rows(np.array(weight)).max()) == exact.lower_bound == best
    found = regions.group(np.array(weight), np.array(edges), k, UNLIMITED)
    assert found.lower_bound <= best <= int(found.rows(np.array(weight)).max())


def points_of(lines: list[str]) -> tuple[Int64, Int64, Int64]:
    """Return the places of a map that have rows, and their rows."""
    rows = {"#": 3, "1": 1, "2": 2}
    points = {(x, y): rows[cell] for y, line in enumerate(lines) for x, cell in enumerate(line) if cell != "."}
    x, y = (np.array(side) for side in zip(*points, strict=True))
    return x, y, np.array(list(points.values()))


@pytest.mark.parametrize("taken", list(combinations([(0, 0), (4, 0), (4, 4), (0, 4)], 2)))
def test_crossing_corridors_have_one_of_two_opposite_corners_in_rectangles_outside(taken: tuple[tuple[int, int], ...]) -> None:
    """Figure 6c: four ways, one for each pair of states of the two corridors that cross."""
    x, y, weight = points_of(
        ["".join("." if (x, y) in taken else cell for x, cell in enumerate(line)) for y, line in enumerate(CORRIDORS)]
    )
    found = rectangle_exact.group(x, y, weight, 3, UNLIMITED)
    heaviest = int(found.rows(weight).max())
    assert found.lower_bound == heaviest
    (a, b), (c, d) = taken
    assert (heaviest == 3) == (a == c or b == d)


@pytest.mark.parametrize("name", MAPS)
def test_theorem_2_rectangles_of_three_rows_are_a_matching(name: str) -> None:
    """Figure 6: a pair is in one rectangle with a point of a triple, or with an element; a chosen triple is one rectangle."""
    x, y, weight = points_of(MAPS[name])
    found = rectangle_exact.group(x, y, weight, 3, UNLIMITED)
    heaviest = int(found.rows(weight).max())
    assert found.lower_bound == heaviest
    assert (heaviest == 3) == matched(name)
    assert heaviest <= kd_tree.group(x, y, weight, 3, UNLIMITED).rows(weight).max() <= 5 * heaviest
