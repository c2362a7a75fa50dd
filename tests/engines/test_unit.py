"""Whom a row describes is settled before a search begins, in the words of the surface."""

from __future__ import annotations

import duckdb
import people_tables
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import PolicyError, UnlistedColumnError
from kanon_sql.model.refusals import IdentifierError
from kanon_sql.model.repetition import RepeatedPeopleError

BY = "ANONYMIZE BY zip, sex, job GUARANTEE"

REPEATS = "patient_id repeats people.*: rows that share its value agree on "


@pytest.fixture(scope="module")
def visits() -> pa.Table:
    return people_tables.table(people_tables.visits(1))


@pytest.fixture
def clinic(shared_clause: Connection, visits: pa.Table) -> Connection:
    return _with(shared_clause, "visits", visits)


def _with(con: Connection, name: str, rows: pa.Table) -> Connection:
    con.register("arrow", rows)
    con.execute(f"CREATE TABLE {name} AS FROM arrow")
    con.unregister("arrow")
    return con


REFUSED = {
    "returned": "SELECT patient_id, zip, sex, job FROM visits",
    "left out": "SELECT zip, sex, job FROM visits",
    "a view": "SELECT zip, sex, job FROM (FROM visits) AS v",
    "FROM first": "FROM visits SELECT zip, sex, job WHERE ward > 2",
    "an alias in WHERE": "SELECT zip, sex, job, ward AS w FROM visits WHERE w > 2",
    "other names": "SELECT substr(patient_id, 2) AS x, zip, sex, job FROM visits",
    "a join": "SELECT zip, sex, job FROM visits JOIN (SELECT DISTINCT ward FROM visits) USING (ward)",
}


@pytest.mark.sweep
@pytest.mark.parametrize("query", REFUSED.values(), ids=REFUSED)
def test_rows_of_people_with_several_are_refused(clinic: Connection, query: str) -> None:
    with pytest.raises(RepeatedPeopleError, match=REPEATS) as found:
        clinic.execute(f"{query} {BY} k >= 5")
    assert found.value.column in ("patient_id", "x")
    assert found.value.people < found.value.rows
    assert "zip" in found.value.shared


@pytest.mark.sweep
@pytest.mark.parametrize("query", REFUSED.values(), ids=REFUSED)
def test_a_row_is_a_person_if_the_author_says_so(clinic: Connection, query: str) -> None:
    clinic.execute(f"SELECT zip, sex, job FROM ({query}) {BY} k >= 5 PER ROW")
    assert "k >= 5 PER ROW" in [each.describe() for each in kanon_sql.Policy.from_json(_last(clinic).policy).requirements]


def _last(con: Connection) -> kanon_sql.Certificate:
    return kanon_sql.releases(con)[-1]


def test_the_message_names_column_people_rows_and_both_ways_out(clinic: Connection) -> None:
    people, rows = clinic.execute("SELECT count(DISTINCT patient_id), count(*) FROM visits").fetchall()[0]
    with pytest.raises(RepeatedPeopleError) as found:
        clinic.execute(f"SELECT patient_id, zip, sex, job FROM visits {BY} k >= 5")
    assert str(found.value) == (
        "patient_id repeats people (and so does born): rows that share its value agree on born, zip, sex and job; "
        f"k >= 5 would count rows, not people: {people:,} people have {rows:,} rows; nothing was "
        "released; hint: write k >= 5 PER patient_id, or k >= 5 PER ROW if each row is a person"
    )


def test_numbers_of_patients_may_look_like_uuids(clinic: Connection) -> None:
    clinic.execute("""CREATE TABLE few AS
        SELECT md5('p' || i // 2)::UUID AS patient_id, i // 2 * 7 % 16 AS zip, i // 2 * 5 % 13 AS job FROM range(32) t(i)""")
    with pytest.raises(RepeatedPeopleError, match="patient_id repeats people"):  # 16 pairs are enough only for an identifier
        clinic.execute("SELECT patient_id, zip, job FROM few ANONYMIZE BY zip, job GUARANTEE k >= 2")


def test_people_who_are_counted_are_released(clinic: Connection) -> None:
    clinic.execute(f"CREATE TABLE released AS SELECT patient_id, zip, sex, job FROM visits {BY} k >= 5 PER patient_id")
    assert clinic.execute("FROM (DESCRIBE released) SELECT column_name").fetchall() == [("zip",), ("sex",), ("job",)]


