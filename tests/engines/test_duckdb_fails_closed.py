"""Fail closed: whatever a solver or a source does, no row leaves that breaks the guarantee, and nothing is left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest
from asking import ask, class_sizes, nothing_copied, tables

import kanon_sql
from kanon_sql.errors import AuditError, InfeasibleError, InterruptedReleaseError, KanonError
from kanon_sql.solvers.budget import Budget, Moment
from kanon_sql.solvers.k_anonymity.greedy import solve as honest
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding

pytestmark = pytest.mark.own_connection

Change = Callable[[CodedTable, Recoding], Recoding]


def everything_shown(table: CodedTable, recoding: Recoding) -> Recoding:
    every = np.uint64((1 << len(table.columns)) - 1)
    types = np.arange(table.row_types, dtype=np.int32)
    return replace(recoding, row_type=types, shown=np.full(len(types), every), count=table.weight.copy())


def one_row_alone(table: CodedTable, recoding: Recoding) -> Recoding:
    """Leave the first row in a class of its own, and all others where nothing is shown."""
    every = np.uint64((1 << len(table.columns)) - 1)
    types = np.arange(table.row_types, dtype=np.int32)
    shown = np.where(types == np.argmin(table.weight), every, np.uint64(0))
    return replace(recoding, row_type=types, shown=shown, count=table.weight.copy())


def row_dropped(table: CodedTable, recoding: Recoding) -> Recoding:
    count = recoding.count.copy()
    count[np.argmax(count)] -= 1
    return replace(recoding, count=count)


def row_added(table: CodedTable, recoding: Recoding) -> Recoding:
    count = recoding.count.copy()
    count[0] += 1
    return replace(recoding, count=count)


def row_type_dropped(table: CodedTable, recoding: Recoding) -> Recoding:
    keep = recoding.row_type != recoding.row_type[0]
    return replace(recoding, row_type=recoding.row_type[keep], shown=recoding.shown[keep], count=recoding.count[keep])


def piece_twice(table: CodedTable, recoding: Recoding) -> Recoding:
    again = np.sort(np.append(np.arange(len(recoding.count)), 0))
    return replace(recoding, row_type=recoding.row_type[again], shown=recoding.shown[again], count=recoding.count[again])


def negative_count(table: CodedTable, recoding: Recoding) -> Recoding:
    again = np.sort(np.append(np.arange(len(recoding.count)), [0, 0]))
    count = recoding.count[again]
    count[0], count[1] = -count[0], count[0]
    return replace(recoding, row_type=recoding.row_type[again], shown=recoding.shown[again], count=count)


def nothing(table: CodedTable, recoding: Recoding) -> Recoding:
    return replace(recoding, row_type=recoding.row_type[:0], shown=recoding.shown[:0], count=recoding.count[:0])


LIES: list[Change] = [
    everything_shown,
    one_row_alone,
    row_dropped,
    row_added,
    row_type_dropped,
    piece_twice,
    negative_count,
    nothing,
]

SOURCE = "SELECT i AS id, i % 4 AS a, i % 6 AS b, i // 3 AS c FROM range(24) r(i)"


@pytest.fixture
def lie(monkeypatch: pytest.MonkeyPatch) -> Callable[[Change], None]:
    """Make the solver that is taken without being named answer with a changed recoding."""

    def install(change: Change) -> None:
        def lying(problem: Problem, budget: Budget) -> Recoding:
            return change(problem.table, honest(problem, budget))

        monkeypatch.setattr("kanon_sql.solvers.k_anonymity.refine.solve", lying)

    return install


CALLS = [
    "k_anonymize('t', 3, qi := ['a', 'b', 'c'], keep := ['id'])",
    "k_anonymize('t', 3, qi := ['a'], unlisted_limit := 1)",
    "k_anonymize('u', 3)",
]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("change", LIES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("call", CALLS)
def test_a_lying_solver_releases_nothing(
    con: duckdb.DuckDBPyConnection, lie: Callable[[Change], None], tmp_path: Path, change: Change, call: str
) -> None:
    con.execute(f"CREATE TABLE t AS {SOURCE}")
    con.execute("CREATE TABLE u AS SELECT a, b, c FROM t WHERE id > 0")
    con.execute(f"CREATE TABLE kept AS FROM {call}")
    before = ask(con, "FROM kept ORDER BY ALL")
    lie(change)
    if change in (everything_shown, one_row_alone) and "qi := ['a']" in call:
        return  # each value of a has rows enough: it is no lie
    target = tmp_path / "out.parquet"
    for statement in (
        f"FROM {call}",
        f"SELECT count(*) FROM {call}",
        f"FROM {call} LIMIT 1",
        f"SELECT EXISTS (FROM {call})",
        f"CREATE TABLE made AS FROM {call}",
        f"CREATE OR REPLACE TABLE kept AS FROM {call}",
        f"INSERT INTO kept FROM {call}",
        f"COPY (FROM {call}) TO '{target}' (FORMAT parquet)",
    ):
        with pytest.raises(duckdb.Error):
            ask(con, statement)
    assert tables(con) == {"t", "u", "kept"}
    assert ask(con, "FROM kept ORDER BY ALL") == before
    assert nothing_copied(target)
    assert len(kanon_sql.releases(con)) == 1


def test_the_error_of_the_audit_tells_the_counts(lie: Callable[[Change], None]) -> None:
    lie(one_row_alone)
    with kanon_sql.connect() as con:
        con.execute(f"CREATE TABLE t AS {SOURCE}")
        with pytest.raises(AuditError, match="1 class has fewer than 3 rows, the smallest 1; nothing was released"):
            con.execute("FROM k_anonymize('t', 3, qi := ['a', 'b', 'c'], keep := ['id'])").fetchall()
        assert con.sql("FROM kanon_releases()").fetchall() == []


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("change", LIES, ids=lambda change: change.__name__)
def test_a_lying_solver_in_python(lie: Callable[[Change], None], change: Change) -> None:
    with duckdb.connect() as con:
        source = con.sql(SOURCE).to_arrow_table()
    lie(change)
    for options in ({"quasi_identifiers": ["a", "b", "c"]}, {}):
        with pytest.raises((KanonError, duckdb.Error)):
            kanon_sql.anonymize(source if options else source.drop(["id"]), k=3, **options)


@pytest.mark.everything
@pytest.mark.parametrize(
    "query", ["SELECT * FROM t WHERE random() < 0.5", "SELECT * REPLACE ((random() * 4)::INT AS a) FROM t"]
)
def test_a_source_that_changes_between_two_readings(con: duckdb.DuckDBPyConnection, query: str) -> None:
    con.execute(f"CREATE TABLE t AS {SOURCE.replace('24', '400')}")
    con.execute(f"CREATE VIEW v AS {query}")
    for call in ("k_anonymize('v', 3, qi := ['a', 'b'])", "k_anonymize('v', 3, qi := ['a', 'b', 'c'])", "k_anonymize('v', 3)"):
        for attempt in range(5):
            try:
                ask(con, f"CREATE TABLE made{attempt} AS FROM {call}")
            except duckdb.Error:
                assert f"made{attempt}" not in tables(con)
                continue
            places = {"['a', 'b']": (1, 2), "['a', 'b', 'c']": (1, 2, 3)}.get(call.split(":= ")[-1][:-1], (0, 1, 2, 3))
            assert min(class_sizes(ask(con, f"FROM made{attempt}"), places).values()) >= 3
            con.execute(f"DROP TABLE made{attempt}")


@pytest.mark.everything
def test_an_infeasible_release_leaves_nothing(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    con.execute(f"CREATE TABLE t AS {SOURCE}")
    target = tmp_path / "out.csv"
    call = "k_anonymize('t', 25, qi := ['a'], keep := ['id', 'b', 'c'])"
    for statement in (f"CREATE TABLE made AS FROM {call}", f"COPY (FROM {call}) TO '{target}'"):
        with pytest.raises(duckdb.Error, match="24 rows, fewer than k = 25"):
            ask(con, statement)
    assert tables(con) == {"t"}
    assert nothing_copied(target)


def test_a_failed_release_rolls_back_with_its_transaction(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"CREATE TABLE t AS {SOURCE}")
    con.execute("BEGIN")
    con.execute("CREATE TABLE other AS SELECT 1")
    with pytest.raises(duckdb.Error):
        ask(con, "CREATE TABLE made AS FROM k_anonymize('t', 25)")
    con.execute("ROLLBACK")
    assert tables(con) == {"t"}


@pytest.mark.everything
def test_an_interrupt_leaves_nothing(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    columns = ", ".join(f"hash(i * {c + 3}) % 60 AS c{c}" for c in range(14))
    con.execute(f"CREATE TABLE t AS SELECT i AS id, {columns} FROM range(200000) r(i)")
    qi = [f"c{c}" for c in range(14)]
    target = tmp_path / "out.parquet"
    call = f"k_anonymize('t', 50, qi := {qi}, keep := ['id'], time_limit := 2)"
    for statement in (f"CREATE TABLE made AS FROM {call}", f"COPY (FROM {call}) TO '{target}' (FORMAT parquet)"):
        timer = threading.Timer(0.3, con.interrupt)
        timer.start()
        try:
            with pytest.raises((duckdb.InterruptException, KeyboardInterrupt)):
                ask(con, statement)
        finally:
            timer.cancel()
        assert tables(con) == {"t"}
        assert nothing_copied(target)
    assert ask(con, "SELECT count(*) FROM t") == [(200000,)]
    assert kanon_sql.releases(con) == []


def test_progress_may_stop_the_work_of_python() -> None:
    class StopError(Exception):
        pass

    def stop(moment: Moment) -> None:
        raise StopError

    with duckdb.connect() as con:
        source = con.sql(SOURCE).to_arrow_table()
    with pytest.raises(InterruptedReleaseError, match="progress raised StopError"):
        kanon_sql.anonymize(source, k=3, quasi_identifiers=["a", "b"], keep=["id", "c"], progress=stop)


@pytest.mark.everything
def test_a_time_limit_gives_a_certified_release(con: duckdb.DuckDBPyConnection) -> None:
    columns = ", ".join(f"hash(i * {c + 3}) % 9 AS c{c}" for c in range(12))
    con.execute(f"CREATE TABLE t AS SELECT i AS id, {columns} FROM range(20000) r(i)")
    qi = [f"c{c}" for c in range(12)]
    rows = ask(con, "FROM k_anonymize('t', 5, qi := $1, keep := ['id'], time_limit := 0.05)", [qi])
    assert len(rows) == 20000
    assert min(class_sizes(rows, range(1, 13)).values()) >= 5


def test_an_infeasible_release_is_its_own_error_in_python() -> None:
    with duckdb.connect() as con, pytest.raises(InfeasibleError):
        kanon_sql.anonymize(con.sql(SOURCE), k=25)
