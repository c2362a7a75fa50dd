"""One budget for a statement: it begins when the statement is sent, and reaches each step that may take long."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from solving import coded as coded_rows

import kanon_sql
from kanon_sql.engines import solving
from kanon_sql.engines.duckdb.connect.running_search import RunningSearch
from kanon_sql.model.policy import Policy
from kanon_sql.solvers import budget
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.projections.cascade import cascade
from kanon_sql.solvers.projections.lower_bound import met_at_least
from kanon_sql.solvers.projections.rows import Rows
from kanon_sql.solvers.projections.set_requirements import SetRequirement
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.sensitive import greedy, pricing

OVER = Budget(ended=lambda: True)


@pytest.mark.parametrize(
    ("limit", "read", "left"), [(10.0, 0.2, 9.8), (10.0, 2.0, 6.0), (10.0, 8.0, 0.5), (0.1, 8.0, 0.1), (4.0, 1.0, 2.3)]
)
def test_the_search_leaves_time_for_the_audit(monkeypatch: pytest.MonkeyPatch, limit: float, read: float, left: float) -> None:
    monkeypatch.setattr(budget.time, "monotonic", lambda: 100.0 + read)
    policy = Policy.of(k=2, quasi_identifiers=["a"], time_limit=limit)
    assert Budget.of(policy, begun=100.0).left() == pytest.approx(left)
    assert Budget.of(Policy.of(k=2, quasi_identifiers=["a"]), begun=0.0).left() == float("inf")


def test_a_statement_has_one_budget_that_begins_when_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def code(*arguments: Any) -> Any:
        given.append(arguments[3])
        return real_code(*arguments)

    def run(*arguments: Any) -> Any:
        given.append(arguments[2])
        return real_run(*arguments)

    real_code, real_run = solving.coded, solving.run
    monkeypatch.setattr(solving, "coded", code)
    monkeypatch.setattr(solving, "run", run)
    with kanon_sql.connect() as con:
        sent: list[float] = []
        real = RunningSearch.statement
        monkeypatch.setattr(RunningSearch, "statement", lambda self: (sent.append(budget.time.monotonic()), real(self))[1])
        con.execute("CREATE TABLE t AS SELECT i % 3 AS a FROM range(30) AS r(i)")
        sent.clear()
        con.execute("FROM t ANONYMIZE BY a GUARANTEE k >= 2 PER ROW USING auto (time_limit = 60)").fetchall()
    assert given[0] is given[1]
    assert sent[0] <= given[0].begun <= sent[1], "before it is parsed, and not again when it runs"


def test_statements_of_two_threads_have_a_beginning_each() -> None:
    search, began, done = RunningSearch(), threading.Event(), threading.Event()

    def other() -> None:
        with search.statement():
            began.set()
            done.wait(30)

    with search.statement():
        first = search.begun()
        thread = threading.Thread(target=other)
        thread.start()
        began.wait(30)
        with search.statement():
            assert search.begun() == first
        done.set()
        thread.join()
    assert search.begun() > first


def test_the_cascade_and_the_bound_of_known_columns_end() -> None:
    table, _ = coded_rows([(str(i % 7), str(i % 5), str(i % 3)) for i in range(60)], k=2)
    sets = {(0, 1): SetRequirement(rows=4), (1, 2): SetRequirement(rows=4)}
    classes = Rows.of(table, 4).classes(sets, 0)
    over = np.empty((len(classes.weight), 3), np.int64)
    assert classes.count()
    assert not cascade(classes, table.cost, over, OVER)
    assert not np.asarray(classes.hidden).any()
    assert cascade(classes, table.cost, over, UNLIMITED)
    rare = [[1]] * table.row_types
    assert met_at_least(table, rare, UNLIMITED).price.all()
    assert not met_at_least(table, rare, OVER).price.any()


def test_a_table_of_distances_that_takes_too_long_is_asked_little(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> None:
        raise AssertionError("there is no time for this")

    monkeypatch.setattr(ClassRequirement, "seconds", 100.0)
    for module, kernel in ((greedy, "split"), (greedy, "take_pieces"), (pricing, "cover")):
        monkeypatch.setattr(module, kernel, slow)
    source = pa.table({"a": [i % 4 for i in range(40)], "b": [i % 3 for i in range(40)], "d": [str(i % 5) for i in range(40)]})
    pairs = [(i, j) for i in range(5) for j in range(5) if i != j]
    far = pa.table(
        {"a": [str(i) for i, _ in pairs], "b": [str(j) for _, j in pairs], "distance": [abs(i - j) for i, j in pairs]}
    )
    release = kanon_sql.anonymize(
        source, k=2, sensitive="d", t=0.5, metric="far", tables={"far": far}, algorithm="refine", time_limit=20, per_row=True
    )
    assert release.certificate.smallest_class == 40


def test_classes_that_a_transport_decides_are_judged_for_a_tenth_of_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    table = coded_rows([("a",)], k=1)[0]
    assert ClassRequirement(table=table, k=1, least=1).judged_at_once(Budget(seconds=9), 700) == 700
    monkeypatch.setattr(ClassRequirement, "seconds", 0.02)
    requirement = ClassRequirement(table=table, k=1, least=1)
    assert requirement.judged_at_once(UNLIMITED, 700) == 700
    for limited in (Budget(seconds=9), Budget(seconds=9).counted()):
        assert requirement.judged_at_once(limited, 700) == 5
        assert requirement.in_time(limited, 400)
        assert not requirement.in_time(limited, 500)
