"""The examples and theorems of the papers, as releases.

References
----------
Chakaravarthy, Pandit, Sabharwal: On the Complexity of the k-Anonymization Problem (2010), Figure 1.
Meyerson, Williams: On the Complexity of Optimal k-Anonymity (2004), section 1.
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013), Tables 1 and 2.
Bredereck, Nichterlein, Niedermeier: Pattern-Guided k-Anonymity (2013), section 3.
"""

from __future__ import annotations

import itertools

import pyarrow as pa
import pytest
from naive import class_cost, optimum, smallest_class

import kanon_sql
from kanon_sql.certificate import Release


def table(rows: list[tuple[object, ...]], names: list[str] | None = None) -> pa.Table:
    names = names or [f"c{i}" for i in range(len(rows[0]))]
    return pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))


def released(source: pa.Table, k: int, **arguments: object) -> Release:
    names = source.column_names
    release = kanon_sql.anonymize(source, k=k, quasi_identifiers=names, **arguments)
    assert release.table.num_rows == source.num_rows
    assert smallest_class(release.table, names) >= k
    suppressed = sum(release.table.column(name).null_count - source.column(name).null_count for name in names)
    assert suppressed == release.certificate.suppressed_cells == release.certificate.cost
    assert release.certificate.lower_bound <= release.certificate.cost
    return release


def test_chakaravarthy_figure_1() -> None:
    rows = [tuple("xab"), tuple("zcd"), tuple("yab"), tuple("zce")]
    assert optimum(rows, 2) == 4
    assert released(table(rows), 2).certificate.cost == 4


def test_meyerson_williams_x_ray_relation() -> None:
    rows = [
        ("Harry", "Stone", 34, "Afr-Am"),
        ("John", "Reyser", 36, "Cauc"),
        ("Beatrice", "Stone", 47, "Afr-Am"),
        ("John", "Ramos", 22, "Hisp"),
    ]
    assert optimum(rows, 2) == 10
    release = released(table(rows, ["first", "last", "age", "race"]), 2)
    assert release.certificate.cost == 10
    assert sorted(release.table.to_pylist(), key=str) == [
        {"first": "John", "last": None, "age": None, "race": None},
        {"first": "John", "last": None, "age": None, "race": None},
        {"first": None, "last": "Stone", "age": None, "race": "Afr-Am"},
        {"first": None, "last": "Stone", "age": None, "race": "Afr-Am"},
    ]


LIANG_YUAN = [
    ("98765", "38", "Bachelor"),
    ("98654", "39", "Doctorate"),
    ("98543", "32", "Master"),
    ("97654", "65", "Bachelor"),
    ("96689", "45", "Bachelor"),
    ("97427", "33", "Bachelor"),
    ("96552", "54", "Bachelor"),
    ("97017", "69", "Doctorate"),
    ("97023", "55", "Master"),
    ("97009", "62", "Bachelor"),
]
DIGITS = [(*zipcode, *age, education) for zipcode, age, education in LIANG_YUAN]


def test_liang_yuan_table_2_costs_54_cells() -> None:
    partition = [DIGITS[:3], DIGITS[3:7], DIGITS[7:]]
    # As printed, every digit from the first that differs on is hidden; the class 8 to 10 shows 970 and no age.
    printed = 3 * (3 + 1 + 1) + 4 * (4 + 2) + 3 * (2 + 2 + 1)
    assert printed == 54
    assert sum(class_cost(each) for each in partition) == printed


def test_liang_yuan_table_1_costs_no_more_at_k_3() -> None:
    names = ["z1", "z2", "z3", "z4", "z5", "a1", "a2", "education"]
    assert released(table(DIGITS, names), 3).certificate.cost <= 54


@pytest.fixture(scope="module")
def nursery() -> pa.Table:
    return table(list(itertools.product(*map(range, (3, 5, 4, 4, 3, 2, 3, 3)))))


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("k", "cells"),
    [(2, 12960), (5, 12960), (6, 25920), (10, 25920), (25, 38880), (50, 38880), (75, 38880), (100, 51840)],
)
def test_bredereck_nursery(nursery: pa.Table, k: int, cells: int) -> None:
    """Two cells a row, three, ...: the greedy is optimal on a Cartesian product for these k."""
    assert nursery.num_rows == 12960
    assert released(nursery, k).certificate.cost == cells
