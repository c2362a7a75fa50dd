"""`kanon verify` of releases with tokens: with the secret they are computed again, without it their rows are compared."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import duckdb
import pytest
from click.testing import CliRunner, Result

import kanon_sql
from kanon_sql.cli import main

Run = Callable[..., Result]

POLICY = """CREATE ANONYMIZATION POLICY p ON visits (
    IDENTIFIER name, patient AS PSEUDONYM (LINKABLE), "Case" AS PSEUDONYM (LINKABLE);
    BY zip, age; KEEP ward; GUARANTEE k >= 4)"""

TOKENS = ("--pseudonym", "patient,case")


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a source, its release with two columns of tokens, the certificate and two secrets."""
    folder = tmp_path_factory.mktemp("visits")
    draw = random.Random(7)
    people = ["", "ann", "Ann", "bob", "cem", "dän", "eve"]
    rows = [
        f"name {n},{draw.choice(people)},{n // 2},{draw.choice('112')}0501,{draw.choice('45')}0,w{draw.randrange(3)}"
        for n in range(60)
    ]
    (folder / "in.csv").write_text("\n".join(["name,patient,Case,zip,age,ward", *rows]) + "\n", encoding="utf-8")
    with kanon_sql.connect(secret="key") as con:
        con.execute(f"CREATE TABLE visits AS FROM read_csv('{folder}/in.csv', all_varchar := true)")
        con.execute(POLICY)
        con.execute(f"COPY (SELECT * EXCLUDE (name) FROM visits ANONYMIZE WITH POLICY p) TO '{folder}/out.csv'")
        (folder / "cert.json").write_text(kanon_sql.releases(con)[-1].to_json())
    (folder / "secret").write_text("key\n")
    (folder / "other").write_text("another key\n")
    return folder


