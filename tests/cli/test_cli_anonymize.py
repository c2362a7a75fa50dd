"""`kanon anonymize`: formats, the guarantee on the written file, and refusals."""

from __future__ import annotations

import csv
import gzip
import os
import resource
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from kanon_process import Kanon

import kanon_sql

RELEASE = ("--qi", "zip,age", "--k", "4", "--keep", "note")


def rows_of(con: duckdb.DuckDBPyConnection, source: str) -> list[tuple[object, ...]]:
    return con.execute(f"SELECT zip, age, note FROM {source}").fetchall()


def read_csv(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


def left_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.everything
def test_a_csv_release_keeps_its_guarantee_and_everything_else(started: Kanon, people: Path, folder: Path) -> None:
    done = started("anonymize", "people.csv", "-o", "out.csv", *RELEASE)
    warned = "warning: note is released unchanged and singles out 100.0% of the rows\n"
    assert (done.returncode, done.stderr) == (0, warned)
    header, *rows = read_csv((folder / "out.csv").read_text())
    assert header == ["zip", "age", "note"]
    assert min(Counter((row[0], row[1]) for row in rows).values()) >= 4
    source = {row[2]: row for row in read_csv(people.read_text())[1:]}
    assert sorted(source) == sorted(row[2] for row in rows)
    for row in rows:
        assert all(cell in ("", before) for cell, before in zip(row, source[row[2]], strict=True))
    assert left_in(folder) == {"people.csv", "out.csv"}


@pytest.mark.everything
def test_the_summary_counts_what_was_suppressed(kanon: Kanon, people: Path, folder: Path) -> None:
    done = kanon("anonymize", "people.csv", "-o", "out.csv", *RELEASE)
    cells = sum(cell == "" for row in read_csv((folder / "out.csv").read_text())[1:] for cell in row[:2])
    assert f"{cells} of 24" in done.stdout
    assert "k >= 4" in done.stdout
    assert "lower bound" in done.stdout


@pytest.mark.everything
def test_linked_columns_are_suppressed_together(kanon: Kanon, folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    rows = [f"c{n % 3},{n % 3}{n % 2},{30 + n % 5},w{n % 4}" for n in range(60)]
    (folder / "town.csv").write_text("\n".join(["city,zip,age,ward", *rows]) + "\n")
    links = ("--linked", "city,ZIP", "--linked", "age,ward")
    done = kanon("anonymize", "town.csv", "-o", "town.parquet", "--k", "4", *links)
    assert (done.returncode, done.stderr) == (0, "")
    released = con.sql(f"FROM '{folder / 'town.parquet'}' ORDER BY ALL").to_arrow_table().to_pylist()
    source = con.sql(f"FROM read_csv('{folder / 'town.csv'}', all_varchar = true)")
    same = kanon_sql.anonymize(source, k=4, linked=[["city", "zip"], ["age", "ward"]]).table
    assert released == same.order("ALL").to_arrow_table().to_pylist()
    assert any(row["city"] is None for row in released) or any(row["age"] is None for row in released)
    for row in released:
        assert (row["city"] is None) == (row["zip"] is None)
        assert (row["age"] is None) == (row["ward"] is None)


def test_senseless_links_are_refused(kanon: Kanon, people: Path, folder: Path) -> None:
    done = kanon("anonymize", "people.csv", "-o", "out.csv", *RELEASE, "--linked", "zip")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: linked group 1 needs at least two columns")
    assert left_in(folder) == {"people.csv"}


@pytest.mark.everything
def test_quiet_prints_nothing(kanon: Kanon, people: Path) -> None:
    done = kanon("anonymize", "people.csv", "-o", "out.csv", "-q", "--qi", "zip,age", "--k", "4", "--drop", "note")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.everything
def test_the_released_rows_are_sorted_so_that_their_order_tells_nothing(kanon: Kanon, people: Path, folder: Path) -> None:
    lines = people.read_text().splitlines()
    (folder / "shuffled.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    for name in ("people", "shuffled"):
        assert kanon("anonymize", f"{name}.csv", "-o", f"{name}.out.csv", *RELEASE).returncode == 0
    assert (folder / "people.out.csv").read_bytes() == (folder / "shuffled.out.csv").read_bytes()


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("target", "reader"),
    [
        ("out.tsv", "read_csv('out.tsv', delim='\t', all_varchar=true)"),
        ("out.csv.gz", "read_csv('out.csv.gz', all_varchar=true)"),
        ("out.parquet", "'out.parquet'"),
        ("out.json", "'out.json'"),
        ("out.jsonl", "read_json('out.jsonl')"),
    ],
)
def test_every_format_can_be_written_and_read_again(
    kanon: Kanon, people: Path, folder: Path, con: duckdb.DuckDBPyConnection, target: str, reader: str
) -> None:
    assert kanon("anonymize", "people.csv", "-o", target, *RELEASE, "--suppress", "*").returncode == 0
    con.execute(f"SET file_search_path = '{folder}'")
    rows = rows_of(con, reader)
    assert len(rows) == 12
    assert {row[0] for row in rows} <= {"00501", "06390", "*"}
    again = kanon("anonymize", target, "-o", "again.csv", *RELEASE, "--suppress", "*")
    assert again.returncode == 0, again.stderr
    assert kanon("audit", target, "--qi", "zip,age", "--k", "4").returncode == 0


@pytest.mark.everything
def test_a_gzip_file_is_gzip(kanon: Kanon, people: Path, folder: Path) -> None:
    assert kanon("anonymize", "people.csv", "-o", "out.csv.gz", *RELEASE).returncode == 0
    assert gzip.decompress((folder / "out.csv.gz").read_bytes()).startswith(b"zip,age,note\n")


@pytest.mark.everything
def test_parquet_types_stay(kanon: Kanon, folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT (i % 3)::TINYINT AS age, DATE '2020-01-01' + (i % 2)::INTEGER AS born, 1.50::DECIMAL(9, 2) AS fee"
    con.execute(f"COPY ({query} FROM range(20) t(i)) TO '{folder}/in.parquet'")
    done = kanon("anonymize", "in.parquet", "-o", "out.parquet", "--qi", "age,born", "--k", "3")
    assert done.returncode == 0, done.stderr
    types = [con.execute(f"DESCRIBE FROM '{folder}/{name}.parquet'").fetchall() for name in ("in", "out")]
    assert types[0] == types[1]


@pytest.mark.everything
def test_json_values_stay_as_they_stand(kanon: Kanon, folder: Path) -> None:
    row = '{"when":"2020-01-01T00:00:00Z","zip":"00501","big":123456789012345678901234567890,"mixed":%s,"clock":"9:5"}'
    (folder / "in.jsonl").write_text("\n".join(row % value for value in ('"a"', "1", '"a"', "1")) + "\n")
    assert kanon("anonymize", "in.jsonl", "-o", "out.jsonl", "--qi", "zip,mixed", "--k", "2").returncode == 0
    assert sorted((folder / "out.jsonl").read_text().split()) == sorted((folder / "in.jsonl").read_text().split())


@pytest.mark.everything
def test_a_pattern_in_a_name_is_a_name(kanon: Kanon, people: Path, folder: Path) -> None:
    people.rename(folder / "people[1]*.csv")
    (folder / "year=2020").mkdir()
    done = kanon("anonymize", "people[1]*.csv", "-o", "year=2020/out.parquet", *RELEASE)
    assert done.returncode == 0, done.stderr
    assert kanon("audit", "year=2020/out.parquet", "--qi", "zip,age,note").returncode == 0
    assert "year" not in kanon("audit", "year=2020/out.parquet", "--qi", "year").stdout


@pytest.mark.everything
def test_empty_text_and_missing_value_stay_apart(kanon: Kanon, folder: Path) -> None:
    (folder / "in.csv").write_text('a,b\n"",1\n"",1\n,1\n,1\n')
    assert kanon("anonymize", "in.csv", "-o", "out.csv", "--qi", "a,b", "--k", "2").returncode == 0
    assert sorted((folder / "out.csv").read_text().split()) == sorted((folder / "in.csv").read_text().split())


@pytest.mark.everything
def test_masks_are_the_only_patterns(kanon: Kanon, people: Path, folder: Path) -> None:
    done = kanon("anonymize", "people.csv", "-o", "out.csv", *RELEASE, "--mask", "zip", "--mask", "")
    assert done.returncode == 0, done.stderr
    assert {row[1] for row in read_csv((folder / "out.csv").read_text())[1:]} == {""}


@pytest.mark.everything
def test_weights_steer_which_column_goes(kanon: Kanon, folder: Path) -> None:
    (folder / "in.csv").write_text("a,b\n" + "\n".join(f"{i // 2},{i % 2}" for i in range(4)) + "\n")
    for heavy, column in (("a", 1), ("b", 0)):
        assert kanon("anonymize", "in.csv", "-o", f"{heavy}.csv", "--weight", f"{heavy}=5", "--k", "2", "-q").returncode == 0
        assert {row[column] for row in read_csv((folder / f"{heavy}.csv").read_text())[1:]} == {""}


@pytest.mark.everything
def test_a_column_with_a_comma_in_its_name(kanon: Kanon, folder: Path) -> None:
    (folder / "in.csv").write_text('"zip, code",age,n\n' + "1,2,3\n" * 3)
    for names in (["--qi", "zip, code", "--qi", "age"], ["--qi", '"zip, code",age']):
        done = kanon("anonymize", "in.csv", "-o", "out.csv", "--k", "2", "--force", "-q", *names)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.everything
def test_another_delimiter(kanon: Kanon, people: Path, folder: Path) -> None:
    people.write_text(people.read_text().replace(",", ";"))
    done = kanon("anonymize", "people.csv", "-o", "out.csv", "--delimiter", ";", *RELEASE)
    assert done.returncode == 0, done.stderr
    assert (folder / "out.csv").read_text().startswith("zip;age;note\n")


@pytest.mark.everything
def test_a_table_of_a_database_is_replaced_whole(kanon: Kanon, people: Path, folder: Path) -> None:
    with duckdb.connect(folder / "clinic.duckdb") as con:
        con.execute(f"CREATE TABLE patients AS FROM read_csv('{people}', all_varchar = true)")
        con.execute("CREATE SCHEMA public; CREATE TABLE kept AS SELECT 1 AS one")
    done = kanon("anonymize", "clinic.duckdb::patients", "-o", "clinic.duckdb::public.released", *RELEASE)
    assert done.returncode == 0, done.stderr
    exists = kanon("anonymize", "clinic.duckdb", "--table", "patients", "-o", "clinic.duckdb::public.released", *RELEASE)
    assert (exists.returncode, exists.stderr.count("\n")) == (1, 1)
    assert "--force" in exists.stderr
    forced = kanon(
        "anonymize",
        "clinic.duckdb",
        "--table",
        "patients",
        "-o",
        "clinic.duckdb::public.released",
        "--k",
        "2",
        "--force",
        "--drop",
        "note",
    )
    assert forced.returncode == 0, forced.stderr
    same = kanon("anonymize", "clinic.duckdb::patients", "-o", "clinic.duckdb::main.PATIENTS", "--force", *RELEASE)
    assert "OUT is the same file as IN" in same.stderr
    with duckdb.connect(folder / "clinic.duckdb", read_only=True) as con:
        assert con.execute("SELECT count(*) FROM public.released").fetchall() == [(12,)]
        assert con.execute("SELECT count(zip) FROM patients").fetchall() == [(12,)]
        assert con.execute("FROM kept").fetchall() == [(1,)]
    assert kanon("audit", "clinic.duckdb::public.released", "--k", "2").returncode == 0


@pytest.mark.everything
def test_a_new_database(kanon: Kanon, people: Path, folder: Path) -> None:
    assert kanon("anonymize", "people.csv", "-o", 'new.duckdb::"a ""b"""', *RELEASE).returncode == 0
    with duckdb.connect(folder / "new.duckdb", read_only=True) as con:
        assert con.execute('SELECT count(*) FROM "a ""b"""').fetchall() == [(12,)]
    assert left_in(folder) == {"people.csv", "new.duckdb"}


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["missing.csv", "-o", "out.csv", "--k", "2"], "no file"),
        (["people.csv", "-o", "out.csv", "--qi", "zip,age", "--drop", "note", "--k", "13"], "12 rows"),
        (["people.csv", "-o", "out.csv", "--k", "0"], "at least 1"),
        (["people.csv", "-o", "out.csv", "--qi", "zip,salary", "--k", "2"], 'unknown column "salary"'),
        (["people.csv", "-o", "out.csv", "--mask", "salary", "--k", "2"], 'unknown column "salary"'),
        (["people.csv", "-o", "out.csv", "--weight", "salary=2", "--k", "2"], 'unknown column "salary"'),
        (["people.csv", "-o", "out.csv", "--weight", "zip=much", "--k", "2"], "must be a number"),
        (
            ["people.csv", "-o", "out.csv", "--sensitive", "note", "--k", "2"],
            "no guarantee uses the sensitive column",
        ),
        (["people.csv", "-o", "out.csv", "--sensitive", "note", "--l", "1/2"], "l must be at least 1, got 1/2"),
        (["people.csv", "-o", "out.csv", "--sensitive", "note", "--l", "two"], "l must be a number"),
        (
            ["people.csv", "-o", "out.csv", "--sensitive", "note", "--l", "2", "--variant", "recursiv"],
            "did you mean 'recursive'?",
        ),
        (["people.csv", "-o", "out.csv", "--sensitive", "note", "--l", "2", "--variant", "recursive"], "needs c"),
        (["people.csv", "-o", "out.csv", "--sensitive", "note", "--t", "1.5"], "t must be between 0 and 1, got 3/2"),
        (
            ["people.csv", "-o", "out.csv", "--sensitive", "note", "--l", "2", "--metric", "equal"],
            "metric has no effect without t",
        ),
        (["people.csv", "-o", "out.csv", "--sensitive", "note", "--t", ".3", "--metric", "ordred"], "did you mean ordered?"),
        (["people.csv", "-o", "out.csv", "--sensitive", "note", "--t", ".3", "--metric", "far.csv"], "no file"),
        (["people.csv", "-o", "out.csv", "--sensitive", "note", "--t", ".3", "--metric", "numeric.csv"], "rename it"),
        (
            ["people.csv", "-o", "out.csv", "--sensitive", "note", "--t", ".3", "--metric", "hierarchical"],
            "needs a table with a tree",
        ),
        (["people.csv", "-o", "out.csv", "--sensitive", "note", "--t", ".3", "--hierarchy", "tree"], "no known extension"),
        (
            ["people.csv", "-o", "out.csv", "--sensitive", "note", "--t", ".3", "--hierarchy", "old.csv"],
            "a hierarchy applies to the metric 'hierarchical', not to 'equal'",
        ),
        (["people.csv", "-o", "out.csv", "--sensitive", "salary", "--l", "2"], 'unknown column "salary"'),
        (
            ["people.csv", "-o", "out.csv", "--sensitive", "NOTE", "--l", "2", "--qi", "zip,note"],
            'the sensitive column "NOTE" is also a quasi-identifier',
        ),
        (["people.csv", "-o", "out.csv", "--drop", "note", "--algorithm", "magic", "--k", "2"], "no algorithm 'magic'"),
        (["people.csv", "-o", "out.csv", "--time-limit", "-1", "--k", "2"], "above 0"),
        (
            ["people.csv", "-o", "out.xlsx", "--k", "2"],
            "out.xlsx is a spreadsheet, which kanon can only read; hint: pass -o out.csv",
        ),
        (["people.txt", "-o", "out.csv", "--k", "2"], "no known extension"),
        (["people.csv", "-o", "out.duckdb", "--k", "2"], "table name"),
        (["people.csv::t", "-o", "out.csv", "--k", "2"], "not a database"),
        (["people.csv", "-o", "nowhere/out.csv", "--k", "2"], "no folder"),
        (["people.csv", "-o", "/proc/out.csv", "--k", "2"], "cannot write"),
        (["people.csv", "-o", "people.csv", "--force", "--k", "2"], "OUT is the same file as IN"),
        (["people.csv", "-o", "link.csv", "--force", "--k", "2"], "OUT is the same file as IN"),
        (["people.csv", "-o", "old.csv", "--k", "2"], "--force"),
        (
            ["people.csv", "-o", "folder.csv", "--force", "--k", "2"],
            "folder.csv is a folder; hint: write to a file in it, such as -o folder.csv/out.csv",
        ),
        (["broken.csv", "-o", "out.csv", "--k", "2"], "cannot read"),
        (["latin.csv", "-o", "out.csv", "--k", "2", "--encoding", "utf-8"], "it is not in UTF-8 at line 2"),
        (
            ["latin.csv", "-o", "out.csv", "--k", "2", "--encoding", "utf-16"],
            "is not in utf-16; hint: pass a different --encoding",
        ),
        (["broken.parquet", "-o", "out.csv", "--k", "2"], "cannot read"),
        (["broken.json", "-o", "out.csv", "--k", "2"], "cannot read"),
        (["broken.duckdb::t", "-o", "out.csv", "--k", "2"], "cannot read"),
    ],
)
def test_a_refusal_is_one_line_and_leaves_nothing(
    kanon: Kanon, people: Path, folder: Path, arguments: list[str], says: str
) -> None:
    (folder / "link.csv").symlink_to(people)
    (folder / "folder.csv").mkdir()
    (folder / "old.csv").write_text("old")
    (folder / "numeric.csv").write_text("a,b,distance\n")
    (folder / "broken.csv").write_text("a,b\nSECRET,1\nSECRET,1,2,3\n")
    (folder / "latin.csv").write_bytes("a,b\nSECRÈT,1\n".encode("latin-1"))
    for name in ("broken.parquet", "broken.json", "broken.duckdb"):
        (folder / name).write_text('[{"a": SECRET')
    before = left_in(folder)
    done = kanon("anonymize", *arguments)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert says in done.stderr
    assert "SECR" not in done.stderr
    assert done.stdout == ""
    assert left_in(folder) == before
    assert (folder / "old.csv").read_text() == "old"


