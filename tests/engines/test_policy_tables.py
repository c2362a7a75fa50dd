"""Stored policies of a stranger: they read tables of their database, never files, URLs or variables of whoever opens it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import KanonError, PolicyError
from kanon_sql.model.policy import Policy

PATIENTS = """
CREATE TABLE patients AS
    SELECT i AS id, ['a', 'b'][1 + i % 2] AS zip, ['x', 'y'][1 + i // 2 % 2] AS disease FROM range(40) AS t(i);
CREATE TABLE levels AS SELECT unnest(['a', 'b']) AS level0, 'all' AS level1;
CREATE VIEW seen_levels AS FROM levels;
CREATE SCHEMA other;
CREATE TABLE other.levels AS FROM main.levels;
CREATE TABLE kanon_policies("name" VARCHAR, "table" VARCHAR, policy VARCHAR, created TIMESTAMP)"""

SECRET = "SELECT unnest(['a', 'b']) AS level0, 'salary 52000' AS level1"

USES = (
    "FROM patients ANONYMIZE WITH POLICY p",
    "FROM anonymize('patients', 'p')",
    "EXPLAIN ANONYMIZE FROM patients ANONYMIZE WITH POLICY p",
    "CREATE VIEW released AS FROM patients ANONYMIZE WITH POLICY p; FROM released",
    "PREPARE it AS FROM patients ANONYMIZE WITH POLICY p; EXECUTE it",
    "COPY (FROM patients ANONYMIZE WITH POLICY p) TO 'out.csv'",
)

KINDS: dict[str, Callable[[str], dict[str, Any]]] = {
    "hierarchy": lambda name: {"recoding": {"type": "hierarchy", "table": name}},
    "regions": lambda name: {"recoding": {"type": "regions", "edges": name}},
    "distances": lambda name: {"requirement": {"type": "t", "sensitive": "disease", "t": 1, "metric": name}},
    "tree": lambda name: {
        "requirement": {"type": "t", "sensitive": "disease", "t": 1, "metric": "hierarchical", "hierarchy": name}
    },
    "k-map": lambda name: {"requirement": {"type": "k_map", "k": 2, "population": name}},
    "presence": lambda name: {"requirement": {"type": "presence", "delta": 1, "population": name}},
}
"""What names a table in a policy."""

OUTSIDE = (
    '"pay.csv"',
    "pay.csv",
    '"pay.csv.gz"',
    '"pay.json"',
    '"pay.parquet"',
    "pay.parquet",
    '"p*.parquet"',
    '"pa[y].parquet"',
    '"./pay.parquet"',
    'main."pay.parquet"',
    'clinic.main."pay.parquet"',
    'pay."parquet"',
    '"file:pay.parquet"',
    '"file:///{folder}/pay.parquet"',
    '"{folder}/pay.parquet"',
    '"{folder}"."pay.parquet"',
    '"pay.parquet "',
    '"https://127.0.0.1:9/pay.parquet"',
    "https://127.0.0.1:9/pay.csv",
    '"s3://bucket/pay.parquet"',
    '"hf://datasets/pay.csv"',
    "pay",
    '"pay"',
    "temp.main.pay",
    "mine.pay",
    "mine.main.pay",
)
"""Names of what is no table of the database: files, URLs, a variable, tables of another database."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as con:
        for ending in ("parquet", "json", "csv.gz"):
            con.execute(f"COPY ({SECRET}) TO 'pay.{ending}'")
    Path("pay.csv").write_text("a;salary 52000\nb;salary 52000\n")
    with duckdb.connect("clinic.duckdb") as con:
        con.execute(PATIENTS)
    return tmp_path


def stored(what: dict[str, Any], name: str = "p") -> None:
    """Store a policy as the author of the file may: without kanon-sql."""
    sensitive = what.get("requirement", {}).get("sensitive")
    policy = {
        "quasi_identifiers": [{"column": "zip"} | ({"recoding": what["recoding"]} if "recoding" in what else {})],
        "requirements": [{"type": "k", "k": 2}] + ([what["requirement"]] if "requirement" in what else []),
        "identifiers": ["id"],
        "kept": [] if sensitive else ["disease"],
    } | what.get("more", {})
    with duckdb.connect("clinic.duckdb") as con:
        con.execute("INSERT INTO kanon_policies VALUES ($1, 'patients', $2, now())", [name, json.dumps(policy)])


@pytest.fixture
def opened(folder: Path) -> Iterator[Callable[..., Connection]]:
    opened = []

    def connect(**options: Any) -> Connection:
        opened.append(kanon_sql.connect("clinic.duckdb", **options))
        return opened[-1]

    yield connect
    for con in opened:
        con.close()


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_but_a_table_of_the_database_is_read(
    folder: Path, opened: Callable[..., Connection], kind: str, name: str
) -> None:
    stored(KINDS[kind](name.replace("{folder}", str(folder).lstrip("/") if "file:" in name else str(folder))))
    pay = pd.DataFrame({"level0": ["a", "b"], "level1": ["salary 52000"] * 2})
    con = opened()
    con.execute(f"ATTACH ':memory:' AS mine; CREATE TABLE mine.pay AS {SECRET}")
    for use in USES:
        with pytest.raises(KanonError) as refused:
            con.sql(use).fetchall()
        told = str(refused.value)
        assert any(
            each in told for each in ("reads the file", "reads the URL", "a table in a different database", "does not exist")
        ), told
        assert "salary" not in told
    with pytest.raises(KanonError, match=r"reads|does not exist"):
        kanon_sql.append("patients", "released", key="id", con=con, policy="p")
    assert len(pay) == 2
    assert not (folder / "out.csv").exists()


@pytest.mark.everything
def test_names_of_the_database_are_read(opened: Callable[..., Connection]) -> None:
    names = ("levels", '"LEVELS"', "main.levels", "clinic.levels", "clinic.main.levels", "seen_levels", "other.levels")
    for place, name in enumerate(names):
        stored(KINDS["hierarchy"](name), f"p{place}")
    con = opened()
    for place, _ in enumerate(names):
        for use in USES[:3]:
            assert con.sql(use.replace("POLICY p", f"POLICY p{place}").replace("'p'", f"'p{place}'")).fetchall()


@pytest.mark.everything
def test_a_table_of_the_same_transaction_is_read(opened: Callable[..., Connection]) -> None:
    stored(KINDS["hierarchy"]("new_levels"))
    con = opened()
    con.execute("BEGIN; CREATE TABLE new_levels AS FROM levels")
    assert len(con.execute(USES[0]).fetchall()) == 40
    con.execute("ROLLBACK")
    with pytest.raises(KanonError, match="Table with name new_levels does not exist"):
        con.execute(USES[0])


@pytest.mark.everything
def test_levels_of_a_mask_name_no_other_table(opened: Callable[..., Connection]) -> None:
    shown = {"column": "zip", "recoding": {"type": "hierarchy", "table": "pay.csv", "levels": [1]}}
    stored(KINDS["hierarchy"]("levels") | {"more": {"masks": [[shown], []]}})
    with pytest.raises(KanonError, match="at levels that do not exist"):
        opened().execute(USES[0])


@pytest.mark.everything
@pytest.mark.parametrize("allowed", [["pay.csv"], [Path("pay.csv")], ["."], ["{folder}"], ["other", "{folder}/pay.csv"]])
def test_an_allowed_file_is_read(folder: Path, opened: Callable[..., Connection], allowed: list[Any]) -> None:
    stored(KINDS["hierarchy"]('"pay.csv"'))
    allowed = [each.replace("{folder}", str(folder)) if isinstance(each, str) else each for each in allowed]
    con = opened(allowed_files=allowed)
    for use in USES[:5]:
        assert con.execute(use).fetchall()
    assert kanon_sql.append("patients", "appended", key="id", con=con, policy="p").released == 40


@pytest.mark.everything
def test_on_plain_connections_and_their_cursors(folder: Path) -> None:
    stored(KINDS["hierarchy"]('"pay.csv"'))
    with duckdb.connect("clinic.duckdb") as con:
        kanon_sql.register(con)
        with pytest.raises(duckdb.Error, match=r"reads the file pay\.csv, which is not allowed"):
            con.sql(USES[1])
        kanon_sql.register(con, allowed_files=["pay.csv"])
        assert len(con.sql(USES[1]).fetchall()) == 40
        assert len(con.cursor().sql("FROM kanon.anonymize('patients', 'p')").fetchall()) == 40


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ('"pay.csv"', ["pay.json", "levels"]),
        ('"sub/../pay.csv"', ["sub"]),
        ('"sub/link.csv"', ["sub"]),
        ('"sub/none.csv"', ["sub"]),
        ('"*.csv"', ["."]),
        ('"pa?.csv"', ["."]),
        ('"file:pay.csv"', ["."]),
        ('"~/pay.csv"', ["sub"]),
        ('"/dev/stdin.csv"', ["/dev"]),
    ],
)
def test_no_other_file_is_allowed(folder: Path, opened: Callable[..., Connection], name: str, allowed: list[str]) -> None:
    Path("sub").mkdir()
    os.symlink(folder / "pay.csv", "sub/link.csv")
    stored(KINDS["hierarchy"](name))
    with pytest.raises(PolicyError, match="which is not allowed; hint: load it as a table, or allow it"):
        opened(allowed_files=allowed).execute(USES[0])


