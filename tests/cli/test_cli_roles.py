"""`kanon anonymize --keep` and `--strict`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kanon_process import Kanon

RELEASE = ("anonymize", "people.csv", "-o", "out.csv", "--qi", "zip,age", "--k", "4")

WARNED = "warning: note is released unchanged and singles out 100.0% of the rows\n"


@pytest.mark.everything
def test_warnings_are_shown_and_certified(kanon: Kanon, people: Path, folder: Path) -> None:
    done = kanon(*RELEASE, "--keep", "note", "--certificate", "cert.json")
    assert (done.returncode, done.stderr) == (0, WARNED)
    assert json.loads((folder / "cert.json").read_text())["warnings"] == [WARNED.removeprefix("warning: ").strip()]
    assert json.loads((folder / "cert.json").read_text())["unchanged"] == ["note"]
    assert kanon("verify", "people.csv", "out.csv", "cert.json").returncode == 0


def test_strict_releases_nothing_that_warns(kanon: Kanon, people: Path, folder: Path) -> None:
    done = kanon(*RELEASE, "--keep", "note", "--strict")
    assert done.returncode == 1
    assert "note is released unchanged and singles out 100.0% of the rows; nothing was released" in done.stderr
    assert not (folder / "out.csv").exists()


@pytest.mark.everything
def test_a_column_without_a_role_that_identifies_is_refused(kanon: Kanon, people: Path, folder: Path) -> None:
    people.write_text(people.read_text().replace("note", "nr", 1))  # its name does not say what it is
    done = kanon(*RELEASE)
    assert done.returncode == 1
    assert "a column has no role and identifies people: nr singles out 100.0% of the rows; nothing was" in done.stderr
    assert not (folder / "out.csv").exists()
    done = kanon(*RELEASE, "--unlisted-limit", "1", "-q")
    assert (done.returncode, done.stderr) == (0, WARNED.replace("note", "nr"))


@pytest.mark.everything
def test_what_is_kept_on_purpose_is_a_warning(kanon: Kanon, people: Path, folder: Path) -> None:
    done = kanon(*RELEASE, "--keep", "note")
    assert (done.returncode, done.stderr) == (0, WARNED)
    assert "warnings" not in done.stdout
    assert "released unchanged" in done.stdout
    done = kanon(*RELEASE, "--keep", "", "--force")
    assert done.returncode == 1
    assert 'the column "note" has no role, and --keep requires one for every column' in done.stderr
    assert "hint: add it to --keep or --qi, or pass --drop note" in done.stderr


@pytest.mark.everything
def test_a_changed_claim_about_unchanged_columns_is_found(kanon: Kanon, people: Path, folder: Path) -> None:
    kanon(*RELEASE, "--keep", "note", "--certificate", "cert.json")
    text = (folder / "cert.json").read_text().replace('"unchanged": ["note"]', '"unchanged": []')
    (folder / "cert.json").write_text(text)
    done = kanon("verify", "people.csv", "out.csv", "cert.json")
    assert done.returncode == 1
    assert '"unchanged"' in done.stderr
