"""DIGITS: what a label shows follows from its own value, and long values cost no more than their characters."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from bounded import bounded

from kanon_sql.errors import AuditError

ZIPS = "SELECT (98100 + hash(i) % 90)::VARCHAR AS zip FROM range(300) AS r(i)"
LONG = ["repeat('98', 2000)", "'98123-1234'", "'9'", "''", "'981*'"]

SURFACES = {
    "clause": "FROM {} ANONYMIZE BY zip IN DIGITS (3, 1) GUARANTEE k >= 5 USING greedy",
    "function": "FROM k_anonymize('{}', 5, recodings := MAP {{'zip': 'DIGITS (3, 1)'}}, algorithm := 'greedy')",
    "population": "FROM {} ANONYMIZE BY zip IN DIGITS (3, 1) GUARANTEE k >= 5 AND k >= 5 IN zips USING greedy",
}


@pytest.fixture
def con(shared_clause: Any) -> Any:
    shared_clause.execute(f"CREATE TABLE zips AS {ZIPS}")
    return shared_clause


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("other", LONG)
@pytest.mark.parametrize("surface", SURFACES)
def test_a_suppressed_value_leaves_no_trace_in_the_labels_of_others(con: Any, surface: str, other: str) -> None:
    con.execute(f"CREATE TABLE more AS FROM zips UNION ALL SELECT {other}")
    alone, beside = (Counter(con.sql(SURFACES[surface].format(name)).fetchall()) for name in ("zips", "more"))
    assert {label for (label,) in alone} == {"981**"}
    assert beside[(None,)] >= 1, "nobody else begins so with as many characters"
    assert {label for (label,) in beside} == {"981**", None}


def test_a_label_keeps_the_length_of_its_value(con: Any) -> None:
    con.execute("CREATE TABLE mixed AS SELECT unnest(['98101', '98102', '981', '982', '98', '98', 'ab*c', 'ab*d']) AS zip")
    found = con.sql("FROM mixed ANONYMIZE BY zip IN DIGITS GUARANTEE k >= 2").fetchall()
    assert Counter(label for (label,) in found) == {"9810*": 2, "98*": 2, "98": 2, "ab**": 2}


@pytest.mark.sweep
@pytest.mark.parametrize("wrong", ["98", "98*", "98****", "9810 ", "99***"])
def test_a_label_of_another_length_is_not_released(con: Any, monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    from kanon_sql.engines import solving

    monkeypatch.setattr(solving, "_labels", lambda ladder, level, row_type: pa.array([wrong] * len(level), pa.string()))
    with pytest.raises(AuditError, match="labels of the column zip do not cover"):
        con.execute("FROM zips ANONYMIZE BY zip IN DIGITS GUARANTEE k >= 5")


@pytest.mark.everything
def test_a_label_matches_people_whose_values_are_as_long(con: Any) -> None:
    con.execute("CREATE TABLE few AS SELECT unnest(['98101', '98102']) AS zip")
    con.execute("CREATE TABLE town AS SELECT unnest(['98103', '98104', '981', '981055', '9810*']) AS zip")
    query = "FROM few ANONYMIZE BY zip IN DIGITS (4) GUARANTEE k >= {} IN town"
    assert con.sql(query.format(3)).fetchall() == [("9810*",)] * 2
    assert con.sql(query.format(4)).fetchall() == [(None,)] * 2


BOMBS = {
    "one long value": "CASE WHEN i = 7 THEN repeat('9', 100000) ELSE (98100 + i % 50)::VARCHAR END",
    "one longer value": "CASE WHEN i = 7 THEN repeat('9', 3000) ELSE (98100 + i % 50)::VARCHAR END",
    "long values": "repeat('9', 3000) || (10000 + i)",
    "a value of many bytes": "CASE WHEN i = 7 THEN repeat('é', 200000) ELSE (98100 + i % 50)::VARCHAR END",
}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("values", BOMBS)
@pytest.mark.parametrize("by", ["zip IN DIGITS", "zip IN DIGITS (2)", "zip IN DIGITS (4, 3) LOSS (0.2, 0.5)"])
def test_long_values_take_memory_as_their_characters(values: str, by: str) -> None:
    script = f"""
con.execute("CREATE TABLE t AS SELECT {BOMBS[values]} AS zip FROM range(2000) AS r(i)")
rows = con.execute("SELECT count(*) FROM (FROM t ANONYMIZE BY {by} GUARANTEE k >= 20) GROUP BY zip").fetchall()
found = [sum(size for size, in rows), min(size for size, in rows)]
"""
    ended = bounded(script)
    assert ended.refusal == ""
    assert ended.released[0] == 2000
    assert ended.released[1] >= 20
    assert ended.peak < 1000
