"""Where the secret comes from, and that nothing shows it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.secret import read_secret, secret_of


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without a secret."""
    monkeypatch.delenv("KANON_SECRET", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_what_is_given_comes_first_then_the_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KANON_SECRET", "of the environment")
    assert secret_of("given") == secret_of(b"given")
    assert secret_of().key == b"of the environment"
    assert not list(home.iterdir()), "no file is made where a secret is given"


def test_a_user_has_one_secret_that_only_they_can_read(home: Path) -> None:
    first, second = secret_of(), secret_of()
    (path,) = home.rglob("secret")
    assert first == second
    assert first.repeatable
    assert path.read_bytes() == first.key
    assert len(first.key) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [each.name for each in path.parent.iterdir()] == ["secret"]


@pytest.mark.everything
def test_processes_that_start_together_have_one_secret(home: Path) -> None:
    code = "import sys; from kanon_sql.model.secret import secret_of; sys.stdout.write(secret_of().key.hex())"
    started = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert len({each.communicate()[0] for each in started}) == 1


def test_a_secret_that_others_can_read_is_refused(home: Path) -> None:
    secret_of()
    (path,) = home.rglob("secret")
    path.chmod(0o640)
    with pytest.raises(SourceError, match=r"other users can read the secret file .*; hint: run chmod 600 on it"):
        secret_of()


def test_a_damaged_secret_is_refused(home: Path) -> None:
    secret_of()
    (path,) = home.rglob("secret")
    path.write_bytes(b"short")
    with pytest.raises(SourceError, match="does not contain 32 bytes"):
        secret_of()


def test_where_no_file_can_be_kept_the_secret_is_that_of_the_process(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "file").write_text("")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "file"))
    secret = secret_of()
    assert secret == secret_of()
    assert not secret.repeatable
    assert os.fspath(home / "file") not in repr(secret)


def test_nothing_shows_a_secret() -> None:
    assert "CANARY" not in repr(secret_of("CANARY"))
    assert secret_of("CANARY").derived("one") != secret_of("CANARY").derived("other")


@pytest.mark.parametrize("wrong", ["", b"", 7])
def test_a_secret_is_bytes(wrong: object) -> None:
    with pytest.raises(PolicyError, match=r"hint: use secrets\.token_bytes"):
        secret_of(wrong)  # type: ignore[arg-type]


def test_a_secret_file(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"key\n")
    assert read_secret(str(path)) == b"key"
    path.write_bytes(b"\n")
    with pytest.raises(SourceError, match="it is empty"):
        read_secret(str(path))
    with pytest.raises(SourceError, match="No such file"):
        read_secret(str(tmp_path / "none"))
