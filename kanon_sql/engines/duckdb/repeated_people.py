"""Columns of a table that repeat people, on any connection: the evidence that a release looks at, without a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql.engines.duckdb.names import table_name
from kanon_sql.engines.duckdb.unit import sampled_rows
from kanon_sql.engines.unit import repeating
from kanon_sql.model.unit import Unit
from kanon_sql.recognition.pairs import FEWEST_PAIRS, Pairs, SampledRows
from kanon_sql.recognition.repeated_people import RepeatedPeople

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 'WITH {sampled} SELECT * FROM "kanon#sampled"'

_FIRST = 'WITH {sampled} SELECT * FROM "kanon#first"'


def repeated_people_of(con: Any, table: str, by: Sequence[str], per: str | None = None) -> list[RepeatedPeople]:
    """Return the columns of a table that repeat people, the certain ones first, then those of most rows.

    Parameters
    ----------
    con : connection
        With the table; nothing needs to be registered.
    table : str
        Its name, as SQL spells it.
    by : sequence of str
        The quasi-identifiers.
    per : str, optional
        The column that already tells people apart.
    """
    return repeated_in(rows_of(con, table), by, per)


def repeated_in(sample: SampledRows, by: Sequence[str], per: str | None = None) -> list[RepeatedPeople]:
    """Return the same for rows of a table."""
    if len(sample.hashes) < FEWEST_PAIRS:
        return []
    return repeating(Pairs(sample, None if per is None else sample.names.index(per)), Unit(guarantee="", least=2, by=tuple(by)))


def rows_of(con: Any, table: str) -> SampledRows:
    """Return rows of a table as hashes: all of them up to some ten thousands."""
    source = table_name(table)
    names = [each for (each, *_) in con.execute(f"DESCRIBE FROM {source}").fetchall()]
    sampled = sampled_rows(source, source, names)
    described = con.execute(_FIRST.format(sampled=sampled))
    first = dict(zip([each[0] for each in described.description], described.fetchall()[0], strict=True))
    rows = con.sql(_ROWS.format(sampled=sampled)).to_arrow_table()
    return sample_of(names, first, {name: rows.column(name).combine_chunks() for name in rows.column_names})


def sample_of(names: Sequence[str], first: Mapping[str, Any], cells: Mapping[str, pa.Array]) -> SampledRows:
    """Return rows that a query with `sampled_rows` has found.

    Parameters
    ----------
    names : sequence of str
        The columns.
    first : mapping
        The row of ``kanon#first``.
    cells : mapping of Array
        The columns of ``kanon#sampled``.
    """
    hashed = [cells[f"h{place}"] for place in range(len(names))]
    return SampledRows(
        names=tuple(names),
        hashes=np.stack([each.fill_null(0).to_numpy(zero_copy_only=False) for each in hashed], axis=1),
        filled=np.stack([each.is_valid().to_numpy(zero_copy_only=False) for each in hashed], axis=1),
        drawn=cells["drawn"].to_numpy(zero_copy_only=False),
        varied=tuple(first[f"v{place}"] for place in range(len(names))),
        years={place: _years(cells[f"y{place}"]) for place in range(len(names)) if f"y{place}" in cells},
        written=_years(cells["written"]) if "written" in cells else None,
        rows=first["rows"],
        parts=first["finer"] + 1,
    )


def _years(column: pa.Array) -> Any:
    return column.to_numpy(zero_copy_only=False).astype(np.float64)
