"""`k >= 5 PER patient`: every entrance, and the audit that counts people by itself."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from solving import plain

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.engines.duckdb.guarantees import question
from kanon_sql.errors import AuditError, ClauseError, InfeasibleError, PolicyError
from kanon_sql.model.requirements import People
from kanon_sql.solvers.budget import Budget, Moment
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.registry import Solver
from kanon_sql.table.recoding import Recoding

HEADS = "SELECT min(n) FROM (SELECT count(DISTINCT who) AS n FROM ({}) GROUP BY zip, age)"


@pytest.fixture
def con(shared_clause: Connection) -> Connection:
    shared_clause.execute(
        "CREATE TABLE visits AS SELECT 'P' || (hash(i) % 90) AS patient, (hash(i) % 90 % 7)::INT AS zip, "
        "(hash(i, 1) % 9)::INT AS age, ['flu', 'gout', 'acne'][1 + (hash(i, 2) % 3)::INT] AS disease, "
        "'2026-01-01'::DATE + (i % 50)::INT AS day FROM range(700) AS t(i)"
    )
    return shared_clause


@pytest.mark.everything
def test_the_audit_counts_the_people_of_the_smallest_class(con: Connection) -> None:
    by = "CREATE OR REPLACE TABLE released AS SELECT *, patient AS who FROM visits ANONYMIZE BY zip, age KEEP disease, day, who"
    con.execute(f"{by} GUARANTEE k >= 7 PER patient")
    every = kanon_sql.releases(con)[-1]
    counted = con.execute(HEADS.format("FROM released")).fetchall()[0][0]
    assert (every.smallest_class_people, every.highest_risk) == (counted, 1 / counted)
    assert every.smallest_class > counted >= 7
    assert con.execute("SELECT last(smallest_class_people) FROM kanon_releases()").fetchall() == [(counted,)]
    con.execute(f"{by} GUARANTEE k >= 7 PER patient FOR ANY 1 COLUMN")
    known, sets = kanon_sql.releases(con)[-1], "SELECT count(DISTINCT who) AS n FROM released GROUP BY GROUPING SETS (zip, age)"
    assert known.smallest_class_people == con.execute(HEADS.format("FROM released")).fetchall()[0][0] < 7
    assert known.smallest_class_known_people == con.execute(f"SELECT min(n) FROM ({sets})").fetchall()[0][0] >= 7
    con.execute(
        "CREATE OR REPLACE TABLE released AS SELECT zip, age FROM visits ANONYMIZE BY zip, age GUARANTEE k >= 7 PER ROW"
    )
    assert kanon_sql.releases(con)[-1].smallest_class_people is None
    assert con.execute("SELECT last(smallest_class_people) FROM kanon_releases()").fetchall() == [(None,)]


@pytest.mark.everything
def test_the_clause(con: Connection) -> None:
    clause = "ANONYMIZE BY zip, age KEEP {} GUARANTEE k >= 8 PER patient AND l(disease) >= 4/3"
    released = f"SELECT *, patient AS who FROM visits {clause.format('day, who')}"
    assert con.execute(HEADS.format(released)).fetchone()[0] >= 8
    assert [name for name, *_ in con.execute(f"FROM visits {clause.format('day')}").description] == [
        "zip",
        "age",
        "disease",
        "day",
    ]
    assert kanon_sql.releases(con)[-1].requirements == ("k >= 8", "k >= 8 PER patient", "l(disease) >= 4/3")
    rows = con.execute(
        "SELECT patient, zip, age FROM visits ANONYMIZE BY zip, age GUARANTEE 8 <= k PER patient AND k >= 30"
    ).fetchall()
    assert kanon_sql.releases(con)[-1].requirements == ("k >= 30", "k >= 8 PER patient")
    assert len(rows) == 700


@pytest.mark.everything
def test_a_generalized_release_and_a_text_for_suppressed_cells(con: Connection) -> None:
    body = "SELECT patient, zip, age, patient AS who FROM visits ANONYMIZE BY zip, age IN INTERVALS (3) KEEP who "
    body += "GUARANTEE k >= 8 PER patient"
    assert con.execute(HEADS.format(f"{body} USING auto (suppress = '*')")).fetchone()[0] >= 8
    assert con.execute(HEADS.format(body)).fetchone()[0] >= 8


@pytest.mark.everything
def test_ranges_and_sets(con: Connection) -> None:
    released = "SELECT patient, zip, age, disease, patient AS who FROM visits"
    clause = "ANONYMIZE BY zip IN SETS, age IN RANGES KEEP who{} GUARANTEE k >= 8 PER patient"
    assert con.execute(HEADS.format(f"{released} {clause.format(', disease')}")).fetchone()[0] >= 8
    certificate = kanon_sql.releases(con)[-1]
    assert certificate.requirements == ("k >= 8", "k >= 8 PER patient")
    assert certificate.bound_method == "row distance, counting people"
    assert 0 < certificate.lower_bound <= certificate.cost
    released += f" {clause.format('')} AND l(disease) >= 4/3"
    assert con.execute(HEADS.format(released)).fetchone()[0] >= 8
    diverse = "SELECT min(n / m) FROM (SELECT sum(n) AS n, max(n) AS m FROM (SELECT zip, age, count(*) AS n FROM ({}) "
    diverse += "GROUP BY zip, age, disease) GROUP BY zip, age)"
    assert con.execute(diverse.format(released)).fetchone()[0] >= 4 / 3
    with pytest.raises(InfeasibleError, match=r"even the whole table breaks it: it has rows of \d+ people"):
        con.execute("SELECT patient, age FROM visits ANONYMIZE BY age IN RANGES GUARANTEE k >= 100 PER patient").fetchall()


@pytest.mark.everything
def test_table_functions(con: Connection) -> None:
    con.execute("CREATE VIEW doubled AS SELECT * EXCLUDE (day), patient AS who FROM visits")
    for call in (
        "k_anonymize('doubled', 8, per := 'patient', qi := ['zip', 'age'], keep := ['who', 'disease'])",
        "t_close('doubled', 'disease', 0.5, k := 8, per := 'PATIENT', qi := ['zip', 'age'], keep := ['who'])",
        """anonymize('doubled', '{"quasi_identifiers": [{"column": "zip"}, {"column": "age"}],
           "keep": ["who", "disease"], "requirements": [{"type": "people", "k": 8, "per": "patient"}]}')""",
    ):
        assert con.execute(HEADS.format(f"FROM {call}")).fetchone()[0] >= 8
        assert "patient" not in [name for name, *_ in con.execute(f"FROM {call}").description]