@pytest.fixture
def run(folder: Path, released: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `kanon verify` in a folder with the files, without a secret in the environment."""
    copytree(released, folder, dirs_exist_ok=True)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("KANON_SECRET")
    return lambda *options: CliRunner().invoke(main, ["verify", "in.csv", "out.csv", "cert.json", *options])


def change(folder: Path, sql: str, name: str = "out.csv") -> None:
    """Run statements on a file of the folder, which is the table ``t``; an empty cell is NULL."""
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE t AS SELECT * FROM read_csv('{folder / name}', all_varchar := true)")
        con.execute(sql)
        con.execute(f"COPY t TO '{folder / name}'")


def refused(run: Run, *options: str) -> str:
    done = run(*options)
    assert done.exit_code == 1, done.output
    assert done.stdout == ""
    assert not any(value in done.stderr for value in ("ann", "Ann", "bob", "name "))
    return done.stderr


@pytest.mark.everything
def test_tokens_are_computed_again_with_the_secret(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(*TOKENS, "--secret-file", "secret")
    assert done.exit_code == 0, done.output
    assert "computed again with the secret" in " ".join(done.output.split())
    monkeypatch.setenv("KANON_SECRET", "key")
    found = json.loads(run(*TOKENS, "--json").stdout)
    assert found["holds"]
    assert found["pseudonyms"].startswith("patient, Case: computed again with the secret")


@pytest.mark.everything
def test_without_the_secret_it_says_what_was_not_checked(run: Run) -> None:
    done = run(*TOKENS)
    assert done.exit_code == 0, done.output
    told = " ".join(done.output.split())
    assert "as many tokens as identifiers, each with as many rows" in told
    assert "Not checked without the secret (--secret-file, KANON_SECRET): whether each token is computed from" in told


@pytest.mark.everything
def test_tokens_under_another_secret_are_refused(run: Run) -> None:
    told = refused(run, *TOKENS, "--secret-file", "other")
    assert 'tokens in the released column "patient" match no identifier in the source under this secret' in told


def test_tokens_that_nobody_named_are_refused_with_the_option(run: Run) -> None:
    assert 'the released column "patient" shows tokens instead of values; hint: pass --pseudonym patient' in refused(run)
    assert 'the released column "Case" shows tokens' in refused(run, "--pseudonym", "patient")


FIRST = "(SELECT min(rowid) FROM t WHERE patient IS NOT NULL)"

CHANGES = {
    "the tokens of two patients are exchanged in one row each": """UPDATE t SET patient = (SELECT max(patient) FROM t)
        WHERE rowid = (SELECT min(rowid) FROM t WHERE patient < (SELECT max(patient) FROM t))""",
    "an empty cell has a token": "UPDATE t SET patient = (SELECT max(patient) FROM t) WHERE rowid = "
    "(SELECT min(rowid) FROM t WHERE patient IS NULL)",
    "a token is gone": f"UPDATE t SET patient = NULL WHERE rowid = {FIRST}",
    "a patient has two tokens": f"UPDATE t SET patient = repeat('0a', 16) WHERE rowid = {FIRST}",
    "two patients have one token": """UPDATE t SET patient = (SELECT max(patient) FROM t)
        WHERE patient = (SELECT min(patient) FROM t)""",
    "a row has an identifier": f"UPDATE t SET patient = 'ann' WHERE rowid = {FIRST}",
    "a token has capitals": f"UPDATE t SET patient = upper(patient) WHERE rowid = {FIRST}",
}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("what", CHANGES)
def test_changed_tokens_are_refused(run: Run, folder: Path, what: str) -> None:
    change(folder, CHANGES[what])
    refused(run, *TOKENS, "--secret-file", "secret")
    refused(run, *TOKENS)


@pytest.mark.everything
def test_an_identifier_that_looks_like_a_token_is_refused(run: Run, folder: Path) -> None:
    fake = "repeat('0a', 16)"
    change(folder, f"UPDATE t SET patient = {fake} WHERE patient = 'bob'", "in.csv")
    change(folder, f"UPDATE t SET patient = {fake} WHERE rowid = {FIRST}")
    for options in ((), ("--secret-file", "secret")):
        assert '1 cell in the released column "patient" shows identifiers from the source' in refused(run, *TOKENS, *options)


def test_all_tokens_exchanged_are_noticed_with_the_secret(run: Run, folder: Path) -> None:
    # a consistent exchange of two tokens: noticed without the secret only by the other columns of their rows
    change(
        folder,
        """UPDATE t SET "Case" = CASE "Case" WHEN (SELECT min("Case") FROM t) THEN (SELECT max("Case") FROM t)
            WHEN (SELECT max("Case") FROM t) THEN (SELECT min("Case") FROM t) ELSE "Case" END""",
    )
    assert "differ from the source in columns" in refused(run, *TOKENS, "--secret-file", "secret")


def test_a_token_in_another_class_is_refused(run: Run, folder: Path) -> None:
    # two rows of one ward and of other zip codes exchange their tokens, and all else stays
    change(
        folder,
        """CREATE TABLE pairs AS SELECT a.rowid AS one, b.rowid AS other, a.patient AS mine, b.patient AS theirs,
                a."Case" AS c, b."Case" AS d
            FROM t AS a, t AS b WHERE a.zip < b.zip AND a.ward = b.ward AND a.age = b.age AND a.patient <> b.patient
            ORDER BY ALL LIMIT 1;
        UPDATE t SET patient = theirs, "Case" = d FROM pairs WHERE t.rowid = one;
        UPDATE t SET patient = mine, "Case" = c FROM pairs WHERE t.rowid = other""",
    )
    assert "matches no row of the source" in refused(run, *TOKENS, "--secret-file", "secret")


def test_wrong_options(run: Run) -> None:
    assert "--pseudonym" in refused(run, "--pseudonym", "nobody")
    assert 'the pseudonym "zip" has a second role in the policy' in refused(run, "--pseudonym", "zip")
    done = run("--secret-file", "secret")
    assert done.exit_code == 2
    assert "--secret-file requires --pseudonym" in done.stderr


@pytest.mark.everything
def test_other_formats_types_and_collations(run: Run, folder: Path) -> None:
    with kanon_sql.connect(secret="key") as con:
        con.execute(f"ATTACH '{folder}/clinic.duckdb' AS clinic")
        con.execute("""CREATE TABLE clinic.visits AS SELECT CASE WHEN i % 7 > 0 THEN i % 7 END AS patient,
            (['a', 'A', 'b'])[1 + i % 3] COLLATE NOCASE AS name, 98100 + i % 3 AS zip, 20.5 + i % 2 AS cost
            FROM range(84) AS r(i)""")
        con.execute("USE clinic")
        con.execute("""CREATE ANONYMIZATION POLICY q ON visits (
            IDENTIFIER patient AS PSEUDONYM (LINKABLE), name AS PSEUDONYM (LINKABLE); BY zip; KEEP cost; GUARANTEE k >= 3)""")
        for ending in ("parquet", "json", "csv"):
            con.execute(f"COPY (FROM visits ANONYMIZE WITH POLICY q) TO '{folder}/typed.{ending}'")
        (folder / "typed.json.cert").write_text(kanon_sql.releases(con)[-1].to_json())
    keyed = ("--secret-file", "secret")
    for ending, options in (("parquet", keyed), ("parquet", ()), ("json", ()), ("csv", keyed)):
        command = ["verify", "clinic.duckdb::visits", f"typed.{ending}", "typed.json.cert", "--pseudonym", "patient"]
        done = CliRunner().invoke(main, [*command, "--pseudonym", "NAME", *options])
        assert done.exit_code == 0, (ending, options, done.output)
