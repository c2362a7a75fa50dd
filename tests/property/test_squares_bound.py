"""The bound by prices where all columns show means: the search and the proof against all classes and all partitions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from kanon_sql.errors import CertificateError
from kanon_sql.kernels.microaggregation import priced_above_loss
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.microaggregation.class_prices import class_prices
from kanon_sql.solvers.microaggregation.places import PlacedRows
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.verification.squares_bound import all_pay_at_most_their_loss

Numbers = list[list[Fraction]]


def drawn(seed: int, most: int) -> tuple[Numbers, list[int], int]:
    """Draw columns of numbers of different row types, their rows, and k."""
    rng = np.random.default_rng(seed)
    rows = np.unique(rng.integers(0, 5, (rng.integers(3, most), 2)), axis=0)
    counts = np.minimum(rng.integers(1, 4, len(rows)), [3, 2, 1, 1, 1, 1, 1, 1][: len(rows)]).tolist()
    columns = [[Fraction(int(value), 3) for value in column] for column in rows.T]
    return columns, counts, int(rng.integers(2, min(4, sum(counts)) + 1))


def placed(columns: Numbers, counts: list[int]) -> PlacedRows:
    x = np.array([[float(value) for value in column] for column in columns]).T
    mean = np.average(x, axis=0, weights=counts)
    root = np.sqrt(np.average((x - mean) ** 2, axis=0, weights=counts))
    return PlacedRows(x=(x - mean) / np.where(root > 0, root, 1), rows=np.array(counts))


def loss(columns: Numbers, counts: list[int], rows: tuple[int, ...]) -> Fraction:
    """Return what a class of rows loses, by the definition."""
    total = Fraction(0)
    for column in columns:
        every = [value for value, count in zip(column, counts, strict=True) for _ in range(count)]
        mean, own = sum(every) / len(every), [column[row] for row in rows]
        whole = sum((value - mean) ** 2 for value in every)
        centre = sum(own) / len(own)
        total += sum((value - centre) ** 2 for value in own) * len(every) / whole if whole else 0
    return total


def one_class(counts: list[int]) -> SummaryPartition:
    return SummaryPartition(
        row_type=np.arange(len(counts), dtype=np.int32), number=np.zeros(len(counts), np.int64), count=np.array(counts)
    )


def partitions(rows: tuple[int, ...], k: int) -> Iterator[list[tuple[int, ...]]]:
    """Give all partitions of rows into classes of k and more."""
    if not rows:
        yield []
    first, *others = rows or (0,)
    for size in range(k - 1, len(rows)):
        for chosen in combinations(range(len(others)), size):
            left = tuple(other for place, other in enumerate(others) if place not in chosen)
            for rest in partitions(left, k):
                yield [(first, *(others[place] for place in chosen)), *rest]


@pytest.mark.parametrize("seed", range(60))
def test_each_class_that_gains_does_so_from_one_of_its_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 10))
    k, x = int(rng.integers(2, min(5, n) + 1)), rng.normal(size=(n, 2))
    distance = np.floor(((x[:, None] - x) ** 2).sum(axis=2) * 1000).astype(np.int64)
    price = rng.integers(-50, 500, n)
    gain, member, steps = priced_above_loss(distance, price, np.arange(n), k, 10**9)
    assert steps < 10**9

    def gained(rows: tuple[int, ...]) -> int:
        return int(k * price[list(rows)].sum() - distance[np.ix_(rows, rows)].sum() // 2)

    for rows in combinations(range(n), k):
        assert max(0, gained(rows)) <= gain[list(rows)].max()
    for row in np.flatnonzero(gain).tolist():
        rows = tuple(member[row].tolist())
        assert row in rows
        assert len(set(rows)) == k
        assert gained(rows) == gain[row]
    assert (priced_above_loss(distance, price, np.arange(n), k, 1)[0] <= gain).all(), (
        "a search that is cut off claims nothing more"
    )


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(40))
def test_prices_are_proven_and_no_partition_loses_less(seed: int) -> None:
    columns, counts, k = drawn(seed, 6)
    prices = class_prices(placed(columns, counts), one_class(counts), k, UNLIMITED)
    assert prices is not None
    paid = prices.price.tolist()
    assert all_pay_at_most_their_loss(columns, [Fraction(1)] * 2, counts, paid, k, prices.scale)
    rows = tuple(row for row, count in enumerate(counts) for _ in range(count))
    bound = Fraction(sum(paid[row] for row in rows), prices.scale)
    assert bound <= min(sum(loss(columns, counts, each) for each in found) for found in partitions(rows, k))


@pytest.mark.parametrize("seed", range(40))
def test_a_class_that_pays_more_than_it_loses_is_found(seed: int) -> None:
    columns, counts, k = drawn(seed, 8)
    rng = np.random.default_rng(seed)
    rows = tuple(row for row, count in enumerate(counts) for _ in range(count))
    losses = {each: loss(columns, counts, each) for each in set(combinations(rows, k))}
    for _ in range(10):
        paid = rng.integers(0, 1 + int(1000 * max(losses.values()) / k), len(counts)).tolist()
        within = all(Fraction(sum(paid[row] for row in each), 1000) <= lost for each, lost in losses.items())
        less = [1000 * each - 10 for each in paid]  # distances are rounded down, by less than this
        proofs = [
            all_pay_at_most_their_loss(columns, [Fraction(1)] * 2, counts, *each)
            for each in ((paid, k, 1000), (less, k, 10**6))
        ]
        assert within or not proofs[0]
        assert proofs[1] or not within


def test_prices_that_do_not_suit_the_table_are_refused() -> None:
    columns, counts, k = drawn(1, 6)
    with pytest.raises(CertificateError, match="prices"):
        all_pay_at_most_their_loss(columns, [Fraction(1)] * 2, counts, [0], k, 1)
    with pytest.raises(CertificateError, match="too large"):
        all_pay_at_most_their_loss(columns, [Fraction(1)] * 2, counts, [1 << 62] * len(counts), k, 1)


def test_a_row_alone_pays_nothing() -> None:
    assert all_pay_at_most_their_loss([[Fraction(0), Fraction(1)]], [Fraction(1)], [1, 1], [0, -1], 1, 1)
    assert not all_pay_at_most_their_loss([[Fraction(0), Fraction(1)]], [Fraction(1)], [1, 1], [0, 1], 1, 1)


def test_no_time_is_no_prices() -> None:
    columns, counts, k = drawn(1, 6)
    assert class_prices(placed(columns, counts), one_class(counts), k, Budget(seconds=0)) is None


@pytest.mark.parametrize("counts", [[3, 3, 4], [3, 3, 1, 1, 1]])
def test_a_release_that_loses_nothing_needs_no_prices(counts: list[int]) -> None:
    columns = [[Fraction(min(row, 2)) for row in range(len(counts))]] * 2
    each = SummaryPartition(
        row_type=np.arange(len(counts), dtype=np.int32), number=np.minimum(np.arange(len(counts)), 2), count=np.array(counts)
    )
    assert class_prices(placed(columns, counts), each, 3, UNLIMITED) is None
