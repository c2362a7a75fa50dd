"""How far the k-th nearest row is under ranges, sets and plain columns, where blocks of row types are passed over."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray
from solving import coded

from kanon_sql.kernels.summaries import GROUP, PLAIN, RANGE, SET, Measure, nearest
from kanon_sql.solvers.summaries import nearest as near_row_types
from kanon_sql.solvers.summaries.measure import measured
from kanon_sql.table.coded_table import CodedTable

ROWS = 3 * GROUP - 5
"""Three groups, the last of which is not full."""


def table_of(seed: int) -> tuple[CodedTable, list[str], NDArray[np.int32]]:
    """Draw row types of which those next to each other are alike, and say where NULL is."""
    rng = random.Random(seed)
    kinds = [rng.choice(["plain", "set", "range"]) for _ in range(3)]
    spread = rng.choice([5, 40, 700])
    rows = [
        tuple(None if rng.random() < 0.02 else f"{(i // 3 + rng.randrange(spread)) % 900:03}" for _ in kinds)
        for i in range(ROWS)
    ]
    table, _ = coded(rows, k=1)
    null = np.array(
        [max(code) if any(row[c] is None for row in rows) else -1 for c, code in enumerate(table.codes.T)], np.int32
    )
    return table, kinds, null


def distances(
    codes: NDArray[np.int32], kinds: list[str], null: NDArray[np.int32], step: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return what each pair of row types loses by row in a class of just the two, int64 [t, t]."""
    total = np.zeros((len(codes), len(codes)), np.int64)
    for c, kind in enumerate(kinds):
        one, other = np.meshgrid(codes[:, c].astype(np.int64), codes[:, c].astype(np.int64), indexing="ij")
        far = (one != other).astype(np.int64)
        if kind == "range":
            far = np.where((one == null[c]) | (other == null[c]), far, abs(one - other))
        total += far * step[c]
    return total


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("every", [1, 3])
def test_the_kth_nearest_row(seed: int, every: int) -> None:
    table, kinds, null = table_of(seed)
    measure, _ = measured(table, kinds, null)
    k, t = 1 + seed % 6, table.row_types
    order = np.argsort(table.codes[:, seed % 3], kind="stable")
    near = np.empty((t, 4), np.int32)
    found = nearest(table.codes, table.weight, measure, k, order, every, 2, near, 8, np.empty(0, np.int32))
    pairs = distances(table.codes, kinds, null, np.asarray(measure.step))
    for p, i in enumerate(order):
        others = np.delete(np.repeat(pairs[i], table.weight), np.flatnonzero(np.repeat(np.arange(t), table.weight) == i)[0])
        assert found[i] == (0 if p % every or k == 1 else np.sort(others)[k - 2])
        listed = [pairs[i, other] for other in near[i] if other >= 0]
        assert listed == sorted(listed)
        assert i not in near[i]
        if p % every == 0:
            assert listed == np.sort(np.delete(pairs[i], i))[:4].tolist()


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(12))
def test_of_codes_and_losses_that_take_many_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    high = np.array([3, 70_000, 1 << 20])[rng.permutation(3)]
    codes = (rng.integers(0, high, (ROWS, 3)) >> rng.integers(0, 12, (ROWS, 1))).astype(np.int32)
    codes[rng.random(codes.shape) < 0.02] = high.max()
    null = np.where(rng.random(3) < 0.5, high.max(), -1).astype(np.int32)
    kinds = [["plain", "set", "range"][kind] for kind in rng.integers(0, 3, 3)]
    step = rng.integers(1, 1 << rng.integers(1, 36, 3))
    first = np.concatenate([[0], np.cumsum(np.full(3, high.max() + 1))])
    kind = np.array([{"plain": PLAIN, "set": SET, "range": RANGE}[each] for each in kinds], np.int64)
    measure = Measure(kind=kind, step=step, null=null.astype(np.int64), first=first)
    near = np.empty((ROWS, 4), np.int32)
    order, weight = np.lexsort(codes.T), np.ones(ROWS, np.int64)
    found = nearest(codes, weight, measure, 3, order, 1, 2, near, 4, np.empty(0, np.int32))
    pairs = distances(codes, kinds, null, step)
    np.fill_diagonal(pairs, np.iinfo(np.int64).max)
    assert (np.sort(pairs)[:, 1] == found).all()
    assert (np.sort(pairs)[:, :4] == np.take_along_axis(pairs, near.astype(np.int64), axis=1)).all()


def test_of_many_row_types_a_part_bounds_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    table, kinds, null = table_of(2)
    measure, scale = measured(table, kinds, null)
    order = np.arange(table.row_types)
    whole = near_row_types.nearby(table, measure, scale, 3, order).lower_bound
    monkeypatch.setattr(near_row_types, "_BLOCKS", 1 << 14)
    part = near_row_types.nearby(table, measure, scale, 3, order).lower_bound
    assert 0 < part < whole / 2
