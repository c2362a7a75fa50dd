"""Without PySpark, the module is there and says what it needs."""

from __future__ import annotations

import sys

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import KanonError, SourceError


def test_what_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(KanonError, match=r"kanon-sql\[spark\]"):
        kanon_sql.spark.sql("SELECT 1")
    with pytest.raises(SourceError, match="a Table is not a Spark DataFrame"):
        kanon_sql.spark.anonymize(pa.table({"a": [1]}), k=1, into="r")
