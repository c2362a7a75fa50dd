"""Releases with levels never cost more than those by suppression alone, which are permitted too."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import InfeasibleError

GUARANTEES = (
    "k >= 3",
    "k >= 3 PER person",
    "k >= 2 AND l(disease) >= 2",
    "k >= 2 AND t(disease) <= 0.4",
    "k >= 2 AND delta(disease) <= 2",
)

RECODINGS = {
    "suppression": "age, zip, sex",
    "levels": "age IN HIERARCHY ages, zip IN HIERARCHY zips, sex",
}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("guarantee", GUARANTEES)
@pytest.mark.parametrize("rows", [12, 60])
def test_levels_never_cost_more_than_suppression(guarantee: str, rows: int) -> None:
    draw = random.Random(f"{guarantee} {rows}")
    with kanon_sql.connect() as con:
        for name, values, widths in (("ages", (21, 22, 35, 36, 58), (10, 50)), ("zips", (101, 102, 111, 201), (10, 100))):
            levels = [[str(value), *(f"{value // width}x" for width in widths), "*"] for value in values]
            columns = [pa.array(column) for column in zip(*levels, strict=True)]
            con.register("labels", pa.table(columns, [f"level{level}" for level in range(4)]))
            con.execute(f"CREATE TABLE {name} AS FROM labels")
        for _ in range(4):
            source = pa.table(
                {
                    "age": [draw.choice([21, 22, 35, 36, 58]) for _ in range(rows)],
                    "zip": [str(draw.choice([101, 102, 111, 201])) for _ in range(rows)],
                    "sex": [draw.choice("mf") for _ in range(rows)],
                    "disease": [draw.choice("aabbc") for _ in range(rows)],
                    "person": [draw.randrange(rows // 2) for _ in range(rows)],
                }
            )
            con.register("arrow", source)
            named = [name for name in ("disease", "person") if name in guarantee]
            con.execute(f"CREATE OR REPLACE TABLE t AS SELECT {', '.join(['age', 'zip', 'sex', *named])} FROM arrow")
            cost = {}
            for name, by in RECODINGS.items():
                try:
                    con.execute(f"CREATE OR REPLACE TABLE r AS FROM t ANONYMIZE BY {by} GUARANTEE {guarantee}")
                except InfeasibleError:
                    break
                cost[name] = kanon_sql.releases(con)[-1].cost
            if len(cost) == len(RECODINGS):
                assert cost["levels"] <= cost["suppression"]
