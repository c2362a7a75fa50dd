"""Releases in Python: Arrow, pandas, polars and relations, each of which must come back as what it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

import kanon_sql
from fuzz import spelling
from fuzz.checker import Rules
from fuzz.draw import Trial
from fuzz.guarantee import Guarantee
from fuzz.known_secret import SECRET
from fuzz.outcome import FoundError, Outcome, RefusedError, claim_of, refused
from fuzz.sql_surfaces import store
from fuzz.table import quoted, read_pair
from kanon_sql.model.requirements import AlphaAnonymity, BetaLikeness, DeltaDisclosure, LDiversity, TCloseness

KINDS = (
    "arrow",
    "arrow categories",
    "pandas",
    "pandas nullable",
    "pandas arrow",
    "pandas categories",
    "polars",
    "polars lazy",
    "relation",
)


class Python:
    """`kanon_sql.anonymize`; the tables are read by plain DuckDB."""

    def close(self) -> None:
        """Nothing is kept."""

    def release(self, trial: Trial) -> Outcome:
        """Release a trial, as `Sql.release`."""
        kind = Random(f"{trial.seed} kind").choice(KINDS)
        if kind.startswith("polars") and any("INTERVAL" in each.domain.kind for each in trial.columns):
            kind = "arrow"  # polars has no such type
        with duckdb.connect() as con:
            store(con, trial, "stored")
            given = _given(kind, con.sql("FROM stored").to_arrow_table(), con)
            try:
                con.register("source", _arrow(given))
            except pa.ArrowException:  # of pandas' objects Arrow guesses the types: a map is a list of pairs
                raise RefusedError("NotSaid", "Arrow cannot read the frame") from None
            tables = {name: con.sql(f"FROM {quoted(name)}").to_arrow_table() for name in trial.trees}
            try:
                release = kanon_sql.anonymize(given, tables=tables or None, **_arguments(trial.guarantee), secret=SECRET)
            except Exception as error:  # every kind of it is judged
                raise refused(error) from None
            found = tuple(_unlike(given, release.table, trial.guarantee, kind))
            con.register("released", _as_wide(_arrow(release.table), _arrow(given)))
            source, table = read_pair(con, "source", "released")  # no kind of table in Python carries a collation
        return Outcome(
            source=source,
            released=table,
            claim=claim_of(release.certificate) if source.looks else None,
            rules=Rules(typed=False, keys=trial.keys | ({} if kind == "relation" else _of_categories(trial))),
            ordered=True,
            found=found,
        )


def _of_categories(trial: Trial) -> dict[str, Callable[[str], object]]:
    """The order of texts for what is an ENUM in DuckDB: Arrow hands it on as categories without an order."""
    return {each.name: str.encode for each in trial.columns if each.domain.kind.startswith("ENUM")}


def _arguments(guarantee: Guarantee) -> dict[str, Any]:
    if spelling.names_say_it(guarantee):
        return spelling.arguments(guarantee) | spelling.about_sensitive(guarantee)
    built = {
        "l": lambda each: LDiversity(sensitive=each.column, l=each.number, variant=each.form, c=each.c),
        "t": lambda each: TCloseness(sensitive=each.column, t=each.number, metric=each.form),
        "beta": lambda each: BetaLikeness(sensitive=each.column, beta=each.number),
        "delta": lambda each: DeltaDisclosure(sensitive=each.column, delta=each.number),
        "alpha": lambda each: AlphaAnonymity(sensitive=each.column, value=each.value, alpha=each.number),
    }
    return spelling.arguments(guarantee) | {"requirements": [built[each.kind](each) for each in guarantee.requirements]}


def _given(kind: str, arrow: pa.Table, con: duckdb.DuckDBPyConnection) -> Any:
    match kind:
        case "arrow categories" | "pandas categories":
            for place, field in enumerate(arrow.schema):
                if pa.types.is_string(field.type):
                    column = arrow.column(place).combine_chunks()
                    longer = pa.concat_arrays([column, pa.array(["Martian"], pa.string())]).dictionary_encode()
                    arrow = arrow.set_column(place, field.name, longer.slice(0, len(column)))
            return arrow if kind == "arrow categories" else arrow.to_pandas()
        case "pandas":
            return arrow.to_pandas()
        case "pandas nullable":
            return arrow.to_pandas().convert_dtypes()
        case "pandas arrow":
            return arrow.to_pandas(types_mapper=pd.ArrowDtype)
        case "polars":
            return pl.from_arrow(arrow)
        case "polars lazy":
            frame = pl.from_arrow(arrow)
            assert isinstance(frame, pl.DataFrame)
            return frame.lazy()
        case "relation":
            return con.sql("FROM stored")
    return arrow


def _arrow(table: Any) -> pa.Table:
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    if isinstance(table, pd.DataFrame):
        return pa.Table.from_pandas(table, preserve_index=False)
    if isinstance(table, pl.DataFrame):
        return table.to_arrow()
    return table if isinstance(table, pa.Table) else table.to_arrow_table()


def _as_wide(released: pa.Table, given: pa.Table) -> pa.Table:
    """The decimals of pandas are objects, whose width Arrow guesses from the cells; DuckDB writes 0.00 as .00 where it is 2."""
    for place, field in enumerate(released.schema):
        if not pa.types.is_decimal(field.type) or field.name not in given.schema.names:
            continue
        wide = given.schema.field(field.name).type
        if pa.types.is_decimal(wide) and wide.scale == field.type.scale:
            released = released.set_column(place, field.name, released.column(place).cast(wide))
    return released


def _unlike(given: Any, released: Any, guarantee: Guarantee, kind: str) -> Iterator[str]:
    """What makes the released table another kind of table than the one that was given."""
    if type(released) is not type(given):
        yield f"a {type(given)} came back as {type(released)}"
        return
    if kind == "polars lazy":
        given, released = given.collect(), released.collect()
    texts = {*guarantee.recodings} | ({*guarantee.qi} if guarantee.suppress is not None else set())
    if isinstance(given, pd.DataFrame):
        columns = {
            name: (given.dtypes.iloc[place], released[name].dtype)
            for place, name in enumerate(given.columns)
            if name in released.columns
        }
    elif isinstance(given, pl.DataFrame):
        columns = {name: (given.schema[name], released.schema[name]) for name in given.columns if name in released.columns}
    elif isinstance(given, pa.Table):
        columns = {name: (given.schema.field(name).type, released.schema.field(name).type) for name in released.column_names}
    else:
        columns = {
            name: pair for name, *pair in zip(given.columns, given.types, released.types, strict=False) if guarantee.per is None
        }
    for name, (before, after) in columns.items():
        if name in texts or (name in guarantee.qi and _may_change(before, after)):
            continue
        if before != after:
            where = "" if name in guarantee.qi else " outside the guarantee"
            yield f"{kind}: a column{where} of {before} came back as {after}"
        elif name not in guarantee.qi and _cells(given, name) != _cells(released, name):
            yield f"{kind}: a column outside the guarantee, of {before}, has other cells"
    yield from _left_over(released, guarantee)


def _may_change(before: Any, after: Any) -> bool:
    """Whether a quasi-identifier may come back so: numbers with suppressed cells are nullable, categories are texts."""
    told, found = str(before).lower(), str(after).lower()
    named = told.startswith(("category", "categorical", "enum", "dictionary"))
    return named or found == told or (told == "bool" and found == "boolean")


def _cells(table: Any, name: str) -> Counter[str]:
    if isinstance(table, pd.DataFrame):
        return Counter("None" if _missing(cell) else repr(_plain(cell)) for cell in table[name].tolist())
    if isinstance(table, pl.DataFrame):
        return Counter(map(repr, table[name].to_list()))
    if isinstance(table, pa.Table):
        return Counter(repr(cell) for chunk in table.column(name).chunks for cell in chunk.to_pylist())
    return Counter(map(repr, [row[0] for row in table.project(quoted(name)).fetchall()]))


def _missing(cell: Any) -> bool:
    return cell is None or cell is pd.NA or cell is pd.NaT or (isinstance(cell, float) and cell != cell)


def _plain(cell: Any) -> Any:
    return cell.tolist() if hasattr(cell, "tolist") and not isinstance(cell, pd.Timestamp) else cell


def _left_over(released: Any, guarantee: Guarantee) -> Iterator[str]:
    """Suppressed values that survive in a type: categories of which no row is left."""
    if isinstance(released, pd.DataFrame):
        for name in guarantee.qi:
            if isinstance(released[name].dtype, pd.CategoricalDtype) and {*released[name].cat.categories} - {
                *released[name].dropna()
            }:
                yield "a released column lists categories that no row shows"
    elif isinstance(released, pa.Table):
        for name in guarantee.qi:
            for chunk in released.column(name).chunks:
                if isinstance(chunk, pa.DictionaryArray) and {*chunk.dictionary.to_pylist()} - {*chunk.to_pylist()}:
                    yield "a released column has a dictionary with values that no row shows"
    elif isinstance(released, pl.DataFrame):
        for name in guarantee.qi:
            kind = released.schema[name]
            if isinstance(kind, pl.Enum) and {*kind.categories} - {*released[name].drop_nulls()}:
                yield "a released column lists categories that no row shows"


__all__ = ["FoundError", "Python"]
