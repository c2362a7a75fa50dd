"""Files that are dropped on the page: each in a private folder, under a harmless name."""

from __future__ import annotations

import tempfile
from pathlib import Path

from kanon_sql.studio.file_names import file_name

_LONGEST = 120
"""Characters of a name; its end tells what the file is, so the beginning is cut off."""


def destination(folder: Path, name: str) -> Path:
    """Return where a dropped file goes: in a new folder that only its owner can open.

    Parameters
    ----------
    folder : Path
        The private folder of the session.
    name : str
        What the browser says the file is called; it may be anything.
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return Path(tempfile.mkdtemp(prefix="dropped-", dir=folder)) / file_name(last[-_LONGEST:])
