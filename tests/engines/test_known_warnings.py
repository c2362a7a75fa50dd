"""Known columns: whoever runs a release hears what one column more gives away."""

from __future__ import annotations

import pytest

import kanon_sql


def test_a_release_for_known_columns_warns_of_those_who_know_more() -> None:
    con = kanon_sql.connect()
    con.execute("CREATE TABLE t AS SELECT i % 5 AS a, i % 7 AS b, i % 3 AS c, i % 4 AS d FROM range(200) AS t(i)")
    with pytest.warns(kanon_sql.KanonWarning, match="k >= 10 FOR ANY 1 COLUMN is not 10-anonymity"):
        con.execute("SELECT * FROM t ANONYMIZE BY a, b, c, d GUARANTEE k >= 10 FOR ANY 1 COLUMN").fetchall()


def test_columns_may_be_called_as_those_of_the_audit() -> None:
    con = kanon_sql.connect()
    con.execute("CREATE TABLE t AS SELECT i % 20 AS class, i % 3 AS size FROM range(60) AS t(i)")
    with pytest.warns(kanon_sql.KanonWarning):
        con.execute("SELECT class, size FROM t ANONYMIZE BY class, size GUARANTEE k >= 3 FOR ANY 1 COLUMN").fetchall()
    certificate = kanon_sql.releases(con)[-1]
    assert (certificate.suppressed_cells, certificate.smallest_class_known) == (0, 3)


def test_known_reaches_the_guarantee_of_a_function() -> None:
    con = kanon_sql.connect()
    con.execute("CREATE TABLE t AS SELECT i % 4 AS a, i % 3 AS b, i % 7 AS disease FROM range(80) AS t(i)")
    con.execute("FROM l_diversify('t', 'disease', 2, known := 1)").fetchall()
    assert kanon_sql.releases(con)[-1].requirements == ("k >= 2 FOR ANY 1 COLUMN", "l(disease) >= 2 FOR ANY 1 COLUMN")
