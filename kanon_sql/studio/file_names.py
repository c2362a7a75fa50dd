"""Names of files that the studio proposes: safe, and free."""

from __future__ import annotations

import re
from itertools import chain, count
from pathlib import Path


def file_name(text: str) -> str:
    """Return a text as the name of a file: names of tables and columns are of strangers and could lead to another folder."""
    return re.sub(r"[^\w .-]", "_", text).lstrip(".") or "_"


def free(path: Path) -> Path:
    """Return a path that does not exist: the one given, or with a number behind it."""
    numbered = (path.with_name(f"{path.name}_{number}") for number in count(2))
    return next(each for each in chain([path], numbered) if not each.exists())
