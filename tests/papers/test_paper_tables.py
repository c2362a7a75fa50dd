"""The tables of section 3 of Pattern-Guided k-Anonymity, with all masks: no more cells than the plain greedy suppresses.

The plain greedy leaves up to k - 1 rows fully suppressed in a class below k; here every class must have k rows.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from naive import smallest_class

import kanon_sql

KS = (2, 3, 5, 10, 25, 100)

ADULT_2 = [
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
    "salary-class",
]

PLAIN_GREEDY = {
    "CMC": dict(zip(KS, (2451, 3389, 4227, 5230, 6606, 9024), strict=True)),
    "Adult-2": dict(zip(KS, (23238, 32037, 40475, 50808, 63872, 84294), strict=True)),
    "Adult": dict(zip(KS, (52183, 68473, 82466, 98396, 119194, 153262), strict=True)),
}


@pytest.fixture(scope="module")
def tables(data: Path) -> dict[str, pa.Table]:
    adult, cmc = (pyarrow.csv.read_csv(data / f"{name}.csv.gz") for name in ("adult_full", "cmc"))
    return {"CMC": cmc, "Adult-2": adult.select(ADULT_2), "Adult": adult.drop(["fnlwgt"])}


@pytest.mark.parametrize(("name", "k"), [(name, k) for name, cells in PLAIN_GREEDY.items() for k in cells])
def test_no_more_cells_than_the_plain_greedy(tables: dict[str, pa.Table], name: str, k: int) -> None:
    source = tables[name]
    names = source.column_names
    release = kanon_sql.anonymize(source, k=k, quasi_identifiers=names)
    assert release.table.schema.types == source.schema.types
    assert release.table.num_rows == source.num_rows
    assert smallest_class(release.table, names) >= k
    nulls = sum(release.table.column(each).null_count for each in names)
    assert nulls == release.certificate.suppressed_cells
    assert release.certificate.lower_bound <= nulls <= PLAIN_GREEDY[name][k]
