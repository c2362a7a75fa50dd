"""`safe_harbor` finds what of 45 CFR 164.514(b)(2) a table breaks, against rules in plain Python; it tells no cell value."""

from __future__ import annotations

import datetime
import random
import re

import duckdb
import pytest

SMALL = {"036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878", "879", "884", "890", "893"}

Found = dict[str, dict[str, int]]


def found_in(con: duckdb.DuckDBPyConnection, call: str = "safe_harbor('t')") -> Found:
    """Cells by column and paragraph."""
    found: Found = {}
    for column, paragraph, cells in con.execute(
        f"SELECT column_name, paragraph, sum(cells) FROM {call} GROUP BY ALL"
    ).fetchall():
        found.setdefault(column, {})[paragraph] = int(cells)
    return found


def table_of(con: duckdb.DuckDBPyConnection, **columns: list[object]) -> None:
    con.execute("CREATE OR REPLACE TABLE t AS SELECT " + ", ".join(f'unnest(${name}) AS "{name}"' for name in columns), columns)


NAMED = {
    "(A)": ["name", "first_name", "LastName", "patient name", "Surname", "mother_maiden_name"],
    "(B)": ["street", "home_address", "City", "county", "latitude", "census_tract"],
    "(C)": ["dob", "date_of_birth", "birth_month", "month"],
    "(D)": ["phone", "mobile_no", "Tel"],
    "(E)": ["fax", "fax_number"],
    "(F)": ["email", "e-mail"],
    "(G)": ["ssn", "social_security_number"],
    "(H)": ["mrn", "medical_record_no", "patient_id"],
    "(I)": ["beneficiary_id", "health_plan_number", "member_id"],
    "(J)": ["account", "account_no", "iban"],
    "(K)": ["license_no", "certificate_number", "passport"],
    "(L)": ["vin", "plate", "vehicle_serial"],
    "(M)": ["device_id", "serial_number", "imei"],
    "(N)": ["url", "website"],
    "(O)": ["ip", "ip_address"],
    "(P)": ["fingerprint", "voice_print"],
    "(Q)": ["photo", "face_image"],
    "(R)": ["user_name", "encounter_id"],
}


@pytest.mark.sweep
@pytest.mark.parametrize("paragraph", NAMED)
def test_names_of_columns(con: duckdb.DuckDBPyConnection, paragraph: str) -> None:
    columns = ", ".join(f'i % 2 AS "{name}"' for name in NAMED[paragraph])
    con.execute(f"CREATE TABLE t AS SELECT {columns}, i % 3 AS state, i % 2 AS sex FROM range(60) r(i)")
    found = found_in(con)
    assert set(found) == {*NAMED[paragraph]}
    assert all(cells[paragraph] == 60 for cells in found.values())


FORMS = {
    "(B)": ["98101", "98101-1234"],
    "(C)": ["2020-01-31", "3/1/2020", "seen on March 3, 2020 by", "2020-01", "2020-Q4", "1.3.2020"],
    "(D)": ["206-555-0123", "(206) 555-0123", "call +1 206 555 0123 now", "+49 341 123456"],
    "(F)": ["ann@example.org", "write to a.b@c.de please"],
    "(G)": ["123-45-6789"],
    "(J)": ["DE89 3704 0044 0532 0130 00", "card 4111 1111 1111 1111"],
    "(L)": ["1HGCM82633A004352"],
    "(M)": ["00:1A:2b:3C:4d:5E"],
    "(N)": ["https://example.org/x", "see www.example.org"],
    "(O)": ["192.168.0.1", "from 10.0.0.255:80"],
    "(R)": ["123e4567-e89b-12d3-a456-426614174000"],
}


@pytest.mark.everything
@pytest.mark.parametrize("paragraph", FORMS)
def test_forms_of_texts(con: duckdb.DuckDBPyConnection, paragraph: str) -> None:
    texts = FORMS[paragraph]
    table_of(con, entry=[*texts, None, "*"])
    assert found_in(con) == {"entry": {paragraph: len(texts)}}
    assert not any(text in repr(con.execute("FROM safe_harbor('t')").fetchall()) for text in texts)


def test_other_texts_break_nothing(con: duckdb.DuckDBPyConnection) -> None:
    table_of(
        con,
        icd=["E11.9", "J45.901", "Z00.00", "E11.9"],
        dose=["5-10 mg", "2.5 mg", "1/2", "3 x 2"],
        year=["2020", "2020s", "1999", "2020"],
        version=["1.2.3", "10.4", "1.2.3.400", "7"],
        codes=["12345678", "1234", "981", "5-4-3"],
        wage=["95", "97", "98", "99"],
        state=["WA", "OR", "WA", "OR"],
    )
    assert found_in(con) == {}


