"""Known columns: whoever runs a release hears what one column more gives away."""

from __future__ import annotations

import pytest

import kanon_sql


def test_a_release_for_known_columns_warns_of_those_who_know_more() -> None:
    con = kanon_sql.connect()
    con.execute("CREATE TABLE t AS SELECT i % 5 AS a, i % 7 AS b, i % 3 AS c, i % 4 AS d FROM range(200) AS t(i)")
    with pytest.warns(kanon_sql.KanonWarning, match="k >= 10 FOR ANY 1 COLUMN is not 10-anonymity"):
        con.execute("SELECT * FROM t ANONYMIZE BY a, b, c, d GUARANTEE k >= 10 FOR ANY 1 COLUMN").fetchall()
