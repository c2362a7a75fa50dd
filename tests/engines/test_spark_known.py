"""Known columns on Spark: every set is counted, against plain Python, and a release that breaks one is refused."""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import kanon_sql.spark
from kanon_sql.engines.spark.audit.known_classes import counted_sets, known_answer
from kanon_sql.errors import AuditError
from kanon_sql.model.requirements import KnownColumns, LDiversity, TCloseness
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.recoding import Recoding

pytestmark = pytest.mark.everything

NAMES = ["a", "b", "c", "d"]


def table(seed: int, rows: int = 40) -> pa.Table:
    """Return a random table with NULLs and both zeros."""
    draw = random.Random(seed)
    values = {"a": (1, 2, None), "b": ("x", "", None), "c": (0.0, -0.0, 1.5), "d": (True, False)}
    columns = {name: [draw.choice(each) for _ in range(rows)] for name, each in values.items()}
    return pa.table(columns | {"s": [draw.choice((1, 2, 3, 3, None)) for _ in range(rows)]})


def classes(found: pa.Table, chosen: Iterable[int]) -> list[list[Any]]:
    """Return the sensitive values of each class by some columns."""
    shown = defaultdict(list)
    for row in zip(*(found.column(name).to_pylist() for name in (*NAMES, "s")), strict=True):
        shown[tuple(map(repr, (row[place] for place in chosen)))].append(row[-1])
    return list(shown.values())


@pytest.fixture
def ask(spark: Any) -> Any:
    return lambda statement: spark.sql(statement).collect()[0].asDict()


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_every_set_is_counted_as_in_plain_python(spark: Any, ask: Any, m: int) -> None:
    from kanon_sql.engines.spark.gather.columns import looks

    found = table(m)
    frame = spark.createDataFrame(found)
    frame.createOrReplaceTempView("known_table")
    units = [looks([field]) for field in frame.schema.fields[:4]]
    sets = list(combinations(range(4), m))
    by_sets = [classes(found, each) for each in sets]
    sizes = [[len(each) for each in every] for every in by_sets]
    for k in (2, 4):
        counted = counted_sets(ask, KnownColumns(k=k, columns=m), units, sets, "known_table")
        below = [sum(size for size in each if size < k) for each in sizes]
        assert counted.least == min(min(each) for each in sizes)
        assert counted.failing == sum(size < k for each in sizes for size in each)
        assert (counted.below, counted.most_below) == (sum(below), max(below))
    diverse = KnownColumns(of=LDiversity(sensitive="s", l=2), columns=m)
    broken = [[each for each in every if 2 * max(Counter(each).values()) > len(each)] for every in by_sets]
    counted = counted_sets(ask, diverse, units, sets, "known_table")
    assert counted.failing == sum(map(len, broken))
    assert counted.below == sum(len(each) for every in broken for each in every)
    close = KnownColumns(of=TCloseness(sensitive="s", t="0.4"), columns=m)
    whole = Counter(found.column("s").to_pylist())
    far = sum(2 * distance(each, whole) > 0.8 for every in by_sets for each in every)
    assert counted_sets(ask, close, units, sets, "known_table").failing == far
    answer = known_answer(ask, KnownColumns(k=2, columns=m), units, [[name] for name in NAMES], "known_table")
    assert (answer.failing == 0) == (min(min(each) for each in sizes) >= 2)


def distance(values: Sequence[Any], whole: Counter[Any]) -> float:
    """Return half the sum of the differences between the shares of a class and those of the table."""
    here = Counter(values)
    return sum(abs(here[value] / len(values) - number / whole.total()) for value, number in whole.items()) / 2


def test_more_sets_than_a_statement_takes(spark: Any, ask: Any) -> None:
    names = [f"c{place}" for place in range(12)]
    draw = random.Random(5)
    found = pa.table({name: [draw.randrange(3) for _ in range(60)] for name in names})
    spark.createDataFrame(found).createOrReplaceTempView("wide_table")
    sets = list(combinations(range(12), 2))
    counted = counted_sets(ask, KnownColumns(k=6, columns=2), [f"`{name}`" for name in names], sets, "wide_table")
    rows = list(zip(*found.to_pydict().values(), strict=True))
    sizes = [Counter((row[one], row[other]) for row in rows).values() for one, other in sets]
    assert (counted.sets, counted.least) == (66, min(map(min, sizes)))
    assert counted.failing == sum(size < 6 for each in sizes for size in each)


@pytest.mark.parametrize("known", [1, [["a"], ["b"]]])
def test_a_solver_that_shows_too_much_is_found_out(spark: Any, monkeypatch: pytest.MonkeyPatch, known: Any) -> None:
    def everything_shown(problem: Problem, budget: Budget) -> Recoding:
        types = np.arange(problem.table.row_types, dtype=np.int32)
        return Recoding(row_type=types, shown=np.full(len(types), 3, np.uint64), count=problem.table.weight.copy())

    monkeypatch.setitem(sys.modules, "kanon_sql.solvers.projections.solve", SimpleNamespace(solve=everything_shown))
    source = spark.sql("SELECT i % 4 AS a, i % 2 AS b FROM range(10) t(i)")
    with pytest.raises(AuditError, match=r"2 classes break k >= 3 FOR .*: the smallest has 2 rows; nothing was released"):
        kanon_sql.spark.anonymize(source, k=3, quasi_identifiers=["a", "b"], known=known, into="r")
    assert not spark.catalog.tableExists("r")


def test_the_clause_and_an_empty_table(spark: Any) -> None:
    spark.sql("SELECT i % 3 AS a, i % 4 AS b FROM range(48) t(i)").createOrReplaceTempView("people")
    for where, rows in (("", 48), ("WHERE false", 0)):
        statement = f"SELECT * FROM people {where} ANONYMIZE BY a, b GUARANTEE k >= 3 FOR ANY 1 COLUMN"
        assert kanon_sql.spark.sql(statement, into="known_released").count() == rows
        found = kanon_sql.spark.releases(spark)[-1]
        assert found.requirements == ("k >= 3 FOR ANY 1 COLUMN",)
        assert (found.known_columns, found.sets_audited, found.smallest_class_known) == ((1, 2, 12) if rows else (None,) * 3)
        spark.sql("DROP TABLE known_released")


@pytest.mark.parametrize("seed", range(3))
def test_the_audit_finds_the_worst_set_as_duckdb_does(spark: Any, seed: int) -> None:
    found = table(seed)
    found = found.set_column(2, "c", pc.abs(found.column("c")))  # only Spark tells both zeros apart
    frame = spark.createDataFrame(found)
    for asked in ({"known": 2}, {"known": 2, "k": 1}, {"known": 3}):
        given: dict[str, Any] = {"quasi_identifiers": NAMES, **asked}
        assert kanon_sql.spark.audit(frame, **given) == kanon_sql.audit(found, **given)
    empty = {"quasi_identifiers": NAMES, "known": 2}
    assert kanon_sql.spark.audit(frame.limit(0), **empty).k_known is None
