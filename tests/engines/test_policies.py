"""Policies stored in the database: what they release, that they fail closed, and that they follow the transaction."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from asking import class_sizes

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.engines.duckdb.versions import BUSY
from kanon_sql.errors import ClauseError, KanonError, PolicyError, SourceError

PATIENTS = """
CREATE TABLE patients AS SELECT 'name' || i AS name, 4711000 + i AS ssn, 'z' || (i % 7) AS zip, 20 + i % 11 AS age,
    'd' || (i % 3) AS disease, 'note ' || i AS notes FROM range(120) r(i)
"""

RESEARCH = """CREATE ANONYMIZATION POLICY research ON patients (
    IDENTIFIER name, ssn; BY zip, age; KEEP notes; GUARANTEE k >= 5 AND l(disease) >= 2)"""


@pytest.fixture
def clinic(request: pytest.FixtureRequest) -> Iterator[Connection]:
    if request.node.get_closest_marker("own_connection"):
        with kanon_sql.connect() as connection:
            connection.execute(PATIENTS)
            connection.execute(RESEARCH)
            yield connection
    else:
        connection = request.getfixturevalue("shared_clause")
        connection.execute(PATIENTS)
        connection.execute(RESEARCH)
        yield connection


def rows(con: Connection, query: str) -> list[tuple[object, ...]]:
    return con.execute(query).fetchall()


def names(con: Connection, query: str) -> list[str]:
    return [column for column, *_ in con.execute(f"DESCRIBE {query}").fetchall()]


def policies(con: Connection) -> list[str]:
    return [name for name, *_ in rows(con, "SHOW ANONYMIZATION POLICIES")]


def test_a_release_under_a_policy(clinic: Connection) -> None:
    query = "FROM patients ANONYMIZE WITH POLICY research"
    assert names(clinic, query) == ["zip", "age", "disease", "notes"]
    released = rows(clinic, query)
    assert len(released) == 120
    assert min(class_sizes(released, (0, 1)).values()) >= 5
    for shown in class_sizes(released, (0, 1)):
        diseases = class_sizes([row for row in released if tuple(map(repr, row[:2])) == shown], [2])
        assert 2 * max(diseases.values()) <= sum(diseases.values())
    assert {row[3] for row in released} == {f"note {i}" for i in range(120)}


@pytest.mark.everything
@pytest.mark.own_connection
def test_it_is_the_release_that_the_clause_makes(clinic: Connection) -> None:
    clause = (
        "SELECT zip, age, disease, notes FROM patients ANONYMIZE BY zip, age KEEP notes GUARANTEE k >= 5 AND l(disease) >= 2"
    )
    expected = sorted(map(repr, rows(clinic, clause)))
    assert sorted(map(repr, rows(clinic, "FROM patients ANONYMIZE WITH POLICY Research"))) == expected
    assert sorted(map(repr, rows(clinic, "FROM anonymize('patients', 'RESEARCH')"))) == expected
    one, two, three = [each.policy for each in clinic.session.releases]
    assert one == two == three


def test_a_part_of_the_columns_is_enough(clinic: Connection) -> None:
    assert min(class_sizes(rows(clinic, "SELECT zip FROM patients ANONYMIZE WITH POLICY research"), [0]).values()) >= 5
    assert clinic.session.releases[-1].requirements == ("k >= 5",)
    assert names(clinic, 'SELECT ssn AS "SSN", age AS "Age", disease FROM patients ANONYMIZE WITH POLICY research') == [
        "Age",
        "disease",
    ]


@pytest.mark.sweep
@pytest.mark.parametrize(
    "statement",
    [
        "WITH p AS (SELECT * EXCLUDE (ssn) FROM patients) FROM p ANONYMIZE WITH POLICY research LIMIT 7",
        "SELECT * FROM (FROM patients ANONYMIZE WITH POLICY research) LIMIT 7",
        "(FROM patients ANONYMIZE WITH POLICY research LIMIT 7)",
        "SELECT a.zip FROM (FROM patients ANONYMIZE WITH POLICY research) a, (FROM patients ANONYMIZE WITH POLICY research) b"
        " LIMIT 7",
        "FROM (FROM patients ANONYMIZE WITH POLICY research) ANONYMIZE WITH POLICY research LIMIT 7",
        "SELECT range FROM range(7) WHERE EXISTS (FROM patients ANONYMIZE WITH POLICY research)",
        "CREATE TABLE released AS FROM patients ANONYMIZE WITH POLICY research; FROM released LIMIT 7",
        "CREATE VIEW released AS FROM patients ANONYMIZE WITH POLICY research; FROM released LIMIT 7",
        "PREPARE elder AS FROM patients WHERE age > ? ANONYMIZE WITH POLICY research LIMIT ?; EXECUTE elder(20, 7)",
        "SELECT * FROM anonymize('patients', 'research') LIMIT 7",
    ],
)
def test_wherever_a_query_stands(clinic: Connection, statement: str) -> None:
    assert len(rows(clinic, statement)) == 7


def test_parameters_keep_their_order(clinic: Connection) -> None:
    query = "SELECT zip, age, $2 AS notes FROM patients WHERE age > $1 ANONYMIZE WITH POLICY research"
    assert {row[2] for row in clinic.execute(query, [20, "x"]).fetchall()} == {"x"}


WRONG: list[tuple[str, str, type[KanonError]]] = [
    (
        "SELECT zip, age AS years FROM patients ANONYMIZE WITH POLICY research",
        'column "years" has no role in the policy "research"',
        PolicyError,
    ),
    (
        "SELECT *, 1 AS zipp FROM patients ANONYMIZE WITH POLICY research",
        '"zipp" has no role in the policy "research"; hint: did you mean "zip"?',
        PolicyError,
    ),
    (
        "SELECT notes FROM patients ANONYMIZE WITH POLICY research",
        'no quasi-identifier of the policy "research"; hint: return at least one of "zip", "age"',
        PolicyError,
    ),
    ("SELECT name FROM patients ANONYMIZE WITH POLICY research", "no quasi-identifier", PolicyError),
    ("FROM patients ANONYMIZE WITH POLICY reserch", 'no policy "reserch"; hint: did you mean "research"?', ClauseError),
    ("FROM anonymize('patients', 'reserch')", 'no policy "reserch"; hint: did you mean "research"?', PolicyError),
    ("FROM anonymize('patients', 'x')", 'there is no policy "x"; hint: use "research"', PolicyError),
    ("FROM anonymize('patients', NULL)", "must be JSON text, or the name of a stored policy", PolicyError),
    ("FROM anonymize('patients', ' {')", "the policy is not JSON", PolicyError),
    (f"SELECT 1; {RESEARCH}", 'the policy "research" already exists; hint: use CREATE OR REPLACE', ClauseError),
    (RESEARCH.replace("research", "RESEARCH"), 'the policy "research" already exists', ClauseError),
    (
        "CREATE ANONYMIZATION POLICY p ON patients (BY zip, age, disease, notes; GUARANTEE k >= 5)",
        'the column "name" has no role in the policy "p"',
        PolicyError,
    ),
    (
        "CREATE ANONYMIZATION POLICY p ON patients "
        "(IDENTIFIER name, ssn; BY zip, age, alter_; KEEP disease, notes; GUARANTEE k >= 5)",
        'unknown column "alter_" in the policy "p"',
        ClauseError,
    ),
    ("DROP ANONYMIZATION POLICY p", 'there is no policy "p"', ClauseError),
]


@pytest.mark.sweep
@pytest.mark.parametrize(("statement", "message", "error"), WRONG)
def test_bad_input(clinic: Connection, statement: str, message: str, error: type[KanonError]) -> None:
    with pytest.raises(error) as caught:
        rows(clinic, statement)
    assert message in str(caught.value)
    assert not any(value in str(caught.value) for value in ("name7", "note 7", "4711007", "z3"))
    assert policies(clinic) == ["research"]


def test_a_policy_on_a_missing_table_leaves_nothing() -> None:
    with kanon_sql.connect() as con:
        with pytest.raises(SourceError, match="Table with name patients does not exist"):
            con.execute(RESEARCH)
        assert rows(con, "SELECT * FROM duckdb_tables()") == []
        assert names(con, "SELECT 1") == ["1"]
        assert policies(con) == []
        with pytest.raises(ClauseError, match='there is no policy "research"; hint: create one with'):
            con.execute("FROM range(3) ANONYMIZE WITH POLICY research")


def test_a_column_renamed_after_the_policy(clinic: Connection) -> None:
    clinic.execute("ALTER TABLE patients RENAME zip TO zipcode")
    for query in ("FROM patients ANONYMIZE WITH POLICY research", "FROM anonymize('patients', 'research')"):
        with pytest.raises(PolicyError, match='the column "zipcode" has no role in the policy "research"'):
            rows(clinic, query)
    clinic.execute("ALTER TABLE patients ADD COLUMN zip VARCHAR")
    with pytest.raises(PolicyError, match='"zipcode" has no role'):
        rows(clinic, "FROM patients ANONYMIZE WITH POLICY research")


def test_replacing_and_forgetting(clinic: Connection) -> None:
    clinic.execute(RESEARCH.replace("CREATE", "CREATE OR REPLACE").replace("research", "Research").replace("k >= 5", "k >= 30"))
    assert policies(clinic) == ["research"]
    assert min(class_sizes(rows(clinic, "FROM patients ANONYMIZE WITH POLICY research"), (0, 1)).values()) >= 30
    clinic.execute("DROP ANONYMIZATION POLICY RESEARCH; DROP ANONYMIZATION POLICY IF EXISTS research")
    assert policies(clinic) == []
    clinic.execute(RESEARCH.replace("CREATE", "CREATE OR REPLACE"))
    assert policies(clinic) == ["research"]


def test_names_that_need_quotes(clinic: Connection) -> None:
    clinic.execute("""
        CREATE TABLE "odd; ""table'" AS SELECT 'n' || i AS "select; --", i % 3 AS "it's", i % 2 AS "a""b;" FROM range(30) r(i);
        CREATE ANONYMIZATION POLICY "p;'""x" ON "odd; ""table'" (IDENTIFIER "select; --"; BY "it's", "a""b;"; GUARANTEE k >= 5);
        CREATE TABLE released AS FROM "odd; ""table'" ANONYMIZE WITH POLICY "P;'""x"
    """)
    assert names(clinic, "FROM released") == ["it's", 'a"b;']
    call = """FROM anonymize('"odd; ""table''"', 'p;''"x')"""
    assert rows(clinic, f"SELECT count(*) FROM ({call})") == [(30,)]
    assert policies(clinic) == ["p;'\"x", "research"]


@pytest.mark.everything
@pytest.mark.own_connection
def test_it_follows_the_transaction(clinic: Connection) -> None:
    clinic.execute("BEGIN")
    clinic.execute(RESEARCH.replace("research", "other"))
    clinic.execute("DROP ANONYMIZATION POLICY research")
    assert len(rows(clinic, "FROM patients ANONYMIZE WITH POLICY other")) == 120
    with clinic.cursor() as second:
        assert policies(second) == ["research"]
    clinic.execute("ROLLBACK")
    assert policies(clinic) == ["research"]


def test_the_first_policy_follows_the_transaction_too() -> None:
    with kanon_sql.connect() as con:
        con.execute(f"{PATIENTS}; BEGIN; {RESEARCH}")
        assert policies(con) == ["research"]
        con.execute("ROLLBACK")
        assert policies(con) == []
        con.execute(RESEARCH)
        assert policies(con) == ["research"]


@pytest.mark.everything
def test_a_view_keeps_the_policy_it_was_made_with(clinic: Connection) -> None:
    clinic.execute("CREATE VIEW released AS FROM patients ANONYMIZE WITH POLICY research")
    before = sorted(map(repr, rows(clinic, "FROM released")))
    clinic.execute(RESEARCH.replace("CREATE", "CREATE OR REPLACE").replace("k >= 5", "k >= 30"))
    assert sorted(map(repr, rows(clinic, "FROM released"))) == before
    clinic.execute("DROP ANONYMIZATION POLICY research")
    assert sorted(map(repr, rows(clinic, "FROM released"))) == before


def test_a_view_over_the_function_takes_the_policy_of_today(clinic: Connection) -> None:
    clinic.execute("CREATE VIEW released AS FROM anonymize('patients', 'research')")
    assert len(rows(clinic, "FROM released")) == 120
    clinic.execute("DROP ANONYMIZATION POLICY research")
    with pytest.raises(PolicyError, match='there is no policy "research"'):
        rows(clinic, "FROM released")


def test_a_view_sees_the_columns_of_its_table(clinic: Connection) -> None:
    clinic.execute("CREATE VIEW released AS FROM patients ANONYMIZE WITH POLICY research")
    clinic.execute("ALTER TABLE patients ADD COLUMN phone VARCHAR")
    with pytest.raises(PolicyError, match='the column "phone" has no role in the policy "research"'):
        rows(clinic, "FROM released")


@pytest.mark.everything
def test_a_file_keeps_its_policies(tmp_path: Path) -> None:
    path = str(tmp_path / "clinic.duckdb")
    with kanon_sql.connect(path) as con:
        con.execute(f"{PATIENTS}; {RESEARCH}")
    with kanon_sql.connect(path, read_only=True) as con:
        assert policies(con) == ["research"]
        assert len(rows(con, "FROM patients ANONYMIZE WITH POLICY research")) == 120
        assert len(rows(con, "FROM anonymize('patients', 'research')")) == 120
        with pytest.raises(SourceError, match="read-only"):
            con.execute("DROP ANONYMIZATION POLICY research")
    with duckdb.connect(path) as plain:
        assert plain.execute('SELECT name, "table" FROM kanon_policies').fetchall() == [("research", "patients")]
        assert plain.execute("SELECT count(*) FROM duckdb_tables()").fetchall() == [(2,)]
    with kanon_sql.connect(path) as con, con.raw.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM kanon.anonymize('patients', 'research')").fetchall() == [(120,)]


@pytest.mark.everything
def test_closing_a_connection_closes_the_file(tmp_path: Path) -> None:
    path = str(tmp_path / "clinic.duckdb")
    con = kanon_sql.connect(path)
    con.execute(f"{PATIENTS}; {RESEARCH}")
    assert len(rows(con, "FROM anonymize('patients', 'research')")) == 120
    con.close()
    with duckdb.connect(path, read_only=True) as plain:  # another configuration: refused while the instance is open
        assert plain.execute("SELECT count(*) FROM kanon_policies").fetchall() == [(1,)]


def test_a_connection_of_yours(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(PATIENTS)
    with pytest.raises(duckdb.InvalidInputException, match='there is no policy "research"'):
        con.execute("FROM anonymize('patients', 'research')")
    Connection(con).execute(RESEARCH)
    assert len(con.execute("FROM anonymize('patients', 'research')").fetchall()) == 120
    with pytest.raises(duckdb.ParserException):
        con.execute("FROM patients ANONYMIZE WITH POLICY research")


@pytest.mark.everything
@pytest.mark.own_connection
def test_a_policy_of_the_database_in_use(clinic: Connection, tmp_path: Path) -> None:
    clinic.execute(f"ATTACH '{tmp_path / 'other.duckdb'}' AS other; USE other")
    assert policies(clinic) == []
    clinic.execute(PATIENTS)
    clinic.execute(RESEARCH.replace("research", "elsewhere"))
    assert policies(clinic) == ["elsewhere"]
    assert len(rows(clinic, "FROM anonymize('patients', 'elsewhere')")) == 120
    clinic.execute("USE memory")
    assert policies(clinic) == ["research"]


def test_a_pending_result_is_left_alone(clinic: Connection) -> None:
    clinic.execute("FROM range(5000)")
    query = "SELECT zip FROM patients ANONYMIZE WITH POLICY research"
    if BUSY:
        with pytest.raises(BUSY, match="unfinished result"):
            clinic.sql(query)
    assert len(clinic.fetchall()) == 5000
    assert len(clinic.sql(query).fetchall()) == 120


def test_a_broken_table_of_policies_is_told(clinic: Connection) -> None:
    clinic.execute("INSERT INTO kanon_policies SELECT * REPLACE (upper(name) AS name) FROM kanon_policies")
    with pytest.raises(ClauseError, match="contains two policies with the same name"):
        rows(clinic, "FROM patients ANONYMIZE WITH POLICY research")
    clinic.execute("UPDATE kanon_policies SET name = 'other', policy = '{}' WHERE name = 'RESEARCH'")
    with pytest.raises(ClauseError, match='the policy "other" lacks the key'):
        rows(clinic, "FROM patients ANONYMIZE WITH POLICY research")


@pytest.mark.everything
@pytest.mark.own_connection
def test_threads_do_not_mix_their_columns(clinic: Connection) -> None:
    found: dict[int, set[str]] = {}

    def work(number: int, columns: str, con: Connection) -> None:
        with con:
            for _ in range(5):
                found.setdefault(number, set()).add(
                    ",".join(names(con, f"SELECT {columns} FROM patients ANONYMIZE WITH POLICY research"))
                )

    lists = ["zip", "age", "zip, age, notes"]
    threads = [threading.Thread(target=work, args=(i, each, clinic.cursor())) for i, each in enumerate(lists)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: {"zip"}, 1: {"age"}, 2: {"zip,age,notes"}}


@pytest.mark.everything
def test_generalized_and_linked_columns() -> None:
    with kanon_sql.connect() as con:
        con.execute(PATIENTS)
        con.execute("""
            CREATE ANONYMIZATION POLICY p ON patients (
                IDENTIFIER name, ssn;
                BY age IN INTERVALS (5, 10), zip, disease LINKED (zip, disease);
                KEEP notes;
                GUARANTEE k >= 6;
                USING greedy (suppress = '*');
            )
        """)
        released = rows(con, "SELECT age, zip, disease FROM patients ANONYMIZE WITH POLICY p")
        assert min(class_sizes(released, (0, 1, 2)).values()) >= 6
        assert all((row[1] == "*") == (row[2] == "*") for row in released)
        assert min(class_sizes(rows(con, "SELECT zip, age FROM patients ANONYMIZE WITH POLICY p"), (0, 1)).values()) >= 6
