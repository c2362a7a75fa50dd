"""The table function `ledger_audit`: the findings of a ledger as rows, also from the database that holds the ledger."""

from __future__ import annotations

from pathlib import Path

import pytest

import kanon_sql
from kanon_sql import PublishedRow, PublishedTable
from kanon_sql.engines.duckdb.ledger.ledger_file import add, opened
from kanon_sql.errors import PolicyError, SourceError


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "out.duckdb"
    tens = PublishedRow(keys=("10-19",), lower=61, upper=61)
    adults = PublishedRow(keys=("10-19",), lower=60, upper=60)
    tables = [
        PublishedTable(number=0, name="tens", keys=("age",), rows=(tens,)),
        PublishedTable(number=0, name="adults", keys=("age",), rows=(adults,), condition="age >= 15"),
    ]
    with opened(path, writable=True) as (con, database):
        assert add(con, database, tables) == [1, 2]
    return path


def test_findings_are_rows(ledger: Path) -> None:
    found = kanon_sql.ledger_audit(ledger).findings
    with kanon_sql.connect() as con:
        query = f"SELECT small_group, least, most, proof, decided FROM ledger_audit('{ledger}')"
        assert con.execute(query).fetchall() == [(each.group, each.least, each.most, each.text, True) for each in found]
        assert len(found) == 1
        assert con.execute(f"FROM duckdb_databases() WHERE path = '{ledger}'").fetchall() == []  # it is detached again


def test_the_ledger_may_be_the_database_of_the_connection(ledger: Path) -> None:
    with kanon_sql.connect(ledger) as con:
        assert con.execute(f"SELECT least FROM ledger_audit('{ledger}', n := 2)").fetchall() == [(1,)]
        assert con.execute("SELECT count(*) FROM kanon_ledger_rows").fetchall() == [(2,)]


def test_what_is_not_decided_is_a_row(ledger: Path) -> None:
    rows = (PublishedRow(keys=("10-19",), lower=70, upper=70),)
    with opened(ledger, writable=True) as (con, database):
        add(con, database, [PublishedTable(number=0, name="wrong", keys=("age",), rows=rows)])
    with kanon_sql.connect() as con:
        found = con.execute(f"SELECT proof FROM ledger_audit('{ledger}') WHERE NOT decided AND small_group IS NULL").fetchall()
    assert len(found) == 1
    assert found[0][0].startswith("contradiction: ")


def test_what_is_wrong_is_said(ledger: Path) -> None:
    with kanon_sql.connect() as con:
        with pytest.raises(SourceError, match=r"there is no ledger none\.duckdb; hint: create it with kanon ledger add"):
            con.execute("FROM ledger_audit('none.duckdb')").fetchall()
        with pytest.raises(PolicyError, match="n must be a whole number of at least 2"):
            con.execute(f"FROM ledger_audit('{ledger}', n := 1)").fetchall()
