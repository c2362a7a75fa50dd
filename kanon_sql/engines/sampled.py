"""The sample of a source by which it is settled whom a row describes: how large it is, and how it comes from an engine.

An engine hands over columns ``h0``, ``h1`` and so on, a hash of each cell, NULL for NULL; ``drawn``, whether a row was drawn
at random; for columns that grow by one each year ``y0`` and so on, their numbers; ``written``, when a row was written, in
years; and for names, of which ``h0`` is one for all spellings, ``s0`` and so on, a hash of each spelling.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql.engines.built_arrays import numbers
from kanon_sql.recognition.pairs import SampledRows

if TYPE_CHECKING:
    import pyarrow as pa

WHOLE, DRAWN = 1 << 15, 1 << 13
"""Rows up to which all are looked at, and rows that are drawn from a larger table, about."""

FEWER = 1
"""In a column with many values, all rows of some values are sampled: the drawn rows divided by 2 to this power."""

FIRST, VARIED = 4096, 64
"""A column has many values if the first rows have more than `VARIED`. Other values occur in enough of the drawn rows."""

TEXTS = 200
"""Number of rows whose texts are read."""


def sampled(
    names: Sequence[str], varied: Sequence[bool], fields: Mapping[str, pa.Array | pa.ChunkedArray], rows: int, parts: int
) -> SampledRows:
    """Return the rows that an engine has drawn.

    Parameters
    ----------
    names : sequence of str
        The columns.
    varied : sequence of bool
        Whether each has many values.
    fields : mapping
        What the engine hands over.
    rows : int
        Rows of the whole table.
    parts : int
        Of a column with many values, the rows of one value in so many are there.
    """
    hashed = [fields[f"h{place}"] for place in range(len(names))]
    zero = numbers(np.zeros(1, np.uint64))[0]
    return SampledRows(
        names=tuple(names),
        hashes=np.stack([_numbers(each.fill_null(zero.cast(each.type))).astype(np.uint64) for each in hashed], axis=1),
        filled=np.stack([_numbers(each.is_valid()) for each in hashed], axis=1),
        drawn=_numbers(fields["drawn"]),
        varied=tuple(varied),
        years={place: _years(fields[f"y{place}"]) for place in range(len(names)) if f"y{place}" in fields},
        written=_years(fields["written"]) if "written" in fields else None,
        spelled={
            place for place in range(len(names)) if f"s{place}" in fields and _has_spellings(hashed[place], fields[f"s{place}"])
        },
        rows=rows,
        parts=parts,
    )


def _has_spellings(names: Any, spellings: Any) -> bool:
    """Return whether some names are spelled in several ways."""
    known = names.is_valid()
    one, each = (_numbers(column.filter(known)).astype(np.uint64) for column in (names, spellings))
    order = np.argsort(one, kind="stable")
    one, each = one[order], each[order]
    return bool(((one[1:] == one[:-1]) & (each[1:] != each[:-1])).any())


def _numbers(column: Any) -> Any:
    """Return the values of a column without NULL; `to_numpy` imports pandas, which a release does not need."""
    found = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    bits = str(found.type) == "bool"
    if str(found.type) == "extension<arrow.bool8>":  # a BOOLEAN where arrow_lossless_conversion is set
        return np.from_dlpack(found.storage).astype(np.bool_)
    values = np.from_dlpack(found.cast("uint8") if bits else found)
    return values.astype(np.bool_) if bits else values


def _years(column: Any) -> Any:
    """Return a column of years, NaN for NULL."""
    years = column.cast("double")
    return _numbers(years.fill_null(numbers(np.full(1, np.nan))[0]))
