"""A database is released whole: every table, one state, nothing finer about a person in one table than in another."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import duckdb
import pytest
from hospital import PATIENTS, POLICIES, STAYS, covers, make, people_of_classes, rows

import kanon_sql
from kanon_sql.errors import InfeasibleError, KanonError, PolicyError, SourceError
from kanon_sql.model.policy_file import read, written

TABLES = ["kanon_certificates", "kanon_columns", "patients", "scripts", "stays"]
K = 3


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("hospital") / "clinic.duckdb")


def policies(folder: Path, text: str = POLICIES) -> Path:
    path = folder / "policies.yaml"
    path.write_text(text)
    return path


@pytest.mark.everything
def test_all_tables_are_released_into_a_private_file(source: Path, tmp_path: Path) -> None:
    public = tmp_path / "public.duckdb"
    certificates = kanon_sql.release_database(source, public, policies=policies(tmp_path))
    assert list(certificates) == ["patients", "scripts", "stays"]
    assert stat.S_IMODE(public.stat().st_mode) == 0o600
    assert [each["name"] for each in rows(public, "SELECT name FROM (SHOW TABLES) ORDER BY name")] == TABLES
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policies.yaml", "public.duckdb"]
    assert list(rows(public, "FROM stays")[0]) == ["patient", "ward", "month", "number", "zip", "born", "sex"]
    assert list(rows(public, "FROM patients")[0]) == ["patient", "zip", "born", "sex", "number"]
    for release, certificate in certificates.items():
        stated = rows(public, f"FROM kanon_certificates WHERE release = '{release}'")[0]
        read_again = kanon_sql.Certificate.from_json(stated["certificate"])
        assert (read_again.cost, read_again.rows, read_again.prices) == (certificate.cost, certificate.rows, None)
    told = {(each["release"], each["column"]): each["role"] for each in rows(public, "FROM kanon_columns")}
    assert told["stays", "patient"] == "group"
    assert told["scripts", "zip"] == "quasi-identifier"
    assert told["patients", "number"] == "kept"


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(30))
def test_who_knows_everything_finds_k_people_in_each_table(tmp_path: Path, seed: int) -> None:
    require_k_people(tmp_path, seed)


@pytest.mark.everything
@pytest.mark.parametrize("first", range(30, 1030, 50))
def test_who_knows_everything_finds_k_people_in_a_thousand_databases(tmp_path: Path, first: int) -> None:
    for seed in range(first, first + 50):
        (tmp_path / str(seed)).mkdir()
        require_k_people(tmp_path / str(seed), seed)


def require_k_people(tmp_path: Path, seed: int) -> None:
    """Release a generated database, and look for each person with all that the source says of the person."""
    size = 15 + seed * 7 % 50
    source, public = make(tmp_path / "clinic.duckdb", size, size * (1 + seed % 4), seed=seed), tmp_path / "public.duckdb"
    kanon_sql.release_database(source, public, policies=policies(tmp_path))
    people = rows(source, "FROM patients")
    shown = {row["number"]: row for row in rows(public, "FROM patients")}
    true_of = {row["patient"]: row for row in people}
    shown_of = {row["patient"]: shown[row["number"]] for row in people}
    for table, facts in (("stays", "stays"), ("scripts", "prescriptions")):
        behind, released = rows(source, f"FROM {facts}"), rows(public, f"FROM {table}")
        assert len(released) == len(behind)
        assert min(map(len, people_of_classes(behind, released, {"number"}))) >= K
        person = {row["number"]: row["patient"] for row in behind}
        for row in released:
            of_person = shown_of[person[row["number"]]]
            assert all(covers(row[name], of_person[name]) for name in ("zip", "born", "sex"))
            assert all(covers(of_person[name], true_of[person[row["number"]]][name]) for name in ("zip", "born", "sex"))
            assert row.get("patient") in (None, of_person["patient"])
    assert min(map(len, people_of_classes(people, list(shown.values()), {"number"}))) >= K
    tokens = {row["patient"]: (row["zip"], row["born"], row["sex"]) for row in shown.values()}
    assert len(tokens) == len(set(tokens.values())) == len({(r["zip"], r["born"], r["sex"]) for r in shown.values()})


@pytest.mark.everything
def test_no_secret_of_the_source_is_in_the_file(source: Path, tmp_path: Path) -> None:
    public = tmp_path / "public.duckdb"
    kanon_sql.release_database(source, public, policies=policies(tmp_path), secret="the secret of this test")
    there, held = source.read_bytes(), public.read_bytes()
    texts = [b"NAME-OF-", b"NOTE-OF-", b"prescriptions", b"7000000000"]
    assert [text in there for text in texts] == [True, True, True, True]
    keys = [int(row["patient"]).to_bytes(8, "little") for row in rows(source, "FROM patients")]
    assert not [text for text in [*texts, b"the secret of this test", *keys] if text in held]


@pytest.mark.everything
def test_parquet_files_hold_the_same_rows(source: Path, tmp_path: Path) -> None:
    file = policies(tmp_path)
    kanon_sql.release_database(source, tmp_path / "public.duckdb", policies=file)
    kanon_sql.release_database(source, tmp_path / "public", policies=file, format="parquet")
    names = {path.name for path in (tmp_path / "public").iterdir()}
    assert names == {f"{table}.parquet" for table in TABLES} | {f"{table}.certificate.json" for table in TABLES[2:]}
    for table in TABLES:
        query = "SELECT release, fingerprint FROM {}" if table == "kanon_certificates" else "FROM {}"
        with duckdb.connect() as con:
            parquet = con.execute(query.format(f"'{tmp_path}/public/{table}.parquet'")).fetchall()
        with duckdb.connect(str(tmp_path / "public.duckdb")) as con:
            assert con.execute(query.format(table)).fetchall() == parquet
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "public").iterdir()} == {0o600}


@pytest.mark.everything
def test_policies_keep_their_queries_in_files_and_databases(source: Path, tmp_path: Path) -> None:
    known = read(POLICIES, "policies.yaml")
    for ending in (".yaml", ".json"):
        assert read(written(known, ending), f"policies{ending}") == known
    copy = tmp_path / "clinic.duckdb"
    copy.write_bytes(source.read_bytes())
    with kanon_sql.connect(str(copy)) as con:
        from kanon_sql.engines.duckdb.policies.stored_policies import Policies

        stored = Policies(lambda query: con.execute(query).fetchall())
        for each in known:
            con.execute(stored.create(each, replace=False))
    from_file = kanon_sql.release_database(source, tmp_path / "1.duckdb", policies=policies(tmp_path))
    stored_ones = kanon_sql.release_database(copy, tmp_path / "2.duckdb")
    assert [each.cost for each in from_file.values()] == [each.cost for each in stored_ones.values()]
    assert rows(tmp_path / "1.duckdb", "FROM stays") == rows(tmp_path / "2.duckdb", "FROM stays")


@pytest.mark.everything
def test_facts_without_a_person_are_counted(source: Path, tmp_path: Path) -> None:
    copy = tmp_path / "clinic.duckdb"
    copy.write_bytes(source.read_bytes())
    with duckdb.connect(str(copy)) as con:
        con.execute("INSERT INTO stays SELECT 5, 'eyes', 1, 1000 UNION ALL SELECT NULL, 'eyes', 1, 1001")
    certificates = kanon_sql.release_database(copy, tmp_path / "public.duckdb", policies=policies(tmp_path))
    assert "stays: 2 rows have no person in patients, so the person's columns are empty" in certificates["stays"].warnings
    assert certificates["stays"].rows == 152
    strangers = rows(tmp_path / "public.duckdb", "SELECT DISTINCT zip, born, sex, patient FROM stays WHERE number >= 1000")
    assert strangers == [{"zip": None, "born": None, "sex": None, "patient": None}]


BROKEN = {
    "the table of people has no policy": (f"policies:{STAYS}", PolicyError, "no policy declares PERSON; hint: write PERSON"),
    "a policy without its table": (
        "policies:" + STAYS.replace("person: true", "person: {column: patient, table: patients}"),
        PolicyError,
        "which no policy releases",
    ),
    "a circle": (
        "policies:"
        + PATIENTS.replace("table: patients, columns: [zip, born, sex]", "table: stays").replace(
            "type: k, k: 3", "type: people, k: 3, per: patient"
        )
        + STAYS.replace("person: true", "person: {column: patient, table: patients}"),
        PolicyError,
        "but the policy of stays uses the person from",
    ),
    "one name twice": (
        POLICIES.replace("name: scripts", "name: scripts\n  release: Stays"),
        PolicyError,
        'both release "[Ss]tays"',
    ),
    "a reserved name": (POLICIES.replace("name: scripts", "name: scripts\n  release: kanon_columns"), PolicyError, "reserved"),
    "rows instead of people": (
        POLICIES.replace("type: people, k: 3, per: patient", "type: k, k: 3"),
        PolicyError,
        "does not count people by it; hint: write GUARANTEE k >= 5 PER patient",
    ),
    "a group without people": (
        POLICIES.replace("person: true\n  groups: [patient]", "groups: [patient]"),
        PolicyError,
        "not the key of a table of people",
    ),
    "no such table": (POLICIES.replace("table: stays", "table: '\"stays.csv\"'"), KanonError, "stays.csv"),
    "a query that reads a file": (
        POLICIES.replace("FROM prescriptions", "FROM read_text('/etc/hostname')"),
        KanonError,
        "disabled by configuration",
    ),
    "two statements": (
        POLICIES.replace("FROM prescriptions", "FROM prescriptions; DROP TABLE stays"),
        KanonError,
        "single SELECT",
    ),
    "a query that groups": (
        POLICIES.replace("FROM prescriptions", "FROM prescriptions GROUP BY ALL").replace(
            "patient, drug", "max(patient) AS patient, drug"
        ),
        KanonError,
        "GROUP BY can merge several people",
    ),
    "a column without a role": (
        POLICIES.replace("kept: [number]\n  quasi_identifiers: [{column: drug}]", "quasi_identifiers: [{column: drug}]"),
        PolicyError,
        '"number" has no role',
    ),
    "a key of another type": (
        POLICIES.replace("SELECT patient,", "SELECT patient::VARCHAR AS patient,"),
        PolicyError,
        "is VARCHAR here, but BIGINT in patients",
    ),
    "no key": (POLICIES.replace("SELECT patient,", "SELECT patient AS whose,"), KanonError, 'unknown column "patient"'),
    "a column of the person": (
        POLICIES.replace("SELECT patient,", "SELECT patient, 1 AS born,"),
        PolicyError,
        "and its person both have the column",
    ),
    "no release": (POLICIES.replace("k: 3, per", "k: 300, per"), KanonError, 'the release "scripts": .*300'),
}


@pytest.mark.sweep
@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_is_named_and_nothing_is_written(source: Path, tmp_path: Path, case: str) -> None:
    text, kind, words = BROKEN[case]
    before = source.read_bytes()
    with pytest.raises(kind, match=words) as error:
        kanon_sql.release_database(source, tmp_path / "public.duckdb", policies=policies(tmp_path, text))
    assert "7000000" not in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["policies.yaml"]
    assert source.read_bytes() == before


@pytest.mark.everything
def test_no_error_quotes_a_value_of_the_source(source: Path, tmp_path: Path) -> None:
    for change in ("note::INTEGER AS number", "drug::INTEGER AS drug, number"):
        text = POLICIES.replace("drug, number FROM", f"{change} FROM").replace("patient, note", "patient, drug, note")
        with pytest.raises(KanonError) as error:
            kanon_sql.release_database(source, tmp_path / "public.duckdb", policies=policies(tmp_path, text))
        assert "a value does not fit the type of its column" in str(error.value)
        assert "NOTE-OF" not in str(error.value)
        assert error.value.__cause__ is None


def test_a_source_that_is_open_for_writing_is_refused(source: Path, tmp_path: Path) -> None:
    copy = tmp_path / "clinic.duckdb"
    copy.write_bytes(source.read_bytes())
    with duckdb.connect(str(copy)) as con:
        con.execute("CREATE TABLE more AS SELECT 1 AS a")
        with pytest.raises(SourceError, match=r"clinic\.duckdb is open in this program; hint: close"):
            kanon_sql.release_database(copy, tmp_path / "public.duckdb", policies=policies(tmp_path))


@pytest.mark.everything
def test_a_table_of_people_may_count_them_itself(source: Path, tmp_path: Path) -> None:
    text = POLICIES.replace("requirements: [{type: k, k: 3}]", "requirements: [{type: people, k: 3, per: patient}]")
    kanon_sql.release_database(source, tmp_path / "public.duckdb", policies=policies(tmp_path, text))
    assert list(rows(tmp_path / "public.duckdb", "FROM patients")[0]) == ["patient", "zip", "born", "sex", "number"]
    unseen = text.replace("groups: [patient]", "identifiers: [patient]").replace(
        "identifiers: [name]\n  identifiers: [patient]", "identifiers: [name, patient]"
    )
    kanon_sql.release_database(source, tmp_path / "other.duckdb", policies=policies(tmp_path, unseen))
    assert list(rows(tmp_path / "other.duckdb", "FROM patients")[0]) == ["zip", "born", "sex", "number"]


def test_a_key_twice_in_the_table_of_people_is_refused(source: Path, tmp_path: Path) -> None:
    copy = tmp_path / "clinic.duckdb"
    copy.write_bytes(source.read_bytes())
    with duckdb.connect(str(copy)) as con:
        con.execute("INSERT INTO patients SELECT * FROM patients LIMIT 2")
    with pytest.raises(SourceError, match="2 rows repeat a value of"):
        kanon_sql.release_database(copy, tmp_path / "public.duckdb", policies=policies(tmp_path))


def test_what_exists_is_not_replaced(source: Path, tmp_path: Path) -> None:
    (tmp_path / "old.duckdb").write_text("old")
    with pytest.raises(SourceError, match="exists; hint"):
        kanon_sql.release_database(source, tmp_path / "old.duckdb", policies=policies(tmp_path))
    assert (tmp_path / "old.duckdb").read_text() == "old"
    with pytest.raises(SourceError, match="there is no database"):
        kanon_sql.release_database(tmp_path / "none.duckdb", tmp_path / "new.duckdb", policies=policies(tmp_path))
    with pytest.raises(SourceError, match="cannot read"):
        kanon_sql.release_database(tmp_path / "old.duckdb", tmp_path / "new.duckdb", policies=policies(tmp_path))


@pytest.mark.everything
def test_thirty_tables_in_one_run(tmp_path: Path) -> None:
    source = make(tmp_path / "clinic.duckdb", people=30, facts=40)
    with duckdb.connect(str(source)) as con:
        for number in range(29):
            con.execute(f"CREATE TABLE facts{number} AS SELECT * REPLACE (month + {number} AS month) FROM stays")
    facts = [STAYS.replace("stays", f"facts{number}").replace("groups: [patient]", "identifiers: []") for number in range(29)]
    certificates = kanon_sql.release_database(
        source, tmp_path / "public.duckdb", policies=policies(tmp_path, f"policies:{PATIENTS}{''.join(facts)}")
    )
    assert len(certificates) == 30
    assert len(rows(tmp_path / "public.duckdb", "SELECT DISTINCT release FROM kanon_columns")) == 30


@pytest.mark.everything
def test_no_type_lists_values_that_the_query_leaves_out(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "source.duckdb")) as con:
        con.execute("CREATE TYPE mood AS ENUM ('glad', 'LEFT-OUT', 'sad')")
        con.execute(
            "CREATE TABLE t AS SELECT i % 3 AS a, (['glad', 'sad', 'LEFT-OUT'][1 + i % 3])::mood AS m FROM range(90) AS r(i)"
        )
    policies = """
