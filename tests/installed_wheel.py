"""What an installed wheel must do: release a small table, by compiled kernels, and audit it by the macros in plain SQL."""

from __future__ import annotations

from importlib.resources import files

import duckdb

import kanon_sql
from kanon_sql.kernels import COMPILED

assert COMPILED
with kanon_sql.connect() as con:
    con.execute("CREATE TABLE visits AS SELECT i % 9 AS ward, i % 4 AS shift FROM range(72) AS t(i)")
    released = con.execute("SELECT ward, shift, count(*) FROM k_anonymize('visits', 5) GROUP BY ALL").fetchall()
    assert sum(rows for _, _, rows in released) == 72
    assert min(rows for _, _, rows in released) >= 5
with duckdb.connect() as plain:
    plain.execute(files("kanon_sql.sql").joinpath("kanon.sql").read_text(encoding="utf-8"))
    plain.execute("CREATE TABLE visits AS SELECT i % 9 AS ward, i % 4 AS shift FROM range(72) AS t(i)")
    assert plain.execute("SELECT k, rows FROM k_anonymity('visits')").fetchall() == [(2, 72)]
print(kanon_sql.__file__, len(released))  # noqa: T201
