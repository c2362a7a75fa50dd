"""How much one query may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryLimits:
    """The limits of one query.

    Parameters
    ----------
    rows : int
        Rows of an answer; further ones are left out.
    characters : int
        Characters of an answer.
    seconds : float
        Seconds until a query is stopped.
    megabytes : int
        Memory of a query.
    """

    rows: int = 1_000
    characters: int = 1_000_000
    seconds: float = 10.0
    megabytes: int = 512
