"""The secret behind what nobody may predict: which of several equal rows are suppressed."""

from __future__ import annotations

import functools
import hmac
import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.errors import PolicyError, SourceError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VARIABLE = "KANON_SECRET"
"""Environment variable that holds a secret."""

PSEUDONYMS = "pseudonyms"
"""The purpose of the tokens that stand for identifiers."""

_LENGTH = 32
"""Bytes of a secret that is made here."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A key from which keys for single purposes are derived."""

    key: bytes = field(repr=False)  # the secret itself
    repeatable: bool = True  # whether it outlives the process: only then can a release be repeated

    def derived(self, purpose: str) -> bytes:
        """Return the key for one purpose; it tells nothing about the key for another (HMAC-SHA256)."""
        return hmac.digest(self.key, f"kanon-sql 1: {purpose}".encode(), "sha256")

    def tokens(self, purpose: str, messages: Iterable[bytes | None]) -> list[str | None]:
        """Return for each message 128 bits of HMAC-SHA256 as hexadecimal digits; None for None."""
        key = self.derived(purpose)
        return [None if each is None else hmac.digest(key, each, "sha256")[:16].hex() for each in messages]

    def numbers(self, purpose: str, messages: Iterable[bytes]) -> NDArray[np.uint64]:
        """Return for each message a number that nobody can compute without the secret: 64 bits of HMAC-SHA256."""
        import numpy as np

        key = self.derived(purpose)
        return np.frombuffer(b"".join(hmac.digest(key, each, "sha256")[:8] for each in messages), ">u8").astype(np.uint64)


def secret_of(given: str | bytes | None = None) -> Secret:
    """Return the secret that is given, else that of the environment, else that of the user, else a random one.

    Parameters
    ----------
    given : str or bytes, optional
        A secret; 32 random bytes are best, such as those of ``secrets.token_bytes(32)``.

    Raises
    ------
    PolicyError
        When the secret that is given is empty.
    SourceError
        When the secret of the user can be read by others, or is damaged.

    Notes
    -----
    The secret of the user is a file of 32 bytes in the folder of the platform for configuration, made once.
    """
    if given is None:
        given = os.environ.get(VARIABLE)
        if given is None:
            return _of_user()
    if not isinstance(given, str | bytes | bytearray | memoryview):
        raise PolicyError("the secret must be a string or bytes; hint: use secrets.token_bytes(32)")
    key = given.encode("utf-8", "surrogatepass") if isinstance(given, str) else bytes(given)
    if not key:
        raise PolicyError("the secret is empty; hint: use secrets.token_bytes(32)")
    return Secret(key)


def read_secret(path: str) -> bytes:
    """Return the secret in a file; a line break at its end does not count.

    Raises
    ------
    SourceError
        When the file cannot be read, or holds nothing.
    """
    try:
        key = Path(path).read_bytes().rstrip(b"\r\n")
    except OSError as error:
        reason = error.strerror
    else:
        reason = "" if key else "it is empty"
    if reason:
        raise SourceError(f"cannot read the secret file {path}: {reason}")
    return key


def _of_user() -> Secret:
    path = _path()
    if path is None:
        return _of_process()
    try:
        if not path.exists():
            _make(path)
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            key = file.read()
    except OSError:  # no folder that can be written, or read
        return _of_process()
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise SourceError(
            f"other users can read the secret file {path}; hint: run chmod 600 on it, or delete it to create a new secret"
        )
    if len(key) != _LENGTH:
        raise SourceError(f"the secret file {path} does not contain {_LENGTH} bytes; hint: delete it to create a new secret")
    return Secret(key)


def _path() -> Path | None:
    """Return where the secret of the user lies; None where no user folder is known."""
    import platformdirs

    with suppress(RuntimeError, KeyError, OSError):
        return Path(platformdirs.user_config_dir("kanon-sql", appauthor=False)) / "secret"
    return None


def _make(path: Path) -> None:
    """Make the secret of the user; of two processes at once, one wins and both read what it wrote."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"secret.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_bytes(_LENGTH))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)


@functools.cache
def _of_process() -> Secret:
    return Secret(secrets.token_bytes(_LENGTH), repeatable=False)
