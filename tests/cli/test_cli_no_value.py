"""The command line: no cell of a table is in what it prints, whatever fails."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from kanon_process import Kanon

SOURCE = "note,zip,age\n" + "".join(f"CANARY{i},CANARYz{i % 4},{i % 5}\n" for i in range(24))

WAYS = [
    ["--qi", "age", "--k", "25"],
    ["--qi", "zip", "--recode", "zip=INTERVALS (5)"],
    ["--qi", "zip", "--recode", "zip=HIERARCHY torn", "--beside", "torn=torn.csv"],
    ["--qi", "zip", "--recode", "zip=REGIONS loops", "--beside", "loops=loops.csv"],
    ["--qi", "zip", "--sensitive", "note", "--t", "0", "--metric", "numeric"],
    ["--qi", "zip", "--sensitive", "note", "--t", "0.1", "--metric", "far.csv"],
    ["--qi", "age", "--sensitive", "note", "--l", "25"],
    ["--qi", "absent"],
    ["--qi", "\udcff"],
    ["--weight", "age=x"],
    ["--mask", "\udcff"],
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in.csv").write_text(SOURCE)
    (tmp_path / "torn.csv").write_text("value,parent\nCANARYz0,CANARYx\nCANARYz0,CANARYy\n")
    (tmp_path / "loops.csv").write_text("a,b\nCANARYz0,CANARYz0\n")
    (tmp_path / "far.csv").write_text("a,b,distance\nCANARY0,CANARY1,77\n")
    with duckdb.connect(tmp_path / "db.duckdb") as con:
        con.execute("CREATE TABLE p AS SELECT 'CANARY' || i AS note, i % 4 AS age FROM range(24) t(i)")
    return tmp_path


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("way", WAYS, ids=repr)
def test_anonymize(kanon: Kanon, folder: Path, way: list[str]) -> None:
    done = kanon("anonymize", "in.csv", "-o", "out.csv", *way)
    assert done.returncode != 0
    assert "CANARY" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "out.csv").exists()


STATEMENT = "SELECT CAST(note AS INT) AS n, age FROM p ANONYMIZE BY age GUARANTEE k >= 2"


@pytest.mark.everything
@pytest.mark.parametrize("command", [["run", "broken.sql", "--db", "db.duckdb"], ["shell", "db.duckdb"]])
def test_scripts(kanon: Kanon, folder: Path, command: list[str]) -> None:
    for statement in (STATEMENT, f"CREATE VIEW v AS {STATEMENT};\nFROM v", f"CREATE TABLE r AS {STATEMENT}"):
        text = f"SELECT 1;\n{statement};\n"
        (folder / "broken.sql").write_text(text)
        done = kanon(*command, input=text)
        assert done.returncode == 1
        assert "CANARY" not in done.stdout + done.stderr
        assert "DuckDB could not run the statement: a value does not fit the type of its column" in done.stderr
        assert "hint: run its query without the release" in done.stderr
