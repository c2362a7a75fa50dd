"""The lab of readers of several protected tables: its reader finds planted leaks and nothing else, and the product has none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import duckdb
import pytest

from benchmarks.table_attack.bands import pairs
from benchmarks.table_attack.draw import APART, Database, database
from benchmarks.table_attack.prover import Reader, targets
from benchmarks.table_attack.reader import Knowledge, knowledge
from benchmarks.table_attack.smaller import smaller
from benchmarks.table_attack.statement import Condition, Dimension, Statement
from benchmarks.table_attack.trial import FAILURES, Trial, attack

AGES = (*(10 + place % 5 for place in range(60)), 17, *(20 + place % 40 for place in range(140)))
"""One of 200 people is 15 to 19."""


def dimension(text: str, name: str, *reads: str) -> Dimension:
    return Dimension(name, (text,), frozenset(reads))


TENS = Statement((dimension("age // 10 * 10", "tens", "age"),))
OVER = Statement((dimension("age >= 15", "over", "age"),))
CUBE = Statement((dimension("a", "a", "a"), dimension("b", "b", "b")), "CUBE", n=3)


def source(columns: tuple[str, ...], rows: tuple[Any, ...], *statements: Statement) -> Database:
    return Database("by hand", columns, rows, statements, tuple((APART, (place,)) for place in range(len(statements))))


def proven(known: Knowledge, n: int) -> list[str]:
    groups, words = targets(known, n)
    return [each for each, answer in zip(words, Reader(known).small(groups, n), strict=True) if answer != 0]


def test_one_person_between_two_bands_is_proven() -> None:
    people = source(("age",), tuple((age,) for age in AGES), TENS, OVER)
    tens = [(10, 61), (20, 40), (30, 40), (40, 30), (50, 30)]
    found = knowledge(people.source, [(TENS, tens), (OVER, [(False, 60), (True, 141)])])
    assert found.wrong == []
    assert proven(found, 5) == ["atom: age = 17"]
    assert proven(knowledge(people.source, [(TENS, tens), (OVER, [(False, None), (True, None)])]), 5) == []
    grown = replace(OVER, where=Condition("age >= 15", frozenset(("age",))))
    assert proven(knowledge(people.source, [(TENS, tens), (grown, [(True, 141)])]), 5) == ["atom: age = 17"]


def test_a_row_that_is_marked_has_somebody_and_an_absent_one_may_have_nobody() -> None:
    people = source(("a", "b"), ((0, 0),) * 9 + ((0, 1),) * 1 + ((1, 0),) * 2 + ((1, 1),) * 9, CUBE)
    hidden = [(0, 0, None), (0, 1, None), (1, 0, None), (1, 1, None), (0, None, 10), (1, None, 11), (None, None, 21)]
    assert proven(knowledge(people.source, [(CUBE, [*hidden, (None, 0, 11), (None, 1, 10)])]), 3) == []
    assert (
        len(proven(knowledge(people.source, [(CUBE, [*hidden[:2], (1, 0, 2), *hidden[3:], (None, 0, 11), (None, 1, 10)])]), 3))
        == 2
    )
    absent = replace(CUBE, absent=True)
    assert proven(knowledge(people.source, [(absent, [row for row in hidden if row[-1] is not None])]), 3) == []


@pytest.mark.parametrize(("sums", "found"), [(("x",), 3), ((), 0)])
def test_a_group_with_a_sum_has_somebody(sums: tuple[str, ...], found: int) -> None:
    by_a, by_b = (Statement((dimension(name, name, name),), sums=sums, n=3) for name in ("a", "b"))
    both = Statement((dimension("c", "c", "c"),), where=Condition("a = 0 AND b = 0", frozenset(("a", "b"))), n=3)
    people = source(("a", "b", "c", "x"), ((0, 0, 0, 7), (0, 1, 0, 7), (0, 0, 0, 0), (1, 0, 0, 50)), by_a, by_b, both)
    some = [None] * len(sums)
    shown = [
        (by_a, [(0, 3, *[14][: len(sums)]), (1, None, *some)]),
        (by_b, [(0, 3, *[57][: len(sums)]), (1, None, *some)]),
        (both, [(0, None)]),
    ]
    # who has b = 0 and not a = 0 has a sum of at least 43, so somebody is there, and both are at most 2
    assert len(proven(knowledge(people.source, shown), 3)) == found


def test_rows_that_are_not_true_are_named() -> None:
    people = source(("age",), tuple((age,) for age in AGES), TENS)
    tens = [(10, 61), (20, 40), (30, 41), (50, 30), (60, None)]
    assert len(knowledge(people.source, [(TENS, tens)]).wrong) == 3


@pytest.mark.parametrize("seed", range(4))
def test_the_reader_takes_the_statements_as_sql_does(seed: int) -> None:
    drawn = database(f"plain {seed}")
    with duckdb.connect() as con:
        con.execute(drawn.source)
        for each in drawn.statements:
            if not any(key.digits for key in each.dimensions):
                rows = con.execute(each.query.partition(" PROTECT ")[0]).fetchall()
                assert knowledge(drawn.source, [(each, rows)]).wrong == []


def test_a_database_with_a_finding_becomes_smaller() -> None:
    drawn = database("large")

    def judge(each: Database) -> Trial:
        pairs = [("x", "y")] if len(each.statements) >= 2 and len(each.rows) >= 3 else []
        return Trial(each, APART, findings=pairs)

    found = smaller(drawn, "x", judge).database
    assert (len(found.statements), len(found.rows)) == (2, 3)


REGION_A = (Condition("region = 'a'", frozenset({"region"})), "count(*) FILTER (WHERE {})")
OLD = (Condition("age >= 59", frozenset({"age"})), "count(*) FILTER (WHERE {})")
YOUNG_OR_X = Condition("age < 27 OR job = 'x'", frozenset({"age", "job"}))
YOUNG_OR_A = Condition("age < 40 OR region = 'a'", frozenset({"age", "region"}))
SEVENTEEN, FIFTY_NINE = dimension("age >= 17", "over17", "age"), dimension("age >= 59", "over59", "age")
SEX, FIFTY_ONE = Dimension("sex", ("sex",), frozenset({"sex"}), nulls=True), dimension("age >= 51", "over51", "age")
TWENTIES, TENTHS = dimension("age // 20 * 20", "band20", "age"), dimension("age // 10 * 10", "band10", "age")
JOB, REGION, TOP = (
    dimension("job", "job", "job"),
    dimension("region", "region", "region"),
    dimension("least(age, 40)", "top40", "age"),
)


@pytest.mark.parametrize(
    "published",
    [
        # with ROWS ABSENT, a suppressed filtered count still stays in its row
        source(
            ("age", "region"),
            ((16, "d"), (10, "a"), (59, "c"), (57, "a"), (59, "c"), (10, "a")),
            Statement((SEVENTEEN,), "CUBE", counted=(REGION_A,), n=3, absent=True),
        ),
        # whoever meets a condition with OR and is 40 or older is of region a
        source(
            ("age", "region"),
            (*((51, "a"),) * 4, *((40, "a"),) * 2, (30, "a"), (30, "c"), *((30, "d"),) * 3),
            Statement((REGION,)),
            Statement((TOP, TENTHS), "GROUPING SETS", ((0,), (1,)), where=YOUNG_OR_A),
        ),
        # so nobody of 40 has another job than x, and no empty row may say that somebody has
        source(
            ("age", "job"),
            ((10, "y"), (59, "x"), (10, "x")),
            Statement((JOB, TWENTIES), "GROUPING SETS", ((0,), (0, 1)), where=YOUNG_OR_X, n=3),
        ),
        # a filtered count of a suppressed row says nothing, so a later empty row fits it
        source(
            ("age", "job"),
            ((54, "x"), (14, "y"), (59, "y")),
            Statement((TWENTIES, JOB), counted=(OLD,), n=4),
            Statement((JOB, FIFTY_NINE), n=4),
        ),
        # of 5 people of 38 or more, 4 are of 51 or more: the other one may not just be of another sex
        source(
            ("age", "sex"),
            ((51, "m"), (51, "m"), (33, None), (58, "m"), (17, "m"), (38, "m"), (51, "m")),
            Statement((FIFTY_NINE,), "ROLLUP", where=Condition("age >= 38", frozenset({"age"})), n=4),
            Statement((SEX, FIFTY_ONE), n=4, told=True),
        ),
    ],
)
def test_conditions_give_nothing_away(published: Database) -> None:
    trial = attack(published)
    assert (trial.released, trial.findings) == (len(published.statements), [])


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("number", range(6))
def test_no_reader_of_several_tables_proves_that_a_group_is_small(number: int) -> None:
    trial = attack(database(f"tests.{number}"))
    assert [each for each in trial.findings if each[0] in FAILURES] == []
    assert trial.rows > 0


@pytest.mark.everything
@pytest.mark.parametrize("number", [4, 12, 23, *(pytest.param(each, marks=pytest.mark.everything) for each in range(25, 66))])
def test_no_reader_of_two_bands_proves_that_a_group_is_small(number: int) -> None:
    trial = attack(list(pairs(0))[number])
    assert (trial.released, trial.findings) == (2, [])
