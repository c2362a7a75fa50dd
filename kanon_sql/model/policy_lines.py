"""A policy in a few lines, for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kanon_sql.model.validation import as_identifier

_MAX_NAMES = 8
"""Columns that a line names."""


def lines(figures: Mapping[str, str]) -> str:
    """Return the figures, a line each; an empty one has none."""
    return "\n".join(f"{name:<18}{text}" for name, text in figures.items() if text)


def names(columns: Iterable[str]) -> str:
    """Return names of columns as SQL spells them; of many the first, and how many more there are."""
    spelled = [as_identifier(column) for column in columns]
    more = len(spelled) - _MAX_NAMES
    return ", ".join(spelled[:_MAX_NAMES]) + (f" and {more} more" if more > 0 else "")
