"""The tables of section 3 of Pattern-Guided k-Anonymity: no more cells than the plain greedy suppresses, and known optima.

The plain greedy leaves up to k - 1 rows fully suppressed in a class below k; here every class must have k rows.
"""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from naive import smallest_class

import kanon_sql
from kanon_sql.certificate import Status

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


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(("name", "k"), [(name, k) for name, cells in PLAIN_GREEDY.items() for k in cells])
def test_no_more_cells_than_the_plain_greedy(tables: dict[str, pa.Table], name: str, k: int) -> None:
    source = tables[name]
    names = source.column_names
    release = kanon_sql.anonymize(source, k=k, quasi_identifiers=names, algorithm="greedy")
    assert release.table.schema.types == source.schema.types
    assert release.table.num_rows == source.num_rows
    assert smallest_class(release.table, names) >= k
    nulls = sum(release.table.column(each).null_count for each in names)
    assert nulls == release.certificate.suppressed_cells
    assert release.certificate.lower_bound <= nulls <= PLAIN_GREEDY[name][k]


@pytest.mark.everything
@pytest.mark.parametrize(("k", "cells"), [(2, 21_600), (25, 61_900)])
def test_the_default_hides_fewer_cells_and_says_how_many_are_needed(tables: dict[str, pa.Table], k: int, cells: int) -> None:
    source = tables["Adult-2"]
    release = kanon_sql.anonymize(source, k=k)
    assert release.certificate.algorithm == "refine"
    assert smallest_class(release.table, source.column_names) >= k
    assert release.certificate.lower_bound <= release.certificate.suppressed_cells <= cells
    assert release.certificate.gap < 0.03


@pytest.mark.everything
def test_the_optimum_of_cmc_with_at_most_two_stars(tables: dict[str, pa.Table]) -> None:
    source = tables["CMC"]
    names = source.column_names
    masks = [[name for name in names if name not in hidden] for size in range(3) for hidden in combinations(names, size)]
    release = kanon_sql.anonymize(source, k=10, masks=[*masks, []], algorithm="optimal")
    assert (release.certificate.status, release.certificate.cost) == (Status.OPTIMAL, 11_462)


@pytest.mark.everything
def test_the_optimum_of_adult_with_the_masks_of_a_user(tables: dict[str, pa.Table]) -> None:
    source = tables["Adult-2"]
    places, others = ("marital-status", "native-country"), ("age", "race", "sex")
    hidden = [
        (),
        *((name,) for name in places + others),
        ("workclass", "occupation"),
        places,
        *product(places, others),
        ADULT_2,
    ]
    masks = [[name for name in ADULT_2 if name not in each] for each in hidden]
    release = kanon_sql.anonymize(source, k=100, masks=masks, algorithm="optimal")
    assert len(masks) == 15
    assert (release.certificate.status, release.certificate.cost) == (Status.OPTIMAL, 197_421)
