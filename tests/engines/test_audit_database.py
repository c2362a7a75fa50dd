"""The audit of a released database: what was changed is found, and tokens are counted over all tables together."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hospital import POLICIES, make, rows

import kanon_sql
from kanon_sql.cli import main
from kanon_sql.engines.duckdb.database.audit import audit_database, is_released
from kanon_sql.errors import AuditError

LINKABLE = "pseudonyms: [patient]\n  linkable: [patient]\n  person: true\n  kept: [number]"
TOKENS = POLICIES.replace("person: true\n  groups: [patient]\n  kept: [number]", LINKABLE).replace(
    "person: true\n  kept: [number]\n  quasi_identifiers: [{column: drug}]",
    f"{LINKABLE}\n  quasi_identifiers: [{{column: drug}}]",
)


def released(folder: Path, text: str) -> Path:
    (folder / "policies.yaml").write_text(text)
    public = folder / "public.duckdb"
    kanon_sql.release_database(make(folder / "clinic.duckdb"), public, policies=folder / "policies.yaml")
    return public


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("UPDATE stays SET ward = 'eyes' WHERE number = 1", 'the rows of the table "stays" differ from its certificate'),
        ("CREATE TABLE more AS SELECT 1 AS a", 'the table "more" has no certificate'),
        ("CREATE VIEW seen AS FROM stays", 'the table "seen" has no certificate'),
        ("DROP TABLE scripts", 'the table "scripts" is missing'),
        ("UPDATE patients SET zip = 'x' WHERE number = 1", 'the table "patients" has a class smaller than 3'),
    ],
)
def test_what_was_changed_is_found(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, change: str, words: str) -> None:
    public = tmp_path / "public.duckdb"
    public.write_bytes(_whole(tmp_path_factory).read_bytes())
    assert is_released(public)
    assert audit_database(public).broken == []
    with duckdb.connect(str(public)) as con:
        con.execute(change)
    assert words in audit_database(public).broken


_MADE: list[Path] = []


def _whole(folders: pytest.TempPathFactory) -> Path:
    if not _MADE:
        _MADE.append(released(folders.mktemp("whole"), POLICIES))
    return _MADE[0]


@pytest.mark.everything
def test_tokens_of_all_tables_are_counted_together(tmp_path: Path) -> None:
    public = released(tmp_path, TOKENS)
    found = audit_database(public)
    histories: dict[str, list[Any]] = defaultdict(list)
    for table, columns in (("stays", "ward, month, zip, born, sex"), ("scripts", "drug, zip, born, sex")):
        for row in rows(public, f"SELECT patient, {columns} FROM {table}"):
            histories[row.pop("patient")].append((table, tuple(row.values())))
    counts = Counter(tuple(sorted(map(repr, each))) for each in histories.values())
    candidates = [counts[tuple(sorted(map(repr, each)))] for each in histories.values()]
    assert found.tokens is not None
    assert (found.tokens["people"], found.tokens["alone"], found.tokens["fewest"], found.tokens["most"]) == (
        len(candidates),
        candidates.count(1),
        min(candidates),
        max(map(len, histories.values())),
    )
    assert found.broken == []
    assert found.warnings == [
        f"by the tokens of all tables, {candidates.count(1)} of {len(candidates)} people are alone in their history, and "
        f"everybody has at least {min(candidates)} candidates"
    ]


@pytest.mark.everything
def test_tokens_that_nobody_permits_are_refused(tmp_path: Path) -> None:
    with pytest.raises(AuditError, match="tokens of patient link rows"):
        released(tmp_path, TOKENS.replace("  linkable: [patient]\n", ""))
    assert not (tmp_path / "public.duckdb").exists()


def test_the_command_needs_no_table(tmp_path_factory: pytest.TempPathFactory) -> None:
    from click.testing import CliRunner

    done = CliRunner().invoke(main, ["audit", str(_whole(tmp_path_factory))])
    assert (done.exit_code, done.stdout.splitlines()[0]) == (0, "PASS: every table matches its certificate")
    done = CliRunner().invoke(main, ["audit", str(_whole(tmp_path_factory)), "--json"])
    assert '"holds": true' in done.stdout