def test_per_a_column_that_numbers_rows_counts_rows(clinic: Connection) -> None:
    with pytest.raises(RepeatedPeopleError, match="k >= 5 PER visit would count rows"):
        clinic.execute(f"SELECT visit, zip, sex, job FROM visits {BY} k >= 5 PER visit")


def test_one_row_for_each_person_is_released(clinic: Connection) -> None:
    once = "QUALIFY row_number() OVER (PARTITION BY patient_id ORDER BY visit) = 1"
    clinic.execute(f"SELECT zip, sex, job FROM visits {once} {BY} k >= 5")
    assert _last(clinic).rows == clinic.execute("SELECT count(DISTINCT patient_id) FROM visits").fetchall()[0][0]


def test_a_parameter_is_given_once(clinic: Connection) -> None:
    """Evidence is then that of all rows: a parameter cannot be written twice."""
    with pytest.raises(RepeatedPeopleError):
        clinic.execute(f"SELECT zip, sex, job FROM visits WHERE ward > ? {BY} k >= 5", [3])
    clinic.execute(f"SELECT zip, sex, job FROM visits WHERE ward > ? {BY} k >= 5 PER ROW", [3])


FUNCTIONS = {
    "k_anonymize": "k_anonymize('visits', 5, qi := ['zip', 'sex', 'job'], {})",
    "l_diversify": "l_diversify('visits', 'ward', 2, qi := ['zip', 'sex', 'job'], {})",
    "pattern_guided": "pattern_guided('visits', [['zip'], []], qi := ['zip', 'sex', 'job'], {})",
    "every column": "k_anonymize('visits', 5, {})",
}


