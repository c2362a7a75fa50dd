"""The judge of the fault lab sees what is cut off, below k, or left for all to read."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

ROWS = 1000
TABLE = "CREATE TABLE p AS SELECT i % 10 AS zip, i % 5 AS age, i AS x, 'note' AS note, 'more' AS more FROM range(1000) AS t(i)"


@pytest.fixture
def checks(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(root))
    yield importlib.import_module("benchmarks.fault_checks")
    for name in [name for name in sys.modules if name.partition(".")[0] == "benchmarks"]:
        del sys.modules[name]


@pytest.fixture
def con(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as connection:
        connection.execute(TABLE)
        yield connection


@pytest.mark.sweep
@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_a_file_is_whole_or_a_violation(checks: Any, con: duckdb.DuckDBPyConnection, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"out.{ending}"
    assert list(checks.file(path, ROWS, 5)) == []
    con.execute(f"COPY p TO '{path}'")
    assert list(checks.file(path, ROWS, 5)) == []
    assert list(checks.file(path, ROWS, 101)) == [f"{path.name}: a class of 100 rows"]
    path.write_bytes(path.read_bytes()[:-20])
    assert list(checks.file(path, ROWS, 5))


def test_a_folder_and_a_page_are_whole_or_a_violation(checks: Any, con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    con.execute(f"COPY (SELECT *, x % 4 AS part FROM p) TO '{tmp_path}/out' (FORMAT csv, PARTITION_BY (part))")
    assert list(checks.file(tmp_path / "out", ROWS, 5)) == []
    next((tmp_path / "out").glob("*/*.csv")).unlink()
    assert list(checks.file(tmp_path / "out", ROWS, 5)) == ["out: 750 of 1,000 rows"]
    page = tmp_path / "page.html"
    for text, problems in (("<html></html>\n", 0), ("<html></ht", 1)):
        page.write_text(text)
        assert len(list(checks.file(page, ROWS, 5))) == problems


@pytest.mark.everything
def test_a_table_is_whole_or_a_violation(checks: Any, con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    path = tmp_path / "clinic.duckdb"

    def judged(statement: str) -> list[str]:
        with duckdb.connect(str(path)) as other:
            other.execute(statement)
        return list(checks.database(path, ROWS, 5))

    con.close()
    assert judged("SELECT 1") == []
    assert judged("CREATE TABLE released AS FROM p") == []
    assert judged("DELETE FROM released WHERE x >= 999") == ["the table: 999 of 1,000 rows"]
    assert judged("DROP TABLE released; DELETE FROM p WHERE x = 1") == ["the source has lost rows"]
    path.write_bytes(path.read_bytes()[:5000])
    assert list(checks.database(path, ROWS, 5)) == ["clinic.duckdb does not open: IOException"]


def test_what_is_left_is_private_or_a_violation(checks: Any, tmp_path: Path) -> None:
    private = tmp_path / ".kanon-0123456789abcdef"
    private.mkdir(mode=0o700)
    (tmp_path / "in.csv").touch()
    assert list(checks.folder(tmp_path, {"in.csv"})) == []
    private.chmod(0o755)
    (tmp_path / "tmp_out.csv").touch()
    assert set(checks.folder(tmp_path, {"in.csv"})) == {"tmp_out.csv was left", f"others may look into {private.name}"}
    assert checks.written(tmp_path) == 0
    (private / ".owner").write_text("machine")
    assert checks.written(tmp_path) == 0
    (private / "release.csv").write_text("12345")
    assert checks.written(tmp_path) == 5
