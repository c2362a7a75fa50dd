"""MEANS and MEDIANS: every row of a class shows the mean or the lower median of the numbers of its class."""

from __future__ import annotations

import datetime
import math
from collections import defaultdict
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from kanon_sql.errors import AuditError, ClauseError, InfeasibleError, PolicyError


@pytest.fixture
def con(shared_clause):
    shared_clause.execute("""
        CREATE TABLE p AS
        SELECT i AS id, CASE WHEN i % 11 > 0 THEN i * i * 7 % 601 END AS income, (i * 37 % 97) / 7.0 AS score,
               (i * 13 % 89)::DECIMAL(9, 2) / 4 AS price, i * 7 % 60 AS age, DATE '2024-02-01' + (i * 13 % 90)::INTEGER AS day,
               CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END AS sex
        FROM range(240) t(i)
    """)
    return shared_clause


def rows_of(con, clause: str, columns: list[str]) -> dict[tuple[Any, ...], list[tuple[Any, ...]]]:
    """Return the source rows of each class of a release, by what it shows."""
    names = ", ".join(columns)
    con.execute(f"CREATE OR REPLACE TABLE released AS FROM (SELECT id, {names} FROM p) ANONYMIZE BY {clause}")
    kept = ", ".join(f"p.{name}" for name in columns)
    shown = ", ".join(f"r.{name}" for name in columns)
    found = defaultdict(list)
    for row in con.execute(f"SELECT {shown}, {kept} FROM released r JOIN p USING (id)").fetchall():
        found[row[: len(columns)]].append(row[len(columns) :])
    return found


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("k", [2, 5, 40])
def test_each_class_shows_its_mean_to_the_last_digit(con, k: int) -> None:
    columns = ["income", "score", "price"]
    found = rows_of(con, f"income IN MEANS, score IN MEANS, price IN MEANS KEEP id GUARANTEE k >= {k}", columns)
    assert sum(map(len, found.values())) == 240
    for shown, members in found.items():
        assert len(members) >= k
        for told, values in zip(shown, zip(*members, strict=True), strict=True):
            known = [Fraction(value) for value in values if value is not None]
            if not known:
                assert told is None
                continue
            assert told == float(sum(known, Fraction(0)) / len(known)) or len(set(found)) < len(found)
    types = dict(con.execute("SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'released'").fetchall())
    assert [types[name] for name in columns] == ["DOUBLE"] * 3


@pytest.mark.everything
def test_plain_sql_says_the_same(con) -> None:
    con.execute(
        "CREATE OR REPLACE TABLE released AS "
        "FROM (SELECT id, income FROM p) ANONYMIZE BY income IN MEANS KEEP id GUARANTEE k >= 7"
    )
    told = con.execute("""
        SELECT r.income, avg(p.income), count(*) FROM released r JOIN p USING (id) GROUP BY r.income ORDER BY ALL
    """).fetchall()
    for shown, mean, rows in told:
        assert rows >= 7
        assert shown == mean or abs(shown - mean) <= math.ulp(mean)
    assert con.execute("SELECT k FROM k_anonymity('released', ['income'])").fetchall()[0][0] >= 7


def test_one_column_is_optimal_and_states_its_information_loss(con) -> None:
    con.execute("SELECT age FROM p ANONYMIZE BY age IN MEANS GUARANTEE k >= 7").fetchall()
    certificate = con.session.releases[-1]
    assert (certificate.algorithm, certificate.status.value) == ("univariate", "OPTIMAL")
    assert certificate.cost == certificate.lower_bound > 0
    (told,) = certificate.information_loss
    assert told == f"age {100 * float(certificate.cost) / 240:.4g} %"


