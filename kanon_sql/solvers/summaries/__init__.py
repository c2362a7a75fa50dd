"""Solvers where classes show the range or the set of their own values: they divide rows, and know no patterns."""

from __future__ import annotations

from kanon_sql.errors import PolicyError

ALGORITHM = "mondrian"
"""The one algorithm that makes RANGES and SETS."""


def check_algorithm(name: str) -> None:
    """Refuse an algorithm that makes no summaries; ``'auto'`` takes the one that does."""
    if name not in ("auto", ALGORITHM):
        raise PolicyError(f"the algorithm {name!r} makes no RANGES and SETS; hint: {ALGORITHM!r}, or leave it out")
