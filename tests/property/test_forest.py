"""The forest of near neighbours: what its edges cost, its parts, and blocks of several columns."""

from __future__ import annotations

import numpy as np
import pytest
from naive import optimum
from solving import check, coded, plain

from kanon_sql.kernels.partitions import Forest, cut_forest
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.listing import cheapest
from kanon_sql.solvers.k_anonymity import forest
from kanon_sql.table.arrays import Int64
from kanon_sql.table.patterns import permitted


def grown(weight: Int64, edges: Int64, k: int) -> Forest:
    """Return the forest that grows when the ends of each edge are alike under a mask of their own."""
    trees = Forest(weight, k)
    for i, j in edges.tolist():
        key = np.arange(len(weight), dtype=np.uint64)
        key[j] = key[i]
        trees.join(np.array([i, j]), key, np.zeros((1, len(weight)), np.int32), np.zeros(1, np.int64))
    return trees


def trees_of(t: int, edges: list[list[int]]) -> list[set[int]]:
    trees = [{i} for i in range(t)]
    for i, j in edges:
        a, b = (next(tree for tree in trees if end in tree) for end in (i, j))
        assert a is not b, "an edge closes a circle"
        trees = [tree for tree in trees if tree is not a and tree is not b] + [a | b]
    return trees


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
def test_parts_of_trees_have_k_rows_and_share_no_edge(seed: int) -> None:
    rng = np.random.default_rng(seed)
    t, k = int(rng.integers(2, 40)), int(rng.integers(2, 6))
    weight = rng.choice([1, 1, 2, k - 1, k, 3 * k], t).astype(np.int64)
    weight[0] += k
    edges = np.concatenate([rng.integers(0, t, (3 * t, 2)), [[i, i + 1] for i in range(t - 1)] * 2])
    trees = grown(weight, edges, k)
    joined = trees.joined()
    assert len(trees.small()) == 0
    assert min(weight[list(tree)].sum() for tree in trees_of(t, joined.tolist())) >= k
    part, rows = cut_forest(joined, weight, k)
    rest = weight - rows
    assert ((rest == 0) | (rest >= k)).all()
    assert ((part < 0) == (rows == 0)).all()
    heavy = {i for i in range(t) if weight[i] >= k}
    used: set[tuple[int, int]] = set()
    for number in range(part.max() + 1):
        members = set(np.flatnonzero(part == number).tolist())
        total = int(rows[part == number].sum())
        assert k <= total <= (2 * k - 1 if members & heavy else 3 * k - 3)
        needed = spanning(joined.tolist(), members)
        assert not needed & used
        used |= needed


def spanning(edges: list[list[int]], members: set[int]) -> set[tuple[int, int]]:
    """Return the edges of the least subtree that holds some nodes of a forest: those with members on both sides."""
    found = set()
    for i, j in edges:
        side, grew = {i}, True
        while grew:
            more = {b for a, b in edges if a in side and (a, b) != (i, j)} | {
                a for a, b in edges if b in side and (a, b) != (i, j)
            }
            grew = not more <= side
            side |= more
        if members & side and members - side:
            found.add((i, j))
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(40))
def test_edges_cost_at_most_what_rows_do(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sum over the rows of the cheapest class around each one is at most the optimum; it pays for the edges."""
    rng = np.random.default_rng(seed)
    t, m, k = 30, 5, 2 + seed % 4
    table, policy = coded([tuple(row) for row in rng.integers(0, 3, (t, m)).tolist()], k=k)
    patterns = permitted(table, policy)
    prices = cheapest(table, patterns, k, Budget())
    assert prices is not None
    seen: list[Int64] = []
    monkeypatch.setattr(forest, "cut_forest", lambda edges, weight, k: (seen.append(edges), cut_forest(edges, weight, k))[1])
    for pairs, width in ((1 << 28, 1), (table.row_types << 3, 2), (1, m)):
        monkeypatch.setattr(forest, "MOST_PAIRS", pairs)
        check(table, forest.solve(plain(table, patterns, k), Budget()), k)
        edges = seen.pop()
        lengths = ((table.codes[edges[:, 0]] != table.codes[edges[:, 1]]) @ table.cost).sum()
        assert lengths <= width * int(prices @ table.weight)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(40))
def test_the_factor_with_blocks_of_two_columns(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    k = 2 + seed % 2
    rows = [tuple(row) for row in rng.integers(0, 2 + seed % 3, (8, 4)).tolist()]
    table, policy = coded(rows, k=k)
    patterns = permitted(table, policy)
    monkeypatch.setattr(forest, "MOST_PAIRS", table.row_types << 2)
    best = optimum(rows, k)
    assert best is not None
    recoding = forest.solve(plain(table, patterns, k), Budget())
    check(table, recoding, k)
    assert best <= table.exact_cost(recoding.cost(table)) <= 2 * (3 * k - 3) * best


def test_keys_that_collide_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    table, policy = coded([tuple(row) for row in rng.integers(0, 4, (60, 4)).tolist()], k=3)
    problem = plain(table, permitted(table, policy), 3)
    expected = forest.solve(problem, Budget()).cost(table)
    monkeypatch.setattr(forest, "_words", lambda number, salt: np.zeros(len(number), np.uint64) + np.uint64(salt))
    found = forest.solve(problem, Budget())
    check(table, found, 3)
    assert found.cost(table) < 2 * expected
