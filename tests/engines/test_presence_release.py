"""delta-presence at every entrance: the shares of each row of the population, added up by the texts that a reader sees."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_population_release import CENSUS, PATIENTS, TREE, Shows, digits, intervals, periods, plain, tree

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import AuditError, ClauseError, InfeasibleError, KanonError, PolicyError, SourceError
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import DeltaPresence, KMap
from kanon_sql.solvers.guarantees import delta_presence
from kanon_sql.solvers.population import k_map, presence
from kanon_sql.solvers.population.cheapest import Cheapest


@pytest.fixture
def con(shared_clause: Connection) -> Connection:
    for name, query in {"patients": PATIENTS, "others": CENSUS, "tree": TREE}.items():
        shared_clause.execute(f"CREATE TABLE {name} AS {query}")
    shared_clause.execute(
        "CREATE TABLE census AS SELECT zip, age, day, town FROM patients UNION ALL SELECT zip, age, day, town FROM others"
    )
    return shared_clause


def greatest(con: Connection, columns: dict[str, Shows], released: str) -> Fraction:
    """Return the greatest sum of shares of a row of the population; '*' is suppressed."""
    names = ", ".join(columns)
    people = con.execute(f"SELECT {names} FROM census").fetchall()
    sums = [Fraction(0)] * len(people)
    for *row, rows in con.execute(f"SELECT {names}, count(*) FROM {released} GROUP BY ALL").fetchall():
        match = [
            place
            for place, person in enumerate(people)
            if all(label == "*" or show(label, value) for show, label, value in zip(columns.values(), row, person, strict=True))
        ]
        assert rows <= len(match)
        for place in match:
            sums[place] += Fraction(rows, len(match))
    return max(sums)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("by", "columns"),
    [
        ("zip, age, town", {"zip": plain, "age": plain, "town": plain}),
        ("zip IN DIGITS, age", {"zip": digits, "age": plain}),
        ("zip IN HIERARCHY tree, age IN INTERVALS (5, 10, 20)", {"zip": tree, "age": intervals}),
        ("day IN INTERVALS (month, quarter, year), zip", {"day": periods, "zip": plain}),
        ("zip, town, age LINKED (zip, town)", {"zip": plain, "town": plain, "age": plain}),
    ],
)
@pytest.mark.parametrize(
    ("delta", "beside", "using"),
    [("0.2", "", "auto"), ("1/30", "", "auto"), ("0.1", " AND k >= 2 AND k >= 30 IN census", "greedy")],
)
def test_nobody_is_present_by_more_than_delta(
    con: Connection, by: str, columns: dict[str, Shows], delta: str, beside: str, using: str
) -> None:
    clause = f"ANONYMIZE BY {by} GUARANTEE presence(census) <= {delta}{beside} USING {using} (suppress = '*')"
    con.execute(f"CREATE TABLE released AS SELECT {', '.join(columns)}, disease FROM patients {clause}")
    assert greatest(con, columns, "released") <= Fraction(delta)
    certificate = kanon_sql.releases(con)[-1]
    assert certificate.lower_bound <= certificate.cost


@pytest.mark.everything
def test_classes_that_do_not_overlap_by_hand(con: Connection) -> None:
    """The definition of Nergiz, Atzori and Clifton: the rows of a class by those of the population in it, exactly."""
    con.execute("CREATE TABLE town AS FROM (VALUES ('a', 1), ('a', 2), ('a', 3), ('b', 1), ('b', 2), ('b', 3)) AS t(zip, age)")
    con.execute("CREATE TABLE few AS FROM town WHERE age = 1")
    ask = "SELECT zip, age FROM few ANONYMIZE BY zip, age GUARANTEE presence(town) <= {} ORDER BY ALL"
    assert con.sql(ask.format("1")).fetchall() == [("a", 1), ("b", 1)]
    assert con.sql(ask.format("1/2")).fetchall() == [("a", None), ("b", None)]
    assert con.sql(ask.format("1/3")).fetchall() == [("a", None), ("b", None)]
    with pytest.raises(
        InfeasibleError, match=r"presence\(town\) <= 33/100 cannot hold in any release: the table has 2 rows, and the pop"
    ):
        con.sql(ask.format("0.33")).fetchall()


@pytest.mark.everything
def test_overlapping_classes_are_added_up(con: Connection) -> None:
    """Of one class alone nobody has a share above 1/2; whoever matches both has 1/2 + 1/4, so they show less."""
    con.execute("CREATE TABLE town AS FROM (VALUES ('a', 1), ('a', 2), ('b', 1), ('c', 1), ('d', 1)) AS t(zip, age)")
    con.execute("CREATE TABLE few AS FROM (VALUES ('a', 2), ('b', 1)) AS t(zip, age)")
    found = con.sql("SELECT zip, age FROM few ANONYMIZE BY zip, age GUARANTEE presence(town) <= 1/2 ORDER BY ALL").fetchall()
    assert found in ([(None, 1), (None, None)], [(None, None), (None, None)])


@pytest.mark.everything
def test_the_audit_shares_nothing_with_the_solver(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that shows everything, and an exact test that finds all well: no row leaves."""

    def everything(codes: Any, cost: Any, *_: object) -> Cheapest:
        shown = np.full(len(codes), (1 << len(cost)) - 1, np.uint64)
        return Cheapest(shown=shown, cost=np.zeros(len(codes), np.int64), complete=True)

    release = "SELECT zip, age FROM patients ANONYMIZE BY {} GUARANTEE presence(census) <= {}"
    monkeypatch.setattr(presence, "_alike", lambda *_: None)
    monkeypatch.setattr(k_map, "cheapest", everything)
    monkeypatch.setattr(delta_presence.RequiredDeltaPresence, "holds", lambda *_: True)
    told = r"\d+ classes break presence\(census\) <= 1/\d+: the shares of a row of the population add up to [01]\.\d+"
    for by in ("zip, age", "zip IN DIGITS, age IN INTERVALS (5, 10)", "zip IN HIERARCHY tree, age"):
        with pytest.raises(AuditError, match=told):
            con.sql(release.format(by, "1/5")).fetchall()
    con.execute("DELETE FROM census WHERE zip = (SELECT min(zip) FROM patients)")
    with pytest.raises(AuditError, match="a class matches no row of the population"):
        con.sql(release.format("zip, age", "1")).fetchall()