def shows_high_age(label: str) -> bool:
    """Whether a label shows an age above 89 in another way than as 90 or older."""
    numbers = [float(each) for each in re.findall(r"[0-9]+(?:\.[0-9]+)?", label)]
    if not numbers or max(numbers) < 90:
        return False
    return not (label == "90+" or (label.endswith(", 90)") and label[0] in "[(") or label == "<90")


@pytest.mark.everything
def test_ages_and_years_of_birth(con: duckdb.DuckDBPyConnection) -> None:
    ages = ["89", "90", "90+", "85+", "95+", "[85, 90)", "[85, 95)", "[90, 95)", "(18, 20)", "<=18", "<90", "<=90"]
    ages += ["[88, 90]", "{88, 93}", "*"]
    now = datetime.datetime.now(tz=datetime.UTC).year
    table_of(con, age=ages, birth_year=[now - 95 + each for each in range(len(ages))])
    expected = sum(each is not None and shows_high_age(each) for each in ages)
    assert expected == 7
    assert found_in(con) == {"age": {"(C)": expected}, "birth_year": {"(C)": 6}}
    con.execute("CREATE OR REPLACE TABLE t AS SELECT i AS age, '<=' || i AS born FROM range(80, 100) r(i)")
    assert found_in(con)["age"] == {"(C)": 10}


def zip_breaks(text: str, fine: set[str] | None = None) -> bool:
    """Whether it shows more than three digits, or three of a small area; ``fine`` are the others."""
    if re.match(r"[0-9]{4}", text):
        return True
    small = text[:3] in SMALL if fine is None else text[:3] not in fine
    return bool(re.match(r"[0-9]{3}(?![0-9])", text)) and text[:3] != "000" and small


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(3))
def test_zip_codes(con: duckdb.DuckDBPyConnection, seed: int) -> None:
    draw = random.Random(seed)
    areas = [*sorted(SMALL), *(f"{draw.randrange(1000):03}" for _ in SMALL)]
    texts = [draw.choice(areas) + draw.choice(["", "**", "01", "4", "XX"]) for _ in range(300)]
    texts += ["000", "98", "9****", "*"]
    table_of(con, home_zip=texts)
    assert found_in(con) == {"home_zip": {"(B)": sum(map(zip_breaks, texts))}}
    fine = {area for area in areas if draw.random() < 0.5} - {areas[0]}
    small = f"SELECT '{areas[0]}' AS zip3, 20000 AS people"
    con.execute(f"CREATE OR REPLACE TABLE areas AS {small} UNION ALL SELECT unnest($1), 20001", [sorted(fine)])
    expected = sum(zip_breaks(text, fine) for text in texts)
    assert found_in(con, "safe_harbor('t', zip_areas := 'areas')") == {"home_zip": {"(B)": expected}}


def test_zip_codes_that_are_numbers_have_their_zeros(con: duckdb.DuckDBPyConnection) -> None:
    table_of(con, zip=[3601, 36, 981, 98101])
    assert found_in(con) == {"zip": {"(B)": 3}}


def test_types_and_numbers_of_values(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "CREATE TABLE t AS SELECT DATE '2020-01-01' + (i % 9)::INT AS seen, now()::TIMESTAMP AS at, i AS code, i % 5 AS ward, "
        "i / 7.0 AS dose, uuid() AS token, ['a', 'b@c.de'] AS tags, {'n': '206-555-0123'} AS nested FROM range(50) r(i)"
    )
    assert found_in(con) == {
        "seen": {"(C)": 50},
        "at": {"(C)": 50},
        "code": {"(R)": 50},
        "token": {"(R)": 50},
        "tags": {"(F)": 50},
        "nested": {"(D)": 50},
    }


@pytest.mark.everything
def test_a_table_that_meets_the_rule(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "CREATE TABLE t AS SELECT ['981**', '000', NULL][1 + i % 3] AS zip, ['90+', '[85, 90)', '34'][1 + i % 3] AS age, "
        "'2026' AS admitted, ['flu', 'asthma'][1 + i % 2] AS disease FROM range(60) r(i)"
    )
    assert found_in(con) == {}
    con.execute("CREATE OR REPLACE TABLE t AS FROM t LIMIT 0")
    assert found_in(con) == {}


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("safe_harbor('t; DROP TABLE t')", "tbl is not the name of a table"),
        ("safe_harbor('t', zip_areas := 'a b')", "zip_areas is not the name of a table"),
        ("safe_harbor('t', zip_areas := 't')", "zip3|people"),
    ],
)
def test_bad_arguments(con: duckdb.DuckDBPyConnection, call: str, told: str) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS zip")
    with pytest.raises(duckdb.Error, match=told):
        con.execute(f"FROM {call}")


