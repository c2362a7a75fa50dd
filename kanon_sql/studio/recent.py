"""The files that were opened last: their paths and how they are written, in a private file of the user."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kanon_sql.engines.duckdb.files.dialect import Dialect
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.engines.duckdb.files.staging import put_text
from kanon_sql.errors import KanonError

MOST = 10
"""Files that are remembered."""

_TEXTS = ("delimiter", "encoding", "decimal")
_LISTS = ("names", "dates")


class Recent:
    """A file that remembers places.

    Parameters
    ----------
    path : Path or None
        The file; None remembers nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    @classmethod
    def of_user(cls) -> Recent:
        """Return the one in the user's configuration folder."""
        import platformdirs

        with suppress(RuntimeError, KeyError, OSError):
            return cls(Path(platformdirs.user_config_dir("kanon-sql", appauthor=False)) / "recent.json")
        return cls(None)

    @property
    def places(self) -> list[Place]:
        """Return the places, the last one first; none that is gone, and none of a file that cannot be read."""
        found = []
        for each in self._entries():
            with suppress(KanonError, ValueError, OSError):  # the file may have been edited by hand
                place = _place(each)
                place.require()
                found.append(place)
        return found[:MOST]

    def remember(self, place: Place) -> None:
        """Put a place first. A URL is not remembered: it may hold a password."""
        if self._path is None or "://" in str(place):
            return
        entry = {"file": os.path.abspath(place.pattern or str(place)), **asdict(place.dialect)}
        others = [each for each in self._entries() if each.get("file") != entry["file"]]
        text = json.dumps([entry, *others][:MOST], indent=1)
        with suppress(KanonError, OSError):  # a folder that cannot be written is no reason to stop
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            put_text(text, self._path, replace=True)

    def forget(self) -> None:
        """Forget all places.

        Raises
        ------
        OSError
            When the file cannot be deleted.
        """
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _entries(self) -> list[Mapping[str, Any]]:
        try:
            found = [] if self._path is None else json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return []
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _place(entry: Mapping[str, Any]) -> Place:
    """Return the place of an entry.

    Raises
    ------
    ValueError, SourceError
        When the entry is not one that `Recent.remember` writes.
    """
    texts = {name: entry.get(name) for name in _TEXTS}
    lists = {name: entry.get(name, []) for name in _LISTS}
    if not isinstance(entry.get("file"), str) or not all(each is None or isinstance(each, str) for each in texts.values()):
        raise ValueError("not a place")
    if not all(isinstance(each, list) and all(isinstance(one, str) for one in each) for each in lists.values()):
        raise ValueError("not a place")
    dialect = Dialect(
        delimiter=texts["delimiter"],
        encoding=texts["encoding"],
        decimal=texts["decimal"] or ".",
        **{name: tuple(each) for name, each in lists.items()},
    )
    return Place.of(entry["file"], dialect=dialect)
