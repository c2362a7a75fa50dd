"""Small tables for known columns: the release costs what the cheapest of all releases does, and the bound says so."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.certificate import Status


def cheapest(
    codes: np.ndarray[tuple[int, int], np.dtype[np.int64]],
    sets: list[tuple[int, ...]],
    k: int,
    cost: tuple[int, ...] | None = None,
    masks: set[tuple[int, ...]] | None = None,
) -> int:
    """Return the cost of the cheapest release whose classes by all sets have k rows, by counting all; masks hide cells."""
    rows, columns = codes.shape
    hidden = (np.arange(1 << rows * columns)[:, None] >> np.arange(rows * columns) & 1).reshape(-1, rows, columns)
    cells = np.where(hidden > 0, -1, codes)
    good = np.ones(len(cells), np.bool_)
    for chosen in sets:
        known = cells[:, :, list(chosen)]
        alike = (known[:, :, None] == known[:, None]).all(axis=3).sum(axis=2)
        good &= (alike >= k).all(axis=1)
    if masks is not None:
        good &= np.array([{tuple(row) for row in each} <= masks for each in hidden.tolist()])
    return int((hidden[good] * np.array(cost or (1,) * columns)).sum(axis=(1, 2)).min())


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(400))
def test_a_tiny_table_loses_as_little_as_any_release(seed: int) -> None:
    draw = random.Random(seed)
    rows, columns = draw.choice([(4, 3), (5, 3), (5, 2), (7, 2), (3, 4)])
    k = draw.randint(2, min(3, rows))
    values = [[draw.choice("abc"[: 2 + place % 2]) for place in range(columns)] for _ in range(rows)]
    if draw.random() < 0.5:
        known: int | list[list[str]] = draw.randint(1, columns)
        sets = list(combinations(range(columns), known))
    else:
        sets = sorted({tuple(sorted(draw.sample(range(columns), draw.randint(1, columns)))) for _ in range(2)})
        known = [[f"c{place}" for place in chosen] for chosen in sets]
    table = pa.table({f"c{place}": [row[place] for row in values] for place in range(columns)})
    certificate = kanon_sql.anonymize(table, k, known=known).certificate
    codes = np.array([[ord(value) for value in row] for row in values], np.int64)
    assert certificate.cost == certificate.lower_bound == cheapest(codes, sets, k)
    assert certificate.status is Status.OPTIMAL


@pytest.mark.everything
def test_weights_and_masks_count() -> None:
    table = pa.table({"a": list("xxxyy"), "b": list("ppqqp"), "c": list("mnmnm")})
    codes = np.array([[ord(value) for value in row.values()] for row in table.to_pylist()], np.int64)
    sets = list(combinations(range(3), 2))
    con = kanon_sql.connect()
    con.register("source", table)
    con.execute("FROM source ANONYMIZE BY a WEIGHT 3, b, c GUARANTEE k >= 3 FOR ANY 2 COLUMNS").fetchall()
    assert kanon_sql.releases(con)[-1].cost == cheapest(codes, sets, 3, (3, 1, 1))
    limited = kanon_sql.anonymize(table, 3, known=2, masks=[["a", "b"], ["c"], []]).certificate
    assert limited.cost == cheapest(codes, sets, 3, masks={(0, 0, 1), (1, 1, 0), (1, 1, 1)})


@pytest.mark.everything
@pytest.mark.parametrize("seed", range(3))
def test_a_sample_is_close_to_the_best_release(seed: int) -> None:
    draw = np.random.default_rng(seed)
    table = pa.table({f"c{place}": draw.zipf(1.7, 100).clip(max=6 + place).astype(str) for place in range(6)})
    certificate = kanon_sql.anonymize(table, 3, known=2).certificate
    assert certificate.cost <= certificate.lower_bound * 1.1
