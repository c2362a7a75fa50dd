"""Tokens that link: rows that share one are refused if together they single people out, in one release or in several."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import naive
import pytest

import kanon_sql
from kanon_sql.certificate import HistoryRisk
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import AuditError

SECRET = "key"

PEOPLE = """CREATE TABLE people AS SELECT i AS id, '0' || (2000 + hash(i) % 31) AS zip, (1940 + hash(i, 1) % 60)::INT AS born,
    ['f', 'm'][1 + (hash(i, 2) % 2)::INT] AS sex, DATE '2026-01-01' + (hash(i, 3) % 61)::INT AS day FROM range(1000) AS t(i)"""

BY_PLACE = "IDENTIFIER id AS PSEUDONYM{}, sex, day; BY zip, born; GUARANTEE k >= 5"
BY_DAY = "IDENTIFIER id AS PSEUDONYM{}, zip, born; BY sex, day; GUARANTEE k >= 5"

LINKS = "the tokens of id link rows of this release"


@pytest.fixture
def con() -> Iterator[Connection]:
    with kanon_sql.connect(secret=SECRET) as con:
        yield con


def policy(con: Connection, name: str, parts: str, table: str = "people", linkable: bool = False) -> None:
    text = parts.format(" (LINKABLE)" if linkable else "")
    con.execute(f"CREATE OR REPLACE ANONYMIZATION POLICY {name} ON {table} ({text})")


def release(con: Connection, name: str, source: str = "people", into: str | None = None) -> str:
    into = into or f"by_{name}"
    con.execute(f"CREATE OR REPLACE TABLE {into} AS FROM {source} ANONYMIZE WITH POLICY {name}")
    return into


def told(con: Any, table: str, qis: str, token: str = "id") -> list[naive.Told]:
    return [(row[0], row[1:]) for row in con.execute(f"SELECT {token}, {qis} FROM {table}").fetchall()]


def risk(con: Connection) -> HistoryRisk:
    (found,) = kanon_sql.releases(con)[-1].histories
    return found


def figures(candidates: list[int], column: str = "id", releases: int = 0) -> HistoryRisk:
    people = len(candidates)
    return HistoryRisk(
        column=column,
        people=people,
        alone=candidates.count(1),
        fewest=min(candidates, default=0),
        average=Fraction(sum(candidates), people) if people else Fraction(0),
        releases=releases,
    )


@pytest.mark.everything
def test_two_releases_of_a_thousand_people_are_refused_at_the_second(con: Connection) -> None:
    """Each is 5-anonymous, and most people have a history of zip, year of birth, sex and date of their own."""
    con.execute(PEOPLE)
    policy(con, "place", BY_PLACE)
    policy(con, "day", BY_DAY)
    release(con, "place")
    assert risk(con).fewest >= 5
    with pytest.raises(AuditError, match=f"{LINKS} and those of 1 earlier release: together, these rows single out") as refused:
        release(con, "day")
    assert con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'by_day'").fetchall() == [(0,)]
    assert len(kanon_sql.releases(con)) == 1
    policy(con, "day", BY_DAY, linkable=True)
    release(con, "day")
    candidates = naive.candidates([told(con, "by_place", "zip, born"), told(con, "by_day", "sex, day")])
    assert risk(con) == figures(candidates, releases=1)
    assert risk(con).alone > 700
    below = sum(each < 5 for each in candidates)
    counted = f"{risk(con).alone} of 1,000 people, and {below:,} have fewer than 5 candidates"
    assert counted in str(refused.value)
    warning = f"{LINKS} and those of 1 earlier release: together, these rows single out {counted}"
    assert kanon_sql.releases(con)[-1].warnings == (warning,)


@pytest.mark.everything
def test_rows_of_a_person_within_one_release(con: Connection) -> None:
    con.execute(PEOPLE)
    con.execute("CREATE TABLE visits AS SELECT i % 250 AS id, zip, born, sex, day FROM (SELECT *, id AS i FROM people)")
    policy(con, "place", BY_PLACE, "visits")
    with pytest.raises(AuditError, match=f"{LINKS}: together, these rows single out 246 of 250 people"):
        release(con, "place", "visits")
    assert kanon_sql.releases(con) == []
    assert con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'kanon_token%'").fetchall() == [(0,)]
    policy(con, "place", BY_PLACE, "visits", linkable=True)
    release(con, "place", "visits")
    assert risk(con) == figures(naive.candidates([told(con, "by_place", "zip, born")]))


@pytest.mark.everything
def test_one_row_a_person_in_one_release_is_not_refused(con: Connection) -> None:
    con.execute("CREATE TABLE people AS SELECT i AS id, i % 4 AS zip FROM range(40) AS t(i)")
    policy(con, "zips", "IDENTIFIER id AS PSEUDONYM; BY zip; GUARANTEE k >= 10")
    release(con, "zips")
    assert risk(con) == figures([10] * 40)
    con.execute("CREATE TABLE nobody AS FROM people LIMIT 0")
    release(con, "zips", "nobody")
    con.execute("CREATE TABLE unknown AS SELECT NULL::INT AS id, zip FROM people")
    release(con, "zips", "unknown")
    assert risk(con) == figures([])


@pytest.mark.everything
def test_a_class_that_the_population_protects_is_not_refused_while_nothing_links(con: Connection) -> None:
    """Under k-map a class may be a single row: its token adds nothing, until the person has a second one."""
    con.execute("CREATE TABLE people AS SELECT i AS id, i AS zip FROM range(4) AS t(i)")
    con.execute("CREATE TABLE census AS SELECT i % 4 AS zip FROM range(40) AS t(i)")
    policy(con, "mapped", "IDENTIFIER id AS PSEUDONYM; BY zip; GUARANTEE k >= 5 IN census")
    release(con, "mapped")
    assert risk(con) == figures([1] * 4)
    with pytest.raises(AuditError, match="4 of 4 people, and 4 have fewer than 2 candidates"):
        release(con, "mapped", "(FROM people UNION ALL FROM people)")


@pytest.mark.everything
def test_a_release_that_was_made_again_tells_nothing_new(con: Connection) -> None:
    con.execute("CREATE TABLE people AS SELECT i AS id, i % 4 AS zip FROM range(40) AS t(i)")
    con.execute("CREATE TABLE renamed AS SELECT 39 - id AS id, 'zip ' || (39 - id) % 4 AS place FROM people")
    policy(con, "zips", "IDENTIFIER id AS PSEUDONYM; BY zip; GUARANTEE k >= 10")
    policy(con, "places", "IDENTIFIER id AS PSEUDONYM; BY place; GUARANTEE k >= 10", "renamed")
    for name, source in (("zips", "people"), ("zips", "people"), ("places", "renamed")):
        release(con, name, source)
        assert risk(con) == figures([10] * 40)
    assert con.execute("SELECT name FROM kanon_token_releases").fetchall() == [("zips",)]


@pytest.mark.everything
def test_people_who_are_absent_from_a_later_release_are_told_apart_by_that(con: Connection) -> None:
    """Somebody who withdraws is the one person of the class who is not in the next release."""
    con.execute("CREATE TABLE people AS SELECT i AS id, i % 4 AS zip FROM range(40) AS t(i)")
    policy(con, "zips", "IDENTIFIER id AS PSEUDONYM; BY zip; GUARANTEE k >= 5")
    release(con, "zips")
    con.execute("DELETE FROM people WHERE id = 7")
    with pytest.raises(AuditError, match="1 of 40 people, and 1 have fewer than 5 candidates"):
        release(con, "zips")
    policy(con, "zips", "IDENTIFIER id AS PSEUDONYM (LINKABLE); BY zip; GUARANTEE k >= 5")
    release(con, "zips")
    assert risk(con) == figures([1, *[9] * 9, *[10] * 30], releases=1)


@pytest.mark.everything
def test_tokens_are_known_again_under_another_name_and_from_another_table(con: Connection) -> None:
    con.execute(PEOPLE)
    con.execute("CREATE TABLE patients AS SELECT sex, day, id AS person FROM people")
    policy(con, "place", BY_PLACE)
    release(con, "place")
    policy(con, "day", "IDENTIFIER person AS PSEUDONYM; BY sex, day; GUARANTEE k >= 5", "patients")
    with pytest.raises(AuditError, match="the tokens of person link rows of this release and those of 1 earlier release"):
        release(con, "day", "patients")


@pytest.mark.everything
def test_other_people_are_not_compared(con: Connection) -> None:
    con.execute(PEOPLE)
    policy(con, "place", BY_PLACE)
    policy(con, "day", BY_DAY)
    con.execute("CREATE TABLE young AS FROM people WHERE id < 500")
    con.execute("CREATE TABLE old AS FROM people WHERE id >= 500")
    release(con, "place", "young")
    release(con, "day", "old")
    assert risk(con).releases == 0
    assert risk(con).fewest >= 5


def test_a_release_that_nobody_got_can_be_forgotten(con: Connection) -> None:
    con.execute(PEOPLE)
    policy(con, "place", BY_PLACE)
    policy(con, "day", BY_DAY)
    release(con, "place")
    con.execute("DELETE FROM kanon_token_releases WHERE name = 'place'")
    release(con, "day")
    assert risk(con).releases == 0
    assert con.execute("SELECT release, name FROM kanon_token_releases").fetchall() == [(2, "day")]


@pytest.mark.everything
def test_a_refusal_on_a_plain_connection_is_told_in_our_words() -> None:
    with kanon_sql.connect(secret=SECRET) as con:
        con.execute("CREATE TABLE t AS SELECT i // 3 AS id, hash(i) % 4 AS zip FROM range(60) AS t(i)")
        policy(con, "p", "IDENTIFIER id AS PSEUDONYM; BY zip; GUARANTEE k >= 2", "t")
        con.raw.execute("CREATE VIEW v AS FROM anonymize('t', 'p')")
        for query in ("FROM anonymize('t', 'p')", "FROM v"):
            with pytest.raises(Exception, match="AuditError: the tokens of id link rows of this release: by what") as refused:
                con.raw.execute(query).fetchall()
            assert "Python" not in str(refused.value)
        assert kanon_sql.releases(con) == []


def drawn_tables(draw: random.Random) -> Iterator[tuple[list[tuple[Any, ...]], list[str], list[str]]]:
    """Draw one to four releases: rows of (person, other person, zip, age), the columns of tokens and the quasi-identifiers."""
    names: list[Any] = [None, *range(draw.randint(1, 9))]
    for _ in range(draw.randint(1, 4)):
        size = draw.randint(2, 24)
        once = draw.sample(range(20, 60), size) if draw.random() < 0.4 else None  # each person once, and maybe again later
        first = once or draw.choices(names, k=size)
        rows = [(one, draw.choice(names), draw.randint(0, 1), draw.randint(0, 2)) for one in first]
        yield rows, draw.choice([["id"], ["id"], ["id", "other"]]), draw.choice([["zip"], ["age"], ["zip", "age"]])


def division(told: list[naive.Told]) -> frozenset[frozenset[object]]:
    """Return the people of a release by their histories."""
    groups: dict[object, set[object]] = {}
    for token, history in naive.divided(told).items():
        groups.setdefault(history, set()).add(token)
    return frozenset(map(frozenset, groups.values()))


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100))
def test_the_figures_are_those_of_brute_force_and_decide(seed: int) -> None:
    with kanon_sql.connect(secret=SECRET) as con:
        before: list[list[naive.Told]] = []
        for rows, columns, qis in drawn_tables(random.Random(seed)):
            con.execute("CREATE OR REPLACE TABLE t (id INT, other INT, zip INT, age INT)")
            con.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
            tokens = ", ".join(f"{name} AS PSEUDONYM{{}}" for name in columns)
            dropped = "".join(f", {name}" for name in ("other", "zip", "age") if name not in [*columns, *qis])
            parts = f"IDENTIFIER {tokens}{dropped}; BY {', '.join(qis)}; GUARANTEE k >= 2".replace("{}", "{0}")
            policy(con, "p", parts, "t")
            refused: str | None = None
            try:
                release(con, "p", "t", "released")
            except AuditError as error:
                refused = str(error)
                policy(con, "p", parts, "t", linkable=True)
                release(con, "p", "t", "released")
            shown = {name: told(con, "released", ", ".join(qis), name) for name in columns}
            now = [(token, (name, *row)) for name in columns for token, row in shown[name]]
            others = [each for each in before if division(each) != division(now)]
            names = {token for token, _ in now}
            sharing = sum(bool({token for token, _ in each} & names - {None}) for each in others)
            found, broken = kanon_sql.releases(con)[-1].histories, False
            for name, claimed in zip(columns, found, strict=True):
                own = {token for token, _ in shown[name] if token is not None}
                expected = naive.candidates([*before, now], own)
                assert claimed == figures(expected, name, sharing)
                entries = [token for token, _ in now if token in own]
                links = len(entries) > len(own) or any(own & {token for token, _ in each} for each in others)
                broken |= links and min(expected) < 2
            assert (refused is not None) == broken
            if division(now) not in map(division, before) and names - {None}:
                before.append(now)
