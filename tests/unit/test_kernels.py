"""Kernels against plain Python."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from kanon_sql.kernels.classes import take_frequent
from kanon_sql.kernels.instances import frequent_sets
from kanon_sql.kernels.partitions import split_classes
from kanon_sql.solvers.instances.sieve import sieve
from kanon_sql.table.keys import mixed_radix


def table(seed: int, rows: int, columns: int, values: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return distinct rows of codes, their weights and the cardinality of the columns."""
    rng = np.random.default_rng(seed)
    codes = np.unique(rng.integers(0, values, (rows, columns)), axis=0).astype(np.int32)
    for column in codes.T:
        column[:] = np.unique(column, return_inverse=True)[1]
    weight = rng.integers(1, 4, len(codes)).astype(np.int64)
    return np.ascontiguousarray(codes), weight, codes.max(axis=0).astype(np.int64) + 1


def members(bits: np.ndarray, rows: int) -> list[bool]:
    return [bool(int(bits[i >> 6]) >> (i & 63) & 1) for i in range(rows)]


def everyone(rows: int) -> np.ndarray:
    bits = np.zeros((rows + 63) // 64, np.uint64)
    for i in range(rows):
        bits[i >> 6] |= np.uint64(1 << (i & 63))
    return bits


def shown_values(row: np.ndarray, shown: int) -> tuple[int | None, ...]:
    return tuple(int(value) if shown >> c & 1 else None for c, value in enumerate(row))


@pytest.mark.parametrize(("seed", "values", "k"), [(1, 3, 2), (2, 5, 4), (3, 9, 3), (4, 2, 1), (5, 3, 500)])
def test_frequent_sets(seed: int, values: int, k: int) -> None:
    codes, weight, cardinality = table(seed, 200, 4, values)
    sets = np.arange(16, dtype=np.uint64)
    bits = frequent_sets(codes, cardinality, weight, k, sets)
    for chosen in range(16):
        rows: Counter[tuple[int | None, ...]] = Counter()
        for row, count in zip(codes, weight, strict=True):
            rows[shown_values(row, chosen)] += int(count)
        expected = [rows[shown_values(row, chosen)] >= k for row in codes]
        possible = int(np.prod([cardinality[c] for c in range(4) if chosen >> c & 1]))
        if possible > 32 * len(codes) + 1024:
            expected = [True] * len(codes)
        assert members(bits[chosen], len(codes)) == expected


def test_sets_of_vast_domains_stay_full_rather_than_wrong() -> None:
    codes = np.stack([np.arange(3000), np.arange(3000)[::-1]], axis=1).astype(np.int32)
    weight = np.full(3000, 2, np.int64)
    bits = frequent_sets(np.ascontiguousarray(codes), np.array([3000, 3000], np.int64), weight, 2, np.array([3], np.uint64))
    assert all(members(bits[0], 3000))


def test_sets_of_domains_whose_product_overflows_a_word() -> None:
    codes = np.zeros((4, 3), np.int32)
    codes[:, 0] = np.arange(4)
    vast = np.full(3, (1 << 31) - 1, np.int64)
    assert all(members(frequent_sets(codes, vast, np.ones(4, np.int64), 2, np.array([7], np.uint64))[0], 4))


@pytest.mark.parametrize("patterns", [1, 16, 1 << 14])
def test_the_sieve_never_loses_a_row(patterns: int) -> None:
    codes, weight, cardinality = table(9, 300, 6, 5)
    sets, bits = sieve(codes, cardinality, weight, 4, patterns)
    assert len(sets) == len(bits)
    assert (bits == frequent_sets(codes, cardinality, weight, 4, sets)).all()


def naive_take(codes: np.ndarray, weight: np.ndarray, patterns: list[int], k: int) -> list[int]:
    taken = [-1] * len(codes)
    for p, shown in enumerate(patterns):
        rows: Counter[tuple[int | None, ...]] = Counter()
        for i in range(len(codes)):
            if taken[i] < 0:
                rows[shown_values(codes[i], shown)] += int(weight[i])
        for i in range(len(codes)):
            if taken[i] < 0 and rows[shown_values(codes[i], shown)] >= k:
                taken[i] = p
    return taken


def take(codes: np.ndarray, weight: np.ndarray, cardinality: np.ndarray, patterns: list[int], k: int) -> tuple[list[int], int]:
    place = np.stack(mixed_radix(cardinality)[:2])
    taken = np.full(len(codes), -1, np.int32)
    sifted = sieve(codes, cardinality, weight, k, len(patterns))
    alive = everyone(len(codes))
    total = take_frequent(codes, weight, place, np.array(patterns, np.uint64), sifted, alive, k, taken)
    assert members(alive, len(codes)) == [pattern < 0 for pattern in taken]
    return taken.tolist(), total


@pytest.mark.parametrize(("seed", "rows", "columns", "values", "k"), [
    (1, 300, 4, 3, 2), (2, 300, 5, 4, 6), (3, 63, 3, 6, 3), (4, 64, 3, 6, 3), (5, 65, 3, 6, 3), (6, 500, 4, 30, 2),
    (7, 200, 6, 2, 25), (8, 1, 2, 2, 1), (9, 40, 4, 3, 10_000),
])  # fmt: skip
def test_take_frequent(seed: int, rows: int, columns: int, values: int, k: int) -> None:
    codes, weight, cardinality = table(seed, rows, columns, values)
    patterns = sorted(range(1 << columns), key=lambda shown: (columns - shown.bit_count(), shown))
    expected = naive_take(codes, weight, patterns, k)
    taken, total = take(codes, weight, cardinality, patterns, k)
    assert taken == expected
    assert total == sum(int(w) for w, p in zip(weight, expected, strict=True) if p >= 0)


@pytest.mark.everything
def test_take_frequent_with_keys_of_many_words() -> None:
    rng = np.random.default_rng(10)
    base = rng.integers(0, 3, (30, 60))
    codes = base[rng.integers(0, 30, 300)]
    codes[np.arange(300), rng.integers(0, 60, 300)] = 3
    codes = np.ascontiguousarray(np.unique(codes, axis=0).astype(np.int32))
    weight = np.ones(len(codes), np.int64)
    cardinality = np.full(60, 4, np.int64)
    full = (1 << 60) - 1
    patterns = [full, *(full & ~(1 << c) for c in range(60)), *(full & ~(3 << c) for c in range(59)), 0]
    taken, _ = take(codes, weight, cardinality, patterns, 2)
    assert mixed_radix(cardinality)[2] > 1
    assert taken == naive_take(codes, weight, patterns, 2)


def check_split(codes: np.ndarray, weight: np.ndarray, cost: np.ndarray, cardinality: np.ndarray, k: int) -> np.ndarray:
    shown = split_classes(codes, weight, cost, cardinality, k)
    rows: Counter[tuple[int | None, ...]] = Counter()
    for i in range(len(codes)):
        rows[shown_values(codes[i], int(shown[i]))] += int(weight[i])
    assert min(rows.values()) >= k
    return shown


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("k", [1, 2, 3, 10])
def test_split_classes_keeps_every_class_at_k(seed: int, k: int) -> None:
    codes, weight, cardinality = table(seed, 120, 5, 2 + seed)
    check_split(codes, weight, np.ones(5, np.int64), cardinality, k)


def test_split_classes_shows_all_where_every_row_type_is_large() -> None:
    codes, weight, cardinality = table(3, 100, 4, 3)
    shown = check_split(codes, weight + 10, np.ones(4, np.int64), cardinality, 5)
    assert (shown == 0b1111).all()


def test_split_classes_shows_nothing_where_k_is_all_rows() -> None:
    codes, weight, cardinality = table(3, 50, 3, 3)
    assert not check_split(codes, weight, np.ones(3, np.int64), cardinality, int(weight.sum())).any()


def test_split_classes_prefers_the_dear_column() -> None:
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int32)
    weight = np.ones(4, np.int64)
    shown = check_split(codes, weight, np.array([1, 2], np.int64), np.array([2, 2], np.int64), 2)
    assert (shown == 0b10).all()


def test_split_classes_on_sixty_columns() -> None:
    codes, weight, cardinality = table(11, 400, 60, 3)
    shown = check_split(codes, weight, np.ones(60, np.int64), cardinality, 5)
    assert shown.any()
    again = split_classes(codes, weight, np.ones(60, np.int64), cardinality, 5)
    assert (shown == again).all()