@pytest.mark.everything
def test_the_audit_adds_up_shares_of_overlapping_classes(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each class alone keeps delta, their sum does not: a release for the k-map that delta implies is refused."""
    con.execute("CREATE TABLE town AS FROM (VALUES ('a', 1), ('a', 2), ('b', 1), ('c', 3)) AS t(zip, age)")
    con.execute("CREATE TABLE few AS FROM (VALUES ('a', 2), ('b', 1)) AS t(zip, age)")
    monkeypatch.setattr(presence, "_alike", lambda *_: None)
    monkeypatch.setattr(delta_presence.RequiredDeltaPresence, "holds", lambda *_: True)
    with pytest.raises(AuditError, match=r"2 classes break presence\(town\) <= 1/2: the shares .* add up to 1\.0+"):
        con.sql("FROM few ANONYMIZE BY zip, age GUARANTEE presence(town) <= 1/2").fetchall()


@pytest.mark.everything
def test_every_entrance_makes_the_same_release(con: Connection, tmp_path: Path) -> None:
    others = ["day", "town", "disease"]
    named = f"qi := ['zip', 'age'], keep := {others}"
    policy = Policy.of(presence=0.1, population="census", quasi_identifiers=["zip", "age"], keep=others)
    assert policy.requirements == (DeltaPresence(delta="0.1", population="census"),)
    assert Policy.from_json(policy.to_json()) == policy
    con.execute(f"COPY census TO '{tmp_path}/census.parquet'")
    releases = [
        "FROM patients ANONYMIZE BY zip, age KEEP day, town, disease GUARANTEE presence(census) <= 0.1",
        "FROM patients ANONYMIZE BY zip, age KEEP day, town, disease GUARANTEE 1/10 >= presence(main.census)",
        f"FROM patients ANONYMIZE BY zip, age KEEP day, town, disease GUARANTEE presence('{tmp_path}/census.parquet') <= 0.1",
        f"FROM delta_present('patients', 0.1, 'census', {named})",
        f"FROM k_anonymize('patients', 1, presence := 0.1, population := 'census', {named})",
        f"FROM anonymize('patients', '{policy.to_json()}')",
    ]
    con.execute(
        "CREATE ANONYMIZATION POLICY hidden ON patients "
        "(BY zip, age; KEEP disease, day, town; GUARANTEE presence(census) <= 0.1)"
    )
    releases.append("SELECT zip, age, * EXCLUDE (zip, age) FROM patients ANONYMIZE WITH POLICY hidden")
    found = {tuple(sorted(con.sql(f"SELECT zip, age FROM ({each})").fetchall(), key=str)) for each in releases}
    frames = {name: con.sql(f"FROM {name}").to_arrow_table() for name in ("patients", "census")}
    release = kanon_sql.anonymize(
        frames["patients"],
        presence=0.1,
        population="census",
        quasi_identifiers=["zip", "age"],
        keep=others,
        tables={"census": frames["census"]},
    )
    rows = zip(*(release.table.column(name).to_pylist() for name in ("zip", "age")), strict=True)
    found.add(tuple(sorted(rows, key=str)))
    assert len(found) == 1
    assert release.certificate.requirements == ("presence(census) <= 1/10",)
    both = Policy.of(presence=0.1, k_map=9, population="census")
    assert both.requirements == (KMap(k=9, population="census"), DeltaPresence(delta="0.1", population="census"))


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("statement", "kind", "told"),
    [
        (
            "SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE presence(census) <= 0.02",
            InfeasibleError,
            "has 60 rows, and the population",
        ),
        ("FROM patients ANONYMIZE BY zip GUARANTEE presence(census) <= 0", ClauseError, "above 0 and at most 1"),
        ("FROM patients ANONYMIZE BY zip GUARANTEE presence(census) <= 2", ClauseError, "above 0 and at most 1"),
        ("FROM patients ANONYMIZE BY zip GUARANTEE presence(census) <= 1/3000000000", ClauseError, "too many digits"),
        ("FROM patients ANONYMIZE BY zip GUARANTEE presence(census) >= 0.1", ClauseError, "presence supports only <="),
        ("FROM patients ANONYMIZE BY zip GUARANTEE presence() <= 0.1", ClauseError, "expected a table"),
        (
            "FROM patients ANONYMIZE BY zip IN BINS GUARANTEE presence(census) <= 0.1",
            ClauseError,
            "the labels of zip in BINS depend on",
        ),
        (
            "FROM delta_present('patients', 0.1, 'census')",
            SourceError,
            "census lacks one of the quasi-identifiers; hint: list only columns of both tables, as in qi := ",
        ),
        ("FROM k_anonymize('patients', 2, presence := 0.1, qi := ['zip'])", PolicyError, "presence needs a population table"),
        (
            "SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE presence(census) <= 0.1 USING mondrian",
            PolicyError,
            "use one of cheapest_masks",
        ),
        (
            "SELECT zip, age, town FROM patients ANONYMIZE BY GROUPING SETS ((zip, age), (zip, town)) "
            "GUARANTEE presence(census) <= 0.03 USING auto (suppress = '*')",
            InfeasibleError,
            "no release was found that meets presence(census) <= 3/100; hint: permit masks that show less",
        ),
    ],
)
def test_refusals_have_figures_and_hints(con: Connection, statement: str, kind: type[KanonError], told: str) -> None:
    with pytest.raises(kind) as raised:
        con.sql(statement).fetchall()
    assert told in str(raised.value)


@pytest.mark.everything
def test_an_empty_source(con: Connection) -> None:
    con.execute("CREATE TABLE nothing AS FROM patients LIMIT 0")
    assert con.sql("FROM nothing ANONYMIZE BY zip, age GUARANTEE presence(census) <= 0.1").fetchall() == []


@pytest.mark.everything
def test_an_explanation_counts_the_rows_of_classes_above_delta(con: Connection) -> None:
    lines = con.sql("EXPLAIN ANONYMIZE FROM patients ANONYMIZE BY zip, age GUARANTEE presence(census) <= 0.05").fetchall()
    failing = {value: rows for name, value, _, rows in lines if name == "mask"}
    assert failing["nothing"] == 0
    assert failing["zip, age"] > 0


def test_a_release_that_grows_is_refused(con: Connection) -> None:
    with pytest.raises(PolicyError, match=r"presence\(census\) <= 1/10 cannot be guaranteed for batches"):
        kanon_sql.append(
            "patients", "grown", key="disease", con=con, presence=0.1, population="census", quasi_identifiers=["zip"]
        )


@pytest.mark.everything
def test_a_table_is_measured_in_python(con: Connection) -> None:
    con.execute(
        "CREATE TABLE r AS SELECT zip, age FROM patients ANONYMIZE BY zip, age "
        "GUARANTEE presence(census) <= 0.1 USING auto (suppress = '*')"
    )
    frames = {name: con.sql(f"SELECT zip, age FROM {name}").to_arrow_table() for name in ("r", "patients", "census")}
    figures = kanon_sql.audit(frames["r"], quasi_identifiers=["zip", "age"], population=frames["census"], presence="1/10")
    assert figures.presence is not None
    exact = greatest(con, {"zip": plain, "age": plain}, "r")
    assert 0 <= figures.presence - exact < Fraction(1, 2**60)
    with pytest.raises(AuditError, match=r"add up to 1\.0+, where presence is at most 1/10; hint: "):
        kanon_sql.audit(frames["patients"], quasi_identifiers=["zip", "age"], population=frames["census"], presence="1/10")
    with pytest.raises(PolicyError, match="presence needs a population"):
        kanon_sql.audit(frames["r"], presence=0.1)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(("shown", "kind"), [("*", "VARCHAR"), ("7", "INTEGER"), ("[7, 7]", "INTEGER[]")])
def test_no_cell_that_is_shown_looks_like_a_suppressed_one(con: Connection, shown: str, kind: str) -> None:
    """Counted apart, the shares that a person matches come to 1/2 at most; of one class with 20 rows and 8 others, to 3/5."""
    other, rare = shown.replace("7", "8").replace("*", "a"), shown.replace("7", "90").replace("*", "b9")
    for name, sizes in {"few": (10, 8, 10), "many": (50, 20, 30)}.items():
        con.execute(f"""CREATE TABLE {name} AS SELECT CAST(z AS {kind}) AS z FROM (
            SELECT '{shown}' FROM range({sizes[0]}) UNION ALL SELECT '{other}' FROM range({sizes[1]})
            UNION ALL SELECT replace('{rare}', '9', (100 + i)::VARCHAR) FROM range({sizes[2]}) AS t(i)) AS t(z)""")
    ask = "FROM few ANONYMIZE BY z GUARANTEE presence(many) <= 0.5 USING auto (suppress = '{}')"
    with pytest.raises(AuditError, match=r"cells that are shown look like suppressed ones \(another text for those\)"):
        con.sql(ask.format(shown)).fetchall()
    found = con.sql(f"SELECT z, count(*) FROM ({ask.format('?')}) GROUP BY ALL ORDER BY ALL").fetchall()
    assert sorted(found) == sorted([(shown, 10), (other, 8), ("?", 10)])


@pytest.mark.everything
def test_empty_cells_need_a_text_for_suppressed_ones(con: Connection) -> None:
    con.execute("CREATE OR REPLACE TABLE gaps AS SELECT * REPLACE (CASE WHEN age > 30 THEN age END AS age) FROM patients")
    con.execute("CREATE OR REPLACE TABLE all_gaps AS SELECT * REPLACE (CASE WHEN age > 30 THEN age END AS age) FROM census")
    statement = "SELECT zip, age FROM gaps ANONYMIZE BY zip, age GUARANTEE presence(all_gaps) <= 0.2"
    told = re.escape("age has empty cells, which would look suppressed; hint: write USING auto (suppress = '*'), or fill")
    with pytest.raises(PolicyError, match=told):
        con.sql(statement).fetchall()
    assert con.sql(f"{statement} USING auto (suppress = '*')").fetchall()
    assert con.sql("SELECT zip FROM gaps ANONYMIZE BY zip GUARANTEE presence(all_gaps) <= 0.2").fetchall()
