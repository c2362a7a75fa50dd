"""What commands say of mistakes: what is wrong, where, and a remedy that works when pasted."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import mistakes
import pytest

MISTAKES = list(mistakes.table())

NEVER = re.compile(r"Exception|Traceback|[A-Z][a-z]+ ?Error\b(?! *:)|SELECT .*--|\bkanon_sql\.")
"""Names of classes, and hints of another surface."""


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mistakes")
    mistakes.write(folder)
    return folder


@pytest.fixture
def here(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "files"
    shutil.copytree(files, place)
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "100")
    return place


def test_there_are_many() -> None:
    assert len(MISTAKES) >= 120


@pytest.mark.sweep
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda each: each.wrong)
def test_a_mistake_is_told(here: Path, mistake: mistakes.Mistake) -> None:
    before = {path: path.read_bytes() for path in here.iterdir() if path.is_file()}
    code, said = mistakes.run(mistake.wrong)
    assert (code > 0, said) == (True, mistake.says)
    assert not NEVER.search(said)
    if " anonymize " in mistake.wrong or " protect " in mistake.wrong:
        assert {path: path.read_bytes() for path in here.iterdir() if path.is_file()} == before, "nothing is written"


@pytest.mark.sweep
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("mistake", [each for each in MISTAKES if each.right], ids=lambda each: each.right)
def test_its_remedy_works(mistake: mistakes.Mistake) -> None:
    assert mistake.right is not None
    code, said = mistakes.run(mistake.right)
    assert code == 0, said
