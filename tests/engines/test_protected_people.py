"""Protected tables settle whom a row describes: on every surface, before anything is counted."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.cli import main
from kanon_sql.errors import ClauseError, KanonError, KanonWarning, PolicyError, SourceError
from kanon_sql.model.refusals import IdentifierError
from kanon_sql.model.repetition import RepeatedPeopleError

VISITS = """CREATE TABLE visits AS SELECT i // 4 AS patient, hash(i // 4) % 90 AS zip, hash(i // 4 + 1) % 70 AS born,
    ['f', 'm'][1 + (hash(i // 4 + 2) % 2)::INT] AS sex, i % 5 AS ward, i * 37 % 90 AS cost FROM range(800) AS t(i)"""

PATIENTS = "CREATE TABLE patients AS FROM visits QUALIFY row_number() OVER (PARTITION BY patient ORDER BY ward) = 1"

TABLE = "SELECT sex, count(*) AS n FROM {} GROUP BY CUBE (sex) PROTECT n >= 5"

ALONE = " USING auto (earlier = 'ignore')"


@pytest.fixture
def con() -> Any:
    con = kanon_sql.connect()
    con.execute(f"{VISITS}; {PATIENTS}")
    return con


def total(rows: list[tuple[Any, ...]]) -> int:
    return max(row[-1] for row in rows)


def by_clause(con: Any, table: str, *, per: str | None = None, per_row: bool = False) -> int:
    who = f" PER {per}" if per else " PER ROW" * per_row
    return total(con.execute(f"{TABLE.format(table)}{who}{ALONE}").fetchall())


def by_function(con: Any, table: str, *, per: str | None = None, per_row: bool = False) -> int:
    who = f", per := '{per}'" if per else ", per_row := true" * per_row
    return total(con.execute(f"FROM protect('{table}', by := ['sex'], earlier := 'ignore'{who})").fetchall())


def by_python(con: Any, table: str, **who: Any) -> int:
    found = kanon_sql.protect(con.raw.table(table).to_arrow_table(), ["sex"], **who)
    return total([tuple(row.values()) for row in found.table.to_pylist()])


def together(con: Any, table: str, **who: Any) -> int:
    asked = [{"by": ["sex"], **who}, {"by": ["sex"], "grouping": "plain", **who}]
    found = kanon_sql.protect_together(con.raw.table(table), asked)
    return total(found[0].table.fetchall())


def by_block(con: Any, table: str, *, per: str | None = None, per_row: bool = False) -> int:
    who = f" PER {per}" if per else " PER ROW" * per_row
    con.execute(f"BEGIN PROTECTED; CREATE OR REPLACE TABLE counts AS {TABLE.format(table)}{who}{ALONE}; COMMIT")
    return total(con.execute("FROM counts").fetchall())


def by_policy(con: Any, table: str, *, per: str | None = None, per_row: bool = False) -> int:
    who = f" PER {per}" if per else " PER ROW" * per_row
    con.execute(f"CREATE OR REPLACE ANONYMIZATION POLICY weekly ON {table} (PROTECT n >= 5{who}{ALONE})")
    text = TABLE.format(table).replace("PROTECT n >= 5", "PROTECT WITH POLICY weekly")
    return total(con.execute(text).fetchall())


def by_command(con: Any, table: str, *, per: str | None = None, per_row: bool = False) -> int:
    with TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.csv", Path(folder) / "out.csv"
        con.raw.table(table).to_csv(str(source))
        who = ["--per", per] if per else ["--per-row"] * per_row
        done = CliRunner().invoke(main, ["protect", str(source), "-o", str(target), "--by", "sex", *who])
        if done.exit_code:
            assert not target.exists()
            raise PolicyError(done.stderr)
        return total(duckdb.connect().read_csv(str(target)).fetchall())


SURFACES = {
    by_clause: ("write n >= 5 PER patient, or n >= 5 PER ROW if each row is a person", RepeatedPeopleError),
    by_function: ("pass per := 'patient', or per_row := true if each row is a person", RepeatedPeopleError),
    by_python: ("pass per='patient', or per_row=True if each row is a person", RepeatedPeopleError),
    together: ("pass per='patient', or per_row=True if each row is a person", RepeatedPeopleError),
    by_block: ("write n >= 5 PER patient, or n >= 5 PER ROW if each row is a person", RepeatedPeopleError),
    by_policy: ("write n >= 5 PER patient, or n >= 5 PER ROW if each row is a person", RepeatedPeopleError),
    by_command: ("pass --per patient, or --per-row if each row is a person", PolicyError),
}


@pytest.mark.everything
@pytest.mark.parametrize("surface", SURFACES, ids=lambda surface: surface.__name__)
def test_people_with_several_rows_are_refused_or_counted(con: Any, surface: Callable[..., int]) -> None:
    hint, kind = SURFACES[surface]
    with pytest.raises(kind) as error:
        surface(con, "visits")
    agree = "rows that share its value agree on zip, born and sex"
    told = f"patient repeats people: {agree}; n >= 5 would count rows, not people: 200 people"
    assert told in str(error.value)
    assert hint in str(error.value)
    assert surface(con, "visits", per="patient") == 200
    assert surface(con, "visits", per_row=True) == 800
    assert surface(con, "patients") == 200


def test_the_refusal_says_what_it_found(con: Any) -> None:
    with pytest.raises(RepeatedPeopleError) as error:
        con.execute(TABLE.format("visits"))
    found = error.value
    assert (found.column, found.people, found.rows, set(found.shared)) == ("patient", 200, 800, {"zip", "born", "sex"})
    assert not con.execute("FROM kanon_protected_tables()").fetchall()


def test_the_hint_calls_the_count_as_the_query_does(con: Any) -> None:
    with pytest.raises(RepeatedPeopleError, match="write people >= 5 PER patient, or people >= 5 PER ROW"):
        con.execute("SELECT sex, count(*) AS people FROM visits GROUP BY sex PROTECT people >= 5")


@pytest.mark.everything
def test_a_certificate_says_that_rows_are_people(con: Any) -> None:
    by_clause(con, "visits", per_row=True)
    by_clause(con, "visits", per="patient")
    by_clause(con, "patients")
    requirements = con.execute("SELECT requirements FROM kanon_protected_tables()").fetchall()
    assert [str(each).count("PER ROW") for (each,) in requirements] == [1, 0, 0]
    assert [str(each).count("PER patient") for (each,) in requirements] == [0, 1, 0]


@pytest.mark.parametrize("explained", [False, True])
def test_parameters_and_explanations_are_settled_too(con: Any, explained: bool) -> None:
    text = f"{'EXPLAIN PROTECT ' * explained}{TABLE.format('{} WHERE ward <> ?')}"
    with pytest.raises(RepeatedPeopleError, match="200 people have 640"):
        con.execute(text.format("visits"), [2])
    assert con.execute(f"{text.format('visits')} PER ROW", [2]).fetchall()
    assert con.execute(f"{text.format('patients')}{ALONE}", [2]).fetchall()


def test_a_join_that_repeats_people_is_refused(con: Any) -> None:
    con.execute("CREATE VIEW six AS FROM range(6)")
    for source in ("patients CROSS JOIN six", "patients AS p JOIN visits AS v USING (patient)", "(FROM patients, six)"):
        with pytest.raises(RepeatedPeopleError, match="patient repeats people"):
            con.execute(TABLE.format(source).replace("sex", "sex" if "AS p" not in source else "p.sex"))


def test_a_column_that_is_named_row_tells_people_apart(con: Any) -> None:
    con.execute('CREATE TABLE odd AS SELECT patient AS "row", * EXCLUDE (patient) FROM visits')
    assert total(con.execute(f'{TABLE.format("odd")} PER "row"').fetchall()) == 200


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("source", "told", "who"),
    [
        ("(SELECT sex, zip, max(patient) AS patient FROM visits GROUP BY ALL)", "GROUP BY can merge", None),
        ("(SELECT sex, zip, max(patient) AS patient FROM visits GROUP BY ALL)", "GROUP BY can merge", "patient"),
        ("(SELECT DISTINCT sex, zip FROM visits)", "remove DISTINCT", None),
        ("(SELECT sex, ward, zip FROM visits UNION SELECT sex, ward, zip FROM patients)", "UNION ALL, which keeps a row", None),
    ],
)
def test_groups_are_not_people(con: Any, source: str, told: str, who: str | None) -> None:
    text = f"{TABLE.format(source)}{'' if who is None else f' PER {who}'}"
    with pytest.raises(ClauseError, match=rf"{told}.* n >= 5 PER ROW") as error:
        con.execute(text)
    assert "line 1" in str(error.value)
    assert con.execute(f"{TABLE.format(source)} PER ROW").fetchall()


def test_groups_of_one_person_each_are_people(con: Any) -> None:
    source = "(SELECT patient, sex, sum(cost) AS cost FROM visits GROUP BY ALL)"
    assert total(con.execute(f"WITH v AS {source} {TABLE.format('v')} PER patient").fetchall()) == 200
    with pytest.raises(ClauseError, match="group once, in the protected query"):
        con.execute(f"WITH v AS {source} {TABLE.format('v')}")


@pytest.mark.sweep
@pytest.mark.parametrize("key", ["surname", "email", '"Patienten-ID"'])
def test_keys_that_look_like_identifiers_are_refused(con: Any, key: str) -> None:
    con.execute(f"CREATE TABLE named AS SELECT 'v' || ward AS {key}, * FROM patients")
    for text in (f"SELECT {key}, count(*) AS n FROM named GROUP BY ALL PROTECT n >= 5 ROWS ABSENT", f"{{}} {ALONE}"):
        with pytest.raises(IdentifierError, match="remove it from GROUP BY"):
            con.execute(text.format(f"SELECT sex, {key}, count(*) AS n FROM named GROUP BY CUBE (sex, {key}) PROTECT n >= 5"))
    name = key.strip('"')
    with pytest.raises(IdentifierError, match="remove it from by") as error:
        kanon_sql.protect(con.raw.table("named"), ["sex", name])
    assert error.value.columns == (name,)
    assert con.execute(f"SELECT {key} AS ward_name, count(*) AS n FROM named GROUP BY ALL PROTECT n >= 5{ALONE}").fetchall()


def test_texts_of_a_key_are_recognized(con: Any) -> None:
    con.execute("CREATE TABLE mail AS SELECT 'jo' || ward || '@example.com' AS contact, * FROM patients")
    with pytest.raises(IdentifierError, match="contact"):
        con.execute("SELECT contact, count(*) AS n FROM mail GROUP BY contact PROTECT n >= 5")
    levels = f"SELECT contact, count(*) AS n FROM mail GROUP BY CUBE (contact IN DIGITS (2)) PROTECT n >= 5{ALONE}"
    assert con.execute(levels).fetchall()


def test_what_may_repeat_people_is_a_warning_of_the_table(con: Any) -> None:
    con.execute("""CREATE TABLE homes AS SELECT i // 3 AS household, hash(i // 3) % 300 AS zip, hash(i // 3, 1) % 40 AS income,
        hash(i // 3, 2) % 4 AS race, hash(i, 3) % 80 AS age, hash(i, 4) % 2 AS sex FROM range(900) AS t(i)""")
    with pytest.warns(KanonWarning, match="count PER household if it is a person"):
        con.execute("SELECT sex, race, count(*) AS n FROM homes GROUP BY CUBE (sex, race) PROTECT n >= 5").fetchall()
    assert "PER household" in str(con.execute("SELECT warnings FROM kanon_protected_tables()").fetchall())
    explained = con.execute(
        f"EXPLAIN PROTECT SELECT sex, count(*) AS n FROM homes GROUP BY sex PROTECT n >= 5{ALONE}"
    ).fetchall()
    assert "PER household" in str(explained)


def test_geography_is_not_people() -> None:
    con = kanon_sql.connect()
    con.execute(
        "CREATE TABLE t AS SELECT i % 500 // 50 AS state, i % 500 // 5 AS county, i % 500 AS zip FROM range(6000) AS t(i)"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = "SELECT state, county, zip, count(*) AS n FROM t GROUP BY ROLLUP (state, county, zip) PROTECT n >= 5"
        assert total(con.execute(text).fetchall()) == 6000


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("clause", "told"),
    [
        ("n >= 5 PER patient AND n >= 6 PER ROW", "per counts people, but per_row counts rows"),
        (
            "n >= 5 PER cost",
            "PER cost and count(DISTINCT patient) count different people; hint: write PROTECT n >= 5 PER patient",
        ),
        ("n >= 5 PER ROW", "count(DISTINCT patient) counts people; hint: write count(*), or PROTECT n >= 5 PER patient"),
        ("n >= 5", "count(DISTINCT patient) counts people; hint: write PROTECT n >= 5 PER patient"),
    ],
)
def test_what_contradicts_itself_is_refused(con: Any, clause: str, told: str) -> None:
    with pytest.raises(ClauseError) as error:
        con.execute(f"SELECT sex, count(DISTINCT patient) AS n FROM visits GROUP BY sex PROTECT {clause}")
    assert told in str(error.value)


def test_a_policy_says_that_rows_are_people(con: Any) -> None:
    con.execute("CREATE ANONYMIZATION POLICY weekly ON visits (PROTECT n >= 5 PER ROW)")
    ((text,),) = con.execute("SELECT policy FROM kanon_policies WHERE name = 'weekly'").fetchall()
    assert '"per_row":true' in text
    found = con.execute("FROM protect('visits', by := ['sex'], policy := 'weekly')").fetchall()
    assert total(found) == 800
    with pytest.raises(PolicyError, match="per_row must be true or false"):
        kanon_sql.protect(con.raw.table("patients"), ["sex"], per_row="yes")


def test_a_stream_is_read_once(con: Any) -> None:
    table = con.raw.table("patients").to_arrow_table()
    for name in ("patients", "visits"):
        table = con.raw.table(name).to_arrow_table()
        con.raw.register("stream", pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=50)))
        if name == "patients":
            assert by_clause(con, "stream") == 200
        else:
            with pytest.raises(RepeatedPeopleError):
                by_clause(con, "stream")


