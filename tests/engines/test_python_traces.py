"""What a released table carries besides its cells: types, dictionaries, metadata, shared buffers; no hidden value is in any."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import kanon_sql

CANARY = "Martian-canary-of-sixteen-letters"
RACES = ["Asian"] * 4 + ["White"] * 4 + [CANARY]
STRANGER = "Stranger-canary-outside-the-table"
QI = ["race"]


def ipc(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def buffers(table: pa.Table) -> bytes:
    """Return all that the buffers of a table hold, dictionaries too, whatever part of it the columns use."""
    return b"".join(map(_held, (chunk for column in table.columns for chunk in column.chunks)))


def _held(array: pa.Array) -> bytes:
    held = b"".join(buffer.to_pybytes() for buffer in array.buffers() if buffer is not None)
    return held + _held(array.dictionary) if isinstance(array, pa.DictionaryArray) else held


def traces(table: Any) -> bytes:
    """Return whatever serialization tells of a table."""
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    if isinstance(table, pa.Table):
        return ipc(table) + pickle.dumps(table) + buffers(table) + str(table.schema).encode()
    if isinstance(table, pd.DataFrame):
        return pickle.dumps(table) + str([repr(kind) for kind in table.dtypes]).encode() + str(table.attrs).encode()
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    if isinstance(table, pl.DataFrame):
        file = io.BytesIO()
        table.write_ipc(file)
        labels = [str(kind.categories.to_list()) for kind in table.dtypes if isinstance(kind, pl.Enum)]
        labels += [str(kind.categories.to_series().to_list()) for kind in table.dtypes if isinstance(kind, pl.Categorical)]
        return (
            file.getvalue()
            + pickle.dumps(table)
            + str(table.schema).encode()
            + str(labels).encode()
            + buffers(table.to_arrow())
        )
    return pickle.dumps([list(map(str, table.types)), table.fetchall()]) + buffers(table.to_arrow_table())


def arrow(kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return pa.array(RACES, kind.value_type).dictionary_encode().cast(kind)
    return pa.array([text.encode() for text in RACES] if "binary" in str(kind) else RACES, kind)


KINDS = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.binary(),
    pa.binary_view(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.int32(), pa.large_string(), ordered=True),
]
SOURCES: dict[str, Callable[[duckdb.DuckDBPyConnection], Any]] = {
    **{f"arrow {kind}": lambda con, kind=kind: pa.table({"race": arrow(kind), "id": range(9)}) for kind in KINDS},
    "arrow batch": lambda con: pa.record_batch({"race": arrow(KINDS[5]), "id": range(9)}),
    "arrow chunks": lambda con: pa.concat_tables(
        [pa.table({"race": pa.array(RACES[a:b]).dictionary_encode(), "id": range(a, b)}) for a, b in ((0, 4), (4, 9))]
    ),
    "arrow runs": lambda con: pa.table({"race": pc.run_end_encode(pa.array(RACES)), "id": range(9)}),
    "pandas category": lambda con: pd.DataFrame({"race": pd.Categorical(RACES, [CANARY, "White", "Asian"], ordered=True)}),
    "pandas str": lambda con: pd.DataFrame({"race": RACES}),
    "pandas object": lambda con: pd.DataFrame({"race": pd.Series(RACES, dtype=object)}),
    "pandas dictionary": lambda con: pd.DataFrame({"race": pd.array(arrow(KINDS[5]), pd.ArrowDtype(KINDS[5]))}),
    "polars Enum": lambda con: pl.DataFrame({"race": pl.Series(RACES, dtype=pl.Enum([CANARY, "White", "Asian"]))}),
    "polars Categorical": lambda con: pl.DataFrame({"race": pl.Series(RACES, dtype=pl.Categorical)}),
    "polars String": lambda con: pl.LazyFrame({"race": RACES}),
    "relation": lambda con: con.from_arrow(pa.table({"race": RACES})),
    "relation ENUM": lambda con: con.from_arrow(pa.table({"race": RACES})).project(
        f"race::ENUM('{CANARY}', 'White', 'Asian') AS race"
    ),
    "relation nested ENUM": lambda con: con.from_arrow(pa.table({"race": RACES})).project(
        f"[race::ENUM('{CANARY}', 'White', 'Asian')] AS race"
    ),
    "polars nested Enum": lambda con: pl.DataFrame(
        {"race": pl.Series([[race] for race in RACES], dtype=pl.List(pl.Enum([CANARY, "White", "Asian"])))}
    ),
    "arrow nested": lambda con: pa.table({"race": pa.StructArray.from_arrays([arrow(KINDS[5])], ["x"])}),
}


@pytest.mark.sweep
@pytest.mark.parametrize("suppress", [None, "*"], ids=["null", "star"])
@pytest.mark.parametrize("kind", SOURCES)
def test_no_trace_of_a_suppressed_value(kind: str, suppress: str | None) -> None:
    with duckdb.connect() as con:
        source = SOURCES[kind](con)
        release = kanon_sql.anonymize(
            source, k=4, quasi_identifiers=QI, unlisted_limit=1, suppress=suppress, algorithm="greedy"
        )
        assert release.certificate.suppressed_cells == 5
        found = traces(release.table)
        assert CANARY.encode() not in found
        assert b"Asian" in found or b"White" in found
        assert CANARY not in repr(release) + release.sql


@pytest.mark.everything
def test_the_types_that_list_values_keep_their_order() -> None:
    frame = pd.DataFrame({"race": pd.Categorical(RACES, ["x", CANARY, "White", "Asian"], ordered=True), "r": [1] * 9})
    dtype = kanon_sql.anonymize(frame, k=4, quasi_identifiers=["race", "r"], masks=[["race"], []]).table["race"].dtype
    assert dtype.ordered
    assert set(dtype.categories) in ({"White"}, {"Asian"})
    frame = frame[:8]
    dtype = kanon_sql.anonymize(frame, k=4, quasi_identifiers=QI).table["race"].dtype
    assert dtype == pd.CategoricalDtype(["White", "Asian"], ordered=True)
    frame = pl.DataFrame({"race": pl.Series(RACES[:8], dtype=pl.Enum(["x", "White", "Asian"]))})
    assert kanon_sql.anonymize(frame, k=4).table.schema["race"] == pl.Enum(["White", "Asian"])
    column = kanon_sql.anonymize(pa.table({"race": arrow(KINDS[6]).slice(0, 8)}), k=4).table.column("race")
    assert column.type == KINDS[6]
    assert [chunk.dictionary.to_pylist() for chunk in column.chunks] == [["Asian", "White"]]


def test_the_order_of_a_dictionary_is_that_of_the_source() -> None:
    words = pa.DictionaryArray.from_arrays(pa.array([2, 2, 1, 1]), pa.array([CANARY, "b", "a", None]), ordered=True)
    column = kanon_sql.anonymize(pa.table({"race": words}), k=2).table.column("race")
    assert column.chunk(0).dictionary.to_pylist() == ["b", "a"]


@pytest.mark.sweep
@pytest.mark.parametrize("kind", [*KINDS, pa.list_(pa.string())], ids=str)
def test_the_buffers_of_a_slice_are_not_those_of_its_table(kind: pa.DataType) -> None:
    """The rows outside the slice are not in the table, so not in its release: as quasi-identifier and as another column."""
    values = [*RACES[:8], STRANGER]
    if pa.types.is_list(kind):
        column = pa.array([[value] for value in values], kind)
    elif pa.types.is_dictionary(kind):
        column = pa.array(values, kind.value_type).dictionary_encode().cast(kind)
    else:
        column = pa.array([text.encode() for text in values] if "binary" in str(kind) else values, kind)
    source = pa.table({"race": RACES, "other": column, "again": column}).slice(0, 8)
    released = kanon_sql.anonymize(source, k=4, quasi_identifiers=["race", "again"]).table
    assert released.column("other").type == kind
    assert STRANGER.encode() not in traces(released)


def test_rows_that_were_filtered_out_are_in_no_buffer_of_polars() -> None:
    values = [*RACES[:8], STRANGER]
    frame = pl.DataFrame(
        {"race": RACES, "other": values, "word": [text.encode() for text in values], "list": [[text] for text in values]}
    ).head(8)
    assert STRANGER.encode() not in traces(kanon_sql.anonymize(frame, k=4, quasi_identifiers=["race"]).table)


@pytest.mark.everything
def test_metadata_is_not_released() -> None:
    fields = [
        pa.field("race", pa.string(), metadata={"max": CANARY}),
        pa.field("id", pa.int64(), nullable=False, metadata={"note": CANARY, "ARROW:extension:name": "mine"}),
    ]
    source = pa.table([pa.array(RACES), pa.array(range(9))], schema=pa.schema(fields, metadata={"pandas": CANARY}))
    released = kanon_sql.anonymize(source, k=4, quasi_identifiers=QI, unlisted_limit=1).table
    assert CANARY.encode() not in traces(released)
    assert released.schema.metadata is None
    assert released.schema.field("id").metadata == {b"ARROW:extension:name": b"mine"}
    assert not released.schema.field("id").nullable
    frame = pd.DataFrame({"race": RACES, "id": range(9)}, index=pd.Index([CANARY] * 9, name=CANARY))
    frame.attrs["note"] = CANARY
    frame.columns.name = CANARY
    frame["id"].attrs["note"] = CANARY
    assert CANARY.encode() not in traces(kanon_sql.anonymize(frame, k=4, quasi_identifiers=QI, unlisted_limit=1).table)


@pytest.mark.everything
def test_the_people_are_in_no_buffer() -> None:
    people = [f"{CANARY} {number}" for number in range(8)]
    source = pa.table({"person": people, "race": RACES[:8], "id": range(8)})
    for table in (source, source.to_pandas(), pl.from_arrow(source), source.to_batches()[0]):
        assert CANARY.encode() not in traces(
            kanon_sql.anonymize(table, k=2, quasi_identifiers=QI, unlisted_limit=1, per="person").table
        )


def test_the_database_of_a_released_relation_holds_nothing_else() -> None:
    with duckdb.connect() as con:
        source = con.from_arrow(pa.table({"race": RACES, "person": range(9), "id": np.arange(9)}))
        tables = {"jobs": pa.table({"level0": sorted(set(RACES)), "level1": ["any"] * 3})}
        released = kanon_sql.anonymize(
            source,
            k=2,
            quasi_identifiers=QI,
            unlisted_limit=1,
            per="person",
            recodings={"race": "HIERARCHY jobs"},
            tables=tables,
        ).table
        names = released.query(
            "r", "SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal"
        )
        assert {row[0] for row in names.fetchall()} - {"r"} == {"released"}
        assert CANARY not in str(released.fetchall())
