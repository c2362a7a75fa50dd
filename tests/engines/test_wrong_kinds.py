"""Arguments of Python that are of another kind than asked for: errors of ours, with a hint, about the argument."""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import KanonError
from kanon_sql.report.frontier import frontier
from kanon_sql.report.release_report import report

TABLE = pa.table({"zip": ["CANARY", "CANARY"], "age": [1, 2]})

OF_POLICIES = ("quasi_identifiers", "masks", "linked", "keep", "requirements", "weights", "recodings", "tables")


def refused(name: str, call: Any, *arguments: Any, **options: Any) -> None:
    with pytest.raises(KanonError, match=f"(?s){name}.*hint: ") as caught:
        call(*arguments, **options)
    assert "CANARY" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize("wrong", [3, 2.5, True, object(), b"x"], ids=["int", "float", "bool", "object", "bytes"])
def test_what_is_no_list_and_no_mapping(wrong: object) -> None:
    for name in OF_POLICIES if wrong != b"x" else ("weights", "recodings", "tables"):
        refused(name.replace("quasi_identifiers", "quasi"), kanon_sql.anonymize, TABLE, **{"k": 2, name: wrong})
    refused("quasi_identifiers", kanon_sql.audit, TABLE, quasi_identifiers="zip")
    refused("k must be a list of numbers", frontier, TABLE, k="5" if wrong == b"x" else wrong)
    refused("certificate", report, TABLE, TABLE, certificate=wrong)


@pytest.mark.parametrize("wrong", [None, 3, "clinic", TABLE], ids=["none", "int", "text", "table"])
def test_what_is_no_connection(wrong: Any) -> None:
    refused("is not a connection", kanon_sql.register, wrong)
    refused("is not a connection", kanon_sql.releases, wrong)
    if wrong != "clinic":
        refused("is not a connection", kanon_sql.append, "p", "released", key="id", con=wrong, k=2)


def test_a_key_that_is_no_list(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE p AS SELECT i AS id, i % 2 AS zip FROM range(8) t(i)")
    refused("key", kanon_sql.append, "p", "released", key=3, con=con, k=2, quasi_identifiers=["zip"])
    for name in ("leftover", "changed", "deleted", "returning"):
        refused(name, kanon_sql.append, "p", "released", key="id", con=con, k=2, quasi_identifiers=["zip"], **{name: 3})
