"""Connected regions: against brute force, the bounds that are proven, the reduction of the paper, and the counties."""

from __future__ import annotations

import csv
import gzip
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from naive import partitions

from kanon_sql.errors import InfeasibleError, PolicyError
from kanon_sql.kernels import COMPILED, seeded
from kanon_sql.kernels.labels import connected_sets, cut_tree, depth_first, graph_of, leaves_first, lower_degrees, recut
from kanon_sql.model.recodings import Regions
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.labels import region_exact, regions
from kanon_sql.solvers.labels.grouping import Grouping
from kanon_sql.solvers.labels.lumped_graph import LumpedGraph
from kanon_sql.solvers.labels.regions import cut_trees
from kanon_sql.solvers.labels.small_components import too_small
from kanon_sql.table.arrays import Int64
from kanon_sql.verification.chosen_groups import check_groups

SOLVERS = (regions.group, region_exact.group)
Edges = Sequence[tuple[int, int]]


def pairs(edges: Edges) -> Int64:
    return np.array(edges, np.int64).reshape(-1, 2)


def weights(weight: Iterable[int]) -> Int64:
    return np.array(list(weight), np.int64)


def connected(nodes: Iterable[int], edges: Edges) -> bool:
    left = set(nodes)
    queue = deque([left.pop()])
    while queue:
        v = queue.popleft()
        for near in [{b for a, b in edges if a == v} | {a for a, b in edges if b == v}]:
            queue.extend(left & near)
            left -= near
    return not left


def components(n: int, edges: Edges) -> list[list[int]]:
    left, found = set(range(n)), []
    while left:
        part = {min(left)}
        while more := {v for pair in edges for v in pair if part & set(pair)} - part:
            part |= more
        found.append(sorted(part))
        left -= part
    return found


def divisions(n: int, edges: Edges, weight: Sequence[int], k: int) -> Iterator[list[list[int]]]:
    """Yield every division into connected regions of weight k or more."""
    good: dict[tuple[int, ...], bool] = {}
    for division in partitions([(v,) for v in range(n)]):
        if all(sum(weight[v] for (v,) in part) >= k for part in division):
            sets = [sorted(v for (v,) in part) for part in division]
            if all(good.setdefault(tuple(part), connected(part, edges)) for part in sets):
                yield sets


def check(weight: Int64, edges: Edges, k: int, found: Grouping) -> int:
    """Check that the regions are connected and have k rows, and the bound; return the rows of the heaviest."""
    assert found.group.shape == weight.shape
    assert list(dict.fromkeys(found.group.tolist())) == list(range(found.group.max() + 1))
    for region in range(found.group.max() + 1):
        nodes = np.flatnonzero(found.group == region).tolist()
        inside = set(nodes)
        assert connected(nodes, [(a, b) for a, b in edges if a in inside and b in inside])
    rows = found.rows(weight)
    assert rows.min() >= k
    assert found.lower_bound <= rows.max()
    return int(rows.max())


def tree(rng: random.Random, n: int) -> list[tuple[int, int]]:
    return [(v, rng.randrange(v)) for v in range(1, n)]


def path(rng: random.Random, n: int) -> list[tuple[int, int]]:
    return [(v, v - 1) for v in range(1, n)]


def star(rng: random.Random, n: int) -> list[tuple[int, int]]:
    return [(0, v) for v in range(1, n)]


def clique(rng: random.Random, n: int) -> list[tuple[int, int]]:
    return [(a, b) for a in range(n) for b in range(a)]


def sparse(rng: random.Random, n: int) -> list[tuple[int, int]]:
    """A tree, and some edges more, some of them twice and in both directions."""
    more = [(rng.randrange(n), rng.randrange(n)) for _ in range(rng.randint(0, n))]
    more = [(a, b) for a, b in more if a != b]
    return tree(rng, n) + more + [(b, a) for a, b in more[:2]]


SHAPES = (tree, path, star, clique, sparse, sparse)


