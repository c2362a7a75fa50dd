"""A release next to its source, and next to other releases."""

from __future__ import annotations

import threading
from collections import defaultdict
from pathlib import Path

import duckdb
import pytest

from kanon_sql import compare
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.studio.frontier import frontier
from kanon_sql.studio.look import counted_exactly, suppressed_by
from kanon_sql.studio.run import Run
from kanon_sql.studio.search import RELEASED
from kanon_sql.studio.session import Session

ROWS = """SELECT i * i % 11 AS zip, 20 + i * i * 7 % 61 AS age, ['f', 'm'][1 + i % 2] AS sex,
    ['asthma', 'flu', 'ulcer', '<b>'][1 + i * i % 3 + (i % 100) // 99] AS disease FROM range(300) AS t(i)"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    path: Path = tmp_path_factory.mktemp("studio") / "people.csv"
    with duckdb.connect() as con:
        con.execute(f"COPY ({ROWS}) TO $path (FORMAT csv, HEADER)", {"path": str(path)})
    found = Session()
    found.open(Place.of(str(path)))
    for k in (2, 10):
        found.draft = found.draft.read(f"FROM people ANONYMIZE BY zip, age, sex GUARANTEE k >= {k}")
        run = Run(len(found.runs) + 1, f"k = {k}", found.draft)
        done = threading.Event()
        run.start(found.source, ended=done.set)
        assert done.wait(120)
        assert run.state == RELEASED, run.words
        found.runs.append(run)
    return found


@pytest.mark.everything
def test_the_suppressed_share_of_each_group(session):
    """Sickness is released unchanged, so each row is known to be in its group: brute force counts the cells."""
    for run in session.runs:
        counts, gone = defaultdict(int), defaultdict(int)
        for row in run.release[1].to_pylist():
            counts[row["disease"]] += 3
            gone[row["disease"]] += sum(row[name] is None for name in ("zip", "age", "sex"))
        expected = {name: gone[name] / cells for name, cells in counts.items() if cells >= 15}
        found, facts = suppressed_by(session.source, run, "disease"), session.look(run)
        assert {each.value: pytest.approx(each.suppressed) for each in found} == expected
        assert counted_exactly(facts, "disease")
        assert not counted_exactly(facts, "sex")
        assert "<b>" not in expected


@pytest.mark.everything
def test_groups_of_a_quasi_identifier_and_of_no_column(session):
    found = suppressed_by(session.source, session.runs[-1], "sex")
    assert {each.value for each in found} == {"f", "m"}
    assert all(0 <= each.suppressed <= 1 for each in found)
    with pytest.raises((SourceError, duckdb.Error)):
        suppressed_by(session.source, session.runs[-1], "nothing")


def test_all_releases_as_points(session):
    points = frontier(session.source, session.runs)
    assert [each.name for each in points] == ["k = 2", "k = 10"]
    assert points[0].risk > points[1].risk
    assert points[0].suppressed < points[1].suppressed
    assert [each.error for each in points] == [None, None]


@pytest.mark.everything
def test_the_error_of_queries(session):
    """Counts of a column that is released unchanged have no error; those of others are as `compare` measures them."""
    kept = frontier(session.source, session.runs, "SELECT disease, count(*) FROM t GROUP BY disease;")
    assert [each.error for each in kept] == [0, 0]
    text = "SELECT zip, count(*) FROM t WHERE age > 40 GROUP BY zip"
    with duckdb.connect() as con:
        rows = con.sql(ROWS).to_arrow_table()
    found = compare(rows, {run.name: run.release[1] for run in session.runs}, quasi_identifiers=["zip", "age"], queries=text)
    errors = [each.error for each in found.releases]
    # macros add floats on several threads; aggregates in a fixed order take five times as long
    assert [each.error for each in frontier(session.source, session.runs, text)] == pytest.approx(errors, rel=1e-12)
    assert all(each.error for each in found.releases)


@pytest.mark.parametrize(
    "text", ["SELECT nothing, count(*) FROM t GROUP BY nothing", "DROP TABLE source", "SELECT 1 FROM t a, t b"]
)
def test_queries_that_cannot_be_asked(session, text):
    with pytest.raises(PolicyError):
        frontier(session.source, session.runs, text)
