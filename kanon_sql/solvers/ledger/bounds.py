"""Bounds of a group that one fact gives, or the difference of two: the proofs that a person does at a glance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_sql.solvers.ledger.views import Array

_NEAREST = 64
"""Facts around a group from which others are subtracted, the smallest ones first."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is proven of a group, and by which facts."""

    least: int
    most: int | None
    below: tuple[int, ...]  # the facts that give the least number
    above: tuple[int, ...]  # the facts that give the greatest one

    @property
    def chain(self) -> tuple[int, ...]:
        """Return all facts of the proof."""
        return tuple(sorted({*self.below, *self.above}))


def bounds(inside: Array, lower: Array, upper: Array, group: Array, n: int) -> Bounds | None:
    """Return the proof with the fewest facts that a group has 1 to n - 1 people, of those with at most two for each side.

    Parameters
    ----------
    inside : array of bool
        For each fact the atoms that it counts.
    lower, upper : array of int
        The bounds of each fact; -1 is without limit.
    group : array of bool
        The atoms of the group.
    n : int
        Groups below this are small.
    """
    sizes, own = inside.sum(axis=1), int(group.sum())
    common = inside[:, group].sum(axis=1)
    lowers: list[tuple[int, tuple[int, ...]]] = [
        (int(lower[fact]), (int(fact),)) for fact in np.flatnonzero((common == sizes) & (lower > 0))
    ]
    uppers: list[tuple[int, tuple[int, ...]]] = [
        (int(upper[fact]), (int(fact),)) for fact in np.flatnonzero((common == own) & (upper >= 0) & (upper < n))
    ]
    touching = np.flatnonzero((common > 0) & (sizes > common))
    touching = touching[np.argsort(sizes[touching], kind="stable")][:_NEAREST]
    rests = inside[touching] & ~group
    # Floats are multiplied fast, and these are exact.
    shared, rest_sizes = inside.astype(np.float32) @ rests.T.astype(np.float32), rests.sum(axis=1)
    for place, fact in enumerate(touching):
        if common[fact] == own and upper[fact] >= 0:
            within = np.flatnonzero((shared[:, place] == sizes) & (lower > 0) & (upper[fact] - lower < n))
            uppers += [(int(upper[fact] - lower[other]), (int(fact), int(other))) for other in within]
        if lower[fact] > 0:
            around = np.flatnonzero((shared[:, place] == rest_sizes[place]) & (upper >= 0) & (lower[fact] > upper))
            lowers += [(int(lower[fact] - upper[other]), (int(fact), int(other))) for other in around]
    best = None
    for least, below in lowers:
        for most, above in uppers:
            rank = len({*below, *above}), most - least
            if best is None or rank < best[0]:
                best = rank, Bounds(least, most, below, above)
    return None if best is None else best[1]