def grid(side: int) -> Edges:
    return [(v, v + 1) for v in range(side**2) if (v + 1) % side] + [(v, v + side) for v in range(side**2 - side)]


def case(seed: int, largest: int) -> tuple[Edges, Int64, int]:
    """Draw a connected graph whose nodes have numbers without meaning, weights, and k."""
    rng = random.Random(seed)
    n = rng.randint(1, largest)
    name = rng.sample(range(n), n)
    edges = [(name[a], name[b]) for a, b in SHAPES[seed % len(SHAPES)](rng, n)]
    weight = weights(rng.choice([1, rng.randint(1, 3), rng.randint(1, 30)]) for _ in range(n))
    return edges, weight, rng.randint(1, max(1, int(weight.sum()) // rng.choice([1, 2, 3, 5])))


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(180))
def test_brute_force(seed: int) -> None:
    edges, weight, k = case(seed, 7 if seed % 10 else 8)
    every = list(divisions(len(weight), edges, weight.tolist(), k))
    best = min(max(int(weight[part].sum()) for part in division) for division in every)
    found = regions.group(weight, pairs(edges), k, UNLIMITED)
    heaviest = check(weight, edges, k, found)
    assert found.lower_bound <= best <= heaviest
    exact = region_exact.group(weight, pairs(edges), k, UNLIMITED)
    assert check(weight, edges, k, exact) == best == exact.lower_bound

    graph = LumpedGraph.of(weight, pairs(edges), k)
    _, degree = cut_trees(graph, UNLIMITED)
    assert heaviest <= graph.weight.max() + degree * (k - 1) <= (degree + 1) * best
    # Nodes are one lump only if no division separates them.
    for a, b in zip(*np.nonzero(graph.lump[:, None] == graph.lump[None, :]), strict=True):
        assert all((a in part) == (b in part) for division in every for part in division)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(200))
def test_regions_are_connected_and_heavy_enough(seed: int) -> None:
    edges, weight, k = case(seed, 60)
    heaviest = check(weight, edges, k, regions.group(weight, pairs(edges), k, UNLIMITED))
    graph = LumpedGraph.of(weight, pairs(edges), k)
    _, degree = cut_trees(graph, UNLIMITED)
    assert heaviest <= graph.weight.max() + degree * (k - 1)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(40))
def test_every_branch_of_a_lump_can_hold_a_region(seed: int) -> None:
    edges, weight, k = case(seed, 25)
    graph = LumpedGraph.of(weight, pairs(edges), k)
    number = graph.lump.tolist()
    between = [(number[a], number[b]) for a, b in edges if number[a] != number[b]]
    for v in set(number):
        left = set(number) - {v}
        while left:
            branch = {left.pop()}
            while more := {x for e in between for x in e if branch & set(e)} & left:
                branch |= more
                left -= more
            assert sum(int(graph.weight[x]) for x in branch) >= k


@pytest.mark.parametrize("solve", SOLVERS)
def test_a_star_is_decided_by_its_center(solve: Callable[..., Grouping]) -> None:
    weight = weights([3, 4, 4, 4, 9])
    found = solve(weight, pairs(star(random.Random(), 5)), 5, UNLIMITED)
    assert found.group.tolist() == [0, 0, 0, 0, 1]
    assert found.lower_bound == 15


def test_a_light_label_among_heavy_ones_proves_more_than_the_average() -> None:
    weight = weights([1, 9, 8])
    found = regions.group(weight, pairs(clique(random.Random(), 3)), 6, UNLIMITED)
    assert (found.rows(weight).max(), found.lower_bound) == (9, 9)


def least_degree(n: int, edges: list[tuple[int, int]]) -> int:
    trees = (tree for tree in combinations(sorted(set(edges)), n - 1) if connected(range(n), list(tree)))
    return min(int(np.bincount(pairs(list(tree)).ravel()).max()) for tree in trees)


