"""`kanon verify` of tables with conditions, expressions and levels, and of tables that respect earlier ones."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result

import kanon_sql
from kanon_sql.certificate.file import read
from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.certificate.table_file import PROTECTED
from kanon_sql.cli import main
from kanon_sql.errors import CertificateError, KanonError
from kanon_sql.verification.cells.expressions import columns_in, expression_sql

SOURCE = """CREATE TABLE guests AS
    SELECT CASE WHEN i < 60 THEN 10 + i % 5 WHEN i = 60 THEN 17 ELSE 20 + i % 40 END AS age,
        ['east', 'west'][1 + i % 3 // 2] AS wing, i % 23 < 2 AS member, i % 7 AS ward, i % 11 * 10 AS cost
    FROM range(200) AS t(i)"""

HIERARCHY = "CREATE TABLE ages AS SELECT age AS level0, age >= 30 AS level1 FROM range(60) AS t(age)"

ALONE = {
    "members": "SELECT wing, count(*) AS n, count(*) FILTER (WHERE member) AS members FROM guests "
    "GROUP BY ROLLUP (wing) PROTECT n >= 7",
    "grown": "SELECT wing, ward, count(*) AS n, count_if(member) AS m, sum(cost) AS s FROM guests AS g "
    "WHERE g.age < 15 OR age // 10 IN (2, 3) GROUP BY CUBE (wing, ward) "
    "PROTECT n >= 4 ROWS ABSENT USING auto (suppressed = true)",
    "decades": "SELECT age // 10 * 10 AS decade, upper(wing) AS area, count(*) AS n FROM guests "
    "GROUP BY CUBE (decade, area) PROTECT n >= 5",
    "nobody": "SELECT wing, count(*) AS n, sum(cost) AS s FROM guests WHERE age <> age OR ward != ward GROUP BY ROLLUP (wing) "
    "PROTECT n >= 5 AND p(s) >= 10",
    "all_absent": "SELECT wing, count(*) AS n FROM guests GROUP BY ROLLUP (wing) PROTECT n >= 10000 ROWS ABSENT",
    "levels": "SELECT age, wing, count(*) AS n FROM guests GROUP BY CUBE (age IN HIERARCHY ages (0, 1), wing) PROTECT n >= 5",
}

CHAIN = {
    "first": "SELECT age // 10 * 10 AS decade, count(*) AS n FROM guests GROUP BY ROLLUP (decade) PROTECT n >= 5",
    "second": "SELECT age // 10 * 10 AS decade, count(*) AS n FROM guests WHERE age < 15 OR age > 19 "
    "GROUP BY ROLLUP (decade) PROTECT n >= 5",
    "third": "SELECT wing, ward, count(*) AS n, count_if(member) AS m FROM guests GROUP BY CUBE (wing, ward) PROTECT n >= 4",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with these tables and their certificates; those of the chain respect the ones before."""
    folder = tmp_path_factory.mktemp("made")
    for file, queries in (("alone", ALONE), ("chain", CHAIN)):
        with kanon_sql.connect(str(folder / f"{file}.duckdb"), secret=b"a secret of the tests of this file") as con:
            con.execute(SOURCE)
            con.execute(HIERARCHY)
            for name, query in queries.items():
                if file == "alone":
                    query = query.replace("USING auto (", "USING auto (earlier = 'ignore', ")
                    query += "" if "USING" in query else " USING auto (earlier = 'ignore')"
                con.execute(f"CREATE TABLE {name} AS {query}")
                con.execute(f"COPY {name} TO '{folder / name}.parquet'")
                (folder / f"{name}.json").write_text(kanon_sql.protected_tables(con)[-1].to_json())
    return folder


@pytest.fixture
def verify(made: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Verify some of the tables in a folder of copies."""
    monkeypatch.chdir(folder)
    for path in made.iterdir():
        Path(path.name).write_bytes(path.read_bytes())

    def run(*names: str) -> Result:
        files = [f"{name}.{ending}" for name in names for ending in ("parquet", "json")]
        source = "alone" if names[0] in ALONE else "chain"
        beside = ["--beside", "ages=alone.duckdb::ages"] if "levels" in names else []
        return CliRunner().invoke(main, ["verify", f"{source}.duckdb::guests", *files, *beside])

    return run


def shown(name: str) -> None:
    """Show a suppressed row of a table."""
    rows = pyarrow.parquet.read_table(f"{name}.parquet")
    data = rows.to_pylist()
    hidden, column = next(
        (row, key) for row in data for key in reversed(row) if row[key] is None and key in {"n", "m", "members"}
    )
    hidden[column] = 3
    pyarrow.parquet.write_table(type(rows).from_pylist(data, schema=rows.schema), f"{name}.parquet")


def forged(name: str, change: Callable[[dict[str, Any]], object]) -> None:
    data = json.loads(Path(f"{name}.json").read_text())
    change(data)
    Path(f"{name}.json").write_text(TableCertificate.from_claims(read(json.dumps(data), PROTECTED).claims).to_json())


def witness(data: dict[str, Any]) -> None:
    data["witnesses"][0][3] += 1


def refused(done: Result, text: str) -> None:
    assert done.exit_code == 1, done.output
    assert text in done.output


def test_tables_with_conditions_and_expressions_pass(verify: Callable[..., Result]) -> None:
    for name in ALONE:
        done = verify(name)
        assert done.exit_code == 0, (name, done.output)
        assert "each recomputed" in done.output


def test_changed_tables_conditions_and_witnesses_are_refused(verify: Callable[..., Result]) -> None:
    for name in ("members", "levels"):
        shown(name)
        refused(verify(name), "does not add up")
    forged("members", witness)
    refused(verify("members"), "witnesses")
    for name, old, new in (
        ("grown", "age < 15", "age < 14"),
        ("grown", "age < 15", "age < 15 and member"),
        ("decades", "/ 10 * 10", "/ 20 * 20"),
    ):
        before = Path(f"{name}.json").read_text()
        Path(f"{name}.json").write_text(before.replace(old, new))
        refused(verify(name), "it differs from the source")
        Path(f"{name}.json").write_text(before)
    text = Path("grown.json").read_text().replace("g . age < 15", "cost < (select 1)")
    Path("grown.json").write_text(text)
    refused(verify("grown"), "uses select, which kanon verify does not evaluate")


def test_a_level_needs_its_table(verify: Callable[..., Result]) -> None:
    files = ["verify", "alone.duckdb::guests", "levels.parquet", "levels.json"]
    refused(CliRunner().invoke(main, files), "--beside ages=FILE")
    Path("ages.csv").write_text("level0,level1\n" + "".join(f"{age},{str(age >= 31).lower()}\n" for age in range(60)))
    refused(CliRunner().invoke(main, [*files, "--beside", "ages=ages.csv"]), "")
    Path("ages.csv").write_text("level0,level1\n" + "".join(f"{age},false\n" for age in range(9)))
    refused(CliRunner().invoke(main, [*files, "--beside", "ages=ages.csv"]), "a key value has no level")


def test_a_table_passes_with_the_earlier_ones_that_it_respects(verify: Callable[..., Result]) -> None:
    for names in (("first",), ("second", "first"), ("first", "third", "second")):
        done = verify(*names)
        assert done.exit_code == 0, done.output
        assert "not given" not in done.output
    done = verify("third", "first")
    assert done.exit_code == 0, done.output
    assert "2 tables respected; 1 table not passed, so not compared" in " ".join(done.output.split())


def test_an_earlier_table_that_shows_more_is_refused(verify: Callable[..., Result]) -> None:
    shown("second")
    refused(verify("second", "first"), "does not add up")
    assert verify("third", "first").exit_code == 0
    refused(verify("third", "second", "first"), "does not add up")
    refused(verify("third", "third", "first"), "does not add up" if verify("third").exit_code else "a table is passed twice")


def test_a_certificate_that_forgets_an_earlier_table_is_refused(verify: Callable[..., Result]) -> None:
    def forget(data: dict[str, Any]) -> None:
        data["together"]["tables"].pop()
        data["together"]["earlier"] -= 1

    def unfixed(data: dict[str, Any]) -> None:
        data["together"]["earlier"] = 0

    for change in (forget, unfixed, witness):
        before = Path("third.json").read_text()
        forged("third", change)
        refused(verify("third", "second", "first"), "")
        Path("third.json").write_text(before)


def test_only_plain_expressions_reach_the_database() -> None:
    known = {"age": "Age", "sex": "sex", "date": "date"}
    for text, sql in {
        "age / / 10 * 10": '("Age" // 10 * 10)',
        "t . age :: int in ( 1 , 2 )": '("Age" :: int in ( 1 , 2 ))',
        "lower ( sex ) = 'f''s'": "(system.main.lower ( \"sex\" ) = 'f''s')",
        "date > date '2020-01-01'": "(\"date\" > date '2020-01-01')",
        "coalesce ( age , 1 ) = cast ( sex as integer )": '(coalesce ( "Age" , 1 ) = cast ( "sex" as integer ))',
    }.items():
        assert expression_sql(text, known) == sql
        assert columns_in(text) <= {"age", "sex", "date", "t"}
    calls = ("( select 1 )", "read_csv('x')", "getenv('X') = '1'", "age in (from source)", "count(*)", "age = [1]")
    for text in (*calls, "age ; drop", "age -- x", "sex . x", "age)(", "(", "", "age = $1", "E'x'", "age = '"):
        with pytest.raises(CertificateError, match="kanon verify does not evaluate"):
            expression_sql(text, known)


def statement(draw: random.Random, number: int, k: int) -> str:
    """Return a statement that makes a protected table with all that this file is about."""
    keys = draw.sample(["age // 10 * 10", "age", "wing", "sex", "age IN CUTS (20, 30)", "lower(wing)"], draw.choice([1, 2]))
    if "age" in keys and "age IN CUTS (20, 30)" in keys:
        keys = ["age", "sex"]
    items = [each.partition(" IN ")[0] for each in keys]
    items = [each if each.isalpha() else f"{each} AS k{place}" for place, each in enumerate(items)]
    counted = [f"count(*) FILTER (WHERE {each}) AS m" for each in ("member", "age < 20 OR age > 30", "sex = 'f'")]
    items += ["count(*) AS n", *draw.choice([[], ["sum(cost) AS s"]]), *draw.choice([[], [draw.choice(counted)]])]
    where = draw.choice(["", f"WHERE {draw.choice(['NOT member', 'age BETWEEN 15 AND 40', 'sex IN (' + repr('f') + ')'])}"])
    column = next((each for each in keys if each in {"wing", "sex"}), None)
    value = f"{column} = '{'e' if column == 'wing' else 'f'}'"
    named = ["", f"HIDE ({value})", f"SHOW ({value})", f"IMPOSSIBLE (age = 10, {value})" if "age" in keys else ""]
    return (
        f"CREATE TABLE t{number} AS SELECT {', '.join(items)} FROM g {where} GROUP BY {draw.choice(['CUBE', 'ROLLUP'])} "
        f"({', '.join(keys)}) PROTECT n >= {k} PER ROW {'' if column is None else draw.choice(named)} "
        f"{draw.choice(['', 'ROWS ABSENT', 'AGAINST CONTRIBUTORS'])} USING auto (time_limit = 5)"
    )


def pass_with_all_earlier_ones(seed: int) -> int:
    """Verify random tables, each with all earlier ones; return how many were released."""
    draw, files, secret = random.Random(seed), list[str](), b"a secret of the tests of this file"
    people = [
        (draw.randrange(8) * 5 + 10, draw.choice("ews"), draw.random() < 0.3, draw.choice("fm"), draw.randrange(50) * 10)
        for _ in range(draw.choice([40, 80, 150]))
    ]
    with kanon_sql.connect(f"{seed}.duckdb", secret=secret) as con:
        con.execute("CREATE TABLE g (age INT, wing VARCHAR, member BOOLEAN, sex VARCHAR, cost INT)")
        con.executemany("INSERT INTO g VALUES (?, ?, ?, ?, ?)", [each for each in people if each[:4:3] != (10, "f")])
    k = draw.choice([3, 4, 5])
    for number in range(draw.choice([1, 2, 3])):
        with kanon_sql.connect(f"{seed}.duckdb", secret=secret) as con:
            try:
                con.execute(statement(draw, number, k))
            except KanonError:
                continue
            name = f"{seed}-{number}"
            Path(f"{name}.json").write_text(kanon_sql.protected_tables(con)[-1].to_json())
            con.execute(f"COPY t{number} TO '{name}.parquet'")
        files += [f"{name}.parquet", f"{name}.json"]
        done = CliRunner().invoke(main, ["verify", f"{seed}.duckdb::g", *files])
        assert done.exit_code == 0, (seed, number, done.output)
    return len(files) // 2


@pytest.mark.everything
def test_random_tables_pass_with_all_earlier_ones(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert sum(map(pass_with_all_earlier_ones, range(25))) > 20


def test_a_report_says_what_a_table_respects_and_counts(verify: Callable[..., Result]) -> None:
    for source, name, text in (
        ("alone", "grown", "those who meet the condition in the statement"),
        ("chain", "third", "2 tables of the same source"),
    ):
        command = ["report", f"{source}.duckdb::guests", f"{name}.parquet", "--certificate", f"{name}.json", "-o", "page.html"]
        done = CliRunner().invoke(main, [*command, "--force"])
        assert done.exit_code == 0, done.output
        assert text in Path("page.html").read_text()
