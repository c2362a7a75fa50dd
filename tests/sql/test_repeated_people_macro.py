"""`repeated_people` against pairs that are counted one by one, on tables of which the truth is known."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from math import log2
from pathlib import Path

import duckdb
import people_tables
import pytest
from people_tables import REPEATED, Columns

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


def shares(columns: Columns, column: str, personal: str) -> tuple[float, float]:
    """Return the shares of pairs that agree: of neighbours within a value, in random order, and of any two rows."""
    rows = [(mine, other) for mine, other in zip(columns[column], columns[personal], strict=True) if None not in (mine, other)]
    several = {value for value, count in Counter(mine for mine, _ in rows).items() if count > 1}
    rows = [row for row in rows if row[0] in several]
    pairs, agreeing = 0, 0.0
    for value in several:
        within = [one == other for one, other in combinations([other for mine, other in rows if mine == value], 2)]
        size = sum(mine == value for mine, _ in rows)
        pairs, agreeing = pairs + size - 1, agreeing + (size - 1) * sum(within) / len(within)
    counts = Counter(other for _, other in rows)
    at_random = sum(n * (n - 1) for n in counts.values()) / (len(rows) * (len(rows) - 1))
    return agreeing / pairs, at_random


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("make", REPEATED, ids=lambda make: make.__name__)
def test_people_with_several_rows_are_found(con: duckdb.DuckDBPyConnection, make: Callable[[int], Columns], seed: int) -> None:
    columns, column = make(seed), REPEATED[make]
    filled(con, columns)
    (first, people, rows, shared, bits), *others = con.execute("FROM repeated_people('t')").fetchall()
    assert (first, people, rows) == (column, len(set(columns[column])), len(columns[column]))
    assert {row[0] for row in others} <= {"born"}
    agreed = {name: shares(columns, column, name) for name in shared}
    assert all(own >= 0.9 and at_random <= 0.7 for own, at_random in agreed.values())
    assert bits == pytest.approx(sum(log2(1 / at_random) for _, at_random in agreed.values()))


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
    order = random.Random(1).sample(range(len(columns["zip"])), len(columns["zip"]))
    filled(con, {name: [values[place] for place in order] for name, values in columns.items()})
    (after,) = con.execute("FROM repeated_people('t')").fetchall()
    assert [after] == [(*before[0][:-1], pytest.approx(before[0][-1]))]


@pytest.mark.sweep
@pytest.mark.parametrize(("people", "visits", "names"), [(30, 2, ["patient"]), (29, 2, []), (10, 9, ["patient"]), (9, 9, [])])
def test_thirty_pairs_and_ten_values_are_needed(
    con: duckdb.DuckDBPyConnection, people: int, visits: int, names: list[str]
) -> None:
    con.execute(f"CREATE TABLE t AS {patients(people, visits)}")
    assert found(con)[:1] == names  # a few people have birth dates and zip codes of their own


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
    assert found(con, "'t', ['b', 'C\"D', 'E']") == ["a", "B"]
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


@pytest.mark.everything
def test_a_part_of_a_large_table_is_enough_and_people_are_exact(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"CREATE TABLE t AS {patients(40_001, 5, product='i * 31 % 400', price='i * 31 % 400 * 3', visit='i')}")
    con.execute("INSERT INTO t (patient, visit) SELECT 50000, i FROM range(7) t(i)")
    rows = [row[:4] for row in con.execute("FROM repeated_people('t')").fetchall()]
    assert rows[0] == ("patient", 40_002, 200_012, ["born", "zip", "sex"])
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