@pytest.mark.parametrize("seed", range(60))
def test_small_graphs_have_trees_of_the_least_degree(seed: int) -> None:
    edges, weight, _ = case(seed, 7)
    n = len(weight)
    if n < 3:
        pytest.skip("every tree of two nodes has degree 1")
    graph = graph_of(n, pairs(edges))
    _, parent = depth_first(graph, np.arange(n))
    assert lower_degrees(graph, parent, 1 << 12, seeded(seed)) == least_degree(n, edges)


def stacked(rng: random.Random, n: int) -> list[tuple[int, int]]:
    """A triangulation of the plane, each node put into a random face: 3-connected, so that a tree of degree 3 exists."""
    faces, edges = [(0, 1, 2), (0, 1, 2)], [(0, 1), (1, 2), (0, 2)]
    for v in range(3, n):
        place = rng.randrange(len(faces))
        a, b, c = faces[place]
        faces[place] = (a, b, v)
        faces += [(b, c, v), (a, c, v)]
        edges += [(a, v), (b, v), (c, v)]
    return edges


def round_trip(rng: random.Random, n: int) -> list[tuple[int, int]]:
    """A polygon with random triangles inside and outside of it: a planar map with a Hamiltonian cycle."""
    order = rng.sample(range(n), n)
    edges = set()
    for _ in range(2):
        chords = [(0, n - 1)]
        while chords:
            a, b = chords.pop()
            edges.add((order[a], order[b]))
            if b - a > 1:
                middle = rng.randrange(a + 1, b)
                chords += [(a, middle), (middle, b)]
    return sorted(edges)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(102))
