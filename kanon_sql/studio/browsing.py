"""The folders of this machine as the page Open lists them: names and sizes, never contents."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from kanon_sql.engines.duckdb.connect.resources import system_words
from kanon_sql.engines.duckdb.files.places import readable
from kanon_sql.errors import SourceError, raise_alone

SHOWN = 300
"""Most folders, and most files, that a page lists."""

_UNITS = ("B", "KB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True)
class Listed:
    """A file that can be read as a table."""

    path: Path
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class Folder:
    """What a folder holds."""

    path: Path
    parent: Path | None  # None at the top
    folders: tuple[Path, ...]  # without hidden ones
    files: tuple[Listed, ...]
    left_out: int  # folders and files beyond the most that are shown


def folder(path: Path, part: str = "") -> Folder:
    """List a folder.

    Parameters
    ----------
    part : str
        Only names with this in them are listed.

    Raises
    ------
    SourceError
        When it cannot be read.
    """
    path = Path(os.path.realpath(path))
    try:
        with os.scandir(path) as entries:
            names = sorted((each.name for each in entries if each.is_dir()), key=str.casefold)
    except OSError as error:
        raise_alone(SourceError(f"cannot open the folder {path}: {system_words(error)}"))
    part = part.strip().casefold()
    folders = [path / name for name in names if not name.startswith(".") and part in name.casefold()]
    found = (path / name for name in readable(path) if not name.startswith(".") and part in name.casefold())
    files = [Listed(each, each.stat().st_size) for each in found if each.is_file() and os.access(each, os.R_OK)]
    return Folder(
        path=path,
        parent=None if path.parent == path else path.parent,
        folders=tuple(folders[:SHOWN]),
        files=tuple(files[:SHOWN]),
        left_out=max(0, len(folders) - SHOWN) + max(0, len(files) - SHOWN),
    )


def size_in_words(size: int) -> str:
    """Return a number of bytes for people.

    Examples
    --------
    >>> size_in_words(980), size_in_words(12_345_678)
    ('980 B', '12.3 MB')
    """
    power = min((len(str(size)) - 1) // 3, len(_UNITS) - 1)
    scaled = size / 1000**power
    return f"{scaled:.0f} {_UNITS[power]}" if power == 0 or scaled >= 100 else f"{scaled:.1f} {_UNITS[power]}"