def test_a_name_with_a_zero_byte_names_nothing(opened: Callable[..., Connection]) -> None:
    stored(KINDS["hierarchy"]('"pay.csv\0.csv"'))
    with pytest.raises(KanonError):
        opened(allowed_files=["."]).execute(USES[0])


@pytest.mark.everything
@pytest.mark.parametrize("given", ["pay.csv", Path("pay.csv"), 5, None, [5], [""], ["a\0"], [b"pay.csv"], ["https://a/b.csv"]])
def test_what_allows_files_is_a_list_of_paths(opened: Callable[..., Connection], given: Any) -> None:
    with pytest.raises(PolicyError, match="allowed_files"):
        opened(allowed_files=given)
    opened().execute("FROM patients")  # the database is not held by a connection that failed


def test_a_url_is_never_allowed(folder: Path, opened: Callable[..., Connection]) -> None:
    stored(KINDS["hierarchy"](f'"file://{folder}/pay.csv"'))
    with pytest.raises(PolicyError, match=r"reads the URL file://.*; hint: download the file, and load it as a table"):
        opened(allowed_files=[folder]).execute(USES[0])


@pytest.mark.everything
def test_a_policy_that_names_a_file_is_not_stored(opened: Callable[..., Connection]) -> None:
    create = (
        "CREATE ANONYMIZATION POLICY mine ON patients (IDENTIFIER id; BY zip IN HIERARCHY {}; KEEP disease; GUARANTEE k >= 2)"
    )
    with pytest.raises(KanonError, match=r'the policy "mine" reads the file pay\.csv, which is not allowed'):
        opened().execute(create.format("'pay.csv'"))
    for con in (opened(), opened(allowed_files=["pay.csv"])):
        with pytest.raises(KanonError, match=r"reads the URL s3://bucket/pay\.csv"):
            con.execute(create.format("'s3://bucket/pay.csv'"))
    con.execute(create.format("'pay.csv'"))
    assert len(con.execute("FROM patients ANONYMIZE WITH POLICY mine").fetchall()) == 40