@pytest.mark.everything
def test_medians_are_values_of_the_class(con) -> None:
    columns = ["income", "day", "price"]
    found = rows_of(con, "income IN MEDIANS, day IN MEDIANS, price IN MEDIANS KEEP id GUARANTEE k >= 5", columns)
    for shown, members in found.items():
        assert len(members) >= 5
        for told, values in zip(shown, zip(*members, strict=True), strict=True):
            known = sorted(value for value in values if value is not None)
            assert told == (known[(len(known) - 1) // 2] if known else None)
    types = dict(con.execute("SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'released'").fetchall())
    sources = dict(con.execute("SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'p'").fetchall())
    assert [types[name] for name in columns] == [sources[name] for name in columns]


def test_beside_other_columns(con) -> None:
    found = rows_of(con, "income IN MEANS, age IN RANGES, sex WEIGHT 2 KEEP id GUARANTEE k >= 5", ["income", "age", "sex"])
    for (income, _, sex), members in found.items():
        assert len(members) >= 5
        known = [value for value, _, _ in members if value is not None]
        assert income == (sum(known) / len(known) if known else None)
        assert sex is None or {each for _, _, each in members} == {sex}


@pytest.mark.everything
def test_the_same_rows_in_another_order_give_the_same_release(con) -> None:
    query = "SELECT income, score, sex FROM {} ANONYMIZE BY income IN MEANS, score IN MEANS KEEP sex GUARANTEE k >= 5"
    once = con.execute(query.format("p")).fetchall()
    con.execute("CREATE TABLE other AS FROM p ORDER BY hash(id)")
    assert con.execute(query.format("other")).fetchall() == once


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("query", "error", "message"),
    [
        (
            "SELECT age FROM p ANONYMIZE BY age IN MEANS GUARANTEE k >= 241",
            InfeasibleError,
            "240 rows, fewer than k = 241",
        ),
        (
            "SELECT age FROM p ANONYMIZE BY age IN MEANS GUARANTEE k >= 2 USING greedy",
            PolicyError,
            "'greedy' cannot compute MEANS",
        ),
        (
            "SELECT age, sex FROM p ANONYMIZE BY age IN MEANS, sex GUARANTEE k >= 2 USING mdav",
            PolicyError,
            "hint: use 'mondrian'",
        ),
        (
            "SELECT sex FROM p ANONYMIZE BY sex IN MEANS GUARANTEE k >= 2",
            PolicyError,
            '"sex": 2 of its 2 values are not numbers; hint',
        ),
        ("SELECT day FROM p ANONYMIZE BY day IN MEANS GUARANTEE k >= 2", PolicyError, "MEDIANS for dates"),
        (
            "SELECT sex FROM p ANONYMIZE BY sex IN MEDIANS GUARANTEE k >= 2",
            PolicyError,
            "2 of its 2 values are not numbers or dates",
        ),
        ("FROM p ANONYMIZE BY age IN MEANS, sex, day LINKED (sex, day) GUARANTEE k >= 2", ClauseError, "linked columns"),
        ("FROM p ANONYMIZE BY GROUPING SETS ((age IN MEANS), ()) GUARANTEE k >= 2", ClauseError, "with masks"),
    ],
)
def test_bad_input(con, query: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        con.execute(query).fetchall()


@pytest.mark.parametrize("value", ["'nan'", "'inf'", "'-inf'"])
def test_what_has_no_mean_is_counted_and_refused(con, value: str) -> None:
    con.execute(f"CREATE TABLE endless AS SELECT CASE WHEN i = 3 THEN {value}::DOUBLE ELSE i END AS x FROM range(9) t(i)")
    with pytest.raises(PolicyError, match='"x": 1 of its 9 values are infinite or NaN'):
        con.execute("FROM endless ANONYMIZE BY x IN MEANS GUARANTEE k >= 2").fetchall()


@pytest.mark.sweep
@pytest.mark.parametrize(("kind", "value"), [("DOUBLE", "1e308"), ("DOUBLE", "-1.7e308"), ("VARCHAR", "1e400")])
def test_numbers_whose_sum_is_none_are_counted_and_refused(con, kind: str, value: str) -> None:
    con.execute(
        f"CREATE TABLE vast AS SELECT CASE WHEN i < 4 THEN '{value}' ELSE i::VARCHAR END::{kind} AS x FROM range(9) t(i)"
    )
    with pytest.raises(PolicyError, match='"x": 1 of its 6 values are above 1e292; hint: exclude these rows, or use MEDIANS'):
        con.execute("FROM vast ANONYMIZE BY x IN MEANS GUARANTEE k >= 2").fetchall()
    shown = con.execute("FROM vast ANONYMIZE BY x IN MEDIANS GUARANTEE k >= 4").fetchall()
    assert {str(row[0]) for row in shown} == ({value.replace("e", "e+"), "6.0"} if kind == "DOUBLE" else {value, "6"})


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["TINYINT", "UBIGINT", "HUGEINT", "DECIMAL(38, 3)", "FLOAT", "DOUBLE"])
@pytest.mark.parametrize("how", ["MEANS", "MEDIANS"])
def test_types_of_numbers(con, kind: str, how: str) -> None:
    large = {"UBIGINT": 2**63, "HUGEINT": 2**100}.get(kind, 0)
    part = " / 7" if kind in ("FLOAT", "DOUBLE", "DECIMAL(38, 3)") else ""
    con.execute(
        f"CREATE OR REPLACE TABLE t AS SELECT i AS id, ((i * 11 % 40 + {large}){part})::{kind} AS x FROM range(40) t(i)"
    )
    con.execute(f"CREATE OR REPLACE TABLE released AS FROM t ANONYMIZE BY x IN {how} KEEP id GUARANTEE k >= 4")
    groups = con.execute(
        "SELECT r.x, list(t.x), any_value(typeof(r.x)) FROM released r JOIN t USING (id) GROUP BY 1"
    ).fetchall()
    for shown, values, typed in groups:
        values = sorted(Fraction(value) for value in values)
        assert len(values) >= 4
        assert typed.startswith("DOUBLE" if how == "MEANS" else kind.partition("(")[0])
        wanted = float(sum(values, Fraction(0)) / len(values)) if how == "MEANS" else values[(len(values) - 1) // 2]
        assert shown == wanted


@pytest.mark.sweep
@pytest.mark.parametrize("table", ["nobody", "one", "nulls", "alike"])
def test_tables_of_little(con, table: str) -> None:
    con.execute("""
        CREATE TABLE nobody AS SELECT age FROM p WHERE false;
        CREATE TABLE one AS SELECT 1 AS age;
        CREATE TABLE nulls AS SELECT NULL::INTEGER AS age FROM range(3);
        CREATE TABLE alike AS SELECT 5 AS age FROM range(3)
    """)
    wanted = {"nobody": [], "one": [(1,)], "nulls": [(None,)] * 3, "alike": [(5,)] * 3}[table]
    for how in ("MEANS", "MEDIANS"):
        assert con.execute(f"FROM {table} ANONYMIZE BY age IN {how} GUARANTEE k >= 1").fetchall() == wanted


@pytest.mark.sweep
@pytest.mark.parametrize(("how", "label"), [("MEANS", "{}.5"), ("MEANS", None), ("MEDIANS", "0"), ("MEDIANS", None)])
def test_a_wrong_number_is_not_released(con, monkeypatch, how: str, label: str | None) -> None:
    from kanon_sql.engines import solving

    right = solving._aggregates

    def wrong(*given: Any) -> Any:
        import pyarrow as pa

        told = right(*given).to_pylist()
        return pa.array([None if label is None else label.format(each.partition(".")[0]) for each in told], pa.string())

    monkeypatch.setattr(solving, "_aggregates", wrong)
    with pytest.raises(AuditError, match="do not cover what they stand for; nothing was released"):
        con.execute(f"FROM (SELECT age FROM p) ANONYMIZE BY age IN {how} GUARANTEE k >= 5").fetchall()


def test_table_functions_and_suppressed_texts(con) -> None:
    options = "recodings := MAP {'age': 'MEANS'}, suppress := '*', unlisted_limit := 1"
    query = f"FROM k_anonymize('p', 3, qi := ['age', 'sex'], {options})"
    rows = con.execute(f"SELECT age, sex FROM ({query})").fetchall()
    assert all(isinstance(age, str) for age, _ in rows)
    assert min(rows.count(row) for row in rows) >= 3


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    "guarantee",
    ["k >= 4 AND l(sex) >= 2", "k >= 4 AND t(sex) <= 0.2", "k >= 4 AND alpha(sex, 'f') <= 0.6", "k >= 4 AND delta(sex) <= 1"],
)
def test_guarantees_about_sensitive_values(con, guarantee: str) -> None:
    found = rows_of(con, f"income IN MEANS, price IN MEANS KEEP id GUARANTEE {guarantee}", ["income", "price", "sex"])
    con.execute(f"CREATE OR REPLACE TABLE again AS FROM released ANONYMIZE BY income, price KEEP id GUARANTEE {guarantee}")
    assert con.session.releases[-1].suppressed_cells == 0  # it keeps the guarantee as it is
    assert min(map(len, found.values())) >= 1
    told = defaultdict(list)
    for (income, price, _), members in found.items():
        told[income, price] += members
    for (income, _), members in told.items():
        known = [value for value, _, _ in members if value is not None]
        assert income == (sum(known) / len(known) if known else None)
        assert len(members) >= 4


@pytest.mark.everything
def test_people_are_counted(con) -> None:
    con.execute("CREATE TABLE visits AS SELECT i % 60 AS person, i * 37 % 101 AS paid, i AS visit FROM range(180) t(i)")
    con.execute("CREATE TABLE shown AS FROM visits ANONYMIZE BY paid IN MEANS KEEP visit GUARANTEE k >= 5 PER person")
    people = con.execute("""
        SELECT min(p), sum(n)
        FROM (
            SELECT count(DISTINCT person) AS p, count(*) AS n
            FROM shown JOIN visits AS v USING (visit) GROUP BY shown.paid
        )
    """).fetchall()
    assert people[0] >= (5, 180)
    certificate = con.session.releases[-1]
    assert 0 < certificate.lower_bound < certificate.cost


@pytest.mark.everything
def test_texts_of_numbers_and_dates(con) -> None:
    con.execute("""
        CREATE TABLE t AS
        SELECT (i * 7 % 90)::VARCHAR AS x, (DATE '2024-01-01' + (i * 11 % 80)::INTEGER)::VARCHAR AS d FROM range(90) t(i)
    """)
    rows = con.execute("FROM t ANONYMIZE BY x IN MEANS, d IN MEDIANS GUARANTEE k >= 9").fetchall()
    assert {type(x) for x, _ in rows} == {float}
    assert {d for _, d in rows} <= {d for (d,) in con.execute("SELECT d FROM t").fetchall()}
    assert min(rows.count(row) for row in rows) >= 9


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars"])
def test_tables_in_python(kind: str) -> None:
    import kanon_sql

    given = pa.table({"pay": [1, 2, None, 40, 41, 45, 90, 95], "day": [datetime.date(2024, 1, 1 + i) for i in range(8)]})
    frame: Any = (
        given if kind == "arrow" else given.to_pandas() if kind == "pandas" else pytest.importorskip("polars").from_arrow(given)
    )
    release = kanon_sql.anonymize(frame, k=2, recodings={"pay": "MEANS", "day": "MEDIANS"})
    told = release.table if kind != "pandas" else pa.Table.from_pandas(release.table)
    told = pa.table(told) if kind != "polars" else told.to_arrow()
    assert told.schema.field("pay").type == pa.float64()
    assert all(isinstance(each, datetime.date) for each in told.column("day").to_pylist())
    assert release.certificate.information_loss
    assert "information loss" in release.certificate.figures()


@pytest.mark.everything
def test_a_column_that_cannot_be_solved_exactly_says_so(con) -> None:
    con.execute("SELECT income FROM p ANONYMIZE BY income IN MEANS GUARANTEE k >= 5").fetchall()
    certificate = con.session.releases[-1]
    assert (certificate.algorithm, certificate.status.value) == ("exchange", "FEASIBLE")
    assert "or has NULL" in certificate.reason
    assert 0 < certificate.lower_bound < certificate.cost