@pytest.mark.parametrize("arguments", [[], ["people.csv"], ["people.csv", "-o", "x.csv", "--weight", "zip"], ["--k", "a"]])
def test_wrong_usage_is_told_as_such(kanon: Kanon, people: Path, arguments: list[str]) -> None:
    done = kanon("anonymize", *arguments)
    assert done.returncode == 2
    assert "Usage" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"), [(["--l", "2"], "--l needs a sensitive column; hint: pass --sensitive disease")]
)
def test_options_that_miss_another_are_wrong_usage(
    kanon: Kanon, people: Path, folder: Path, arguments: list[str], says: str
) -> None:
    done = kanon("anonymize", "people.csv", "-o", "out.csv", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: ")
    assert done.stderr.endswith(f"\n\nError: {says}\n")
    assert left_in(folder) == {"people.csv"}


@pytest.mark.everything
def test_a_full_disk_leaves_the_old_file(started: Kanon, folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"COPY (SELECT i % 5 AS a, i AS note FROM range(50000) t(i)) TO '{folder}/in.csv' (HEADER)")
    assert (
        started("anonymize", "in.csv", "-o", "out.csv", "--k", "2", "--qi", "a", "--keep", "note").returncode == 0
    )  # compiled kernels are written too
    (folder / "out.csv").write_text("old")

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = started(
        "anonymize", "in.csv", "-o", "out.csv", "--k", "2", "--qi", "a", "--keep", "note", "--force", preexec_fn=full
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: cannot write")
    assert (folder / "out.csv").read_text() == "old"
    assert left_in(folder) == {"in.csv", "out.csv"}


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_folder(kanon: Kanon, people: Path, folder: Path) -> None:
    (folder / "locked").mkdir(mode=0o500)
    done = kanon("anonymize", "people.csv", "-o", "locked/out.csv", *RELEASE)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


@pytest.mark.everything
def test_an_empty_table_is_released_empty(kanon: Kanon, folder: Path) -> None:
    (folder / "in.csv").write_text("a,b\n")
    done = kanon("anonymize", "in.csv", "-o", "out.csv", "--k", "2")
    assert done.returncode == 0, done.stderr
    assert (folder / "out.csv").read_text() == "a,b\n"
