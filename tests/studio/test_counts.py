"""Why counts of a protected table are suppressed, against counts of the rows one by one."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.studio.counts import memory_words, reasons, statement_of
from kanon_sql.studio.search import RELEASED, RUNNING, Search
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source

CELLS = {
    ("a", "x"): 30,
    ("a", "y"): 3,
    ("a", "z"): 12,
    ("b", "x"): 20,
    ("b", "y"): 9,
    ("b", "z"): 14,
    ("c", "x"): 11,
    ("c", "y"): 8,
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    path = tmp_path_factory.mktemp("counts") / "clinic.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute('CREATE TABLE stays (ward VARCHAR, "the illness" VARCHAR, pay BIGINT)')
        con.executemany(
            "INSERT INTO stays VALUES (?, ?, ?)", [(*key, 10 + place) for key, rows in CELLS.items() for place in range(rows)]
        )
    with closing(Source(Place.of(f"{path}::stays"))) as found:
        yield found


@pytest.mark.everything
@pytest.mark.parametrize("measure", [None, "pay"])
@pytest.mark.parametrize("grouping", ["with all totals", "with totals from the right", "without totals"])
def test_the_reason_is_the_true_count(source: Source, grouping: str, measure: str | None) -> None:
    search = Search(statement_of(source.spelled, ["ward", "the illness"], grouping, 5, measure))
    ended = threading.Event()
    search.start(source, ended.set)
    assert ended.wait(120)
    assert search.state == RELEASED, search.words
    found = reasons(source, search, 500)
    small = 0
    for row, why in zip(search.rows.to_pylist(), found, strict=True):
        true = sum(n for (ward, ill), n in CELLS.items() if row["ward"] in (None, ward) and row["the illness"] in (None, ill))
        if row["n"] is not None:
            assert (row["n"], why) == (true, "")
        else:
            assert why.startswith("fewer than 5" if true < 5 else "a small count")
            small += true < 5
    assert small == 1
    assert len([why for why in found if why]) > (1 if grouping != "without totals" else 0)
    assert reasons(source, search, 2) == found[:2]


@pytest.mark.everything
def test_numbers_of_a_csv_file_can_be_summed(tmp_path: Path) -> None:
    """Its columns are texts: the statement reads them as numbers, and no digit is lost."""
    path = tmp_path / "stays.csv"
    with duckdb.connect() as con:
        con.execute(
            """COPY (
                    SELECT 'w' || i % 3 AS ward, '0' || i % 4 AS room, 10 + i % 7 || '.5' AS pay, '1e' || i % 2 AS odd,
                        NULL::VARCHAR AS nothing
                    FROM range(300) AS t(i)
                ) TO $path (FORMAT csv, HEADER)""",
            {"path": str(path)},
        )
    with closing(Source(Place.of(str(path)))) as source:
        assert source.summable == {"room": "DECIMAL(18, 0)", "pay": "DECIMAL(18, 1)"}
        kind = source.summable["pay"]
        search, ended = (
            Search(statement_of(source.spelled, ["room"], "with all totals", 5, "pay", kind=kind)),
            threading.Event(),
        )
        search.start(source, ended.set)
        assert ended.wait(120)
        assert search.state == RELEASED, search.words
        query = "SELECT room, count(*), sum(pay::DECIMAL(18, 1)) FROM stays GROUP BY CUBE (room)"
        expected = source.con.cursor().sql(query).fetchall()
        assert sorted(map(repr, expected)) == sorted(repr(tuple(row.values())) for row in search.rows.to_pylist())
        assert reasons(source, search, 500) == [""] * 5


@pytest.mark.everything
def test_the_file_of_the_source_remembers_its_tables(source: Source) -> None:
    session = Session()
    session.source = source
    assert session.remembering == source.place.path
    assert memory_words(session.remembering).startswith("clinic.duckdb remembers each table")
    assert memory_words(None).startswith("Nothing remembers this table")
    for keys in (["ward"], ["the illness"]):
        session.protect(statement_of(source.spelled, keys, "with all totals", 5))
        search = session.tables[-1]
        while search.state == RUNNING:
            time.sleep(0.05)
        assert (search.state, search.earlier) == (RELEASED, ()), search.words
    with duckdb.connect(str(source.place.path), read_only=True) as con:
        assert con.execute("SELECT count(*) FROM kanon_protected_tables").fetchall() == [(2,)]


@pytest.mark.everything
def test_columns_of_numbers_are_summed_as_they_are(source: Source) -> None:
    assert source.summable == {"pay": None}
    assert "sum(pay) AS total" in statement_of(source.spelled, ["ward"], "without totals", 5, "pay")


def test_nothing_is_said_of_a_table_that_is_not_there(source: Source) -> None:
    assert reasons(source, Search(statement_of(source.spelled, ["ward"], "without totals", 5)), 500) == []