@pytest.mark.everything
def test_a_release_below_a_table_is_made_once(con: Any) -> None:
    inner = "(SELECT sex, ward FROM patients ANONYMIZE BY sex, ward GUARANTEE k >= 5)"
    assert con.execute(TABLE.format(inner)).fetchall()
    assert len(con.execute("FROM kanon_releases()").fetchall()) == 1


def test_an_error_of_the_source_shows_no_cell(con: Any) -> None:
    with pytest.raises((SourceError, KanonError)) as error:
        con.execute("SELECT sex, count(*) AS n FROM visits WHERE CAST(sex AS INT) = 1 GROUP BY sex PROTECT n >= 5")
    assert "'f'" not in str(error.value)


def test_all_rows_of_a_person_are_one_contribution() -> None:
    """The person 0 has two contributions of 50 to the east; together they are nearly all of its sum."""
    con = kanon_sql.connect()
    con.execute(
        "CREATE TABLE t AS SELECT greatest(i - 1, 0) AS person, ['east', 'west', 'north'][1 + person // 9] AS wing, "
        "CASE WHEN i < 2 THEN 50 ELSE 1 + i % 3 END AS cost FROM range(28) t(i)"
    )
    sql = "SELECT wing, count(*) AS n, sum(cost) AS s FROM t GROUP BY CUBE (wing) PROTECT n >= 3 PER {} AND p(s) >= 15 " + ALONE
    by_row, by_person = (dict(con.execute(f"SELECT wing, s FROM ({sql.format(who)})").fetchall()) for who in ("ROW", "person"))
    assert by_row["east"] == 100 + con.execute("SELECT sum(cost) FROM t WHERE wing = 'east' AND person > 0").fetchall()[0][0]
    assert by_person["east"] is None
