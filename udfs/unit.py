"""Whom a row describes, before its release begins.

- `kanon_plan_unit(source, wide, unit, surface)`: the query of the evidence, over the columns just heard.
- `kanon_unit(unit, surface, columns, first, cells, looks)`: warnings about whom a row describes, or a refusal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.engines.built_arrays import numbers, texts
from kanon_sql.engines.duckdb.connect.functions import Function, refusing_query
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.gather.sampled_rows import sampled_rows
from kanon_sql.engines.duckdb.gather.unit import KEYS, evidence_query
from kanon_sql.engines.unit import Looked, settle
from kanon_sql.model.policy_checks import OWN
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.unit import Unit
from kanon_sql.model.validation import same_name

if TYPE_CHECKING:
    import pyarrow as pa


def plan(session: Session, source: str, wide: str, unit: str, surface: Surface) -> str:
    """Return the query; runs when the statement is bound."""
    heard = (session.binding.columns(key) for key in KEYS)
    released, every = ([name for name in each if not same_name(name).startswith(OWN)] for each in heard)
    return evidence_query((source, wide), (released, every), Unit.from_json(unit), surface)


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

    listed = list(warnings)
    lists = pa.ListArray.from_arrays(numbers(np.array([0, len(listed)], np.int32)), texts(listed))
    return pa.StructArray.from_arrays([texts([refused]), lists], ["refused", "warnings"])


FUNCTIONS = (
    Function(name="kanon_plan_unit", returns="VARCHAR", call=plan, refused=refusing_query),
    Function(
        name="kanon_unit",
        returns="STRUCT(refused VARCHAR, warnings VARCHAR[])",
        call=settled,
        arrow=True,
        refused=lambda words: _answer(words, ()),
    ),
)
