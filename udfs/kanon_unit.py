"""`kanon_unit(unit, surface, columns, first, cells, texts)`: warnings about whom a row describes, or a refusal."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.functions import Function
from kanon_sql.engines.duckdb.repeated_people import sample_of
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.engines.unit import Looked, settle
from kanon_sql.model.unit import Unit
from kanon_sql.recognition.pairs import SampledRows

if TYPE_CHECKING:
    import pyarrow as pa


def settled(
    _session: Session,
    unit: pa.ChunkedArray,
    surface: pa.ChunkedArray,
    columns: pa.ChunkedArray,
    first: pa.ChunkedArray,
    cells: pa.ChunkedArray,
    texts: pa.ChunkedArray,
) -> pa.Array:
    """Settle the unit of a release; see `evidence_query` for what is given, one row of each."""
    released, every = json.loads(columns[0].as_py())
    looks = texts[0].as_py() or []
    looked = Looked(columns=tuple(released), texts=tuple(zip(*looks, strict=True)) if looks else ((),) * len(released))
    sample = _sampled(every, first[0].as_py(), cells[0].values)
    return _answer(None, settle(Unit.from_json(unit[0].as_py()), looked, sample, surface[0].as_py()))


def _sampled(names: list[str], first: dict[str, Any], cells: pa.StructArray | None) -> SampledRows:
    if cells is None:  # no row, or none is needed
        return SampledRows.none()
    return sample_of(names, first, {field.name: column for field, column in zip(cells.type, cells.flatten(), strict=True)})


def _answer(refused: str | None, warnings: Iterable[str]) -> pa.Array:
    import pyarrow as pa

    return pa.array(
        [{"refused": refused, "warnings": list(warnings)}],
        pa.struct({"refused": pa.string(), "warnings": pa.list_(pa.string())}),
    )


FUNCTION = Function(
    name="kanon_unit",
    returns="STRUCT(refused VARCHAR, warnings VARCHAR[])",
    call=settled,
    arrow=True,
    refused=lambda words: _answer(words, ()),
)
