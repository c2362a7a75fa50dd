"""Releases for known columns against a plain count: the gate in both directions, the bound, and what the search finds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.projections import search
from kanon_sql.table.recoding import Prices, Recoding

Row = tuple[str | None, ...]


def drawn(draw: random.Random, rows: int, columns: int) -> list[Row]:
    return [tuple(draw.choice("abc"[: 2 + place % 2]) for place in range(columns)) for _ in range(rows)]


def table_of(rows: Sequence[Row]) -> pa.Table:
    return pa.table({f"c{place}": list(cells) for place, cells in enumerate(zip(*rows, strict=True))})


def smallest(rows: Sequence[Row], sets: Sequence[tuple[int, ...]]) -> int:
    """Return the smallest class by any of the sets."""
    return min(min(Counter(tuple(row[place] for place in chosen) for row in rows).values()) for chosen in sets)


def releases(rows: Sequence[Row], masks: Sequence[int]) -> list[Row]:
    return [
        tuple(value if mask >> place & 1 else None for place, value in enumerate(row))
        for row, mask in zip(rows, masks, strict=True)
    ]


def cheapest(rows: Sequence[Row], sets: Sequence[tuple[int, ...]], k: int) -> int:
    """Return the fewest suppressed cells of a release, by trying all."""
    columns = len(rows[0])
    best = len(rows) * columns
    for masks in product(range(1 << columns), repeat=len(rows)):
        hidden = len(rows) * columns - sum(mask.bit_count() for mask in masks)
        if hidden < best and smallest(releases(rows, masks), sets) >= k:
            best = hidden
    return best


def recoded(problem: Problem, masks: dict[Row, list[int]], columns: int) -> Recoding:
    """Return a recoding where the rows of each row type have the given masks; here a row type is its codes."""
    place, shown, count = [], [], []
    for number, codes in enumerate(problem.table.codes.tolist()):
        for mask, many in sorted(Counter(masks[tuple(codes)]).items()):
            place.append(number)
            shown.append(mask)
            count.append(many)
    del columns
    zero = Prices(price=np.zeros(problem.table.row_types, np.int64), scale=1)
    return Recoding(
        row_type=np.array(place, np.int32), shown=np.array(shown, np.uint64), count=np.array(count, np.int64), prices=zero
    )


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Let the solver return what a test puts in here."""
    told: dict[str, object] = {}

    def solve(problem: Problem, _budget: Budget) -> Recoding:
        codes = {value: np.unique([row[place] for row in told["rows"]]).tolist() for place, value in enumerate(told["names"])}  # type: ignore[attr-defined, call-overload, arg-type, var-annotated]
        masks: dict[Row, list[int]] = {}
        for row, mask in zip(told["rows"], told["masks"], strict=True):  # type: ignore[call-overload]
            key = tuple(codes[name].index(value) for name, value in zip(told["names"], row, strict=True))  # type: ignore[call-overload]
            masks.setdefault(key, []).append(mask)
        return recoded(problem, masks, len(codes))

    monkeypatch.setattr(search, "solve", solve)
    return told


@pytest.mark.parametrize("seed", range(16))
def test_the_gate_refuses_what_a_plain_count_refuses(given: dict[str, object], seed: int) -> None:
    """Random releases: the gate passes just those in which every set has classes of k rows."""
    draw = random.Random(seed)
    columns, k = draw.randint(2, 4), draw.randint(2, 3)
    m = draw.randint(1, columns - 1)
    rows = drawn(draw, draw.randint(4, 9), columns)
    sets = list(combinations(range(columns), m))
    shares = [(1 << columns) - 1] * draw.choice([0, 2, 6]) + [0, draw.randrange(1 << columns)]
    masks = [draw.choice(shares) for _ in rows]
    given.update(rows=rows, masks=masks, names=[f"c{place}" for place in range(columns)])
    found = smallest(releases(rows, masks), sets)
    if found < k:
        with pytest.raises(kanon_sql.errors.AuditError, match=f"k >= {k} FOR ANY {m} COLUMN"):
            kanon_sql.anonymize(table_of(rows), k, known=m)
        return
    release = kanon_sql.anonymize(table_of(rows), k, known=m)
    assert bool(release.certificate.warnings) == (smallest_next(rows, masks, m) < k)
    assert release.certificate.smallest_class_known == found
    assert release.certificate.sets_audited == len(sets)
    assert release.certificate.known_columns == m


def smallest_next(rows: Sequence[Row], masks: Sequence[int], m: int) -> int:
    return smallest(releases(rows, masks), list(combinations(range(len(rows[0])), m + 1)))
