"""The tables that are measured: read from the data sets, or generated from a seed."""

from __future__ import annotations

import tempfile
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as parquet

from kanon_sql.model.policy import Policy
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.encode import encode

ADULT_2 = (
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
    "salary-class",
)

NURSERY_DOMAINS = (3, 5, 4, 4, 3, 2, 3, 3)

TABLES = ("Nursery", "CMC", "Adult-2", "Adult")

_ROWS_PER_CHUNK = 1_000_000


def table(name: str, data: Path) -> pa.Table:
    """Return one of `TABLES`."""
    match name:
        case "Nursery":
            rows = np.array(list(product(*map(range, NURSERY_DOMAINS))))
            return pa.table({f"attribute_{place}": rows[:, place] for place in range(rows.shape[1])})
        case "CMC":
            return csv.read_csv(data / "cmc.csv.gz")
        case "Adult-2":
            return csv.read_csv(data / "adult_full.csv.gz").select(ADULT_2)
        case "Adult":
            return csv.read_csv(data / "adult_full.csv.gz").drop(["fnlwgt"])
    raise KeyError(name)


def coded(source: pa.Table, policy: Policy) -> CodedTable:
    """Return the row types of a table, all of whose columns the policy names, as the solvers see them."""
    names = source.column_names
    types = source.group_by(names).aggregate([([], "count_all")])
    values = pa.StructArray.from_arrays([types.column(name).combine_chunks() for name in names], names)
    return encode(values, types.column("count_all").to_numpy().astype(np.int64), policy)[0]


def cache() -> Path:
    """Return the folder of generated tables; it may be deleted at any time."""
    folder = Path(tempfile.gettempdir()) / "kanon-sql-benchmarks"
    folder.mkdir(exist_ok=True)
    return folder


def large_adult(rows: int, data: Path) -> Path:
    """Return a Parquet file of ``rows`` rows like those of Adult, made when it is first asked for.

    Rows of Adult are drawn with replacement; then 5 % of the cells of each column are replaced by draws from that column,
    so that the number of row types grows with the table.
    """
    path = cache() / f"adult_{rows}.parquet"
    if path.exists():
        return path
    source = csv.read_csv(data / "adult_arx.csv.gz")
    random = np.random.default_rng(42)
    drawn = random.integers(0, source.num_rows, rows)
    columns, dictionaries = [], []
    for name in source.column_names:
        encoded = source.column(name).combine_chunks().dictionary_encode()
        codes = encoded.indices.to_numpy()
        column = codes[drawn]
        replaced = random.random(rows) < 0.05
        column[replaced] = codes[random.integers(0, source.num_rows, int(replaced.sum()))]
        columns.append(column)
        dictionaries.append(encoded.dictionary)
    unfinished = path.with_suffix(".unfinished")
    with parquet.ParquetWriter(unfinished, source.schema) as writer:
        for start in range(0, rows, _ROWS_PER_CHUNK):
            cells = [
                dictionary.take(pa.array(column[start : start + _ROWS_PER_CHUNK]))
                for column, dictionary in zip(columns, dictionaries, strict=True)
            ]
            writer.write_table(pa.table(cells, schema=source.schema))
    return unfinished.rename(path)


def correlated(rows: int) -> Path:
    """Return a Parquet file of ``rows`` rows with 8 columns that depend on each other; at a million, 9 of 10 are row types."""
    path = cache() / f"correlated_{rows}.parquet"
    if path.exists():
        return path
    random = np.random.default_rng(7)
    unfinished = path.with_suffix(".unfinished")
    names = ("region", "city", "age", "education", "job", "income", "hours", "day")
    with parquet.ParquetWriter(unfinished, pa.schema([(name, pa.int32()) for name in names])) as writer:
        for start in range(0, rows, _ROWS_PER_CHUNK):
            size = min(_ROWS_PER_CHUNK, rows - start)
            region = np.minimum(random.geometric(0.3, size), 8)
            city = region * 100 + np.minimum(random.geometric(0.15, size), 30)
            age = 2 * np.rint(np.clip(random.normal(42, 16, size), 18, 90) / 2)
            education = np.clip(random.normal(5, 1.5, size) - (age < 25), 1, 9)
            job = np.clip(2 * education + random.normal(0, 1.5, size), 1, 20)
            income = np.clip((education * 5 + age / 3 + random.normal(0, 8, size)) / 4, 1, 30)
            hours = 5 * np.rint(np.clip(random.normal(38, 6, size) - (age > 65) * 20, 5, 70) / 5)
            columns = (region, city, age, education, job, income, hours, random.integers(0, 3, size))
            writer.write_table(pa.table([np.rint(each).astype(np.int32) for each in columns], names))
    return unfinished.rename(path)