MORE_FORMS = {
    "(B)": ["12 Oak Street, Springfield", "lives in Hauptstraße 5", "14 rue de la Paix"],
    "(C)": ["2021-05-01T10:00:00Z", "1 May 2021", "seen on 1. Mai 2021", "3 de mayo de 2021", "2021/05/01"],
    "(D)": ["(206)5550123", "0171-8319186", "+49 171 8319186", "call +49 171 8319186", "06 12 34 56 78"],
    "(L)": ["WVWZZZ1JZXW000001", "car 1HGCM82633A004352"],
    "(O)": ["2001:db8::ff00:42:8329", "from fe80::1", "2001:0db8:0000:0000:0000:ff00:0042:8329"],
}


@pytest.mark.sweep
@pytest.mark.parametrize("paragraph", MORE_FORMS)
def test_forms_of_other_countries(con: duckdb.DuckDBPyConnection, paragraph: str) -> None:
    texts = MORE_FORMS[paragraph]
    table_of(con, entry=[*texts, None, "*"])
    assert found_in(con) == {"entry": {paragraph: len(texts)}}


@pytest.mark.everything
def test_labels_of_zip_codes_show_their_digits(con: duckdb.DuckDBPyConnection) -> None:
    table_of(con, zip=["[98101, 98106]", "{98101, 98112}", "[98101, 98106)", "981**", "[981, 985]", "{036, 981}", "*"])
    assert found_in(con) == {"zip": {"(B)": 4}}
    con.execute("CREATE OR REPLACE TABLE areas AS FROM (VALUES ('981', 30000), ('985', 20001)) AS t(zip3, people)")
    assert found_in(con, "safe_harbor('t', zip_areas := 'areas')") == {"zip": {"(B)": 4}}


@pytest.mark.parametrize("kind", ["VARCHAR", "BIGINT"])
def test_digits_in_one_piece(con: duckdb.DuckDBPyConnection, kind: str) -> None:
    con.execute(
        f"CREATE TABLE t AS SELECT (20210500 + 1 + i % 28)::{kind} AS c1, (2065550100 + i % 9)::{kind} AS c2, "
        f"(12345670 + i % 9)::{kind} AS c3, (98000 + i % 9)::{kind} AS c4 FROM range(60) r(i)"
    )
    found = found_in(con)
    assert found.pop("c4", {}) == ({"(B)": 60} if kind == "VARCHAR" else {})
    assert found == {"c1": {"(C)": 60}, "c2": {"(D)": 60}}


def test_ages_under_another_name(con: duckdb.DuckDBPyConnection) -> None:
    ages = "CASE WHEN i % 50 = 0 THEN 90 + i % 7 ELSE 18 + (i * 37) % 60 END"
    names = ("ageatdx", "c1", "hours_per_week", "score")
    con.execute(
        f"CREATE TABLE t AS SELECT {', '.join(f'{ages} AS {name}' for name in names)}, i % 100 AS c2 FROM range(1000) r(i)"
    )
    assert found_in(con) == {"ageatdx": {"(C)": 20}, "c1": {"(C)": 20}}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("label", ["2026", "1950s", "[1950, 1960)", "[1950, 1960]", "1950-1959", "<=1950"])
def test_a_birth_date_generalized_to_years_breaks_nothing(con: duckdb.DuckDBPyConnection, label: str) -> None:
    table_of(con, date_of_birth=[label.replace("195", "199")] * 30, Geburtsdatum=[label.replace("195", "199")] * 30)
    assert found_in(con) == {}
    table_of(con, date_of_birth=[label.replace("195", "199")] * 30 + ["spring"])
    assert found_in(con) == {"date_of_birth": {"(C)": 1}}


def test_names_and_free_text_are_found_by_their_form(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "CREATE TABLE t AS SELECT ['Ann Smith', 'Peter O''Neill', 'Zed Kowalski'][1 + i % 3] AS c1, "
        "'seen on ward ' || i || ', the family was told at noon' AS c2, "
        "['St. Louis', 'New York', 'Los Angeles'][1 + i % 3] AS c3 FROM range(60) r(i)"
    )
    assert found_in(con) == {"c1": {"(A)": 60}, "c2": {"(R)": 60}}


@pytest.mark.everything
def test_names_of_columns_in_other_languages(con: duckdb.DuckDBPyConnection) -> None:
    named = {"Nachname": "(A)", "Straße": "(B)", "Wohnort": "(B)", "Telefonnummer": "(D)", "codice_fiscale": "(G)"}
    named |= {"Patienten-ID": "(H)", "Versichertennummer": "(I)", "numero_compte": "(J)", "Bemerkung": "(R)"}
    con.execute(
        "CREATE TABLE t AS SELECT " + ", ".join(f"'v' || i % 7 AS \"{name}\"" for name in named) + " FROM range(60) r(i)"
    )
    assert found_in(con) == {name: {paragraph: 60} for name, paragraph in named.items()}