@pytest.mark.parametrize("call", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions_speak_of_their_arguments(clinic: Connection, call: str) -> None:
    with pytest.raises(
        RepeatedPeopleError, match=r"hint: pass per := 'patient_id'.*, or per_row := true if each row is a person"
    ):
        clinic.execute(f"FROM {call.format('seed := 0')}")


@pytest.mark.everything
def test_python_speaks_of_its_arguments(visits: pa.Table) -> None:
    by = ["zip", "sex", "job"]
    with pytest.raises(RepeatedPeopleError, match="hint: pass per='patient_id', or per_row=True if each row is a person"):
        kanon_sql.anonymize(visits, 5, quasi_identifiers=by)
    assert kanon_sql.anonymize(visits.select(["patient_id", *by]), 5, quasi_identifiers=by, per="patient_id").table.num_rows
    assert kanon_sql.anonymize(visits.select(by), 5, quasi_identifiers=by, per_row=True).table.num_rows


def test_a_stored_policy_counts_what_it_drops(clinic: Connection) -> None:
    clinic.execute(
        "CREATE ANONYMIZATION POLICY wards ON visits (IDENTIFIER patient_id, visit, born; BY zip, sex, job; KEEP ward; "
        "GUARANTEE k >= 5)"
    )
    for text in ("FROM visits ANONYMIZE WITH POLICY wards", "FROM anonymize('visits', 'wards')"):
        with pytest.raises(RepeatedPeopleError, match=REPEATS):
            clinic.execute(text)
    with pytest.raises(RepeatedPeopleError, match=REPEATS):
        clinic.execute("EXPLAIN ANONYMIZE FROM visits ANONYMIZE WITH POLICY wards")


@pytest.mark.everything
def test_a_lost_key_is_a_warning(clinic: Connection) -> None:
    with pytest.warns(
        kanon_sql.KanonWarning, match="far more rows agree on all columns that describe people than chance explains"
    ):
        clinic.execute("FROM (SELECT born AS x, zip, sex, job FROM visits) ANONYMIZE BY x, zip, sex, job GUARANTEE k >= 5")


def test_a_birth_date_repeats_people_without_a_key(clinic: Connection) -> None:
    with pytest.raises(RepeatedPeopleError, match=r"^born repeats people: rows that share its value agree on zip, sex and job"):
        clinic.execute("FROM (SELECT born, zip, sex, job FROM visits) ANONYMIZE BY born, zip, sex, job GUARANTEE k >= 5")


def test_a_key_of_two_columns_comes_before_names(shared_clause: Connection) -> None:
    _with(shared_clause, "visits", people_tables.table(people_tables.clinics(1)))
    for by in ("zip, age, sex", "clinic, zip, age"):
        with pytest.raises(RepeatedPeopleError, match=r"^clinic and patient_number repeat people .* 120 people have 720"):
            shared_clause.execute(f"FROM visits ANONYMIZE BY {by} GUARANTEE k >= 5")


def test_names_in_several_spellings_are_one_person(shared_clause: Connection) -> None:
    columns = people_tables.spellings(1)
    _with(shared_clause, "visits", people_tables.table(columns))
    column = r"such as lower\(trim\(strip_accents\(name\)\)\) AS person"
    hint = rf"120 people have 720 rows; .* {column}, and count people by that column$"
    with pytest.raises(RepeatedPeopleError, match=rf"^name repeats people: .* {hint}"):
        shared_clause.execute("SELECT zip, age, sex FROM visits ANONYMIZE BY zip, age, sex GUARANTEE k >= 5")
    with pytest.raises(
        RepeatedPeopleError, match=r"^name spells names in several ways, and each variant would count as a person"
    ):
        shared_clause.execute("SELECT name, zip, age FROM visits ANONYMIZE BY zip, age GUARANTEE k >= 5 PER name")
    view = "(SELECT lower(trim(strip_accents(name))) AS person, zip, age FROM visits)"
    shared_clause.execute(f"FROM {view} ANONYMIZE BY zip, age GUARANTEE k >= 5 PER person").fetchall()


def test_columns_of_frames_are_recognized_by_their_values() -> None:
    pl = pytest.importorskip("polars")
    columns = {"x": [f"user{row}@mail.org" for row in range(200)], "zip": [row % 4 for row in range(200)]}
    kinds = [pa.table(columns), pl.DataFrame(columns), pl.DataFrame(columns, schema_overrides={"x": pl.Categorical})]
    for table in kinds:
        with pytest.raises(UnlistedColumnError, match=r"looks like an identifier of people: x \(looks like e-mail"):
            kanon_sql.anonymize(table, 5, quasi_identifiers=["zip"], unlisted_limit=1)
    columns = people_tables.visits(1)
    columns["age"] = [2020 - int(str(each)[:4]) for each in columns.pop("born")]
    dropped = ["patient_id", "age", "visit", "job", "ward"]
    with pytest.raises(RepeatedPeopleError, match=REPEATS):  # an age that nobody asks for says that these are not groups
        kanon_sql.anonymize(pa.table(columns), 5, quasi_identifiers=["zip", "sex"], drop=dropped)


def test_a_row_without_a_person_is_nobody_else(shared_clause: Connection) -> None:
    columns = people_tables.clinics(1)
    who = [row // 6 for row in range(720)]
    table = pa.table(
        {
            "person": [None if row % 6 == 0 else f"P{each}" for row, each in enumerate(who)],
            "ward": [each % 3 for each in who],
            "floor": [f"{each % 3}{each // 3}" for each in who],
            "sex": columns["sex"],
        }
    )
    _with(shared_clause, "stays", table)
    with pytest.raises(UnlistedColumnError, match=r"floor singles out 100\.0% of the rows"):
        shared_clause.execute("FROM stays ANONYMIZE BY ward, sex GUARANTEE k >= 5 PER person")


def test_names_repeat_people_even_if_others_have_the_same(shared_clause: Connection) -> None:
    _with(shared_clause, "visits", people_tables.table(people_tables.namesakes(1)))
    with pytest.raises(RepeatedPeopleError, match=r"^first_name and surname repeat people .* agree on zip, age and sex"):
        shared_clause.execute("SELECT zip, age, sex, disease FROM visits ANONYMIZE BY zip, age, sex GUARANTEE k >= 5")
    _with(shared_clause, "people", people_tables.table(people_tables.namesakes(2, people=1500, visits=1)))
    shared_clause.execute("SELECT zip, age, sex, disease FROM people ANONYMIZE BY zip, age, sex GUARANTEE k >= 5").fetchall()


def test_a_name_and_an_address_repeat_people_together(shared_clause: Connection) -> None:
    _with(shared_clause, "orders", people_tables.table(people_tables.at_home(1)))
    with pytest.raises(RepeatedPeopleError, match=r"^full_name and address repeat people together: .* agree on sex and income"):
        shared_clause.execute("SELECT sex, income, product FROM orders ANONYMIZE BY sex, income, product GUARANTEE k >= 5")


@pytest.mark.everything
def test_households_are_a_warning(shared_clause: Connection) -> None:
    _with(shared_clause, "homes", people_tables.table(people_tables.households(2)))
    with pytest.warns(kanon_sql.KanonWarning, match="rows that share household agree on zip, income and race"):
        shared_clause.execute("FROM homes ANONYMIZE BY zip, race, age, sex KEEP household, income GUARANTEE k >= 5")


def test_no_value_is_in_the_message(clinic: Connection) -> None:
    with pytest.raises(PolicyError) as found:
        clinic.execute(f"FROM visits {BY} k >= 5")
    assert "P0" not in str(found.value)


def test_identifiers_are_no_quasi_identifiers(shared_clause: Connection) -> None:
    shared_clause.execute("CREATE TABLE t AS SELECT 'N' || i % 9 AS surname, i % 3 AS zip FROM range(90) AS r(i)")
    with pytest.raises(IdentifierError, match="surname \\(by its name\\)") as found:
        shared_clause.execute("FROM t ANONYMIZE BY surname, zip GUARANTEE k >= 5")
    assert found.value.columns == ("surname",)
    shared_clause.execute("SELECT zip FROM t ANONYMIZE BY zip GUARANTEE k >= 5")
    shared_clause.execute("FROM t ANONYMIZE BY surname IN BINS GUARANTEE k >= 5")


def test_an_identifier_is_no_sensitive_column(shared_clause: Connection) -> None:
    shared_clause.execute("CREATE TABLE t AS SELECT 'N' || i AS surname, i % 3 AS zip FROM range(90) AS r(i)")
    with pytest.raises(IdentifierError, match="a sensitive column looks like an identifier of people: surname"):
        shared_clause.execute("FROM t ANONYMIZE BY zip GUARANTEE k >= 5 AND l(surname) >= 2")


def test_names_that_repeat_need_a_role(shared_clause: Connection) -> None:
    shared_clause.execute("CREATE TABLE t AS SELECT 'N' || i % 9 AS surname, i % 3 AS zip FROM range(900) AS r(i)")
    with pytest.raises(UnlistedColumnError, match="hint: remove it from the SELECT, or write KEEP surname"):
        shared_clause.execute("FROM t ANONYMIZE BY zip GUARANTEE k >= 5")
    shared_clause.execute("FROM t ANONYMIZE BY zip KEEP surname GUARANTEE k >= 5")


def test_a_stream_is_read_once(shared_clause: Connection, visits: pa.Table) -> None:
    stream = pa.RecordBatchReader.from_batches(visits.schema, visits.to_batches())
    assert stream is not None
    rows = shared_clause.execute(f"SELECT zip, sex, job FROM stream {BY} k >= 5").fetchall()
    assert len(rows) == len(visits)


CARRIED = {
    "an alias": "surname AS x",
    "a cast": "surname::VARCHAR AS x",
    "a list over a window": "list(surname) OVER () AS x",
    "a minimum over a window": "min(surname) OVER (PARTITION BY zip, age) AS x",
}


@pytest.mark.sweep
@pytest.mark.parametrize("item", CARRIED.values(), ids=CARRIED)
def test_an_identifier_under_another_name_is_one(shared_clause: Connection, item: str) -> None:
    shared_clause.execute(
        "CREATE TABLE t AS SELECT 'N' || i % 9 AS surname, i % 3 AS zip, i % 4 AS age FROM range(900) AS r(i)"
    )
    with pytest.raises(UnlistedColumnError, match="x \\(it carries surname\\)"):
        shared_clause.execute(f"SELECT zip, age, {item} FROM t ANONYMIZE BY zip, age GUARANTEE k >= 5")
    shared_clause.execute("SELECT zip, age, count(surname) OVER () AS x FROM t ANONYMIZE BY zip, age GUARANTEE k >= 5")


def test_a_plain_connection_hears_the_same(visits: pa.Table) -> None:
    with kanon_sql.register(duckdb.connect()) as con:
        con.register("visits", visits)
        with pytest.raises(duckdb.InvalidInputException, match=f"RepeatedPeopleError: {REPEATS}"):
            con.execute("FROM k_anonymize('visits', 5, qi := ['zip', 'sex', 'job'])")
