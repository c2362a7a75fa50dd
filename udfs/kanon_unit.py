"""`kanon_unit(unit, surface, columns, first, cells, looks)`: warnings about whom a row describes, or a refusal."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.engines.built_arrays import numbers, texts
from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.gather.sampled_rows import sampled_rows
from kanon_sql.engines.unit import Looked, settle
from kanon_sql.model.unit import Unit

if TYPE_CHECKING:
    import pyarrow as pa


def settled(
    _session: Session,
    unit: pa.ChunkedArray,
    surface: pa.ChunkedArray,
    columns: pa.ChunkedArray,
    first: pa.ChunkedArray,
    cells: pa.ChunkedArray,
    looks: pa.ChunkedArray,
) -> pa.Array:
    """Settle the unit of a release; see `evidence_query` for what is given, one row of each."""
    released, every, origins = json.loads(columns[0].as_py())
    seen = looks[0].as_py() or []
    shown = tuple(zip(*seen, strict=True)) if seen else ((),) * len(released)
    looked = Looked(columns=tuple(released), texts=shown, origins=origins)
    sample = sampled_rows(every, first[0].as_py(), cells[0].values)
    return _answer(None, settle(Unit.from_json(unit[0].as_py()), looked, sample, surface[0].as_py()))


def _answer(refused: str | None, warnings: Iterable[str]) -> pa.Array:
    import pyarrow as pa

    told = list(warnings)
    lists = pa.ListArray.from_arrays(numbers(np.array([0, len(told)], np.int32)), texts(told))
    return pa.StructArray.from_arrays([texts([refused]), lists], ["refused", "warnings"])


FUNCTION = Function(
    name="kanon_unit",
    returns="STRUCT(refused VARCHAR, warnings VARCHAR[])",
    call=settled,
    arrow=True,
    refused=lambda words: _answer(words, ()),
)
