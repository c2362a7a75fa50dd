"""The assignment of rows to classes, and the members of instances: what is counted along the way is what is there."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from kanon_sql.kernels.classes import SLOTS, Partition, put_all, take_all
from kanon_sql.kernels.instances import of_some

ROW_TYPES, CLASSES = 5, 40


def one(i: int, j: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.array([i], np.int32), np.array([j], np.int32), np.array([count], np.int64)


@pytest.mark.parametrize("seed", range(5))
def test_places_are_counted_as_rows_come_and_go(seed: int) -> None:
    random = np.random.default_rng(seed)
    partition = Partition(ROW_TYPES, CLASSES)
    there = np.zeros((ROW_TYPES, CLASSES), np.int64)
    for _ in range(400):
        i, j, count = random.integers(ROW_TYPES), random.integers(CLASSES), random.integers(1, 4)
        if there[i, j] and random.random() < 0.45:
            count = min(count, there[i, j])
            take_all(partition, *one(i, j, count))
            there[i, j] -= count
        else:
            full = there[i, j] == 0 and (there[i] > 0).sum() == SLOTS
            assert put_all(partition, *one(i, j, count)) == (0 if full else 1)
            there[i, j] += 0 if full else count
        assert np.asarray(partition.used).tolist() == (there > 0).sum(axis=1).tolist()
        assert np.asarray(partition.places).tolist() == (there > 0).sum(axis=0).tolist()
        assert np.asarray(partition.rows).tolist() == there.sum(axis=0).tolist()
    where, amount = (np.asarray(each).reshape(ROW_TYPES, SLOTS) for each in (partition.where, partition.amount))
    for i, j in zip(*np.nonzero(there), strict=True):
        assert amount[i, where[i] == j].tolist() == [there[i, j]]
    assert (where >= 0).sum() == (there > 0).sum()


@pytest.mark.parametrize("chosen", [[], [2], [3, 0, 3, 1]])
def test_members_of_some_instances(chosen: list[int]) -> None:
    members = [[4, 1], [], [0, 2, 5], [3]]
    start = np.cumsum([0, *map(len, members)]).astype(np.int64)
    begin, found = of_some(start, np.array([each for some in members for each in some], np.int32), np.array(chosen, np.int64))
    assert [found[a:b].tolist() for a, b in pairwise(begin)] == [members[j] for j in chosen]
