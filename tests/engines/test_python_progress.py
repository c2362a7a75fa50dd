"""Progress of a release, and how it is stopped."""

import threading
import time
from itertools import combinations

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql import pipeline
from kanon_sql.errors import InfeasibleError, InterruptedReleaseError
from kanon_sql.solvers.budget import Budget, Moment
from kanon_sql.solvers.problem_classes import Masks
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.patterns import PatternSet


def wide(rows: int) -> pa.Table:
    return pa.table({f"c{c}": [hash((i * (c + 7)) % 1009) % (3 + c) for i in range(rows)] for c in range(14)})


@pytest.mark.everything
def test_progress_is_heard_and_rises() -> None:
    heard: list[Moment] = []
    kanon_sql.anonymize(wide(500), k=5, algorithm="greedy", progress=heard.append)
    assert {moment.step for moment in heard} == {"greedy", "shift"}
    shares = [moment.done for moment in heard if moment.step == "greedy"]
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1


def test_a_listener_stops_the_release() -> None:
    def stop(moment: Moment) -> None:
        raise KeyboardInterrupt

    with pytest.raises(InterruptedReleaseError, match="nothing was released"):
        kanon_sql.anonymize(wide(500), k=5, progress=stop)


@pytest.mark.everything
def test_an_interrupt_from_another_thread_stops_the_solver() -> None:
    with kanon_sql.connect() as con:
        con.raw.register("wide", wide(20_000))
        con.execute("CREATE TABLE t AS FROM wide")
        working = threading.Event()

        def slowly(moment: Moment) -> None:
            working.set()
            time.sleep(0.05)

        con.watch(slowly)

        def interrupt() -> None:
            working.wait(30)
            con.interrupt()

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(Exception, match=r"[Ii]nterrupted"):
            con.execute("CREATE TABLE released AS FROM k_anonymize('t', 50)")
        thread.join()
        con.watch(None)
        tables = con.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        assert tables == [("t",)]
        assert kanon_sql.releases(con.raw) == []


@pytest.mark.parametrize("time_limit", [None, 30])
def test_a_listener_stops_the_release_while_its_bound_is_proven(
    monkeypatch: pytest.MonkeyPatch, time_limit: float | None
) -> None:
    told = threading.Event()

    def prove(problems: Masks, patterns: PatternSet, requirement: ClassRequirement, budget: Budget) -> None:
        while not budget.over():
            time.sleep(0.01)
        told.set()

    def stop(moment: Moment) -> None:
        if moment.step == "row distance":
            raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "least_prices", prove)
    begun = time.monotonic()
    with pytest.raises(InterruptedReleaseError, match="nothing was released"):
        kanon_sql.anonymize(wide(500), k=5, algorithm="greedy", progress=stop, time_limit=time_limit)
    assert time.monotonic() - begun < 20, "not by the time limit"
    assert told.is_set()


@pytest.mark.everything
def test_a_time_limit_ends_well_with_and_without_a_mask_for_the_rest() -> None:
    table = wide(20_000)
    begun = time.monotonic()
    release = kanon_sql.anonymize(table, k=5, time_limit=0.001)
    assert release.certificate.smallest_class >= 5
    fine = [mask for size in range(11, 15) for mask in combinations(table.column_names, size)]
    with pytest.raises(InfeasibleError, match="hint"):
        kanon_sql.anonymize(table, k=50, masks=fine, time_limit=0.001)
    assert time.monotonic() - begun < 60
