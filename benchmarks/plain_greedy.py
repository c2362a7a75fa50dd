"""Suppressed cells of the plain greedy with all masks: the figures that a release must not exceed.

Source: Algorithm 1 of Bredereck, Nichterlein, Niedermeier, "Pattern-Guided k-Anonymity" (Algorithms 6, 2013), implemented
plainly and run on the data sets of their section 3.5. It suppresses the last rows (fewer than k) completely, so that
these releases are not strictly k-anonymous; those measured here are.
"""

from __future__ import annotations

KS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 25, 50, 75, 100)

SUPPRESSED_CELLS = {
    "Nursery": (12960, 12960, 12960, 12960, 25920, 25920, 25920, 25920, 25920, 38880, 38880, 38880, 51840),
    "CMC": (2451, 3389, 3883, 4227, 4510, 4740, 4955, 5090, 5230, 6606, 7662, 8434, 9024),
    "Adult-2": (23238, 32037, 36940, 40475, 43261, 45575, 47591, 49405, 50808, 63872, 74093, 80056, 84294),
    "Adult": (52183, 68473, 76954, 82466, 86933, 90556, 93586, 96093, 98396, 119194, 136022, 145917, 153262),
}


def suppressed_cells(table: str, k: int) -> int | None:
    """Return the figure, or None where there is none."""
    return SUPPRESSED_CELLS[table][KS.index(k)] if k in KS else None
