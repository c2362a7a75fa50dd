"""Microaggregation: each class shows the mean or the median of its own numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """Each class shows the mean of its own numbers, as DOUBLE."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Medians:
    """Each class shows the lower median of its own numbers or dates, in the type of the column."""


Aggregate = Means | Medians
"""A class shows one number for all of its rows; there is no text, and nothing is suppressed."""
