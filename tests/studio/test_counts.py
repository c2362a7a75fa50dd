"""Tables of counts in the studio: statements, reasons of suppressed counts against counts one by one, folders, remedies."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.errors import SourceError
from kanon_sql.studio.counted_table import TOTAL, CountedTable
from kanon_sql.studio.counts import EVERY, PLAIN, RIGHT, CountForm, countable, measures, memory_words, widths
from kanon_sql.studio.remedies import plain_words, remedies
from kanon_sql.studio.saved_table import save
from kanon_sql.studio.search import FAILED, RELEASED, RUNNING
from kanon_sql.studio.session import Session

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

VISITS = """SELECT 'P' || i // 2 AS patient, CASE WHEN i // 2 % 5 > 0 THEN 'ward ' || i // 2 % 3 END AS ward,
    1940 + i // 2 % 50 AS born, DATE '2020-01-01' + (i % 500)::INT AS seen, 10 + i % 7 || '.5' AS pay
    FROM range(1200) AS t(i)"""


@pytest.fixture
def stays(tmp_path: Path) -> Iterator[Session]:
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute('CREATE TABLE stays (ward VARCHAR, "the illness" VARCHAR, pay BIGINT)')
        con.executemany(
            "INSERT INTO stays VALUES (?, ?, ?)", [(*key, 10 + place) for key, rows in CELLS.items() for place in range(rows)]
        )
    session = Session()
    session.open(Place.of(f"{path}::stays"))
    session.draft = session.draft.with_rows()
    yield session
    session.end()


@pytest.fixture
def visits(tmp_path: Path) -> Iterator[Session]:
    path = tmp_path / "visits.csv"
    with duckdb.connect() as con:
        con.execute(f"COPY ({VISITS}) TO $path (FORMAT csv, HEADER, DELIMITER ';')", {"path": str(path)})
    session = Session()
    session.open(Place.of(str(path)))
    yield session
    session.end()


def made(session: Session, **choices: object) -> CountedTable:
    session.counts.form = replace(session.counts.form, **choices)  # type: ignore[arg-type]
    session.protect()
    table = session.counts.all[-1]
    while table.state == RUNNING:
        time.sleep(0.02)
    return table


@pytest.mark.everything
@pytest.mark.parametrize("measure", [None, "pay"])
@pytest.mark.parametrize("grouping", [EVERY, RIGHT, PLAIN])
def test_the_reason_is_the_true_count(stays: Session, grouping: str, measure: str | None) -> None:
    table = made(stays, keys=("ward", "the illness"), grouping=grouping, measure=measure)
    assert table.state == RELEASED, table.words
    small = gone = 0
    for ward, ill, n, *_, why in table.shown(500):
        true = sum(rows for key, rows in CELLS.items() if ward in (TOTAL, key[0]) and ill in (TOTAL, key[1]))
        if n is not None:
            assert (n, why) == (f"{true:,}", "")
            continue
        gone += 1
        words = "fewer than 5 people" if 0 < true < 5 else "a small count" if true else "nobody is here"
        assert why.startswith(words)
        small += 0 < true < 5
    assert small == 1
    assert table.suppressed == (gone, len(table.shown(500)))
    assert table.least is not None
    assert small <= table.least <= gone
    assert table.verdict().startswith("No count of 1 to 4 people can be worked out from this table.")
    assert f"{gone} of {len(table.shown(500))} counts" in table.verdict()
    assert table.shown(2) == table.shown(500)[:2]


@pytest.mark.everything
@pytest.mark.parametrize("ending", ["csv", "parquet", "duckdb"])
def test_a_folder_that_verifies_and_makes_the_same_table_again(visits: Session, tmp_path: Path, ending: str) -> None:
    """Of a file with semicolons, with people in several rows, empty cells, groups of numbers, and a sum of texts."""
    keys, grouped = ("ward", "born"), {"born": "20"}
    table = made(visits, keys=keys, widths=grouped, unknown=True, measure="pay", k=8)
    assert table.state == RELEASED, table.words
    assert table.verdict().startswith("No count of 1 to 7 people")
    saved = save(table, str(tmp_path / "out"), ending)
    assert sorted(each.name for each in saved.folder.iterdir()) == list(saved.files)
    assert set(saved.files) == {
        f"counts.{ending}", "certificate.json", "release.sh", "release.sql", "report.html", "verify.sh",
    }  # fmt: skip
    assert saved.verified["table"].startswith(f"{table.certificate.rows} rows")
    assert not any("P17" in path.read_text() for path in saved.folder.iterdir() if path.suffix != f".{ending}")
    with pytest.raises(SourceError, match="exists"):
        save(table, str(saved.folder), ending)

    def run(*arguments: str, folder: Path) -> str:
        command = [sys.executable, "-m", "kanon_sql", *arguments]
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout

    command = (saved.folder / "verify.sh").read_text().split()[1:]
    assert run(*command, folder=saved.folder).startswith("verified")
    again = tmp_path / "again"
    again.mkdir()
    run("run", "../out/release.sql", folder=again)
    if ending == "duckdb":
        with duckdb.connect(str(again / "counts.duckdb")) as con:
            con.execute(f"ATTACH '{saved.folder / 'counts.duckdb'}' AS first (READ_ONLY)")
            assert con.execute("FROM counts").fetchall() == con.execute("FROM first.counts").fetchall()
    else:
        assert (again / f"counts.{ending}").read_bytes() == (saved.folder / f"counts.{ending}").read_bytes()


@pytest.mark.everything
def test_a_file_that_has_changed_is_not_saved(visits: Session, tmp_path: Path) -> None:
    table = made(visits, keys=("born",), widths={"born": "20"})
    assert visits.source is not None
    path = visits.source.place.path
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-100]))
    with pytest.raises(Exception, match="does not add up to its source"):
        save(table, str(tmp_path / "out"), "csv")
    assert not (tmp_path / "out").exists()


@pytest.mark.everything
def test_remedies_end_refusals_in_words(visits: Session) -> None:
    table = made(visits, keys=("ward", "born", "seen"))
    assert table.state == FAILED
    assert "seen (it changes for 600 people)" in remedies(table, visits.draft, discardable=False)[0].words
    for _ in range(4):
        ways = remedies(table, visits.draft, discardable=bool(visits.counts.discardable))
        assert ways
        assert "GROUPING" not in plain_words(table) + "".join(each.words for each in ways)
        visits.counts.form = ways[0].form or visits.counts.form
        visits.draft = ways[0].draft or visits.draft
        table = made(visits)
        if table.state == RELEASED:
            break
    assert table.state == RELEASED, table.words
    assert visits.counts.form.unknown
    wards = {row[0] for row in table.shown(500)}
    assert wards == {"ward 0", "ward 1", "ward 2", "unknown", TOTAL}


@pytest.mark.everything
def test_tables_of_one_source_are_safe_together_until_they_are_forgotten(visits: Session) -> None:
    first = made(visits, keys=("born",), widths={"born": "20"})
    second = made(visits, keys=("ward", "born"), unknown=True)
    assert second.respected == (first.statement,)
    assert visits.counts.discardable == [first, second]
    visits.counts.discard([first])
    assert visits.counts.made == [second]
    assert made(visits, keys=("ward",), measure="pay").respected == (second.statement,)
    assert visits.counts.all[-1].state == RELEASED, visits.counts.all[-1].words


@pytest.mark.everything
def test_tables_together_suppress_what_one_connection_suppresses(stays: Session) -> None:
    """Two tables that are safe alone may not be safe together."""
    assert stays.source is not None
    earlier, second = (CountForm(keys=keys, k=12) for keys in (("ward",), ("ward", "the illness")))
    policy = stays.draft.policy
    first = CountedTable(stays.source, earlier, policy)
    table = CountedTable(stays.source, second, policy, [first])
    table.start(stays.source)
    while table.state == RUNNING:
        time.sleep(0.02)
    assert table.state == RELEASED, table.words
    assert table.least is None  # cost and bound are about both
    with kanon_sql.connect() as con:
        con.register("stays", stays.source.before(f"FROM {stays.source.spelled}"))
        con.execute(first.statement).fetchall()
        expected = con.sql(table.statement).fetchall()
    assert sorted(map(repr, expected)) == sorted(repr(tuple(row.values())) for row in table.rows.to_pylist())


@pytest.mark.everything
def test_the_file_of_the_source_remembers_its_tables(stays: Session) -> None:
    assert stays.source is not None
    path = stays.source.place.path
    assert stays.remembering == path
    assert memory_words(stays.remembering).startswith("clinic.duckdb remembers each table")
    assert "Nothing remembers them" in memory_words(None)
    for keys in (("ward",), ("the illness",)):
        table = made(stays, keys=keys)
        assert (table.state, table.earlier) == (RELEASED, ()), table.words
    assert stays.counts.discardable == []
    with duckdb.connect(str(path), read_only=True) as con:
        assert con.execute("SELECT count(*) FROM kanon_protected_tables").fetchall() == [(2,)]


def test_statements_and_what_columns_can_do(stays: Session, visits: Session) -> None:
    assert stays.source is not None
    assert measures(stays.source) == ["pay"]
    assert CountForm(keys=("ward",), measure="pay", k=7).statement(stays.source, stays.draft.policy).splitlines() == [
        "SELECT ward, count(*) AS n, sum(pay) AS total",
        "FROM stays",
        "GROUP BY CUBE (ward)",
        "PROTECT n >= 7 PER ROW AND p(total) >= 10",
    ]
    source = visits.source
    assert source is not None
    assert countable(source, visits.draft) == ["ward", "born", "seen", "pay"]
    assert {name: widths(source, name) for name in source.columns} == {
        "patient": (), "ward": (), "born": ("5", "10", "20"), "seen": ("year", "month"), "pay": (),
    }  # fmt: skip
    assert set(measures(source)) == {"born", "pay"}
    table = CountedTable(source, CountForm(keys=("ward",), grouping=PLAIN), visits.draft.policy)
    assert (table.shown(500), table.title) == ([], "people by ward")