@pytest.mark.everything
def test_the_table_of_a_policy_is_no_file(opened: Callable[..., Connection]) -> None:
    patients = pd.DataFrame({"zip": ["a"]})
    for table in ("'pay.parquet'", '"pay.parquet"', 'main."pay.parquet"', "patients_of_python"):
        with pytest.raises((duckdb.CatalogException, KanonError), match="does not exist"):
            opened().execute(f"CREATE ANONYMIZATION POLICY mine ON {table} (BY level0; KEEP level1; GUARANTEE k >= 2)")
    assert Policy.of(k=2, quasi_identifiers=[*patients]).tables == ()


@pytest.mark.everything
def test_a_clause_of_your_own_reads_your_file(opened: Callable[..., Connection]) -> None:
    query = "SELECT zip FROM patients ANONYMIZE BY zip IN HIERARCHY 'pay.csv' GUARANTEE k >= 2"
    assert len(opened().execute(query).fetchall()) == 40


@pytest.mark.everything
def test_a_view_reads_no_file_without_external_access(folder: Path, opened: Callable[..., Connection]) -> None:
    with duckdb.connect("clinic.duckdb") as con:
        con.execute(f"CREATE VIEW outside AS FROM '{folder}/pay.parquet'")
    stored(KINDS["hierarchy"]("outside"))
    stored(KINDS["hierarchy"]("levels"), "inside")
    con = opened(config={"enable_external_access": "false"})
    for use in USES[:2]:
        with pytest.raises(KanonError, match="file system operations are disabled"):
            con.execute(use)
        assert len(con.execute(use.replace("POLICY p", "POLICY inside").replace("'p'", "'inside'")).fetchall()) == 40


@pytest.mark.everything
def test_a_table_that_was_dropped_is_not_replaced_by_a_variable(opened: Callable[..., Connection]) -> None:
    stored(KINDS["hierarchy"]("gone"), "q")
    con = opened()
    con.execute("CREATE TABLE gone AS FROM levels; PREPARE it AS FROM patients ANONYMIZE WITH POLICY q")
    assert len(con.execute("EXECUTE it").fetchall()) == 40
    lazy = con.sql("FROM anonymize('patients', 'q')")
    con.execute("CREATE VIEW released AS FROM patients ANONYMIZE WITH POLICY q; DROP TABLE gone")
    gone = pd.DataFrame({"level0": ["a", "b"], "level1": ["salary 52000"] * 2})
    for run in (lambda: con.execute("EXECUTE it").fetchall(), lazy.fetchall, lambda: con.execute("FROM released").fetchall()):
        with pytest.raises(KanonError, match="Table with name gone does not exist"):
            run()
    assert len(gone) == 2
