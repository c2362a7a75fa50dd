"""Row types coded in files as they arrive: the same coded table as by `encode`, whatever their order and chunks."""

from __future__ import annotations

import random
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.policy import Policy
from kanon_sql.table.encode import encode
from kanon_sql.table.spooled_codes import SpooledCodes

TYPES: list[tuple[pa.DataType, list[Any]]] = [
    (pa.int32(), [3, -1, None, 7, 2]),
    (pa.string(), ["b", "a", None, "", "ä"]),
    (pa.bool_(), [True, False, None]),
    (pa.float64(), [0.0, -0.0, 1.5, float("nan"), None]),
    (pa.date32(), [date(2020, 1, 1), date(1999, 5, 5), None]),
    (pa.list_(pa.int32()), [[1, None], [], None, [2]]),
    (pa.struct([("x", pa.int32())]), [{"x": 1}, {"x": None}, None]),
    (pa.binary(), [b"\x00", b"", None]),
]


def row_types(seed: int) -> tuple[list[str], list[pa.DataType], list[tuple[Any, ...]], list[int]]:
    rng = random.Random(seed)
    chosen = [rng.choice(TYPES) for _ in range(rng.randint(1, 4))]
    rows: dict[str, tuple[Any, ...]] = {}
    for _ in range(rng.randint(1, 60)):
        row = tuple(rng.choice(values) for _, values in chosen)
        rows[repr(row)] = row
    names = [f"c{number}" for number in range(len(chosen))]
    return names, [kind for kind, _ in chosen], list(rows.values()), [rng.randint(1, 9) for _ in rows]


def arrays(kinds: list[pa.DataType], rows: list[tuple[Any, ...]]) -> list[pa.Array]:
    return [pa.array([row[place] for row in rows], kind) for place, kind in enumerate(kinds)]


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(200))
def test_the_table_is_that_of_encode(seed: int) -> None:
    names, kinds, rows, counts = row_types(seed)
    rng = random.Random(seed)
    options: dict[str, Any] = {"linked": [names[:2]]} if len(names) > 2 and rng.random() < 0.5 else {}
    policy = Policy.of(k=2, quasi_identifiers=names, weights={names[0]: 2}, **options)
    whole, _ = encode(pa.StructArray.from_arrays(arrays(kinds, rows), names), np.array(counts, np.int64), policy)
    order = list(range(len(rows)))
    rng.shuffle(order)
    spooled = SpooledCodes(len(names), None)
    start = 0
    while start < len(order):
        chunk = order[start : start + rng.randint(1, 20)]
        spooled.add(arrays(kinds, [rows[place] for place in chunk]), np.array([counts[place] for place in chunk], np.int64))
        start += len(chunk)
    heard: list[float] = []
    table, resolved = spooled.table(names, policy, heard.append)
    spooled.close()
    assert table.codes.tolist() == whole.codes.tolist()
    assert table.weight.tolist() == whole.weight.tolist()
    assert (table.columns, table.unit) == (whole.columns, whole.unit)
    assert table.cost.tolist() == whole.cost.tolist()
    assert [order[place] for place in table.origin.tolist()] == whole.origin.tolist()
    assert resolved == policy.resolve(names)
    assert heard == sorted(heard)


def test_row_types_that_cannot_be_told_apart_are_refused() -> None:
    spooled = SpooledCodes(1, None)
    for _ in range(2):
        spooled.add([pa.array(["a"])], np.ones(1, np.int64))
    with pytest.raises(SourceError, match="became equal"):
        spooled.table(["c0"], Policy.of(k=1, quasi_identifiers=["c0"]), lambda _: None)
    spooled.close()


def test_weights_are_added_exactly_or_refused() -> None:
    spooled = SpooledCodes(1, None)
    spooled.add([pa.array(["a"])], np.array([1 << 62], np.int64))
    with pytest.raises(PolicyError, match="the weights are too large"):
        spooled.table(["c0"], Policy.of(k=1, quasi_identifiers=["c0"], weights={"c0": 4}), lambda _: None)
    spooled.close()
