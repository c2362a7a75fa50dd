"""Wide tables that are made from a seed: answers, histories, traits, a table with levels, and sensitive columns for them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

LADDERS = (
    (90, (5, 30)),
    (40, (4, 20)),
    (24, (6,)),
    (120, (4, 20, 60)),
    (365, (7, 30, 90, 180)),
    (60, (10,)),
    (12, (3,)),
    (200, (20,)),
)
"""Values of each column of `levels`, and the widths of its intervals: 38,880 patterns."""


def answers(rows: int = 75_000, columns: int = 16) -> pa.Table:
    """Return ordinal answers of 4 to 36 values that follow three hidden factors; nearly all rows are distinct."""
    random = np.random.default_rng(11)
    latent = random.normal(size=(rows, 3))
    cells = {}
    for place in range(columns):
        values = 4 + (place * 13) % 33
        score = _score(random, latent, 0.15)
        edges = np.quantile(score, np.sort(random.beta(1.2, 1.2, values - 1)))
        cells[f"answer_{place:02}"] = np.searchsorted(edges, score).astype(np.int32)
    return pa.table(cells)


def levels(rows: int = 60_000) -> pa.Table:
    """Return eight ordinal columns that follow three hidden factors, for the intervals of `LADDERS`."""
    random = np.random.default_rng(5)
    latent = random.normal(size=(rows, 3))
    cells = {}
    for place, (values, _) in enumerate(LADDERS):
        score = _score(random, latent, 0.35)
        cells[f"level_{place}"] = (np.argsort(np.argsort(score)) * values // rows).astype(np.int32)
    return pa.table(cells)


def histories(rows: int = 30_000) -> pa.Table:
    """Return 24 columns of people with credit: their age, status month by month, and amounts that nearly all differ."""
    random = np.random.default_rng(17)
    wealth, risk = random.normal(size=rows), random.normal(size=rows)
    cells: dict[str, NDArray[np.int64]] = {
        "limit": np.round(np.exp(11 + wealth) / 10_000).clip(1, 80).astype(np.int64) * 10_000,
        "sex": random.integers(1, 3, rows),
        "education": np.digitize(wealth + random.normal(size=rows), [-1.5, 0.3, 1.3, 2.8]),
        "marriage": random.choice(4, rows, p=[0.01, 0.46, 0.52, 0.01]),
        "age": (26 + 9 * random.gamma(2, 0.5, rows) + 3 * wealth).clip(21, 79).astype(np.int64),
    }
    status, owed = _status(random, risk), np.exp(9.5 + 0.8 * wealth + random.normal(size=rows))
    for month in range(6):
        status = np.where(random.random(rows) < 0.25, _status(random, risk), status)
        nothing = (status == -2) | (random.random(rows) < 0.07)
        owed = owed * np.exp(0.2 * random.normal(size=rows))
        share = random.random(rows)
        usual = random.choice([1000, 2000, 3000, 5000, 10_000], rows)
        paid = np.where(share < 0.3, usual, np.round(owed * random.random(rows) * 0.1))
        cells[f"status_{month}"] = status
        cells[f"bill_{month}"] = np.where(nothing, 0, np.round(owed)).astype(np.int64)
        cells[f"paid_{month}"] = np.where(nothing | (status > 0) | (share < 0.1), 0, paid).astype(np.int64)
    cells["default"] = (risk + random.normal(size=rows) > 1.2).astype(np.int64)
    return pa.table(cells)


def traits(rows: int = 10_000, columns: int = 60) -> pa.Table:
    """Return skewed categorical columns of 2 to 40 values that follow one of four hidden traits of the row, or chance."""
    random = np.random.default_rng(7)
    hidden = random.zipf(1.5, (rows, 4)) % 12
    cells = {}
    for place in range(columns):
        domain = 2 + place * 7 % 39
        own = random.zipf(1.3 + random.random(), rows) % domain
        shared = (hidden[:, place % 4] * (1 + place)) % domain
        cells[f"c{place:02}"] = [f"v{code}" for code in np.where(random.random(rows) < 0.8, shared, own)]
    return pa.table(cells)


def with_persons(source: pa.Table) -> pa.Table:
    """Return a table with a sensitive column of six values, which follows two others, and with a person for three rows."""
    random = np.random.default_rng(3)
    score = 0.5 * random.normal(size=source.num_rows)
    for column in source.columns[1:3]:
        ranks = np.unique(column.to_numpy(), return_inverse=True)[1]
        score += ranks / max(1, int(ranks.max()))
    edges = np.quantile(score, [0.31, 0.55, 0.74, 0.88, 0.96])
    person = random.permutation(source.num_rows) // 3
    return source.append_column("s", pa.array(np.searchsorted(edges, score))).append_column("person", pa.array(person))


def _score(random: np.random.Generator, latent: NDArray[np.float64], noise: float) -> NDArray[np.float64]:
    """Return a mixture of the hidden factors and chance, float64 [rows]."""
    loading = random.dirichlet(np.full(latent.shape[1], 0.5)) ** 0.5
    score: NDArray[np.float64] = latent @ loading + noise * random.normal(size=len(latent))
    return score


def _status(random: np.random.Generator, risk: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return months of delay, -2 to 3."""
    delay: NDArray[np.int64] = np.digitize(risk + 0.5 * random.normal(size=len(risk)), [-0.9, -0.4, 0.9, 1.3, 2.4]) - 2
    return delay