def test_planar_maps_have_trees_of_the_degree_that_theory_gives(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.choice((20, 50, 100, 200, 500, 1_000, 2_000) if COMPILED else (20, 50))
    edges = pairs(stacked(rng, n) if seed < 90 else round_trip(rng, n))
    graph = LumpedGraph.of(np.full(n, 2), edges, 2)
    _, degree = cut_trees(graph, UNLIMITED)
    assert degree <= (3 if seed < 90 else 2)


@pytest.mark.everything
def test_trees_of_low_degree() -> None:
    for n, edges, best in ((30, clique(random.Random(), 30), 2), (9, star(random.Random(), 9), 8)):
        graph = graph_of(n, pairs(edges))
        _, parent = depth_first(graph, np.arange(n))
        parent[:] = 0 if n == 30 else parent  # a star in the clique
        assert lower_degrees(graph, parent, 1 << 20, seeded(0)) == best
    for seed in range(60):
        edges, weight, _ = case(seed, 40)
        n = len(weight)
        graph = graph_of(n, pairs(edges))
        _, parent = depth_first(graph, np.arange(n))
        found = lower_degrees(graph, parent, 1 << 20, seeded(0))
        links = [(v, int(parent[v])) for v in range(n) if parent[v] != v]
        assert set(links) <= set(edges) | {(b, a) for a, b in edges}
        assert len(links) == n - 1
        assert connected(range(n), links)
        degree = np.bincount(pairs(links).ravel(), minlength=n)
        assert degree.max() == found
        assert degree[parent == np.arange(n)] <= 1
        place = np.argsort(leaves_first(parent))
        assert all(place[v] < place[p] for v, p in links)


def test_connected_sets_are_all_there_once() -> None:
    for seed in range(30):
        edges, weight, k = case(seed, 7)
        n = len(weight)
        every = [(max(int(weight[part].sum()) for part in parts), parts) for parts in divisions(n, edges, weight.tolist(), k)]
        for most in {heaviest for heaviest, _ in every}:
            first, member, complete = connected_sets(graph_of(n, pairs(edges)), weight, k, most, 1 << 12, 1 << 12)
            assert complete
            listed = [tuple(sorted(member[a:b].tolist())) for a, b in pairwise(first)]
            assert len(set(listed)) == len(listed)
            used = {tuple(part) for heaviest, parts in every if heaviest <= most for part in parts}
            assert used <= set(listed)
            assert all(connected(part, [e for e in edges if set(e) <= set(part)]) for part in listed)


def test_a_graph_has_each_neighbour_once() -> None:
    begin, near = graph_of(4, pairs([(0, 1), (1, 0), (0, 1), (2, 2), (2, 0)])).arrays()
    assert [near[a:b].tolist() for a, b in pairwise(begin)] == [[1, 2], [0], [0], []]


def test_a_tree_is_cut_as_soon_as_a_part_is_heavy_enough() -> None:
    parent, head = np.maximum(np.arange(13) - 1, 0), np.empty(13, np.int64)
    cut_tree(np.ones(13, np.int64), np.arange(13)[::-1].copy(), parent, 3, 3, head)
    assert head.tolist() == [1, 1, 1, 1, 4, 4, 4, 7, 7, 7, 10, 10, 10]


def test_dividing_anew_never_makes_it_worse() -> None:
    edges, n, state = grid(9), 81, seeded(1)
    graph = graph_of(n, pairs(edges))
    for k in (20, 60, 200):
        weight = weights(random.Random(k).choices(range(1, 20), k=n))
        region, total = np.zeros(n, np.int64), np.zeros(n, np.int64)
        total[0] = weight.sum()
        worst = [(int(total.max()), int(total @ total))]
        for _ in range(300):
            recut(graph, weight, k, k, region, total, 1, state)
            assert total.tolist() == np.bincount(region, weight, minlength=n).tolist()
            assert total[total > 0].min() >= k
            worst.append((int(total.max()), int(total @ total)))
        assert worst == sorted(worst, reverse=True)
        assert worst[-1] < worst[0]


def cubic(rng: random.Random, n: int) -> Edges:
    """Draw a connected 3-regular graph."""
    while True:
        ends = rng.sample([v for v in range(n) for _ in range(3)], 3 * n)
        edges = {(min(e), max(e)) for e in zip(ends[::2], ends[1::2], strict=True)}
        if len(edges) == 3 * n // 2 and all(a != b for a, b in edges) and connected(range(n), sorted(edges)):
            return sorted(edges)


def in_paths(left: frozenset[int], near: dict[int, set[int]]) -> bool:
    """Return whether the nodes can be divided into paths of three."""
    if not left:
        return True
    a = min(left)
    ends = [{b, c} for b in near[a] & left for c in (near[b] | near[a]) & left - {a, b}]
    return any(in_paths(left - {a} - rest, near) for rest in ends)


CUBIC: dict[str, Edges] = {
    "K4": [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)],
    "K3,3": [(a, b) for a in range(3) for b in range(3, 6)],
    "prism": [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (0, 3), (1, 4), (2, 5)],
    "cube": [(a, a ^ bit) for a in range(8) for bit in (1, 2, 4) if a < a ^ bit],
    "Petersen": [(v, (v + 1) % 5) for v in range(5)]
    + [(v, v + 5) for v in range(5)]
    + [(v + 5, (v + 2) % 5 + 5) for v in range(5)],
    **{f"random {seed}": cubic(random.Random(seed), (6, 12, 12, 18)[seed % 4]) for seed in range(12)},
    "tree": [(0, 1), (0, 2), (0, 3), (1, 4), (2, 5)],
    "spider": [(0, 1), (0, 2), (0, 3), (3, 4), (4, 5)],
}


@pytest.mark.parametrize("name", CUBIC)
def test_three_rows_each_exactly_where_paths_of_three_divide_the_graph(name: str) -> None:
    edges = CUBIC[name]
    n = max(max(e) for e in edges) + 1
    near = {v: {a + b - v for a, b in edges if v in (a, b)} for v in range(n)}
    weight = np.ones(n, np.int64)
    found = region_exact.group(weight, pairs(edges), 3, UNLIMITED)
    best = check(weight, edges, 3, found)
    assert found.lower_bound == best
    assert (best == 3) == in_paths(frozenset(range(n)), near)
    if n <= 8:
        every = divisions(n, edges, [1] * n, 3)
        assert best == min(max(len(part) for part in division) for division in every)
    # No factor below 4 / 3 in polynomial time unless P = NP, and never more than the tree's degree permits.
    assert check(weight, edges, 3, regions.group(weight, pairs(edges), 3, UNLIMITED)) >= best


