"""The table that most of these tests release."""

from __future__ import annotations

import duckdb
import pytest
from spark_session import spark

__all__ = ["people", "spark"]

PEOPLE = """
CREATE TABLE people AS SELECT * FROM (VALUES
    (1, '98101', 34, 'flu'), (2, '98101', 34, 'asthma'), (3, '98101', 51, NULL), (4, '98109', 51, 'flu'),
    (5, '98109', 28, 'asthma'), (6, '98109', 28, 'flu'), (7, NULL, 28, 'flu'), (8, '98101', NULL, 'gout'))
    AS t(id, zip, age, disease)
"""

QI = "qi := ['zip', 'age']"


@pytest.fixture
def people(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """The connection with a table of eight people."""
    con.execute(PEOPLE)
    return con
