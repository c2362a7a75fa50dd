"""Classes of a weaker guarantee that are merged until they meet a stronger one."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.model.requirements import KAnonymity, LDiversity
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.summaries.merging import LossOfClasses, merged
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.table.coded_table import CodedTable, Sensitive

KINDS = ("plain", "set", "range")


def table(draw: random.Random, rows: int) -> CodedTable:
    """Rows of three columns and a sensitive value, each a row type of one or two rows."""
    drawn = sorted({(*(draw.randrange(4) for _ in KINDS), draw.randrange(3)) for _ in range(rows)})
    codes = np.array([row[:3] for row in drawn], np.int32)
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in codes.T]).astype(np.int32)
    weight = np.array([draw.randrange(1, 3) for _ in drawn], np.int64)
    values = np.unique([row[3] for row in drawn], return_inverse=True)[1].astype(np.int32)
    counts = np.bincount(values, weight).astype(np.int64)
    return CodedTable(
        columns=(("a",), ("b",), ("c",)),
        codes=np.ascontiguousarray(codes),
        weight=weight,
        origin=np.arange(len(drawn)),
        cost=np.array([2, 3, 4]),
        unit=1,
        sensitive=(Sensitive(column="s", codes=values, count=counts),),
    )


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("seconds", [None, 0.0])
def test_merged_classes_meet_the_requirement(seed: int, seconds: float | None) -> None:
    draw = random.Random(seed)
    coded = table(draw, draw.randrange(4, 60))
    requirement = ClassRequirement.of(coded, (KAnonymity(k=3), LDiversity(l=Fraction(3, 2), sensitive="s")))
    everybody = np.zeros(coded.row_types, np.int64), np.arange(coded.row_types, dtype=np.int32), coded.weight
    if not requirement.holds(*everybody).all():
        pytest.skip("no release meets it")
    number = np.unique([draw.randrange(12) for _ in everybody[0]], return_inverse=True)[1].astype(np.int64)
    start = SummaryPartition(row_type=everybody[1], number=number, count=coded.weight)
    null = np.full(3, -1, np.int32)
    found = merged(coded, KINDS, null, requirement, start, Budget(seconds=seconds) if seconds is not None else UNLIMITED)
    assert requirement.holds(found.number, found.row_type, found.count).all()
    assert np.array_equal(np.bincount(found.row_type, found.count), coded.weight)
    assert len(np.unique(np.column_stack([number, found.number[found.row_type.argsort()]]), axis=0)) == len(np.unique(number))


@pytest.mark.parametrize("seed", range(20))
def test_what_two_classes_lose_together_is_exact(seed: int) -> None:
    draw = random.Random(seed)
    coded = table(draw, 40)
    number = np.unique([draw.randrange(5) for _ in range(coded.row_types)], return_inverse=True)[1].astype(np.int64)
    null = np.full(3, -1, np.int32)
    row_type = np.arange(coded.row_types, dtype=np.int32)
    every = np.arange(int(number.max()) + 1)
    more = LossOfClasses.of(coded, KINDS, null, row_type, number, coded.weight).added(every, every)

    def cost(number: np.ndarray) -> Fraction:
        dense = np.unique(number, return_inverse=True)[1].astype(np.int64)
        return SummaryPartition(row_type=row_type, number=dense, count=coded.weight).cost(coded, KINDS, null)

    for one in every:
        for other in every[every != one]:
            exact = cost(np.where(number == one, other, number)) - cost(number)
            assert abs(float(exact) - more[one, other]) < 1e-3


@pytest.mark.everything
def test_people_with_a_row_each_cost_no_more_than_rows() -> None:
    draw = random.Random(5)
    rows = [(draw.randrange(6), draw.randrange(6), draw.randrange(6)) for _ in range(200)]
    source = pa.table({**{name: [row[c] for row in rows] for c, name in enumerate("abc")}, "who": range(200)})
    with kanon_sql.connect() as con:
        con.register("arrow", source)
        con.execute("CREATE TABLE t AS FROM arrow")
        cost = []
        for body, guarantee in (("* EXCLUDE (who)", "k >= 4"), ("*", "k >= 4 PER who")):
            con.execute(f"CREATE OR REPLACE TABLE r AS FROM (SELECT {body} FROM t) ANONYMIZE BY a, b, c GUARANTEE {guarantee}")
            cost.append(kanon_sql.releases(con)[-1].cost)
    assert cost[0] == cost[1] > 0