policies:
- name: moods
  query: SELECT a, m, [m] AS more FROM t WHERE m <> 'LEFT-OUT'
  kept: [m, more]
  quasi_identifiers: [{column: a}]
  requirements: [{type: k, k: 3}]
"""
    (tmp_path / "policies.yaml").write_text(policies)
    kanon_sql.release_database(tmp_path / "source.duckdb", tmp_path / "public.duckdb", policies=tmp_path / "policies.yaml")
    assert b"LEFT-OUT" not in (tmp_path / "public.duckdb").read_bytes()
    with duckdb.connect(str(tmp_path / "public.duckdb"), read_only=True) as con:
        assert [str(each) for each in con.table("moods").types] == ["BIGINT", "VARCHAR", "VARCHAR[]"]


PEOPLE, KEY = '"odd ""people"', 'the "key'

ODD = [
    {
        "name": "people",
        "table": PEOPLE,
        "person": {"column": KEY, "table": PEOPLE, "columns": ["select"]},
        "groups": [KEY],
        "quasi_identifiers": [{"column": "select", "recoding": {"type": "digits"}}, {"column": "x'y"}],
        "requirements": [{"type": "k", "k": 3}],
    },
    {
        "name": "facts",
        "table": "facts",
        "person": True,
        "groups": [KEY],
        "quasi_identifiers": [{"column": "from"}],
        "requirements": [{"type": "people", "k": 3, "per": KEY}],
    },
]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(("count", "long"), [(0, False), (1, False), (2, False), (60, False), (60, True)])
def test_odd_names_nulls_long_cells_and_few_rows(tmp_path: Path, count: int, long: bool) -> None:
    source, public, policies = (tmp_path / name for name in ("source.duckdb", "public.duckdb", "policies.json"))
    policies.write_text(json.dumps({"policies": ODD}))
    with duckdb.connect(str(source)) as con:
        con.execute(
            f"""CREATE TABLE {PEOPLE} AS SELECT 'K' || i AS "the ""key", '98' || i % 3 || '0' AS "select",
                CASE WHEN i % 4 > 0 THEN i % 2 END AS "x'y" FROM range({count}) r(i)"""
        )
        con.execute(f'CREATE TABLE facts AS SELECT "the ""key", i % 3 AS "from" FROM {PEOPLE}, range(3) r(i)')
        if long:
            con.execute(f"""UPDATE {PEOPLE} SET "select" = repeat('z', 100_000) WHERE "the ""key" = 'K1'""")
    if 0 < count < 3:
        with pytest.raises(InfeasibleError, match=f"the table has {count} rows?, fewer than k = 3"):
            kanon_sql.release_database(source, public, policies=policies)
        assert not public.exists()
        return
    released = kanon_sql.release_database(source, public, policies=policies)
    assert [each.rows for each in released.values()] == [count, 3 * count]
    assert all(each.smallest_class is None or each.smallest_class >= 3 for each in released.values())
    assert b"zzzzz" not in public.read_bytes()
