"""Columns of a source may be called as those of the statement that releases it."""

from __future__ import annotations

import re
from importlib.resources import files

import duckdb
import pytest
from asking import class_sizes

FOLDERS = [files("kanon_sql.engines.duckdb").joinpath("statements"), files("kanon_sql.engines.guarantees")]
TEXTS = [each.read_text() for folder in FOLDERS for each in folder.iterdir() if each.name.endswith(".sql")]
OF_PEOPLE = {"fingerprint", "name", "names", "person"}
"""Columns called like these are refused, as they look like identifiers of people."""

NAMES = sorted({*re.findall(r"\b[a-z_]+\b", " ".join(re.sub(r"--.*|'[^']*'", "", text) for text in TEXTS))} - OF_PEOPLE)


@pytest.mark.sweep
@pytest.mark.parametrize("unnamed", [False, True])
@pytest.mark.parametrize("first", range(0, len(NAMES), 3))
def test_columns_may_have_inner_names(con: duckdb.DuckDBPyConnection, first: int, unnamed: bool) -> None:
    # the first identifies, the second is sensitive, the third is released unchanged
    one, two, other = (NAMES[(first + place) % len(NAMES)] for place in range(3))
    con.execute(
        "CREATE OR REPLACE TEMP TABLE inner_names AS "
        f'SELECT i // 4 % 5 AS "{one}", i % 3 AS "{two}", i % 7 AS "{other}" FROM range(60) AS r(i)'
    )
    named = "" if unnamed else f", qi := ['{one}']"
    released = con.sql(f"FROM l_diversify('inner_names', '{two}', 2, k := 5{named})")
    assert released.columns == [one, two, other]
    rows = released.fetchall()
    con.execute("DROP TABLE inner_names")
    assert sorted(row[1] for row in rows) == sorted(i % 3 for i in range(60))
    assert min(class_sizes(rows, [0, 2] if unnamed else [0]).values()) >= 5
    if not unnamed:
        assert sorted(row[2] for row in rows) == sorted(i % 7 for i in range(60))
        assert {row[0] for row in rows} <= {None, *range(5)}


def test_the_names_are_found() -> None:
    assert {"piece", "class", "row_type", "release", "run", "number", "upto", "qi", "key"} < set(NAMES)
