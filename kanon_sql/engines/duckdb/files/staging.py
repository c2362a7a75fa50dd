"""Private directories in which output is written, and the one step in which it appears in its place."""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kanon_sql.engines.duckdb.connect.resources import system_words
from kanon_sql.errors import SourceError, raise_alone

try:
    import fcntl
except ModuleNotFoundError:  # Windows: nothing tells whether an owner lives, so nothing is cleaned up
    fcntl = None  # type: ignore[assignment]

_NAME = re.compile(r"\.kanon-[0-9a-f]{16}")


class _TakenError(Exception):
    """Another process has taken a new directory for abandoned, before it had its lock."""


@contextmanager
def staging_directory(folder: Path) -> Iterator[Path]:
    """Give a private directory next to the output; it and all in it are removed in the end, whatever happens.

    Directories that killed processes left in the same folder are removed, too.

    Raises
    ------
    SourceError
        When the folder cannot be written.
    """
    _remove_abandoned(folder)
    owner = None
    private = _fresh(folder)
    maker = os.getpid()

    def clean() -> None:
        if os.getpid() != maker:  # the end of a forked process is not that of the output
            return
        with suppress(OSError):
            _remove(private)
        shutil.rmtree(private, ignore_errors=True)

    atexit.register(clean)  # a second Ctrl-C may break off or skip what follows
    try:  # from before it is made: a signal may come at any moment
        while True:
            try:
                private.mkdir(mode=0o700)
            except OSError as error:
                raise_alone(SourceError(f"cannot write in the folder {folder}: {system_words(error)}"))
            try:
                owner = _own(private)
                break
            except _TakenError:
                private = _fresh(folder)
        yield private
    finally:
        clean()
        atexit.unregister(clean)
        if owner is not None:
            os.close(owner)


def _fresh(folder: Path) -> Path:
    # The same file system, so that the finished file can be renamed into place.
    return folder / f".kanon-{secrets.token_hex(8)}"


def _owner_of(private: Path) -> Path:
    """Return the file that the process which made a directory holds locked for as long as it lives.

    Its name is that of the machine: a lock of another machine may be invisible here, so its directories are its own. It is made
    before anything else, so that an empty directory belongs to nobody, or to a process that makes another one.
    """
    return private / f".owner-{hashlib.sha256(platform.node().encode()).hexdigest()[:16]}"


def _own(private: Path) -> int | None:
    """Hold the lock of a new directory; None where the file system has no locks, and the directory is nobody's to clean up.

    Raises
    ------
    _TakenError
        When another process has taken the directory for abandoned.
    SourceError
        When nothing can be written into the directory.
    """
    path = _owner_of(private)
    try:
        owner = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileNotFoundError:
        raise_alone(_TakenError())
    except OSError as error:
        raise_alone(SourceError(f"cannot write in the folder {private.parent}: {system_words(error)}"))
    if fcntl is None:
        os.close(owner)
        return None
    try:
        fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.stat()
    except (BlockingIOError, FileNotFoundError):
        os.close(owner)
        raise_alone(_TakenError())
    except OSError:
        os.close(owner)
        return None
    return owner


def _remove_abandoned(folder: Path) -> None:
    """Remove the staging directories in a folder whose owners are dead; those of the living are locked."""
    if fcntl is None:
        return
    try:
        with os.scandir(folder) as entries:
            found = [Path(each) for each in entries if _NAME.fullmatch(each.name) and each.is_dir(follow_symlinks=False)]
    except OSError:
        return
    for private in found:
        try:
            lock = os.open(_owner_of(private), os.O_RDWR | os.O_NOFOLLOW)
        except FileNotFoundError:
            with suppress(OSError):
                private.rmdir()  # only if it is empty: its owner was killed before or after all else
            continue
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(private)
        except OSError:
            continue
        finally:
            os.close(lock)


def _remove(private: Path) -> None:
    """Remove a directory, its lock last: where this is broken off, the next one goes on."""
    owner = _owner_of(private)
    for path in private.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path != owner:
            path.unlink()
    owner.unlink(missing_ok=True)
    private.rmdir()


def put_new(staged: Path, place: Path) -> None:
    """Put a staged file in a place where nothing is, in one step.

    Raises
    ------
    FileExistsError
        When something is there, also when it has appeared just now.
    OSError
        When the place cannot be written.
    """
    _sync(staged)
    try:
        os.link(staged, place)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: take the name first, then fill it in one step
        os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            os.replace(staged, place)
        except OSError:
            place.unlink()
            raise
    _sync(place.parent)


def put(staged: Path, place: Path, *, replace: bool) -> None:
    """Put a staged file or directory in its place in one step: whole, or not at all.

    Parameters
    ----------
    staged : Path
        A file, or a directory, on the same file system.
    place : Path
        Where it goes.
    replace : bool
        Whether it takes the place of a file that is there; a directory only ever takes that of an empty one.

    Raises
    ------
    SourceError
        When something is in its place, also when it has appeared just now, or the place cannot be written.
    """
    try:
        if staged.is_dir():
            for path in staged.rglob("*"):
                _sync(path)
            os.rename(staged, place)
            _sync(place.parent)
        elif replace:
            _sync(staged)
            os.replace(staged, place)
            _sync(place.parent)
        else:
            put_new(staged, place)
    except FileExistsError:
        raise_alone(appeared(place))
    except OSError as error:
        if staged.is_dir() and place.exists():
            raise_alone(
                SourceError(f"{place} exists; hint: choose a new folder, because only new folders can be written in one step")
            )
        raise_alone(SourceError(f"cannot write {place}: {system_words(error)}"))


def appeared(place: object) -> SourceError:
    """Return the error for what was not there when the work began."""
    return SourceError(f"{place} was created in the meantime; nothing was written; hint: pass --force to replace it")


def _sync(path: Path) -> None:
    """See to it that a file, or the names in a directory, are on the disk."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:  # Windows opens no directories
        if path.is_dir():
            return
        raise
    try:
        with suppress(OSError):  # not every file system syncs directories
            os.fsync(handle)
    finally:
        os.close(handle)


def write_text(text: str, path: Path, *, private: bool = True) -> None:
    """Write a new text file and see to it that it is on the disk.

    Parameters
    ----------
    text : str
        What it holds.
    path : Path
        The file.
    private : bool
        Whether only its owner may read it, as is right for figures about the source; else the umask decides. Windows gives a
        file the permissions of its folder in either case.

    Raises
    ------
    SourceError
        When it cannot be written.
    """
    try:
        mode = 0o600 if private else 0o666
        with open(path, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise_alone(SourceError(f"cannot write {path.name}: {system_words(error)}"))


def put_text(text: str, place: Path, *, replace: bool, private: bool = True) -> None:
    """Write a text file in one step: whole, or not at all; arguments as for `put` and `write_text`.

    Raises
    ------
    SourceError
        When it cannot be written, or, unless it may be replaced, when a file is there by then.
    """
    with staging_directory(place.parent) as staging:
        write_text(text, staging / place.name, private=private)
        put(staging / place.name, place, replace=replace)
