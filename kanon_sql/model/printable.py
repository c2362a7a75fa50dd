"""Texts that come from a table, as people see them."""

from __future__ import annotations

_STEERING = (*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROLS = {code: chr(code).encode("unicode_escape").decode() for code in _STEERING}


def without_controls(text: str) -> str:
    """Return a text of several lines in which no character steers a terminal, or turns text around; names may hold such."""
    return text.translate(_CONTROLS)


def printable(value: object) -> str:
    """Return a cell as one line of text in which no character can steer a terminal."""
    text = value if isinstance(value, str) else str(value)
    return text if text.isprintable() else "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
