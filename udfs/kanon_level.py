"""`kanon_level(value, recoding, level)`: what a level of a recoding shows for a value, as a release of rows does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.errors import PolicyError, raise_alone

if TYPE_CHECKING:
    import pyarrow as pa

    from kanon_sql.table.ladder import Label


def level(_session: Session, value: pa.ChunkedArray, recoding: pa.ChunkedArray, number: pa.ChunkedArray) -> pa.Array:
    """Return the labels of texts. Recoding and level are the same in all rows."""
    import pyarrow as pa

    encoded = value.combine_chunks().dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    if not texts:
        return pa.nulls(len(value), pa.string())
    shown = _labels(texts, recoding[0].as_py(), number[0].as_py())
    return pa.array(shown, pa.string()).take(encoded.indices)


def _labels(texts: Sequence[str], recoding: str, number: int) -> Sequence[Label]:
    from kanon_sql.clause.cells.levels import recoding_of
    from kanon_sql.table.labels.intervals import interval_levels

    try:
        return list(interval_levels(texts, recoding_of(recoding)).values())[number]
    except PolicyError as error:
        cause = str(error).partition(" values are not ")[2]  # it counts the values of one chunk
        raise_alone(PolicyError(f"a key with levels has values that are not {cause}") if cause else error)


FUNCTION = Function(name="kanon_level", returns="VARCHAR", call=level, arrow=True)
