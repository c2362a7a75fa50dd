"""A column without a role that identifies people is refused on every surface, and what is below the limits is a warning."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.engines.duckdb.release.exposure import exposure, singled
from kanon_sql.errors import AuditError, KanonWarning, PolicyError, UnlistedColumnError
from kanon_sql.model.unlisted import Limits

PEOPLE = """CREATE TABLE people AS SELECT i AS number, 'N' || i AS who, (2130 + hash(i) % 30)::VARCHAR AS zip,
    20 + hash(i * 7) % 60 AS age, CASE WHEN hash(i * 3) % 2 = 0 THEN 'm' ELSE 'f' END AS sex FROM range(1000) t(i)"""
"""No name of a column says what it is: what looks like an identifier is refused for that."""

CLAUSE = "FROM people ANONYMIZE BY zip, sex"

REFUSED = (
    "2 columns have no role and identify people: number singles out 100.0% of the rows (values shared by fewer than 5 "
    "rows); who singles out 100.0% of the rows (values shared by fewer than 5 rows); nothing was released; hint: "
)

IN_CLAUSE = "remove them from the SELECT, add them to BY, or write KEEP number, who, age to release them on purpose"

IN_FUNCTION = (
    "pass drop := ['number', 'who'], add them to qi, or pass keep := ['number', 'who', 'age'] to release them on purpose"
)


@pytest.fixture
def con(shared_clause: Connection) -> Connection:
    shared_clause.execute(PEOPLE)
    return shared_clause


@pytest.mark.everything
def test_names_are_refused_by_the_clause_and_nothing_is_written(con: Connection, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    known = len(kanon_sql.releases(con))
    for query, hint in (
        (f"{CLAUSE} GUARANTEE k >= 5", IN_CLAUSE),
        (f"CREATE TABLE released AS {CLAUSE} GUARANTEE k >= 5", IN_CLAUSE),
        (f"COPY ({CLAUSE} GUARANTEE k >= 5) TO '{out}'", IN_CLAUSE),
        ("FROM k_anonymize('people', 5, qi := ['zip', 'sex'])", IN_FUNCTION),
    ):
        with pytest.raises(UnlistedColumnError) as refusal:
            con.execute(query)
        assert str(refusal.value) == REFUSED + hint
        assert refusal.value.columns == ("number", "who")
    assert list(tmp_path.iterdir()) == []
    assert len(kanon_sql.releases(con)) == known


@pytest.mark.own_connection
def test_a_plain_connection_says_the_same() -> None:
    with kanon_sql.register(duckdb.connect(), secret="s") as con:
        con.execute(PEOPLE)
        with pytest.raises(duckdb.Error) as refusal:
            con.execute("FROM k_anonymize('people', 5, qi := ['zip', 'sex'])").fetchall()
        assert str(refusal.value).endswith(REFUSED + IN_FUNCTION)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars", "relation"])
def test_python_refuses_every_kind_of_table(con: Connection, kind: str) -> None:
    table = con.table("people")
    made = {"arrow": table.to_arrow_table, "pandas": table.df, "polars": table.pl, "relation": lambda: table}[kind]()
    with pytest.raises(UnlistedColumnError, match="number singles out"):
        kanon_sql.anonymize(made, k=5, quasi_identifiers=["zip", "sex"])


@pytest.mark.own_connection
def test_append_refuses_and_writes_nothing() -> None:
    with kanon_sql.connect(secret="s") as con:
        con.execute(PEOPLE)
        with pytest.raises(UnlistedColumnError, match="who singles out"):
            kanon_sql.append("people", "released", key="number", con=con, k=5, quasi_identifiers=["zip", "sex"])
        assert con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'released'").fetchall() == [(0,)]


def test_a_copy_of_a_suppressed_column_is_refused(con: Connection) -> None:
    query = "FROM (SELECT zip, age, age AS birth FROM people) ANONYMIZE BY zip, age GUARANTEE k >= 30"
    with pytest.raises(UnlistedColumnError, match=r"birth gives back 100.0% of the suppressed cells of age"):
        con.execute(query).fetchall()


def test_columns_that_identify_only_together_are_refused(con: Connection) -> None:
    query = "FROM (SELECT i % 2 AS zip, i % 30 AS a, i // 30 AS b FROM range(900) t(i)) ANONYMIZE BY zip GUARANTEE k >= 5"
    with pytest.raises(UnlistedColumnError, match=r"2 columns .*: a and b together single out 100.0% of the rows"):
        con.execute(query).fetchall()


@pytest.mark.parametrize("surface", ["FROM k_anonymize('t', 5, qi := ['zip'])", "FROM t ANONYMIZE BY zip GUARANTEE k >= 5"])
def test_names_that_a_collation_calls_equal_are_counted_by_their_bytes(con: Connection, surface: str) -> None:
    con.execute("CREATE TABLE t (zip INTEGER, who VARCHAR COLLATE NOCASE, what VARCHAR COLLATE NOACCENT)")
    con.execute("INSERT INTO t SELECT i % 5, ['name ', 'NAME '][1 + i % 2] || i // 2, '' FROM range(1000) r(i)")
    with pytest.raises((UnlistedColumnError, duckdb.Error), match=r"who singles out 100.0% of the rows"):
        con.sql(surface).fetchall()


def test_a_diagnosis_of_a_dozen_rows_is_no_name(con: Connection) -> None:
    rows = "SELECT i % 2 AS zip, CASE WHEN i < 6 THEN 'flu' ELSE 'rare ' || i END AS disease FROM range(12) t(i)"
    with pytest.warns(KanonWarning, match=r"disease is released unchanged and singles out 50.0% of the rows"):
        assert len(con.execute(f"FROM ({rows}) ANONYMIZE BY zip GUARANTEE k >= 2").fetchall()) == 12


def test_kept_columns_are_released_with_a_warning_each_time(con: Connection) -> None:
    query = f"SELECT who, zip, sex {CLAUSE} KEEP who GUARANTEE k >= 5"
    told = "who is released unchanged and singles out 100.0% of the rows (values shared by fewer than 5 rows)"
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        con.execute(query).fetchall()
        con.execute(query).fetchall()
    assert [str(each.message) for each in seen] == [told, told]
    assert {each.filename for each in seen} == {__file__}
    assert f"warning           {told}" in repr(kanon_sql.releases(con)[-1]).splitlines()


@pytest.mark.everything
@pytest.mark.own_connection
def test_a_plain_connection_warns_and_takes_warnings_as_errors() -> None:
    query = "SELECT zip FROM k_anonymize('people', 5, qi := ['zip', 'sex'], keep := ['who', 'age', 'number'])"
    with kanon_sql.register(duckdb.connect(), secret="s") as con:
        con.execute(PEOPLE)
        with pytest.warns(KanonWarning, match="who is released unchanged"):
            con.execute(query).fetchall()
        with warnings.catch_warnings():
            warnings.simplefilter("error", KanonWarning)
            with pytest.raises(duckdb.Error, match="warning treated as an error: number"):
                con.execute(query)
        assert len(kanon_sql.releases(con)) == 1


@pytest.mark.everything
def test_where_warnings_are_errors_nothing_is_released(con: Connection, tmp_path: Path) -> None:
    known = len(kanon_sql.releases(con))
    query = f"SELECT who, zip, sex {CLAUSE} KEEP who GUARANTEE k >= 5"
    options = {"k": 5, "quasi_identifiers": ["zip", "sex"], "keep": ["who", "age"], "key": "number"}
    asked: list[Callable[[], object]] = [
        lambda: con.execute(f"CREATE TABLE released AS {query}"),
        lambda: con.execute(f"COPY ({query}) TO '{tmp_path / 'out.csv'}'"),
        lambda: con.sql(query).fetchall(),
        lambda: kanon_sql.append("people", "released", con=con, **options),
    ]
    for category, message in ((KanonWarning, ""), (UserWarning, ".*singles out")):
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message, category)
            for ask in asked:
                with pytest.raises(AuditError, match="warning treated as an error: who is released unchanged"):
                    ask()
    assert con.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("people",)]
    assert list(tmp_path.iterdir()) == []
    assert len(kanon_sql.releases(con)) == known


def test_the_limit_is_an_option_and_stands_in_the_certificate(con: Connection) -> None:
    con.execute(f"{CLAUSE} GUARANTEE k >= 5 USING auto (unlisted_limit = 1)").fetchall()
    assert '"unlisted_limit":1' in kanon_sql.releases(con)[-1].policy
    con.execute("SELECT zip FROM k_anonymize('people', 5, qi := ['zip', 'sex'], unlisted_limit := 1)").fetchall()
    for wrong in (-0.1, 1.5, "much"):
        with pytest.raises(PolicyError, match="unlisted_limit must be"):
            kanon_sql.Policy.of(k=5, unlisted_limit=wrong)


def test_explain_names_the_refusal(con: Connection) -> None:
    lines = con.execute(f"EXPLAIN ANONYMIZE {CLAUSE} GUARANTEE k >= 5").fetchall()
    assert lines[-1][0] == "refusal"
    assert "who singles out 100.0% of the rows" in lines[-1][1]


@pytest.mark.parametrize(("singles", "refused"), [(400, False), (401, True)])
def test_large_tables_are_counted_exactly(
    con: Connection, monkeypatch: pytest.MonkeyPatch, singles: int, refused: bool
) -> None:
    monkeypatch.setitem(singled.__kwdefaults__, "budget", 500)
    rows = f"SELECT i % 4 AS a, CASE WHEN i < {singles} THEN i ELSE -(i % 7) - 1 END AS b FROM range(2000) t(i)"
    query = f"FROM ({rows}) ANONYMIZE BY a GUARANTEE k >= 5"
    if refused:
        with pytest.raises(UnlistedColumnError, match=r"b singles out 20.1% of the rows"):
            con.execute(query).fetchall()
    else:
        assert len(con.execute(query).fetchall()) == 2000


@pytest.mark.everything
@pytest.mark.parametrize(
    "copied",
    [
        "CASE WHEN i % 20 < 11 THEN hash(i) % 300 ELSE 5000 + hash(i * 31) % 400 END",  # frequent values give cells back
        "CASE WHEN hash(i) % 300 < 168 THEN hash(i) % 300 ELSE 5000 + hash(i * 31) % 4 END",  # rare ones do
    ],
)
def test_cells_that_large_tables_give_back_are_counted_exactly(
    con: Connection, monkeypatch: pytest.MonkeyPatch, copied: str
) -> None:
    con.execute(f"CREATE TABLE t AS SELECT hash(i) % 300 AS a, {copied} AS c, i % 3 AS d FROM range(12000) r(i)")
    found = []
    for budget in (1 << 60, 200):
        monkeypatch.setitem(singled.__kwdefaults__, "budget", budget)
        with pytest.raises(UnlistedColumnError, match=r": c gives back 5\d\.\d% of the suppressed cells of a; ") as refusal:
            con.execute("FROM t ANONYMIZE BY a GUARANTEE k >= 150").fetchall()
        found.append(str(refusal.value))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("limit", "single", "rows", "out"),
    [
        ("0.2", 6, 12, False),
        ("0.2", 7, 12, True),
        ("0.2", 2, 2, True),
        ("0.2", 10, 49, False),
        ("0.2", 11, 50, True),
        ("0.2", 20, 100, False),
        ("0.2", 21, 100, True),
        ("1", 100, 100, False),
        ("0", 1, 100, True),
    ],
)
def test_the_limits(limit: str, single: int, rows: int, out: bool) -> None:
    assert Limits(Fraction(limit)).singled_out(single, rows) is out


@pytest.mark.everything
def test_warnings_of_a_strict_append_are_errors() -> None:
    with kanon_sql.connect(secret="s") as con:
        con.execute(PEOPLE)
        with pytest.raises(AuditError, match="strict: who is released unchanged"):
            kanon_sql.append(
                "people", "released", key="number", con=con, k=5, strict=True,
                quasi_identifiers=["zip", "sex"], keep=["who", "age"],
            )  # fmt: skip


@pytest.mark.everything
def test_a_name_in_many_rows_of_one_person_is_refused_where_people_are_counted(con: Connection) -> None:
    con.execute(
        "CREATE TABLE visits AS SELECT i // 2 patient, 'N' || i // 2 AS who, i % 5 AS zip, i % 3 AS ward FROM range(400) t(i)"
    )
    told = r"who singles out 100\.0% of the rows \(values shared by fewer than 5 people\);"
    with pytest.raises(UnlistedColumnError, match=f"^a column has no role and identifies people: {told}"):
        con.execute("FROM visits ANONYMIZE BY zip GUARANTEE k >= 5 PER patient")
    assert (
        len(con.execute("SELECT patient, zip, ward FROM visits ANONYMIZE BY zip GUARANTEE k >= 5 PER patient").fetchall())
        == 400
    )


def test_the_whole_table_is_counted_only_where_a_column_may_be_refused() -> None:
    policy = kanon_sql.Policy.of(k=5, quasi_identifiers=["zip", "sex"])
    assert '"kanon#exact"' in exposure("people", policy)
    assert '"kanon#exact"' not in exposure("people", replace(policy, keep=("age",)))
