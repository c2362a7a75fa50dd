"""A release that grows under known columns: every set holds in each batch and in all together, counted in plain Python."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner
from growing import added

import kanon_sql
from kanon_sql.cli import main
from kanon_sql.engines.duckdb.append.batch_audit import check_whole_release
from kanon_sql.engines.duckdb.append.batch_terms import Terms
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.errors import AuditError, InfeasibleError
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import AlphaAnonymity, KnownColumns, LDiversity, TCloseness

QI = ["zip", "age", "job", "sex"]
ANY_TWO = list(combinations(range(4), 2))
Rows = Iterable[tuple[Any, ...]]


def visit(con: Any, draw: random.Random, first: int, number: int) -> None:
    """Add visits; some values are rare, and people come up to three times, but never in two batches."""
    con.execute(
        """CREATE TABLE IF NOT EXISTS visits
        (visit INTEGER, zip INTEGER, age INTEGER, job VARCHAR, sex VARCHAR, disease VARCHAR, whose INTEGER, person INTEGER)"""
    )
    rows = []
    for each in range(first, first + number):
        person = first + draw.randrange(number // 2)
        shown = (draw.choice((1, 1, 2, 2, 3, 9)), draw.randrange(4), draw.choice("aaabbc"), draw.choice(("f", "m", None)))
        rows.append((each, *shown, draw.choice("xyzw"), person, person))
    con.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)


def append(con: Any, **options: Any) -> kanon_sql.Batch:
    given: dict[str, Any] = {"k": 4, "quasi_identifiers": QI, "keep": ["disease", "whose", "person"], "known": 2, **options}
    return kanon_sql.append("visits", "released", key="visit", con=con, **given)


def by_sets(rows: Rows, sets: Iterable[Sequence[int]]) -> Iterable[list[tuple[Any, ...]]]:
    """Yield the classes of rows by each set of columns."""
    rows = list(rows)
    for chosen in sets:
        classes = defaultdict(list)
        for row in rows:
            classes[tuple(row[place] for place in chosen)].append(row)
        yield from classes.values()


@pytest.mark.everything
@pytest.mark.parametrize("known", [2, [["zip", "age", "job"], ["sex"]], [QI]])
@pytest.mark.parametrize("suppress", [None, "*"])
def test_every_set_holds_in_each_batch_and_in_all(con: duckdb.DuckDBPyConnection, known: Any, suppress: str | None) -> None:
    sets = ANY_TWO if known == 2 else [tuple(QI.index(name) for name in each) for each in known]
    draw = random.Random(str(known))
    before: list[tuple[Any, ...]] = []
    for month in range(3):
        visit(con, draw, month * 60, 60)
        batch = append(con, known=known, suppress=suppress)
        after = con.execute("FROM released").fetchall()
        for rows in (added(before, after).elements(), after):
            assert min(map(len, by_sets(rows, sets))) >= 4
        assert batch.certificate is not None
        assert batch.waiting == 0 or known == [QI]  # all columns are plain k, where rows wait
        assert batch.certificate.requirements[0].startswith("k >= 4 FOR ")
        before = after


@pytest.mark.everything
def test_people_and_values_hold_by_every_set(con: duckdb.DuckDBPyConnection) -> None:
    draw, before = random.Random(3), []
    for month in range(2):
        visit(con, draw, month * 80, 80)
        append(con, per="person", sensitive="disease", l=2, keep=["whose"])
        after = con.execute("SELECT * EXCLUDE (disease, whose), disease, whose FROM released").fetchall()
        for rows in (added(before, after).elements(), after):
            for each in by_sets(rows, ANY_TWO):
                assert len({row[-1] for row in each}) >= 4
                assert 2 * max(Counter(row[-2] for row in each).values()) <= len(each)
        before = after
    con.execute("INSERT INTO visits SELECT 900 + visit, * EXCLUDE (visit) FROM visits WHERE visit < 20")
    with pytest.raises(kanon_sql.errors.SourceError, match="released before"):
        append(con, per="person", sensitive="disease", l=2, keep=["whose"])


@pytest.mark.everything
def test_no_row_waits_for_what_it_holds(con: duckdb.DuckDBPyConnection) -> None:
    """If the row of zip 9 waited, then anyone who knows its zip and its month would know its job in February: not a."""
    con.execute(
        """CREATE TABLE visits AS SELECT i AS visit, i % 2 AS zip, 'a' AS job FROM range(20) AS t(i);
        INSERT INTO visits VALUES (20, 9, 'z')"""
    )
    options = {"k": 3, "quasi_identifiers": ["zip", "job"], "known": 1, "keep": []}
    assert (append(con, **options).released, append(con, **options).waiting) == (21, 0)
    assert con.execute("SELECT count(*) FROM released WHERE zip = 9 OR job = 'z'").fetchone() == (0,)
    plain = {"k": 3, "quasi_identifiers": ["zip", "job"], "known": None, "keep": []}
    assert kanon_sql.append("visits", "plain", key="visit", con=con, **plain).waiting == 1  # type: ignore[arg-type]


@pytest.mark.everything
def test_a_batch_that_is_too_small_waits_as_a_whole(con: duckdb.DuckDBPyConnection) -> None:
    visit(con, random.Random(1), 0, 3)
    assert (append(con).number, append(con).waiting) == (None, 3)
    with pytest.raises(InfeasibleError):
        append(con, leftover="suppress")
    visit(con, random.Random(1), 3, 30)
    assert append(con).released == 33


def test_what_breaks_all_batches_together_is_refused() -> None:
    l_of, t_of = LDiversity(sensitive="disease", l=2), TCloseness(sensitive="disease", t="0.1")
    rows = "SELECT i // 3 AS zip, i % 2 AS job, i % 3 AS disease, i // 3 AS cause FROM range(12) AS t(i)"
    with audit_macros(duckdb.connect()) as con:
        con.execute(f"CREATE TABLE released AS {rows}")

        def check(requirement: KnownColumns) -> None:
            policy = Policy.of(quasi_identifiers=["zip", "job"], requirements=[requirement])
            terms = Terms(policy=policy, shown=(), keys=(), people=(), kinds={})
            check_whole_release(con, lambda query: con.execute(query).fetchall(), terms, '"released"')

        check(KnownColumns(k=3, columns=1))
        check(KnownColumns(of=l_of, columns=1))
        check(KnownColumns(of=t_of, columns=2))  # unions do not keep it, so only each batch is asked
        for each in (LDiversity(sensitive="cause", l=2), AlphaAnonymity(sensitive="cause", value="1", alpha="0.5")):
            with pytest.raises(AuditError, match=r"over all batches together: the smallest class .*; by some set in the worst"):
                check(KnownColumns(of=each, columns=1))
        for broken in (
            KnownColumns(k=4, columns=1),
            KnownColumns(of=l_of, columns=2),
            KnownColumns(k=2, sets=[["zip", "job"]]),
        ):
            with pytest.raises(AuditError, match="over all batches together: the smallest class"):
                check(broken)


@pytest.mark.everything
def test_the_command_appends_under_known_columns(tmp_path: Path) -> None:
    path = str(tmp_path / "clinic.duckdb")
    with duckdb.connect(path) as con:
        visit(con, random.Random(2), 0, 60)
    options = ["--key", "visit", "--qi", ",".join(QI), "--keep", "disease,whose,person", "--k", "4", "--known", "2"]
    done = CliRunner().invoke(main, ["append", f"{path}::visits", "released", *options], env={"KANON_SECRET": "of the house"})
    assert done.exit_code == 0, done.output
    with duckdb.connect(path) as con:
        assert min(map(len, by_sets(con.execute("FROM released").fetchall(), ANY_TWO))) >= 4
