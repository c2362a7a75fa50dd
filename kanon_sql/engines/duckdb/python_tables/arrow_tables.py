"""Arrow tables and record batches: columns outside the guarantee are taken row by row, never converted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.python_tables.arrow_columns import compact
from kanon_sql.engines.duckdb.python_tables.conversions import converted, unreadable
from kanon_sql.engines.duckdb.python_tables.frames import Frame
from kanon_sql.table.arrays import Int64

if TYPE_CHECKING:
    import pyarrow as pa

_EXTENSION = (b"ARROW:extension:name", b"ARROW:extension:metadata")
"""The metadata of a field that belong to its type; all else may tell of its cells, as statistics do."""


class ArrowTable(Frame):
    """A pyarrow.Table, or a RecordBatch."""

    def __init__(self, table: pa.Table | pa.RecordBatch) -> None:
        import pyarrow as pa

        self._batch = isinstance(table, pa.RecordBatch)
        self._table = pa.Table.from_batches([table]) if isinstance(table, pa.RecordBatch) else table
        self.names = self._table.column_names
        self.rows = self._table.num_rows

    def kind(self, place: int) -> str:
        """Return the Arrow type."""
        return str(self._table.schema.field(place).type)

    def values(self, place: int) -> pa.ChunkedArray:
        """Return the column."""
        return self._table.column(place)

    def order(self, place: int) -> list[str] | None:
        """Return the entries of an ordered dictionary of texts."""
        import pyarrow as pa

        column = self._table.column(place)
        kind = column.type
        if not (pa.types.is_dictionary(kind) and kind.ordered and _of_texts(kind.value_type) and column.num_chunks):
            return None
        entries: list[str | None] = column.unify_dictionaries().chunk(0).dictionary.to_pylist()
        return [each for each in dict.fromkeys(entries) if each is not None]

    def objects(self, place: int) -> list[Any]:
        """Return the cells of a column as Python objects."""
        import pyarrow as pa

        column = self._table.column(place)
        if pa.types.is_temporal(column.type) and not pa.types.is_interval(column.type):
            column = column.cast(pa.int64())  # Python has no moments beyond the year 9999
        cells: list[Any] = column.to_pylist()
        return cells

    def taken(self, place: int, rows: Int64) -> tuple[pa.Field, pa.ChunkedArray]:
        """Return the field and these rows of a column, in buffers of their own."""
        import pyarrow as pa

        field = self._table.schema.field(place)
        belongs = {key: value for key, value in (field.metadata or {}).items() if key in _EXTENSION}
        refusal = unreadable(field.name, field.type)
        cells = converted(lambda: _taken(self._table.column(place), pa.array(rows)), refusal)
        return field.with_metadata(belongs or None), cells

    def shown(self, place: int, values: pa.ChunkedArray) -> tuple[pa.Field, pa.ChunkedArray]:
        """Return the values, which have the type already."""
        import pyarrow as pa

        return pa.field(self.names[place], values.type), values

    def made(self, values: pa.ChunkedArray) -> tuple[pa.Field, pa.ChunkedArray]:
        """Return the texts or the floats as they are."""
        import pyarrow as pa

        return pa.field("", values.type), values

    def table(self, columns: Mapping[int, Any]) -> pa.Table | pa.RecordBatch:
        """Return a table, or a batch where the source was one."""
        import pyarrow as pa

        fields = [field.with_name(self.names[place]) for place, (field, _) in columns.items()]
        table = pa.table([cells for _, cells in columns.values()], schema=pa.schema(fields))
        if not self._batch:
            return table
        whole = [column.combine_chunks() for column in table.columns]
        return pa.RecordBatch.from_arrays(whole, schema=table.schema)


def _of_texts(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return kind in (pa.string(), pa.large_string(), pa.string_view())


def _taken(column: pa.ChunkedArray, rows: pa.Array) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    plain = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}.get(kind)
    if plain is not None:  # views would share the buffers of the source, with rows that are not in the table
        return column.cast(plain).take(rows).cast(kind)
    if pa.types.is_run_end_encoded(kind):
        decoded = pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks], kind.value_type)
        cells = _taken(decoded, rows)
        return pa.chunked_array([pc.run_end_encode(chunk, run_end_type=kind.run_end_type) for chunk in cells.chunks], kind)
    if pa.types.is_dictionary(kind):
        return compact(column.take(rows))
    return column.take(rows)
