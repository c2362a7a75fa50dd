"""A file of queries or policies that an option names."""

from __future__ import annotations

from pathlib import Path

from kanon_sql.errors import SourceError, raise_alone


def text_of(path: str) -> str:
    """Return the text of a file.

    Raises
    ------
    SourceError
        When it is not UTF-8.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise_alone(SourceError(f"{path} is not UTF-8 text; hint: save it as UTF-8"))