@pytest.mark.everything
def test_a_stored_policy(con: Connection) -> None:
    con.execute(
        "CREATE ANONYMIZATION POLICY p ON visits "
        "(IDENTIFIER patient; BY zip, age; KEEP disease, day; GUARANTEE k >= 8 PER patient)"
    )
    rows = con.execute("FROM visits ANONYMIZE WITH POLICY p").fetchall()
    assert len(rows[0]) == 4
    assert kanon_sql.releases(con)[-1].requirements == ("k >= 8", "k >= 8 PER patient")
    explained = con.execute("EXPLAIN ANONYMIZE FROM visits ANONYMIZE WITH POLICY p").fetchall()
    assert ("guarantee", "k >= 8 AND k >= 8 PER patient") in [line[:2] for line in explained]
    with pytest.raises(PolicyError, match='does not return "patient", but the policy "p" counts people by it'):
        con.execute("SELECT zip, age FROM visits ANONYMIZE WITH POLICY p").fetchall()


@pytest.mark.everything
def test_a_file_and_its_report(con: Connection, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from kanon_sql.cli import main

    con.execute(f"COPY visits TO '{tmp_path / 'in.parquet'}'")
    names = [str(tmp_path / name) for name in ("in.parquet", "out.parquet", "cert.json", "page.html")]
    arguments = ["anonymize", names[0], "-o", names[1], "--qi", "zip,age", "--k", "8", "--per", "patient"]
    done = CliRunner().invoke(main, [*arguments, "--certificate", names[2]])
    assert done.exit_code == 0, done.output
    assert [name for name, *_ in con.execute(f"FROM '{names[1]}'").description] == ["zip", "age", "disease", "day"]
    done = CliRunner().invoke(main, ["verify", *names[:3]])
    assert done.exit_code == 0, done.output
    fewest = (
        r"the class with the fewest people has rows from \d+( to \d+)? "
        "people"  # a suppressed cell may be that of several people
    )
    assert re.search(fewest, " ".join(done.output.split()))
    con.execute(f"COPY (SELECT * REPLACE (coalesce(age, 1) AS age) FROM '{names[1]}') TO '{tmp_path / 'changed.parquet'}'")
    done = CliRunner().invoke(main, ["verify", names[0], str(tmp_path / "changed.parquet"), names[2]])
    assert done.exit_code != 0
    pytest.importorskip("altair")
    done = CliRunner().invoke(main, ["report", names[0], names[1], "--certificate", names[2], "-o", names[3]])
    assert done.exit_code == 0, done.output
    page = Path(names[3]).read_text(encoding="utf-8")
    assert "k &gt;= 8 PER patient" in page
    assert re.search(r"rows of \d+( to \d+)? people", page)
    assert "P42" not in page


@pytest.mark.everything
def test_verify_finds_a_class_of_too_few_people(con: Connection, tmp_path: Path) -> None:
    """Two rows behind suppressed cells are said to be of one person: nothing else of the certificate is wrong."""
    from click.testing import CliRunner

    from kanon_sql.cli import main

    names = [str(tmp_path / name) for name in ("in.parquet", "out.parquet", "cert.json")]
    rows = "FROM (VALUES ('A', 1, 10), ('B', 1, 11), ('C', 3, 12), ('{}', 4, 13)) AS t(who, zip, day)"
    con.execute(f"COPY ({rows.format('D')}) TO '{names[0]}'")
    arguments = ["anonymize", names[0], "-o", names[1], "--qi", "zip", "--keep", "day", "--k", "2", "--per", "who"]
    arguments += ["--certificate", names[2]]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    done = CliRunner().invoke(main, ["verify", *names])
    assert done.exit_code == 0, done.output
    assert "the class with the fewest people has rows from 2 people, counted in the source" in " ".join(done.output.split())
    con.execute(f"COPY ({rows.format('C')}) TO '{names[0]}'")
    done = CliRunner().invoke(main, ["verify", *names])
    assert done.exit_code != 0
    words = " ".join(done.output.split())
    assert "k >= 2 PER who does not hold: a class has rows from at most 1 person of the source" in words


@pytest.mark.everything
def test_verify_counts_the_people_of_the_smallest_class_again(con: Connection, tmp_path: Path) -> None:
    """By the rows of the source, or by tokens; another number is refused, although its checksum fits."""
    from click.testing import CliRunner

    from kanon_sql.cli import main

    files = source, out, proof = [str(tmp_path / name) for name in ("in.csv", "out.csv", "cert.json")]
    rows = [f"P{n % 40},{n % 40 % 4},{n % 40 % 3},{n}" for n in range(200)]
    Path(source).write_text("\n".join(["who,zip,age,cost", *rows]) + "\n")
    con.execute(f"CREATE TABLE ids AS FROM read_csv('{source}', all_varchar := true)")
    tokens = "IDENTIFIER who AS PSEUDONYM (LINKABLE); BY zip, age; KEEP cost; GUARANTEE k >= 3 PER who"
    con.execute(f"CREATE ANONYMIZATION POLICY tokens ON ids ({tokens})")
    clause = "BY zip, age KEEP cost GUARANTEE k >= 3 PER who"
    for how, counted, options in (
        (clause, "in the source", []),
        ("WITH POLICY tokens", "by tokens", ["--pseudonym", "who"]),
    ):
        con.execute(f"COPY (FROM ids ANONYMIZE {how}) TO '{out}'")
        stated = kanon_sql.releases(con)[-1]
        assert (stated.smallest_class_people, stated.smallest_class) == (3, 15)
        for claimed, says in (
            (3, f"the class with the fewest people has rows from 3 people, counted {counted}"),
            (None, "not stated in the certificate"),
            *((wrong, f'"smallest_class_people": {wrong}, but the class with the fewest people has 3') for wrong in (2, 4)),
        ):
            Path(proof).write_text(replace(stated, smallest_class_people=claimed).to_json())
            done = CliRunner().invoke(main, ["verify", *files, *options])
            assert done.exit_code == ("but" in says), done.output
            assert says in " ".join(done.output.split())


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("statement", "error", "message"),
    [
        (
            "FROM visits ANONYMIZE BY zip, age GUARANTEE k >= 8 PER zip",
            ClauseError,
            "that identifies people is also a quasi-identifier",
        ),
        (
            "FROM visits ANONYMIZE BY zip GUARANTEE k >= 8 PER nobody",
            ClauseError,
            'unknown column "nobody" in the guarantee; hint: the columns',
        ),
        (
            "FROM visits ANONYMIZE BY zip GUARANTEE k >= 8 PER",
            ClauseError,
            "expected a column; hint: write GUARANTEE k >= 5 PER patient",
        ),
        ("FROM visits ANONYMIZE BY zip GUARANTEE l(disease) >= 2 PER patient", ClauseError, "hint: write PER directly after k"),
        (
            "FROM visits ANONYMIZE BY zip GUARANTEE k >= 3 PER patient AND k >= 3 PER day",
            ClauseError,
            "two columns identify people",
        ),
        (
            "FROM visits ANONYMIZE BY zip GUARANTEE k >= 3 PER patient AND l(patient) >= 2",
            ClauseError,
            "identifies people but has two guarantees",
        ),
        (
            "FROM visits ANONYMIZE BY zip, age GUARANTEE k >= 5 FOR ANY 1 COLUMN AND k >= 2 PER patient",
            ClauseError,
            "counts rows, but k >= 2 PER patient counts people; hint: write k >= 5 PER patient FOR ANY 1 COLUMN",
        ),
        (
            "SELECT patient, zip FROM visits ANONYMIZE BY zip GUARANTEE k >= 3 PER patient USING full_domain",
            PolicyError,
            "cannot meet every guarantee",
        ),
    ],
)
def test_bad_input(con: Connection, statement: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        con.execute(statement).fetchall()


@pytest.mark.parametrize("age", ["age", "age IN MEANS"])
def test_no_step_reports_the_cost_of_a_search_that_counts_rows(con: Connection, age: str) -> None:
    """Such a search may end, since its release is made one of people, but what it costs is less than that will."""
    heard: list[Moment] = []
    con.watch(heard.append)
    con.execute(f"FROM visits ANONYMIZE BY zip, {age} GUARANTEE k >= 20 PER patient").fetchall()
    con.watch(None)
    costs = [moment.cost for moment in heard if moment.cost is not None]
    assert not costs or min(costs) >= kanon_sql.releases(con)[-1].cost
    assert any(moment.ready for moment in heard)


@pytest.mark.everything
def test_a_solver_that_counts_rows_is_found_out(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """The audit counts the people of the rows that are handed out, whatever the solver says."""
    import kanon_sql.solvers.people.search as search
    from kanon_sql.solvers.k_anonymity.greedy import solve

    def by_rows(problem: Problem, budget: Budget, _: Solver, __: int) -> Recoding:
        return solve(plain(problem.table, problem.patterns, problem.requirement.least), budget)

    monkeypatch.setattr(search, "solve", by_rows)
    con.execute("CREATE TABLE twice AS SELECT * FROM visits UNION ALL FROM visits")
    with pytest.raises(AuditError, match=r"classes break k >= 8 PER patient: the worst has rows of \d people; nothing was"):
        con.execute("FROM twice ANONYMIZE BY zip, age GUARANTEE k >= 8 PER patient").fetchall()
    con.execute("CREATE TABLE spelled (who VARCHAR COLLATE NOCASE, zip INTEGER)")
    con.execute("INSERT INTO spelled SELECT chr((65 + i % 2 * 32 + i // 2 % 4)::INTEGER), i // 4 FROM range(8) AS t(i)")
    with pytest.raises(AuditError, match=r"2 classes break k >= 3 PER who: the worst has rows of 2 people"):
        con.execute("FROM spelled ANONYMIZE BY zip GUARANTEE k >= 3 PER who").fetchall()


def test_an_empty_cell_is_nobody(con: Connection) -> None:
    con.execute("CREATE TABLE tally (class BIGINT, value BIGINT, label VARCHAR, n BIGINT)")
    con.execute("INSERT INTO tally VALUES (1, 1, 'a', 3), (1, 2, NULL, 5), (2, 1, 'a', 1), (2, 3, 'b', 1)")
    query = question(People(k=2, per="x"), "tally")
    assert con.execute(f"SELECT class, holds FROM ({query}) ORDER BY class").fetchall() == [(1, False), (2, True)]


def test_no_rows(con: Connection) -> None:
    assert con.execute("SELECT * FROM visits WHERE false ANONYMIZE BY zip GUARANTEE k >= 5 PER patient").fetchall() == []


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    "kind",
    ["ENUM('1', '2', '3', '4', '5')", "DECIMAL(9, 2)", "DOUBLE", "UUID", "BLOB", "DATE", "INTEGER[]", "STRUCT(a INTEGER)"],
)
def test_people_of_any_type(con: Connection, kind: str) -> None:
    texts = {
        "UUID": "7ab6f9a0-3f0c-4a8e-8f43-9b1c2d3e4f5{}",
        "DATE": "2026-11-0{}",
        "INTEGER[]": "[{}]",
        "STRUCT(a INTEGER)": "{{a: {}}}",
    }
    cells = [texts.get(kind, "{}").format(number) for number in range(1, 6)]
    con.execute(f"CREATE TABLE typed (who {kind}, zip INTEGER)")
    for number, cell in enumerate([*cells, *cells, None, None, None]):
        con.execute(f"INSERT INTO typed SELECT CAST($1 AS {kind}), $2", [cell, number % 3])
    rows = con.execute("SELECT who AS copy, * FROM typed ANONYMIZE BY zip KEEP copy GUARANTEE k >= 4 PER who").fetchall()
    shown = {zip_code for _, zip_code in rows}
    assert all(len({str(who) for who, zip_code in rows if zip_code == each and who is not None}) >= 4 for each in shown)
    assert len(rows) == 13
    with pytest.raises(InfeasibleError, match="it has rows of 5 people"):
        con.execute("FROM typed ANONYMIZE BY zip GUARANTEE k >= 6 PER who").fetchall()


@pytest.mark.everything
def test_odd_names_one_row_and_sixty_columns(con: Connection) -> None:
    names = [f'"c""{number}"' for number in range(60)]
    columns = ", ".join(f"(i // 40 + i % 2 * {number % 7 == 0}::INT)::INT AS {name}" for number, name in enumerate(names))
    con.execute(f"CREATE TABLE wide AS SELECT 'P' || i % 30 AS \"select\", {columns} FROM range(80) AS t(i)")
    clause = f'ANONYMIZE BY {", ".join(names)} {{}}GUARANTEE k >= 5 PER "select"'
    rows = con.execute(f'SELECT "select" AS copy, * FROM wide {clause.format("KEEP copy ")}').fetchall()
    classes: dict[tuple[object, ...], set[object]] = {}
    for copy, *shown in rows:
        classes.setdefault(tuple(shown), set()).add(copy)
    assert len(rows) == 80
    assert min(map(len, classes.values())) >= 5
    with pytest.raises(InfeasibleError, match="1 row, fewer than k = 5"):
        con.execute(f"SELECT * FROM (FROM wide LIMIT 1) {clause.format('')}").fetchall()


def test_the_guarantee_of_a_solver_is_not_stated_over_all_ways_to_count(con: Connection) -> None:
    clause = "FROM visits ANONYMIZE BY zip, age GUARANTEE k >= 8 PER patient USING optimal"
    told = {name: value for name, value, *_ in con.execute(f"EXPLAIN ANONYMIZE {clause}").fetchall()}
    assert told["guarantee of the solver"].startswith("none over all ways to count people")
