"""How much one query may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryLimits:
    """The limits of one query."""

    rows: int = 1_000  # rows of an answer; further ones are left out
    characters: int = 1_000_000  # characters of an answer
    seconds: float = 10.0  # seconds until a query is stopped
    megabytes: int = 512  # memory of a query
