"""Rows of a table as hashes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.gather.unit import CELLS, FIRST_LOOK, sample_query
from kanon_sql.engines.sampled import sampled
from kanon_sql.recognition.pairs import SampledRows

if TYPE_CHECKING:
    import pyarrow as pa


def rows_of(con: Any, source: str) -> SampledRows:
    """Return rows of what is written after FROM, in one scan: all of them, or of a large table some."""
    names = [name for name, *_ in con.execute(f"DESCRIBE FROM {source}").fetchall()]
    query = sample_query(source, source, names, f"{FIRST_LOOK} AS first, {CELLS} AS cells")
    found = con.sql(query).to_arrow_table()
    return sampled_rows(names, found["first"][0].as_py(), found["cells"][0].values)


def sampled_rows(names: list[str], first: dict[str, Any], cells: pa.StructArray | None) -> SampledRows:
    """Return the rows that a query of samples has found; see ``unit.sql``.

    Parameters
    ----------
    names : list of str
        The columns.
    first : dict
        What is known of the table.
    cells : StructArray, optional
        The rows; None where there are none.
    """
    if cells is None:
        return SampledRows.none()
    fields = {field.name: column for field, column in zip(cells.type, cells.flatten(), strict=True)}
    varied = [first[f"v{place}"] for place in range(len(names))]
    return sampled(names, varied, fields, first["rows"], first["finer"] + 1)
