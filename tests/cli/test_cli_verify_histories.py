"""`kanon verify` of a release that links the rows of each person, and its bound, which is proven again in plain Python."""

from __future__ import annotations

import json
import random
from pathlib import Path

import duckdb
import numpy as np
import pytest
from click.testing import CliRunner, Result

from kanon_sql.certificate.file import write
from kanon_sql.certificate.history_certificate import HISTORIES, HistoryCertificate
from kanon_sql.cli import main
from kanon_sql.errors import CertificateError
from kanon_sql.solvers.histories.known_sets import Support
from kanon_sql.solvers.histories.lower_bound import lower_bound
from kanon_sql.table.history_table import HistoryTable
from kanon_sql.verification.history_bound import History, proven

ROWS = """SELECT i // 4 AS patient, (i // 4) % 2 AS sex, ['eye', 'skin', 'heart'][1 + (i * i) % 3] AS ward,
    (i * 7 % 11) % 4 AS month, i AS cost FROM range(160) t(i)"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("histories")
    with duckdb.connect() as con:
        con.execute(f"COPY ({ROWS}) TO $path (HEADER)", {"path": str(folder / "visits.csv")})
    options = "--qi sex,ward,month --per patient --k 3 --known-rows 2 --keep cost --certificate"
    files = [str(folder / name) for name in ("visits.csv", "out.csv", "cert.json")]
    ran = CliRunner().invoke(main, ["anonymize", files[0], "-o", files[1], *options.split(), files[2]])
    assert ran.exit_code == 0, ran.output
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    for each in made.iterdir():
        (tmp_path / each.name).write_text(each.read_text())
    return tmp_path


def verified(folder: Path, *more: str) -> Result:
    files = [str(folder / name) for name in ("visits.csv", "out.csv", "cert.json")]
    return CliRunner().invoke(main, ["verify", *files, *more])


@pytest.mark.everything
def test_a_release_is_verified(folder: Path) -> None:
    ran = verified(folder, "--json")
    assert ran.exit_code == 0, ran.output
    found = json.loads(ran.stdout)
    assert found["holds"]
    assert found["guarantee"] == "k >= 3 PER patient LINKED FOR ANY 2 ROWS holds, counted in the release"
    assert found["lower bound"].endswith("proven again from each row and each pair of rows")
    certificate = HistoryCertificate.from_json((folder / "cert.json").read_text())
    assert certificate.suppressed_cells > certificate.lower_bound > 0


@pytest.mark.everything
def test_odd_names_empty_cells_an_enum_and_a_long_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as con:
        con.execute(
            """COPY (SELECT i // 4 AS "select", nullif(['x', 'y', 'z'][1 + i % 3], 'z')::ENUM ('x', 'y', 'hidden') AS "a""b",
                CASE WHEN i % 5 > 0 THEN i % 3 END AS "group", repeat('z', 100000 * (i = 3)::INT) AS kept FROM range(80) t(i))
            TO 'in.parquet'"""
        )
    options = ["--qi", '"a""b",group', "--per", "select", "--k", "3", "--known-rows", "2", "--keep", "kept"]
    ran = CliRunner().invoke(main, ["anonymize", "in.parquet", "-o", "out.parquet", *options, "--certificate", "c.json"])
    assert ran.exit_code == 0, ran.output
    ran = CliRunner().invoke(main, ["verify", "in.parquet", "out.parquet", "c.json"])
    assert ran.exit_code == 0, ran.output
    assert "hidden" not in str(duckdb.sql("DESCRIBE FROM 'out.parquet'").fetchall())
    ran = CliRunner().invoke(main, ["anonymize", "in.parquet", "-o", "none.parquet", *options[:5], "21", *options[6:]])
    assert (ran.exit_code, "the table has 20 people, fewer than k = 21" in ran.output) == (1, True)


FALSE = [
    ("k", 2, "but the policy says 3"),
    ("guarantee", "k >= 2 PER patient LINKED FOR ANY 2 ROWS", "but the policy says"),
    ("rows", 161, "but the source has 160"),
    ("people", 41, "but the source has 40"),
    ("own_columns", (), "in all rows of each person"),
    ("linked_people", 1, "the release has tokens of"),
    ("linked_rows", 1, "but the release has"),
    ("fewest_candidates", 7, "but the release has"),
    ("people_below_next", 0, "but the release has"),
    ("suppressed_cells", 1, "but the release suppresses"),
    ("cells", 1, "but the source has 480"),
    ("lower_bound", 10_000, "exceeds the number of suppressed cells"),
    ("policy", '{"k":3,"keep":[],"known_rows":2,"per":"patient","quasi_identifiers":["sex","ward"]}', "but the"),
    ("policy", '{"k":3}', "it is invalid"),
]


@pytest.mark.sweep
@pytest.mark.parametrize(("field", "value", "told"), FALSE, ids=[f"{field} {value}" for field, value, _ in FALSE])
def test_a_false_claim_is_named_with_its_line(folder: Path, field: str, value: object, told: str) -> None:
    certificate = HistoryCertificate.from_json((folder / "cert.json").read_text())
    fields = {name: getattr(certificate, name) for name in HISTORIES.claims} | {field: value}
    (folder / "cert.json").write_text(write(fields, HISTORIES))
    ran = verified(folder)
    assert ran.exit_code == 1
    assert any(word in ran.stderr.replace("\n", " ") for word in told.split("|")), ran.stderr


def test_a_bound_that_the_argument_does_not_prove_is_refused(folder: Path) -> None:
    certificate = HistoryCertificate.from_json((folder / "cert.json").read_text())
    fields = {name: getattr(certificate, name) for name in HISTORIES.claims} | {"lower_bound": certificate.suppressed_cells}
    (folder / "cert.json").write_text(write(fields, HISTORIES))
    ran = verified(folder)
    assert ran.exit_code == 1
    assert "can be proven from each row" in ran.stderr.replace("\n", " ")


def test_a_change_by_hand_does_not_fit_the_checksum(folder: Path) -> None:
    text = (folder / "cert.json").read_text()
    (folder / "cert.json").write_text(text.replace('"seconds": ', '"seconds": 1'))
    assert "does not match the text" in verified(folder).stderr.replace("\n", " ")
    with pytest.raises(CertificateError):
        HistoryCertificate.from_json((folder / "cert.json").read_text())


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE released SET cost = 1000000 WHERE cost = 7", "in columns that are not quasi-identifiers"),
        ("DELETE FROM released WHERE cost = 7", "but the release has"),
        ("UPDATE released SET patient = 'x' || cost WHERE patient IS NOT NULL", "but the release has"),
        ("UPDATE released SET sex = 1 - sex WHERE cost % 4 = 0", "different values of sex|other rows|but the release"),
        ("UPDATE released SET ward = 'lung' WHERE ward = 'eye'", "does not come|other|source"),
        ("UPDATE released SET month = NULL", "but the release"),
        ("ALTER TABLE released DROP cost", "error: the release lacks cost; hint: "),
    ],
)
def test_another_release_is_refused(folder: Path, change: str, told: str) -> None:
    file = str(folder / "out.csv")
    with duckdb.connect() as con:
        con.execute("CREATE TABLE released AS FROM read_csv($file, nullstr := '')", {"file": file})
        con.execute(change)
        con.execute("COPY released TO $file (HEADER)", {"file": file})
    ran = verified(folder)
    assert ran.exit_code == 1
    assert any(word in ran.stderr.replace("\n", " ") for word in told.split("|")), ran.stderr


def random_table(draw: random.Random) -> HistoryTable:
    people, own, facts = draw.randint(2, 14), draw.randint(0, 2), draw.randint(1, 3)
    whose = [who for who in range(people) for _ in range(draw.randint(1, 4))]
    return HistoryTable(
        person=np.array(whose),
        own=np.array([[draw.choice([-1, 0, 1]) for _ in range(own)] for _ in range(people)], np.int32).reshape(people, own),
        facts=np.array([[draw.choice([-1, 0, 0, 1, 2]) for _ in range(facts)] for _ in whose], np.int32),
    )


@pytest.mark.parametrize("seed", range(40))
def test_the_bound_is_proven_by_other_means(seed: int) -> None:
    draw = random.Random(seed)
    table, k, known = random_table(draw), draw.randint(2, 4), draw.randint(1, 2)

    def cells(codes: np.ndarray) -> tuple[int | None, ...]:
        return tuple(None if code < 0 else int(code) for code in codes)

    people = [
        History(own=cells(table.own[who]), rows=[cells(row) for row in table.facts[table.person == who]])
        for who in range(table.people)
    ]
    bound, method = lower_bound(table, k, known, Support(table))
    assert method == ("each row and each pair of rows" if known > 1 else "each row")
    assert proven(people, k, pairs=known > 1) == bound
