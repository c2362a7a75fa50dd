"""Ways to fail over a table whose every cell is a canary: nothing that is told of a failure may hold one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection

CANARIES = ("CANARY", "7700770", "770.077", "2077-07-07", "0.7707")
"""What no message may hold: a part of each text, and the other cells."""

SETUP = """
CREATE TABLE p AS SELECT 'CANARY' || i AS note, 'CANARYz' || i % 4 AS zip, 7700770 + i % 3 AS number, 770.0770 + i AS amount,
    DATE '2077-07-07' + CAST(i % 2 AS INT) AS day, ['CANARY' || i] AS list, {'a': 'CANARY' || i % 2} AS struct, i % 4 AS age,
    i AS id, 'CANARYd' || i % 3 AS d, ('CANARYe' || i % 2)::ENUM ('CANARYe0', 'CANARYe1') AS sort FROM range(24) t(i);
CREATE TABLE torn AS FROM (VALUES ('CANARYz0', 'CANARYx'), ('CANARYz0', 'CANARYy'), ('CANARYz1', 'CANARYx')) t(value, parent);
CREATE TABLE torn_levels AS FROM (VALUES ('CANARYz0', 'CANARYx', '*'), ('CANARYz0', 'CANARYy', '*')) t(level0, level1, level2);
CREATE TABLE roots AS FROM (VALUES ('CANARYz0', 'CANARYx'), ('CANARYz1', 'CANARYy')) t(value, parent);
CREATE TABLE roots_and_parents AS FROM (VALUES ('CANARYz0', 'CANARYx'), ('CANARYz0', NULL)) t(value, parent);
CREATE TABLE circle AS FROM (VALUES ('CANARYz0', 'CANARYx'), ('CANARYx', 'CANARYz0'), ('CANARYb', '*')) t(value, parent);
CREATE TABLE few AS FROM (VALUES ('CANARYz0', '*')) t(value, parent);
CREATE TABLE no_columns AS FROM (VALUES ('CANARYz0', 'CANARYz1')) t(x, y);
CREATE TABLE map AS FROM (VALUES ('CANARYz0', 'CANARYz1'), ('CANARYz2', 'CANARYz3')) t(a, b);
CREATE TABLE loops AS FROM (VALUES ('CANARYz0', 'CANARYz0')) t(a, b);
CREATE TABLE far AS FROM (VALUES ('CANARYd0', 'CANARYd1', 0.7707), ('CANARYd1', 'CANARYd2', 1)) t(a, b, distance);
CREATE TABLE large AS FROM (VALUES ('CANARYd0', 'CANARYd1', 7700770.5)) t(a, b, distance);
CREATE TABLE two AS FROM (VALUES ('CANARYd0', 'CANARYd1', 0.7707), ('CANARYd1', 'CANARYd0', 1.0)) t(a, b, distance);
CREATE TABLE own AS FROM (VALUES ('CANARYd0', 'CANARYd0', 0.7707), ('CANARYd1', 'CANARYd0', 1.0)) t(a, b, distance);
CREATE TABLE words AS FROM (VALUES ('CANARYd0', 'CANARYd1', 'CANARY')) t(a, b, distance);
CREATE TABLE detour AS FROM (VALUES ('CANARYd0', 'CANARYd1', 1), ('CANARYd1', 'CANARYd2', 0.1), ('CANARYd0', 'CANARYd2', 0.1))
    t(a, b, distance);
