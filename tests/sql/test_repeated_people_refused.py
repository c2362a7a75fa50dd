"""Plain SQL refuses a table in which a column repeats people, before it searches, and takes PER ROW for an answer."""

from __future__ import annotations

import re

import duckdb
import people_tables
import pytest

VISITS = """CREATE TABLE visits AS SELECT i // 8 AS patient_id, DATE '1940-01-01' + (i // 8 * 379 % 20000)::INTEGER AS born,
    '0' || (i // 8 * 7 % 61) AS zip, ['f', 'm'][1 + i // 8 * 5 % 11 % 2] AS sex, i // 8 * 13 % 17 AS job,
    i // 8 * 5 % 3 AS religion, i // 8 * 3 % 7 AS race, ['flu', 'gout', 'asthma'][1 + i * 7 % 3] AS disease
    FROM range(6400) t(i)"""

REFUSED = (
    "kanon: patient_id repeats people (and so does born): rows that share its value agree on born, zip, sex and 3 other "
    "columns; k >= 5 would count rows, and 800 people have 6,400; nothing was released; hint: release one row per person "
    "from a view (SELECT DISTINCT ON (patient_id) ...), count people with per := 'patient_id' in the Python package, or write "
    "per_row := true if each row is a person"
)

RELEASES = (
    "k_anonymize('visits', 5, qi := ['zip', 'sex'])",
    "k_anonymize('visits', 5, keep := ['patient_id', 'disease'])",
    "pattern_guided('visits', [['zip'], []], k := 5, qi := ['zip', 'sex'])",
    "pattern_guided('visits', [['zip IN DIGITS (1)'], []], k := 5, qi := ['zip', 'sex'])",
    "l_diversify('visits', 'disease', 1.1, k := 5, qi := ['zip', 'sex'])",
    "t_close('visits', 'disease', 0.9, k := 5, qi := ['zip', 'sex'])",
)


@pytest.mark.everything
@pytest.mark.parametrize("release", RELEASES)
def test_a_table_that_repeats_people_is_refused(con: duckdb.DuckDBPyConnection, release: str) -> None:
    con.execute(VISITS)
    for statement in ("FROM {}", "SELECT count(*) FROM {}", "CREATE TABLE out AS FROM {}", "CREATE VIEW v AS FROM {}; FROM v"):
        with pytest.raises(duckdb.InvalidInputException, match=re.escape(REFUSED)):
            con.execute(statement.format(release)).fetchall()
    assert ("out",) not in con.execute("SHOW TABLES").fetchall()


@pytest.mark.sweep
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("answer", ["true", "'true'", "1"])
def test_per_row_is_an_answer(con: duckdb.DuckDBPyConnection, release: str, answer: str) -> None:
    con.execute(VISITS)
    limit = "" if "keep" in release else ", unlisted_limit := 1, drop := ['patient_id']"
    call = f"{release[:-1]}{limit}, per_row := {answer})"
    assert con.execute(f"SELECT count(*) FROM {call}").fetchall() == [(6400,)]


def test_one_row_for_each_person_is_an_answer(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"{VISITS}; CREATE VIEW people AS SELECT DISTINCT ON (patient_id) zip, sex, job FROM visits")
    assert con.execute("SELECT count(*) FROM k_anonymize('people', 5, per_row := false)").fetchall() == [(800,)]


