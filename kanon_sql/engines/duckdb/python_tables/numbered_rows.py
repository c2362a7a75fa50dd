"""A table in Python as DuckDB's table ``source``, its rows numbered, so that what is released can be taken from it again."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb
import numpy as np

from kanon_sql.engines.duckdb.hashes import value_hash
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.python_tables.arrow_columns import for_duckdb, from_duckdb, same
from kanon_sql.engines.duckdb.python_tables.conversions import converted, unreadable
from kanon_sql.engines.duckdb.python_tables.frames import Frame
from kanon_sql.errors import AuditError, SourceError
from kanon_sql.model.policy_checks import OWN
from kanon_sql.table.arrays import Int64, Words

if TYPE_CHECKING:
    import pyarrow as pa

NUMBER = f"{OWN}row"
"""The column of the numbers."""

_HASH = value_hash("value", by_look=True)

_COLUMN = f"{OWN}column"

_GIVEN = f"{OWN}given"

_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class NumberedRows:
    """What DuckDB was given."""

    columns: dict[int, pa.ChunkedArray]  # by its place, each column that DuckDB has to read exactly, as it reads it
    order: Int64  # the row of the frame that has each number

    def rows(self, numbers: pa.ChunkedArray) -> Int64:
        """Return the rows with these numbers.

        Raises
        ------
        AuditError
            When they are not all the rows, each once.
        """
        number = np.asarray(numbers.combine_chunks(), np.int64)
        if len(number) != len(self.order) or (np.bincount(number, minlength=len(self.order)) != 1).any():
            raise AuditError("the release does not contain each source row exactly once; nothing was released")
        return self.order[number]

    def refuse_altered(self, place: int, name: str, shown: pa.ChunkedArray, rows: Int64) -> None:
        """Raise where a cell that is shown is not that of its row; types that Arrow does not compare were read exactly.

        Raises
        ------
        AuditError
            When the release tells of a column what the source does not.
        """
        import pyarrow.compute as pc
        import pyarrow.types as types

        source = self.columns[place]
        kind = source.type
        if types.is_null(kind) or types.is_nested(kind) or types.is_interval(kind) or hasattr(kind, "storage_type"):
            return
        refusal = f'the release cannot be compared with the column "{name}" of the source; nothing was released'
        expected = converted(lambda: source.cast(shown.type).take(rows), refusal)
        equal = pc.equal(shown, expected)
        if types.is_floating(shown.type):
            equal = pc.or_(equal, pc.and_(pc.is_nan(shown), pc.is_nan(expected)))
        wrong = pc.and_(pc.is_valid(shown), pc.invert(pc.fill_null(equal, False)))
        if pc.any(wrong).as_py():
            raise AuditError(f'the release shows cells of the column "{name}" that are not in the source; nothing was released')


def number_rows(con: duckdb.DuckDBPyConnection, frame: Frame, exact: Collection[int]) -> NumberedRows:
    """Register a frame as ``source``, its rows numbered.

    Parameters
    ----------
    con : DuckDBPyConnection
        Where; nothing else may run on it meanwhile.
    exact : collection of int
        The places of the columns that the guarantee is about. Of the others, DuckDB is given hashes where it would alter
        values, or where their types are seldom those of what identifies people.

    Raises
    ------
    SourceError
        When DuckDB would alter an exact column.

    Notes
    -----
    Numbers follow the contents of the rows, by a hash, and never their order; only rows that are equal in all columns are
    numbered as they come. One scan per column, and a sort of 64-bit words: O(n (m + log n)).
    """
    import pyarrow as pa

    given: dict[str, pa.ChunkedArray | pa.Array] = {}
    columns: dict[int, pa.ChunkedArray] = {}
    mixed: Words = np.zeros(frame.rows, np.uint64)
    for place, name in enumerate(frame.names):
        if place in exact:
            columns[place], hashes = read_exactly(con, frame, place)
            given[name] = columns[place]
        else:
            given[name], hashes = _read_or_hashed(con, frame, place)
        mixed = (mixed ^ hashes) * _ODD
    order = np.argsort(mixed)
    number = np.empty_like(order)
    number[order] = np.arange(frame.rows)
    _register(con, frame, pa.table([*given.values(), pa.array(number)], names=[*given, NUMBER]), exact)
    return NumberedRows(columns, order)


def register_exactly(
    con: duckdb.DuckDBPyConnection,
    frame: Frame,
    names: Collection[str],
    into: str = "source",
    hashed: Collection[str] = (),
) -> None:
    """Register just these columns of a frame, under a name.

    Parameters
    ----------
    con : DuckDBPyConnection
        Where.
    names : collection of str
        Columns that DuckDB has to read exactly.
    into : str
        The name.
    hashed : collection of str
        More columns, of any type: DuckDB is given hashes of the values where it would alter these.

    Raises
    ------
    SourceError
        When DuckDB would alter one.
    """
    import pyarrow as pa

    places = {name: frame.names.index(name) for name in names}
    columns: list[pa.ChunkedArray | pa.Array] = [read_exactly(con, frame, place)[0] for place in places.values()]
    columns += [_read_or_hashed(con, frame, frame.names.index(name))[0] for name in hashed]
    _register(con, frame, pa.table(columns, names=[*places, *hashed]), places.values(), into)


def _register(
    con: duckdb.DuckDBPyConnection, frame: Frame, table: pa.Table, exact: Collection[int], into: str = "source"
) -> None:
    """Register a table under a name; texts whose type puts them in an order become an ENUM, which keeps it."""
    given = f"{_GIVEN} {into}"  # one for each name: a view reads its table anew
    con.register(given, table)
    orders = {place: order for place in exact if (order := frame.order(place))}
    names = {place: quoted(frame.names[place]) for place in orders}
    enums = [
        f"CAST({names[place]} AS ENUM({', '.join(map(literal, order))})) AS {names[place]}" for place, order in orders.items()
    ]
    replaced = f" REPLACE ({', '.join(enums)})" if enums else ""
    view = f"CREATE OR REPLACE TEMP VIEW {quoted(into)} AS SELECT *{replaced} FROM {quoted(given)}"  # noqa: S608
    converted(lambda: con.execute(view), "DuckDB cannot read the categories of a categorical column; hint: cast it to text")


def read_exactly(con: duckdb.DuckDBPyConnection, frame: Frame, place: int) -> tuple[pa.ChunkedArray, Words]:
    """Return a column as DuckDB reads it, and the hashes of its values.

    Raises
    ------
    SourceError
        When a value is another one after DuckDB has read it.
    """
    column = frame.column(place)
    refusal = unreadable(frame.names[place], frame.kind(place))

    def read() -> tuple[pa.ChunkedArray, Words]:
        readable = for_duckdb(column)
        again, hashes = _scanned(con, readable, f"value, {_HASH}")
        if not same(from_duckdb(again, readable), readable):
            raise SourceError(refusal)
        return readable, _words(hashes)

    return converted(read, refusal)


def _read_or_hashed(con: duckdb.DuckDBPyConnection, frame: Frame, place: int) -> tuple[pa.ChunkedArray | pa.Array, Words]:
    """Return a column as DuckDB reads it, or else the hashes of its values; and these hashes.

    A name, an address or an age is recognized by its values, so texts, numbers and dates are read.
    """
    import pyarrow as pa

    with suppress(Exception):
        if _may_identify(frame.values(place).type):
            return read_exactly(con, frame, place)
    hashes = _hashes(con, frame, place)
    return pa.array(hashes), hashes


def _may_identify(kind: pa.DataType) -> bool:
    import pyarrow.types as types

    if types.is_dictionary(kind):
        return _may_identify(kind.value_type)
    texts = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    return bool(texts or types.is_integer(kind) or types.is_floating(kind) or types.is_date(kind) or types.is_timestamp(kind))


def _hashes(con: duckdb.DuckDBPyConnection, frame: Frame, place: int) -> Words:
    """Return the hashes of the values of a column of any type, of their texts where DuckDB does not read it."""
    import pyarrow as pa

    with suppress(Exception):
        return _words(*_scanned(con, for_duckdb(frame.values(place)), _HASH))
    texts = pa.chunked_array([pa.array(list(map(_text, frame.objects(place))), pa.binary())])
    return _words(*_scanned(con, texts, _HASH))


def _text(value: object) -> bytes | None:
    with suppress(Exception):
        return repr(value).encode("utf-8", "surrogatepass")
    return None


def _scanned(con: duckdb.DuckDBPyConnection, column: pa.ChunkedArray, expressions: str) -> list[pa.ChunkedArray]:
    import pyarrow as pa

    con.register(_COLUMN, pa.table([column], names=["value"]))
    found: list[pa.ChunkedArray] = con.sql(f'SELECT {expressions} FROM "{_COLUMN}"').to_arrow_table().columns  # noqa: S608
    con.unregister(_COLUMN)
    return found


def _words(hashes: pa.ChunkedArray) -> Words:
    return np.asarray(hashes.combine_chunks(), np.uint64)