CREATE TABLE late AS SELECT CASE WHEN i = 9999 THEN 'CANARY' ELSE i::VARCHAR END AS note, i % 4 AS age FROM range(10000) t(i);
CREATE TABLE keyed (note VARCHAR PRIMARY KEY, age INT);
INSERT INTO keyed VALUES ('CANARY1', 1);
CREATE TABLE checked (number INT CHECK (number < 10));
"""

BROKEN = "SELECT CAST(note AS INT) AS n, age FROM p ANONYMIZE BY age GUARANTEE k >= 2"

STATEMENTS = [
    # DuckDB's own words inside the source query, around the release, and in what it is written to
    BROKEN,
    "SELECT CAST(zip AS DATE) AS n, age FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT CAST(number AS TINYINT) AS n, age FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT CAST(amount AS DECIMAL(3, 2)) AS n, age FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT strptime(note, '%Y') AS n, age FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT CAST(note AS JSON) AS n, age FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT CAST(note AS UUID) AS n, age FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT CAST(note AS BLOB) AS n, error(note), age FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT note::ENUM ('x') AS n, age FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT list::INT[] AS n, age FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT struct::STRUCT(a INT) AS n, age FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT json_extract(note, '$.a') AS n, age FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT number * 9223372036854775807 AS n, age FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT (SELECT note FROM p) AS n, regexp_matches('a', note || '(') AS m, age FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT sort + 1 AS n, age FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT age FROM p WHERE CAST(note AS INT) > 1 ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT CAST(note AS INT) FROM (SELECT note, age FROM p ANONYMIZE BY age GUARANTEE k >= 2)",
    "SELECT CAST(note AS INT) FROM k_anonymize('p', 2, qi := ['age'])",
    "WITH broken AS (SELECT CAST(note AS INT) AS n, age FROM p) FROM k_anonymize('broken', 2, qi := ['age'])",
    "WITH broken AS (SELECT CAST(note AS INT) AS n, age FROM p) FROM l_diversify('broken', 'n', 2, qi := ['age'])",
    "WITH broken AS (SELECT CAST(note AS INT) AS n, age FROM p) FROM bin_labels('broken', 'n', 2)",
    f"CREATE TABLE made AS {BROKEN}",
    f"CREATE VIEW seen AS {BROKEN}; FROM seen",
    f"CREATE VIEW hidden AS {BROKEN}; CREATE VIEW behind AS FROM hidden; FROM behind",
    f"PREPARE made AS {BROKEN}; EXECUTE made",
    "PREPARE one AS SELECT CAST(note AS INT) FROM k_anonymize('p', 2, qi := ['age']); EXECUTE one",
    f"EXPLAIN ANALYZE {BROKEN}",
    f"EXPLAIN ANONYMIZE {BROKEN.replace('BY age', 'BY n')}",
    "INSERT INTO keyed SELECT note, age FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "INSERT INTO checked SELECT number FROM p ANONYMIZE BY age GUARANTEE k >= 2",
    "INSERT INTO checked SELECT number FROM (SELECT number, age FROM p ANONYMIZE BY age GUARANTEE k >= 2)",
    "SELECT CAST(note AS INT) AS n, age FROM late ANONYMIZE BY age GUARANTEE k >= 2",
    "SELECT CAST(note AS INT) FROM (FROM late ANONYMIZE BY age GUARANTEE k >= 2)",
    "SELECT nothing FROM (FROM p ANONYMIZE BY sort GUARANTEE k >= 2)",
    "SELECT sort + DATE '2020-01-01' FROM (FROM p ANONYMIZE BY age GUARANTEE k >= 2)",
    "SELCT note FROM k_anonymize('p', 2)",
    # what the policy asks for does not suit the values
    "FROM p ANONYMIZE BY zip IN HIERARCHY torn GUARANTEE k >= 2",
    "FROM p ANONYMIZE BY zip IN HIERARCHY torn_levels GUARANTEE k >= 2",
    "FROM p ANONYMIZE BY zip IN HIERARCHY roots GUARANTEE k >= 2",
    "FROM p ANONYMIZE BY zip IN HIERARCHY roots_and_parents GUARANTEE k >= 2",
    "FROM p ANONYMIZE BY zip IN HIERARCHY circle GUARANTEE k >= 2",
    "FROM p ANONYMIZE BY zip IN HIERARCHY few GUARANTEE k >= 2",
    "FROM p ANONYMIZE BY zip IN HIERARCHY no_columns GUARANTEE k >= 2",
    "FROM p ANONYMIZE BY zip IN HIERARCHY absent GUARANTEE k >= 2",
    "FROM p ANONYMIZE BY zip IN REGIONS map GUARANTEE k >= 20",
    "FROM p ANONYMIZE BY zip IN REGIONS loops GUARANTEE k >= 2",
    "FROM p ANONYMIZE BY zip IN REGIONS no_columns GUARANTEE k >= 2",
    "FROM p ANONYMIZE BY (zip, note) IN RECTANGLES GUARANTEE k >= 2",
    "FROM p ANONYMIZE BY zip IN INTERVALS (5) GUARANTEE k >= 2",
    "FROM p ANONYMIZE BY day IN INTERVALS (5) GUARANTEE k >= 2",
    "FROM p ANONYMIZE BY number IN INTERVALS (month) GUARANTEE k >= 2",
    "FROM p ANONYMIZE BY list IN INTERVALS GUARANTEE k >= 200",
    *(
        f"FROM p ANONYMIZE BY age GUARANTEE t(d, '{name}') <= 0.1"
        for name in ("far", "large", "two", "own", "words", "detour", "no_columns", "absent", "numeric")
    ),
    *(f"FROM p ANONYMIZE BY age GUARANTEE t(d, 'hierarchical', '{name}') <= 0.1" for name in ("torn", "few", "map")),
    "FROM p ANONYMIZE BY age GUARANTEE l(d) >= 9",
    "FROM p ANONYMIZE BY age GUARANTEE l(note, 'recursive', 1) >= 25",
    "FROM p ANONYMIZE BY age GUARANTEE alpha(d, 'no such value') <= 1/2",
    "FROM p ANONYMIZE BY age GUARANTEE k >= 25",
    "FROM p ANONYMIZE BY absent GUARANTEE k >= 2",
    "FROM p ANONYMIZE BY age GUARANTEE k >= 2 PER absent",
    "FROM p ANONYMIZE BY age GUARANTEE k >= 25 PER note",
    "FROM p ANONYMIZE BY note, zip, number, amount, day, list, struct, sort USING optimal GUARANTEE k >= 25",
]
"""Each fails, or is refused."""

Reading = Callable[[Connection, str], Any]


def _all(rows: Any) -> Any:
    return rows.read_all() if hasattr(rows, "read_all") else rows


READINGS: dict[str, Reading] = {
    "execute": lambda con, text: con.execute(text).fetchall(),
    "fetchmany": lambda con, text: list(iter(lambda: con.execute(text).fetchmany(100), [])),
    "rows": lambda con, text: con.sql(text).fetchall(),
    "repr": lambda con, text: repr(con.sql(text)),
    "filter": lambda con, text: con.sql(text).limit(100_000).filter("true").fetchall(),
    "pandas": lambda con, text: con.sql(text).df(),
    "polars": lambda con, text: con.sql(text).pl(),
    "lazy": lambda con, text: con.sql(text).pl(lazy=True).collect(),
    "arrow": lambda con, text: con.sql(text).to_arrow_table(),
    "stream": lambda con, text: __import__("pyarrow").table(con.sql(text)),
    "many": lambda con, text: con.executemany(text + " -- $1", [["x"]]),
    "cursor": lambda con, text: con.cursor().execute(text).fetchall(),
    **{
        f"relation: {name}": lambda con, text, name=name: list(_all(getattr(con.sql(text), name)()))
        for name in ("fetch_arrow_reader", "iter_rows", "record_batch", "to_arrow_reader")
        if hasattr(duckdb.DuckDBPyRelation, name)
    },
    **{
        f"result: {name}": lambda con, text, name=name: _all(getattr(con.execute(text), name)())
        for name in ("arrow", "fetch_arrow_table", "fetch_record_batch", "pl", "to_arrow_reader", "to_arrow_table")
        if hasattr(duckdb.DuckDBPyConnection, name)
    },
}
"""Ways to ask for the rows of a statement."""

PYTHON: list[dict[str, Any]] = [
    {"k": 25},
    {"k": 2, "quasi_identifiers": ["zip"], "recodings": {"zip": "INTERVALS (5)"}},
    {"k": 2, "quasi_identifiers": ["zip"], "sensitive": "d", "l": 9},
    {"k": 2, "quasi_identifiers": ["zip"], "sensitive": "d", "t": 0, "metric": "numeric"},
    {"k": 2, "quasi_identifiers": ["zip"], "recodings": {"zip": "HIERARCHY torn"}, "tables": ["torn"]},
    {"k": 2, "quasi_identifiers": ["zip"], "recodings": {"zip": "REGIONS loops"}, "tables": ["loops"]},
    {"k": 2, "quasi_identifiers": ["zip"], "sensitive": "d", "t": 0, "metric": "words", "tables": ["words"]},
]
"""Arguments of `kanon_sql.anonymize`; its tables by their names."""


def anonymized(con: Connection, arguments: dict[str, Any]) -> object:
    """Release the table in Python."""
    tables = {name: con.sql(f"FROM {name}").to_arrow_table() for name in arguments.get("tables", ())}
    source = con.sql("SELECT * EXCLUDE (list, struct, sort) FROM p").to_arrow_table()
    return kanon_sql.anonymize(source, **(arguments | {"tables": tables}))