@pytest.mark.everything
def test_it_is_refused_before_the_search(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(VISITS)
    with pytest.raises(duckdb.InvalidInputException, match=r"k >= 6401 would count rows, and 800 people have 6,400"):
        con.execute("FROM k_anonymize('visits', 6401, qi := ['zip', 'sex'])").fetchall()
    asked = "'visits', 6401, qi := ['zip', 'sex'], unlisted_limit := 1, per_row := true"
    with pytest.raises(duckdb.Error, match=r"a column has no role and looks like an identifier of people: patient_id"):
        con.execute(f"FROM k_anonymize({asked})").fetchall()
    with pytest.raises(duckdb.InvalidInputException, match=r"fit no class of at least 6401 rows"):
        con.execute(f"FROM k_anonymize({asked}, drop := ['patient_id'])").fetchall()


def test_names_are_written_as_sql_and_others_are_named(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"""{VISITS}; CREATE VIEW odd AS SELECT patient_id AS "the ""patient's"" {{0}}", patient_id AS a,
        -patient_id AS b, zip AS "zip code", sex, job FROM visits""")
    said = (
        """kanon: "the ""patient's"" {0}" repeats people (and so do a and b): rows that share its value agree on "zip code", """
        """sex and job; k >= 2 would count rows, and 800 people have 6,400; nothing was released; hint: release one row per """
        """person from a view (SELECT DISTINCT ON ("the ""patient's"" {0}") ...), count people with per := 'the "patient''s" """
        """{0}' in the Python package, or write per_row"""
    )
    with pytest.raises(duckdb.InvalidInputException, match=re.escape(said)):
        con.execute("FROM k_anonymize('odd', 2, qi := ['zip code', 'sex', 'job'], unlisted_limit := 1)").fetchall()


def test_columns_that_are_left_out_are_evidence(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(VISITS)
    with pytest.raises(duckdb.Error, match=r"patient_id repeats people \(and so does born\): rows that share its value"):
        con.execute("FROM k_anonymize('visits', 5, qi := ['zip', 'sex'], drop := ['patient_id', 'born', 'job'])").fetchall()


def test_two_columns_repeat_people_together(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"""{VISITS}; CREATE VIEW clinics AS
        SELECT patient_id % 4 AS "clinic {{0}}", patient_id // 4 AS number, zip, sex, job, disease FROM visits""")
    said = (
        """kanon: "clinic {0}" and number repeat people together: rows that share both values agree on zip, sex and job; """
        """k >= 5 would count rows, and 800 people have 6,400; nothing was released; hint: release one row per person from a """
        """view (SELECT DISTINCT ON ("clinic {0}", number) ...), or write per_row := true if each row is a person"""
    )
    with pytest.raises(duckdb.InvalidInputException, match=re.escape(said)):
        con.execute("FROM k_anonymize('clinics', 5, qi := ['zip', 'sex'])").fetchall()
    assert con.execute("SELECT \"column\" FROM repeated_people('clinics')").fetchall() == [("clinic {0}, number",)]


def test_a_key_of_two_columns_comes_before_names_and_namesakes_are_found(con: duckdb.DuckDBPyConnection) -> None:
    for name, make in (("clinics", people_tables.clinics), ("namesakes", people_tables.namesakes)):
        con.register("given", people_tables.table(make(1)))
        con.execute(f"CREATE TABLE {name} AS FROM given")
    for name, who in (("clinics", "clinic and patient_number"), ("namesakes", "first_name and surname")):
        with pytest.raises(
            duckdb.InvalidInputException, match=rf"kanon: {who} repeat people together: .* agree on zip, age and sex"
        ):
            con.execute(f"FROM k_anonymize('{name}', 5, qi := ['zip', 'age', 'sex'], unlisted_limit := 1)").fetchall()
    con.register("given", people_tables.table(people_tables.namesakes(2, people=1500, visits=1)))
    assert con.execute("FROM repeated_people('given')").fetchall() == []
    con.unregister("given")


@pytest.mark.parametrize("answer", ["NULL", "'row'", "'patient_id'", "2", "[true]"])
def test_per_row_is_true_or_false(con: duckdb.DuckDBPyConnection, answer: str) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS a FROM range(9)")
    with pytest.raises(duckdb.InvalidInputException, match=r"kanon: per_row is neither true nor false"):
        con.execute(f"FROM k_anonymize('t', 2, qi := ['a'], per_row := {answer})").fetchall()


def test_no_cell_is_in_the_error(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(VISITS.replace("'0' ||", "'secret' ||"))
    with pytest.raises(duckdb.InvalidInputException) as refusal:
        con.execute("FROM k_anonymize('visits', 5, qi := ['zip', 'sex'])").fetchall()
    assert "secret" not in str(refusal.value)


@pytest.mark.everything
@pytest.mark.own_connection
def test_settings_change_nothing(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"{VISITS}; SET default_order = 'DESC'; SET default_null_order = 'nulls_first'; SET integer_division = true")
    con.execute("SET default_collation = 'NOCASE'; SET threads = 1")
    with pytest.raises(duckdb.InvalidInputException, match=re.escape(REFUSED)):
        con.execute(f"FROM {RELEASES[0]}").fetchall()
