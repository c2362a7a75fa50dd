"""Guarantees by which the share of a value in the table decides the shares that it may have in a class."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol, runtime_checkable


@runtime_checkable
class SharesOfTable(Protocol):
    """Solvers and verification need no file for such a guarantee: both have one rule for all of them."""

    def shares(self, held: int, rows: int) -> tuple[Fraction, Fraction]:
        """Return the least and the greatest share that a value with ``held`` of the ``rows`` of a table may have in a class."""
