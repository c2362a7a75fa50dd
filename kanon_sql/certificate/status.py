"""How good a release is known to be."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """How good a release is known to be."""

    OPTIMAL = "OPTIMAL"
    """No release under the policy costs less: the lower bound equals the cost."""
    FEASIBLE = "FEASIBLE"
    """The guarantee is kept; the gap says how much a cheaper release could save at most."""
