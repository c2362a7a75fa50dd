"""A disk that is full or read-only, and files that may not grow: the error names this cause, and nothing half-written stays."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest
from kanon_process import KANON, Kanon
from small_disk import Run, on_small_disk

RELEASE = ("--qi", "zip,age", "--k", "5", "--keep", "visit,note", "--algorithm", "greedy", "-q")
CLAUSE = "SELECT * FROM p ANONYMIZE BY zip, age KEEP visit, note GUARANTEE k >= 5 USING greedy"
POLICY = "CREATE ANONYMIZATION POLICY q ON p (BY zip, age; KEEP visit, note; GUARANTEE k >= 5)"

FULL = "No space left on device"
SPACE = "hint: free some space on that disk, or use a different one"

WRITING = {
    "csv": ("anonymize", "in.parquet", "-o", "out.csv", *RELEASE),
    "csv.gz": ("anonymize", "in.parquet", "-o", "out.csv.gz", *RELEASE),
    "parquet": ("anonymize", "in.parquet", "-o", "out.parquet", *RELEASE),
    "json": ("anonymize", "in.parquet", "-o", "out.json", *RELEASE),
    "database": ("anonymize", "in.parquet", "-o", "out.duckdb::released", *RELEASE),
    "table": ("anonymize", "in.parquet", "-o", "clinic.duckdb::released", *RELEASE),
    "append": ("append", "clinic.duckdb::p", "released", "--key", "visit", *RELEASE[:5], "note", *RELEASE[6:]),
    "COPY csv": ("run", "csv.sql", "--db", "clinic.duckdb"),
    "COPY parquet": ("run", "parquet.sql", "--db", "clinic.duckdb"),
    "CREATE TABLE": ("run", "table.sql", "--db", "clinic.duckdb"),
    "report": ("report", "in.parquet", "in.parquet", "-o", "page.html", "--qi", "zip,age", "--k", "5", "-q"),
    "frontier": ("frontier", "roles.parquet", "-o", "curve.csv", "--qi", "zip,age", "--k", "5", "-q"),
    "suggest": ("suggest", "in.parquet", "-o", "policy.sql"),
    "policies": ("policy", "export", "policies.duckdb", "-o", "policies.json"),
}
"""Every command that writes; the last four write a few bytes only."""

UNCHANGED = [
    f"warning: {name} is released unchanged and singles out 100.0% of the rows (values shared by fewer than 5 rows)"
    for name in ("visit", "note")
]
ALONE = [
    f"warning: {name} alone singles out 20,000 of 20,000 rows (100.0%): values shared by fewer than 5 rows. Anyone who knows "
    "a person's value finds these few rows. Remove it, make it a quasi-identifier, or release it on purpose by listing it in "
    "KEEP."
    for name in ("visit", "note")
]
WARNED = {
    "append": UNCHANGED[1:],  # the key is not released
    "report": [*ALONE, "warning: Source and release have the same rows, so both reveal the same."],
    "frontier": [],
    "suggest": [],
    "policies": [],
}
"""The warnings of work that does not release both columns."""

TOLD = {
    "COPY csv": ["released under k >= 5; certificate: out.csv.certificate.json"],
    "COPY parquet": ["released under k >= 5; certificate: out.parquet.certificate.json"],
    "CREATE TABLE": ["released under k >= 5"],
}
"""What a script says of a release that succeeds."""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import kanon_sql

    folder = tmp_path_factory.mktemp("inputs")
    with kanon_sql.connect(str(folder / "clinic.duckdb")) as con:
        con.execute("""CREATE TABLE p AS SELECT i AS visit, (hash(i) % 40)::INTEGER AS zip, (hash(i, 1) % 10)::INTEGER AS age,
            'note ' || hash(i) AS note FROM range(20000) AS t(i)""")
        con.execute(f"COPY p TO '{folder}/in.parquet'; COPY (SELECT zip, age FROM p) TO '{folder}/roles.parquet'")
    with kanon_sql.connect(str(folder / "policies.duckdb")) as con:
        con.execute("CREATE TABLE p AS SELECT 1 AS visit, 2 AS zip, 3 AS age, 4 AS note")
        con.execute(POLICY)
    (folder / "csv.sql").write_text(f"COPY ({CLAUSE}) TO 'out.csv';")
    (folder / "parquet.sql").write_text(f"COPY ({CLAUSE}) TO 'out.parquet';")
    (folder / "table.sql").write_text(f"CREATE TABLE released AS {CLAUSE};")
    return folder


def said(run: Run, warned: Sequence[str] = UNCHANGED) -> str:
    """Return the error of a command that failed: one line, after the warnings, if it came that far."""
    assert run.code == 1
    *before, error = run.err.splitlines(keepends=True)
    assert "".join(before).splitlines() in ([], list(warned))
    assert error.startswith("error: ")
    assert error.endswith("\n")
    return error


def check_untouched(left: set[str], inputs: Path) -> None:
    """Check that nothing is there but the inputs, and the log of a database, which is always whole."""
    assert left - {"clinic.duckdb.wal"} == {path.name for path in inputs.iterdir()}


@pytest.mark.parametrize(
    ("work", "free"),
    [
        *((work, 0) for work in WRITING),
        *(pytest.param(work, free, marks=pytest.mark.everything) for work in list(WRITING)[:10] for free in (5000, 150_000)),
    ],
)
@pytest.mark.everything
@pytest.mark.sweep
def test_a_full_disk_is_the_cause(tmp_path: Path, inputs: Path, work: str, free: int) -> None:
    command = [*KANON, *WRITING[work]]
    first, again = on_small_disk(tmp_path / "disk", inputs, command, ["free"], command, free=free)
    warned = WARNED.get(work, UNCHANGED)
    error = said(first, warned)
    assert FULL in error
    assert error.endswith(f"{SPACE}\n")
    check_untouched(set(first.left), inputs)
    # So the cause was the one that was named, and the first left all as it was.
    assert (again.code, again.err.splitlines()) == (0, [*warned, *TOLD.get(work, [])])
    assert not [name for name in again.left if ".kanon-" in name]


@pytest.mark.everything
def test_without_space_for_its_certificate_no_release_appears(tmp_path: Path, inputs: Path) -> None:
    out = tmp_path / "out.csv"
    command = [*KANON, *WRITING["csv"][:3], str(out), *RELEASE, "--certificate", "cert.json"]
    first, again = on_small_disk(tmp_path / "disk", inputs, command, ["free"], command, free=0)
    assert f"cannot write certificate.json: {FULL}; {SPACE}" in said(first)
    check_untouched(set(first.left), inputs)
    assert again.code == 0  # OUT would have been in its way
    assert "cert.json" in again.left


@pytest.mark.everything
@pytest.mark.parametrize("free", [0, 5000, 150_000, 600_000])
def test_a_second_batch_leaves_the_first_as_it_was(tmp_path: Path, inputs: Path, free: int) -> None:
    folder = tmp_path / "grown"
    shutil.copytree(inputs, folder)
    work = WRITING["append"]
    with duckdb.connect(str(folder / "clinic.duckdb")) as con:
        con.execute("CREATE TABLE later AS FROM p WHERE visit >= 9000; DELETE FROM p WHERE visit >= 9000")
    counts = "SELECT (SELECT count(*) FROM released), count(*), count(DISTINCT key), max(batch) FROM kanon_ledger_released"
    (folder / "more.sql").write_text("INSERT INTO p FROM later;")
    (folder / "counts.sql").write_text(f"{counts};")
    more, count = ([*KANON, "run", name, "--db", "clinic.duckdb"] for name in ("more.sql", "counts.sql"))
    fill = ["sh", "-c", f"fallocate -l $(($(stat -f -c '%a * %S' .) - {free})) more"]
    append = [*KANON, *work]
    done = on_small_disk(
        tmp_path / "disk", folder, append, more, fill, append, ["rm", "more"], count, append, count, free=1 << 24
    )
    assert [each.code for each in done[:3]] == [0, 0, 0]
    error = said(done[3], WARNED["append"])
    assert FULL in error
    assert error.endswith(f"{SPACE}\n")
    assert done[5].out.splitlines()[-1] == "9000\t9000\t9000\t1"
    assert done[6].code == 0, done[6].err
    assert done[7].out.splitlines()[-1] == "20000\t20000\t20000\t2"


@pytest.mark.parametrize(
    "work", ["csv", "csv.gz", "parquet", "json", "database", "table", "append", "COPY csv", "CREATE TABLE"]
)
@pytest.mark.everything
@pytest.mark.sweep
def test_files_that_may_not_grow_are_the_cause(started: Kanon, folder: Path, inputs: Path, work: str) -> None:
    shutil.copytree(inputs, folder, dirs_exist_ok=True)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = started(*WRITING[work], preexec_fn=limited)
    error = said(Run(code=done.returncode, out=done.stdout, err=done.stderr, left={}), WARNED.get(work, UNCHANGED))
    assert "File too large" in error
    assert error.endswith("hint: raise the limit on file sizes (ulimit -f), or use a disk that supports larger files\n")
    check_untouched({path.name for path in folder.iterdir()}, inputs)
    assert started(*WRITING[work]).returncode == 0


@pytest.mark.everything
@pytest.mark.parametrize("work", WRITING)
@pytest.mark.sweep
def test_a_read_only_disk_is_the_cause(tmp_path: Path, inputs: Path, work: str) -> None:
    (run,) = on_small_disk(tmp_path / "disk", inputs, [*KANON, *WRITING[work]], free=1 << 24, read_only=True)
    error = said(run, WARNED.get(work, UNCHANGED))
    assert "Read-only file system" in error
    assert error.endswith("hint: use a writable folder\n")
    check_untouched(set(run.left), inputs)


@pytest.mark.everything
def test_a_pipe_that_finds_no_space_says_where(tmp_path: Path, inputs: Path) -> None:
    with duckdb.connect() as con:
        con.execute(f"COPY (FROM '{inputs}/in.parquet') TO '{tmp_path}/in.csv'")
    work = ["anonymize", "-", "-o", "-", *RELEASE]
    through = ["sh", "-c", f'"$@" < {tmp_path}/in.csv > /dev/null', "sh", *KANON, *work]
    (kept,) = on_small_disk(tmp_path / "disk", inputs, through, free=20_000, environment={"TMPDIR": str(tmp_path / "disk")})
    assert f"cannot store standard input in {tmp_path}/disk: {FULL}; {SPACE}" in said(kept)
    check_untouched(set(kept.left), inputs)
    out = ["sh", "-c", f'"$@" < {tmp_path}/in.csv > out.csv', "sh", *KANON, *work]
    (written,) = on_small_disk(tmp_path / "disk", inputs, out, free=20_000)
    assert f"cannot write to standard output: {FULL}; {SPACE}" in said(written)


SPILL = """SET temp_directory = 'spill'; SET memory_limit = '40MB'; SET max_temp_directory_size = '{}';
    CREATE TABLE q AS
    SELECT i AS visit, hash(i) % 4000 AS zip, hash(i, 1) % 100 AS age, md5(i::VARCHAR) AS note FROM range(300000) AS t(i);
    CREATE TABLE released AS SELECT * FROM q ANONYMIZE BY zip, age KEEP visit, note GUARANTEE k >= 5 USING greedy;"""


@pytest.mark.parametrize(
    ("most", "words", "hint"),
    [
        ("1GB", FULL, SPACE),
        ("3MB", "failed to offload data block", "hint: free some space on the disk of temp_directory, set temp_directory to"),
    ],
)
@pytest.mark.everything
def test_a_full_temp_directory_is_the_cause(tmp_path: Path, most: str, words: str, hint: str) -> None:
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / "spill.sql").write_text(SPILL.format(most))
    (run,) = on_small_disk(tmp_path / "disk", folder, [*KANON, "run", "spill.sql"], free=6 << 20)
    assert "statement 5" in said(run) or "statement 4" in run.err
    assert words in run.err
    assert "without the release" not in run.err
