"""`repeated_people` against pairs that are counted one by one, on tables of which the truth is known."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import duckdb
import people_tables
import pytest
from people_tables import REPEATED, Columns

from kanon_sql.engines.duckdb.gather.sampled_rows import rows_of
from kanon_sql.engines.unit import repeating

SEEDS = range(3)

EMPLOYEES = {
    "German": ("Personal-Nr.", "Geburtsdatum", "PLZ", "Geschlecht", "Beruf"),
    "French": ("matricule", "Date de naissance", "Code postal", "Sexe", "Métier"),
    "Spanish": ("empleado", "fecha_nacimiento", "Código Postal", "sexo", "profesión"),
    "Italian": ("matricola", "data di nascita", "codice postale", "sesso", "professione"),
    "Dutch": ("medewerker", "geboortedatum", "postcode", "geslacht", "beroep"),
    "Portuguese": ("funcionário", "data_nascimento", "código postal", "sexo", "profissão"),
    "Polish": ("pracownik", "data urodzenia", "kod pocztowy", "płeć", "zawód"),
}


def filled(con: duckdb.DuckDBPyConnection, columns: Columns, name: str = "t") -> None:
    table = people_tables.table(columns)
    con.register("given", table)
    con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM given")
    con.unregister("given")


def found(con: duckdb.DuckDBPyConnection, arguments: str = "'t'") -> list[str]:
    return [row[0] for row in con.execute(f"FROM repeated_people({arguments})").fetchall()]


def patients(count: int, visits: int, **more: str) -> str:
    """Return the query of visits of people who differ in birth date, zip and sex."""
    columns = "".join(f", {sql} AS {name}" for name, sql in more.items())
    return f"""SELECT i // {visits} AS patient, DATE '1940-01-01' + (i // {visits} * 379 % 20000)::INTEGER AS born,
        i // {visits} * 7 % 61 AS zip, ['f', 'm'][1 + i // {visits} * 5 % 11 % 2] AS sex{columns}
        FROM range({count * visits}) t(i)"""


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("make", REPEATED, ids=lambda make: make.__name__)
def test_people_with_several_rows_are_found(con: duckdb.DuckDBPyConnection, make: Callable[[int], Columns], seed: int) -> None:
    columns, column = make(seed), REPEATED[make]
    filled(con, columns)
    said = con.execute("FROM repeated_people('t')").fetchall()
    assert said[0][:3] == (column, len(set(columns[column])), len(columns[column]))
    python = [each for each in repeating(rows_of(con, "t"), []) if each.certain]
    assert [row[:4] for row in said] == [(each.column, each.people, each.rows, [*each.shared]) for each in python]
    assert [row[4] for row in said] == [pytest.approx(each.bits, rel=0.1) for each in python]


@pytest.mark.everything
@pytest.mark.parametrize("make", [people_tables.households, people_tables.single_people], ids=lambda make: make.__name__)
@pytest.mark.parametrize("seed", SEEDS)
def test_households_and_single_people_are_not(
    con: duckdb.DuckDBPyConnection, make: Callable[[int], Columns], seed: int
) -> None:
    columns = make(seed)
    filled(con, columns)
    assert found(con) == []
    assert found(con, f"'t', {[*columns]}") == []
    con.execute("CREATE TABLE fewer AS SELECT * EXCLUDE (age) FROM t" if "age" in columns else "CREATE TABLE fewer AS FROM t")
    assert found(con, "'fewer'") == []


AT_HOME = {
    "a name and an address": ("* EXCLUDE (product)", "full_name, address"),
    "an address alone": ("* EXCLUDE (full_name), hash(full_name, address) % 9 AS job", "address"),
    "more rows than a household": ("address, income", "address"),
    "an income that changes": (
        "full_name || ' ' || address AS address, sex, hash(address, full_name) % 80 + 15 AS age, product % 50 AS income",
        "address",
    ),
    "two names": (
        "'F' || hash(full_name, address) % 30 AS first_name, 'S' || hash(address, full_name, 1) % 40 AS surname, sex, income, "
        "CASE WHEN product % 6 = 0 THEN product ELSE hash(full_name, address) % 9 END AS job",
        "first_name, surname",
    ),
}


@pytest.mark.parametrize("case", AT_HOME)
def test_addresses_and_names_tell_people_apart(con: duckdb.DuckDBPyConnection, case: str) -> None:
    shown, column = AT_HOME[case]
    few = case != "more rows than a household"
    filled(con, people_tables.at_home(1) if few else people_tables.at_home(1, people=100, homes=100_000, times=12), "orders")
    con.execute(f"CREATE TABLE t AS SELECT {shown} FROM orders")
    if case == "an address alone":  # one person at each
        con.execute("CREATE OR REPLACE TABLE t AS SELECT address || sex || income || job AS address, sex, income, job FROM t")
    said = con.execute("FROM repeated_people('t')").fetchall()
    python = [each for each in repeating(rows_of(con, "t"), []) if each.certain]
    assert [row[0] for row in said] == [column]
    assert [row[1:4] for row in said] == [(each.people, each.rows, [*each.shared]) for each in python]
    assert [", ".join(each.columns) for each in python] == [column]


@pytest.mark.parametrize("fewer", ["sex", "job", "sex, job", "zip, job", "first_name, sex", "surname, job", "income"])
def test_an_address_of_a_household_does_not(con: duckdb.DuckDBPyConnection, fewer: str) -> None:
    filled(con, people_tables.families(2), "homes")
    con.execute(f"CREATE TABLE t AS SELECT * EXCLUDE ({fewer}) FROM homes")
    assert found(con) == []
    assert not any(each.certain for each in repeating(rows_of(con, "t"), []))
    there = [name for name in ("zip", "income", "nationality", "sex", "job") if name not in fewer]
    assert found(con, f"'t', {there}") == []


@pytest.mark.everything
def test_partners_of_one_age_are_two_people(con: duckdb.DuckDBPyConnection) -> None:
    home = "hash(i // 2)"
    con.execute(f"""CREATE TABLE t AS SELECT i // 2 AS household, {home} % 97 AS zip, {home} % 11 AS income,
        {home} % 7 AS religion, {home} % 5 AS nationality,
        DATE '1950-01-01' + ({home} % 15000 + hash(i) % 1500)::INTEGER AS born, year(born) // 10 AS age_group
        FROM range(4000) t(i)""")
    assert found(con) == []
    con.execute("UPDATE t SET born = NULL, age_group = NULL")  # nothing says that these are not people
    assert found(con) == ["household"]


@pytest.mark.everything
def test_the_order_of_the_rows_does_not_matter(con: duckdb.DuckDBPyConnection) -> None:
    columns = people_tables.visits(1)
    filled(con, columns)
    before = con.execute("FROM repeated_people('t')").fetchall()
    assert before[0][0] == "patient_id"
    order = random.Random(1).sample(range(len(columns["zip"])), len(columns["zip"]))
    filled(con, {name: [values[place] for place in order] for name, values in columns.items()})
    assert con.execute("FROM repeated_people('t')").fetchall() == [(*row[:-1], pytest.approx(row[-1])) for row in before]


FEW = [(30, 2, "who"), (29, 2, ""), (10, 9, "who"), (9, 9, ""), (16, 2, "patient"), (15, 2, "patient"), (3, 10, "patient")]


@pytest.mark.sweep
@pytest.mark.parametrize(("people", "visits", "name"), FEW)
def test_thirty_pairs_and_ten_values_are_needed_and_fewer_of_an_identifier(
    con: duckdb.DuckDBPyConnection, people: int, visits: int, name: str
) -> None:
    con.execute(f"CREATE TABLE t AS SELECT * RENAME (patient AS {name or 'who'}) FROM ({patients(people, visits)})")
    con.execute("ALTER TABLE t RENAME born TO birth_year")  # a birth date would be an identifier, too
    assert found(con)[:1] == [each for each in [name] if each]


def test_numbers_of_patients_may_look_like_uuids(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"""CREATE TABLE t AS SELECT * REPLACE (md5('p' || patient)::UUID AS patient) RENAME (born AS birth_year)
        FROM ({patients(16, 2)})""")
    assert found(con)[:1] == ["patient"]


def test_ages_of_a_group_differ_as_those_of_all_people_do(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("""CREATE TABLE t AS SELECT i // 5 AS home, 98101 + i // 5 * 3 % 19 AS zip, hash(i // 5) % 9 AS income,
        hash(i // 5, 1) % 5 AS race, 20 + hash(i, 2) % 60 AS age, i FROM range(600) t(i)""")
    assert found(con) == []
    con.execute("CREATE TABLE u AS SELECT * REPLACE (20 + hash(home, 3) % 60 + i % 3 AS age) FROM t")
    assert found(con, "'u'")[:1] == ["home"]


def test_null_is_no_person_and_says_nothing(con: duckdb.DuckDBPyConnection) -> None:
    more = "CASE WHEN i % 90 = 0 THEN i END"
    con.execute(f"CREATE TABLE t AS {patients(200, 4, job=more)}; UPDATE t SET patient = NULL WHERE patient < 50")
    con.execute("UPDATE t SET sex = NULL WHERE zip % 2 = 0; UPDATE t SET born = NULL WHERE patient IS NULL")
    assert ("patient", 150, 600, ["born", "zip", "sex"]) in [
        row[:4] for row in con.execute("FROM repeated_people('t')").fetchall()
    ]


@pytest.mark.sweep
@pytest.mark.parametrize("language", EMPLOYEES)
def test_names_in_other_languages(con: duckdb.DuckDBPyConnection, language: str) -> None:
    names = ", ".join(f'"{name}"' for name in EMPLOYEES[language])
    con.execute(f"CREATE TABLE t AS SELECT * FROM ({patients(300, 3, job='i // 3 * 13 % 17')}) AS s({names})")
    row = con.execute("FROM repeated_people('t')").fetchone()
    assert row is not None
    assert (row[0], row[3]) == (EMPLOYEES[language][0], [*EMPLOYEES[language][1:]])


@pytest.mark.everything
def test_columns_of_qi_are_personal_whatever_their_names(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f'CREATE TABLE t AS SELECT * FROM ({patients(300, 3)}) AS s(a, B, "c""d", e)')
    assert found(con) == []
    assert found(con, "'t', ['b', 'C\"D', 'E']") == ["a"]  # by its texts, B is a date of an event
    assert found(con, "'t', qi := ['a', 'b', 'C\"D', 'E']")[0] == "a"
    for arguments in ("'t', ['f']", "'t', ['a', NULL]", "'t', ['a', 'A']", "'t', []::VARCHAR[]", "'nothing'", "'t; t'"):
        with pytest.raises(duckdb.Error):
            found(con, arguments)


@pytest.mark.everything
def test_what_is_about_one_thing_counts_once(con: duckdb.DuckDBPyConnection) -> None:
    shop = "hash(i // 9)"
    con.execute(f"""CREATE TABLE t AS SELECT i // 9 AS shop, {shop} % 90 AS zip, {shop} % 90 // 3 AS city,
        {shop} % 90 // 9 AS county, {shop} % 5 AS state, 'X' || {shop} AS address, i % 2 AS sex FROM range(2700) t(i)""")
    assert found(con) == []
    con.execute("""CREATE TABLE s AS SELECT i % 400 AS product, 'P' || i % 400 AS called, i % 400 // 9 AS brand,
        i % 400 // 9 // 4 AS maker, hash(i) % 97 AS price FROM range(4000) t(i)""")
    assert found(con, "'s', qi := ['product', 'called', 'brand', 'maker', 'price']") == []


def test_an_age_grows_with_the_date_of_its_row(con: duckdb.DuckDBPyConnection) -> None:
    who, year = "i // 6", "2000 + i % 6 * 4"
    con.execute(f"""CREATE TABLE t AS SELECT {who} AS patient, DATE '2000-03-01' + INTERVAL (i % 6 * 4) YEAR AS day,
        {year} - 1950 + ({who}) * 7 % 40 AS age, ({who}) * 11 % 83 AS zip, ({who}) * 5 % 11 % 2 AS sex FROM range(1800) t(i)""")
    assert con.execute("SELECT \"column\", shared FROM repeated_people('t')").fetchall() == [("patient", ["age", "zip", "sex"])]


def test_an_age_grows_by_three_years_if_no_date_is_known(con: duckdb.DuckDBPyConnection) -> None:
    for day, shared in ("NULL::DATE", [["age", "sex"]]), ("DATE '2020-01-01'", []):
        con.execute(f"""CREATE OR REPLACE TABLE t AS SELECT i // 6 AS patient_id, 20 + (i // 6) * 7 % 60 + i % 2 * 3 AS age,
            (i // 6) * 5 % 11 % 2 AS sex, {day} AS day FROM range(1800) t(i)""")
        said = con.execute("SELECT shared FROM repeated_people('t')").fetchall()
        assert [row[0] for row in said] == [[*each.shared] for each in repeating(rows_of(con, "t"), [])] == shared


@pytest.mark.everything
def test_a_part_of_a_large_table_is_enough(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"CREATE TABLE t AS {patients(40_001, 5, product='i * 31 % 400', price='i * 31 % 400 * 3', visit='i')}")
    con.execute("INSERT INTO t (patient, visit) SELECT 50000, i FROM range(7) t(i)")
    rows = [row[:4] for row in con.execute("FROM repeated_people('t')").fetchall()]
    assert rows[0] == ("patient", pytest.approx(40_002, rel=0.1), pytest.approx(200_012, rel=0.1), ["born", "zip", "sex"])
    assert {row[0] for row in rows} <= {"patient", "born"}
    con.execute("""CREATE TABLE coarse AS SELECT hash(i) % 3 AS sex, hash(i, 1) % 12 AS zip, hash(i, 2) % 20 AS job
        FROM range(300000) t(i)""")
    assert found(con, "'coarse'") == []


@pytest.mark.everything
def test_any_type_and_any_relation(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    types = {
        "s": "{'a': i}",
        "l": "[i, NULL]",
        "m": "MAP {i: 'x'}",
        "u": "union_value(n := i)",
        "d": "INTERVAL (i) DAY",
        "h": "i::HUGEINT",
        "f": "i / 7",
        "e": "['x', 'y'][1 + i % 2]::ENUM('x', 'y')",
        "b": "'x'::BLOB",
    }
    con.execute(f"CREATE TABLE t AS {patients(200, 3, **types)}; CREATE VIEW v AS FROM t")
    con.execute(f"COPY t TO '{tmp_path}/t.parquet' (FORMAT parquet)")
    for name in ("'t'", "'v'", f"""'"{tmp_path}/t.parquet"'"""):
        assert found(con, name)[0] == "patient"
    assert con.execute("""WITH c AS (FROM t) SELECT "column" FROM repeated_people('c') LIMIT 1""").fetchall() == [("patient",)]
    con.execute("CREATE TABLE nobody AS FROM t LIMIT 0")
    assert found(con, "'nobody'") == []
