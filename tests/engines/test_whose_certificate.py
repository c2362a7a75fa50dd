"""Connections to one database release at the same time: each gets the certificates of its own releases."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.append.append import Append

OWN = "SELECT rows FROM kanon_releases() WHERE connection = current_connection_id() ORDER BY number"


@pytest.mark.everything
@pytest.mark.own_connection
def test_an_append_gives_its_own_certificate_while_another_one_releases(
    con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, size in {"a": 12, "b": 30}.items():
        con.execute(f"CREATE TABLE {name} AS SELECT i AS visit, i % 3 AS ward FROM range({size}) AS t(i)")
    rows, others = Append._rows, list[kanon_sql.Batch]()
    terms: dict[str, Any] = {"key": "visit", "k": 4, "quasi_identifiers": ["ward"]}

    def overtaken(job: Append, query: str) -> list[tuple[Any, ...]]:
        found = rows(job, query)
        if 'TABLE "kanon#released"' in query and not others and job._raw is con:
            others.append(kanon_sql.append("b", "released_b", con=con.cursor(), **terms))
        return found

    monkeypatch.setattr(Append, "_rows", overtaken)
    batch = kanon_sql.append("a", "released_a", con=con, **terms)
    for each, size in ((batch, 12), (others[0], 30)):
        assert each.certificate is not None
        assert (each.released, each.certificate.rows) == (size, size)

    # and in SQL, for whoever shares an instance, as the models of dbt do
    other = con.cursor()
    other.execute("FROM k_anonymize('b', 4)").fetchall()
    assert con.execute(OWN).fetchall() == [(12,)]
    assert other.execute(OWN).fetchall() == [(30,)]
