"""Texts that come from a table, as people see them."""

from __future__ import annotations


def printable(value: object) -> str:
    """Return a cell as one line of text in which no character can steer a terminal."""
    text = value if isinstance(value, str) else str(value)
    return text if text.isprintable() else "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