@pytest.mark.everything
@pytest.mark.parametrize("solve", SOLVERS)
def test_components_are_divided_one_by_one(solve: Callable[..., Grouping]) -> None:
    for seed in range(20):
        parts = [case(seed + 100 * i, 8)[:2] for i in range(3)]
        k = min(int(weight.sum()) for _, weight in parts)
        edges, weight, offset = [], np.concatenate([w for _, w in parts]), 0
        for own, w in parts:
            edges += [(a + offset, b + offset) for a, b in own]
            offset += len(w)
        found = solve(weight, pairs(edges), k, UNLIMITED)
        best = check(weight, edges, k, found)
        if solve is region_exact.group:
            alone = [solve(w, pairs(own), k, UNLIMITED) for own, w in parts]
            assert best == found.lower_bound == max(each.lower_bound for each in alone)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100))
def test_verification_refuses_regions_by_the_definition(seed: int) -> None:
    """Some regions are drawn, some are those of a solver, on a map with small parts or without."""
    rng = random.Random(seed)
    edges, weight, k = case(seed, 7)
    merge = seed % 4 > 1
    edges = [each for each in edges if not merge or rng.random() < 0.7]
    names, own = [f"n{v}" for v in range(len(weight))], [set(each) for each in components(len(weight), edges)]
    small = [each for each in own if merge and sum(weight[v] for v in each) < k]

    def right(region: Sequence[int]) -> bool:
        for number in set(region):
            nodes = {v for v, each in enumerate(region) if each == number}
            left = nodes.difference(*(each for each in small if each <= nodes))
            if int(weight[list(nodes)].sum()) < k or (left and int(weight[list(left)].sum()) < k):
                return False
            if left and not connected(left, [(a, b) for a, b in edges if a in left and b in left]):
                return False
        return True

    drawn = [[rng.randrange(3) for _ in names] for _ in range(30)]
    found = regions.group(weight, pairs(edges), k, UNLIMITED, merge=merge).group.tolist()
    assert right(found)
    table = {"a": [names[a] for a, _ in edges], "B": [names[b] for _, b in edges]}
    recoding = Regions(edges="map", components="merge" if merge else "refuse")
    for region in (found, *drawn):
        told = [f"region {each}" for each in region]
        with nullcontext() if right(region) else pytest.raises(PolicyError, match=r"fewer than k|not connected"):
            check_groups(recoding, names, weight.tolist(), told, k, {"map": table})


@pytest.mark.parametrize("solve", SOLVERS)
def test_small_components(solve: Callable[..., Grouping]) -> None:
    weight = weights([5, 5, 1, 1, 2, 3, 6])
    edges = pairs([(0, 1), (2, 3)])
    assert too_small(weight, edges, 5).tolist() == [2, 3, 4, 5]
    with pytest.raises(InfeasibleError, match=r"^3 of the 5 connected components have fewer than k = 5 rows: 2, 2, 3; hint: "):
        solve(weight, edges, 5, UNLIMITED)
    # Together they are heavy enough: regions of their own, and the others stay connected.
    found = solve(weight, edges, 5, UNLIMITED, merge=True)
    assert found.group.tolist() == [0, 1, 2, 2, 2, 2, 3]
    assert found.lower_bound == 7
    # They are not: the lightest region takes them all.
    found = solve(weight[[0, 1, 2, 3, 6]], edges, 5, UNLIMITED, merge=True)
    assert found.group.tolist() == [0, 1, 0, 0, 2]
    assert found.lower_bound == 7
    # No component is heavy enough.
    found = solve(weight[2:6], pairs([(0, 1)]), 4, UNLIMITED, merge=True)
    assert found.group.tolist() == [0, 0, 0, 0]
    with pytest.raises(InfeasibleError, match="the labels cover only 7 rows, fewer than k = 8"):
        solve(weight[2:6], pairs([(0, 1)]), 8, UNLIMITED, merge=True)


def test_no_edges_at_all() -> None:
    weight = weights([4, 7, 5])
    for solve in SOLVERS:
        found = solve(weight, pairs([]), 4, UNLIMITED)
        assert (found.group.tolist(), found.lower_bound) == ([0, 1, 2], 7)


def test_rows_beyond_the_squares_of_a_word() -> None:
    edges, weight, _ = case(4, 40)
    weight = weight * (1 << 50)
    k = int(weight.sum()) // 4
    check(weight, edges, k, regions.group(weight, pairs(edges), k, UNLIMITED))


def test_the_same_seed_gives_the_same_regions() -> None:
    edges, weight, k = [(v, v - 1) for v in range(1, 200)] + [(v, v - 10) for v in range(10, 200)], weights(range(1, 201)), 600
    found = [regions.group(weight, pairs(edges), k, Budget(seed=seed)).group.tolist() for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
    ended = regions.group(weight, pairs(edges), k, Budget(ended=lambda: True))
    check(weight, edges, k, ended)


@pytest.mark.everything
def test_the_exact_solver_proves_what_the_search_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    edges, weight = grid(6), weights(random.Random(3).choices(range(1, 20), k=36))
    found = region_exact.group(weight, pairs(edges), 45, UNLIMITED)
    search = regions.group(weight, pairs(edges), 45, UNLIMITED)
    best = check(weight, edges, 45, found)
    assert search.lower_bound < found.lower_bound == best <= search.rows(weight).max()
    assert found.bound != search.bound
    for limits in ({"_MEMBERS": 2_000}, {"_LOOKS": 20_000}, {"_WORK": 0.0}):
        with monkeypatch.context() as limited:
            for name, most in limits.items():
                limited.setattr(region_exact, name, most)
            less = region_exact.group(weight, pairs(edges), 45, UNLIMITED)
        assert less.lower_bound <= best <= check(weight, edges, 45, less)
    ended = region_exact.group(weight, pairs(edges), 45, Budget(seconds=0))
    assert ended.lower_bound <= best <= check(weight, edges, 45, ended)


@pytest.mark.everything
def test_the_counties(data: Path) -> None:
    with gzip.open(data / "us_counties_nodes.csv.gz", "rt", encoding="utf-8") as lines:
        weight = weights(int(row["PO90"]) for row in csv.DictReader(lines))
    with gzip.open(data / "us_counties_edges.csv.gz", "rt", encoding="utf-8") as lines:
        borders = [(int(row["u"]), int(row["v"])) for row in csv.DictReader(lines)]
    k = 500_000
    found = regions.group(weight, pairs(borders), k, UNLIMITED)
    near: list[list[int]] = [[] for _ in weight]
    for a, b in borders:
        near[a].append(b)
        near[b].append(a)
    rows = found.rows(weight)
    seen: set[int] = set()
    for region in range(len(rows)):  # one search from one node meets all of its region
        queue = [int(np.argmax(found.group == region))]
        seen.update(queue)
        while queue:
            more = {u for u in near[queue.pop()] if found.group[u] == region} - seen
            seen |= more
            queue.extend(more)
    assert len(seen) == len(weight)
    graph = LumpedGraph.of(weight, pairs(borders), k)
    _, degree = cut_trees(graph, UNLIMITED)
    assert degree <= 4
    assert rows.min() >= k
    assert rows.max() <= graph.weight.max() + degree * (k - 1)
    # The most populous county alone is the heaviest region, which nothing can beat.
    assert rows.max() == weight.max() == found.lower_bound
    assert len(rows) >= 320
