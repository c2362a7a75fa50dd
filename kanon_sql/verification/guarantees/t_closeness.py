"""t-closeness: along a tree, how many rows below its edges a class may be off."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.distances import TreeDistance
from kanon_sql.model.requirements import TCloseness
from kanon_sql.verification.guarantees.claimed_requirement import MOST_SIZES, ONE, ClaimedRequirement, Limit, Whole


@dataclass(frozen=True, slots=True)
class TClosenessClaim(ClaimedRequirement[TCloseness]):
    """Nothing is known where the distances are those of a table."""

    @property
    def distance(self) -> TreeDistance | None:
        """The distance along the edges of a tree."""
        found = self.about.distances.get(self.requirement.metric)
        return found if isinstance(found, TreeDistance) else None

    def any_limit(self) -> Limit | None:
        """Return the limit along a tree; where all values are equally far apart, of what is too much alone."""
        distance, count = self.distance, self.about.count
        if distance is None:
            return None
        apart = equally_apart(distance)
        if apart is None:
            used = distance.below.any(axis=1) & (distance.length > 0)
            below, length = (
                distance.below[used].astype(np.int64),
                [Fraction(x, distance.scale) for x in distance.length[used].tolist()],
            )
        else:
            below, length = np.eye(len(count), dtype=np.int64), [apart] * len(count)
        return Limit(
            below=below,
            numerator=below @ count,
            denominator=int(count.sum()),
            length=np.array([floor(each * ONE) for each in length], np.int64),
            most=ceil(self.requirement.t * ONE),
            signed=apart is None,
        )

    def least_rows(self) -> int:
        """Return rows below which whole rows are too far from the shares of the table."""
        distance, t = self.distance, self.requirement.t
        if distance is None:
            return self.requirement.least_class_size
        rows, apart = int(self.about.count.sum()), equally_apart(distance)
        below, length = (distance.below @ self.about.count).tolist(), distance.length.tolist()
        for size in range(1, min(rows, MOST_SIZES)):
            over = [size * each % rows for each in below]
            if apart is None:  # the nearest whole number below each edge
                work = sum(each * min(rest, rows - rest) for each, rest in zip(length, over, strict=True))
            else:  # the nearest whole numbers that add up
                raised = sum(over) // rows
                over.sort(reverse=True)
                work = length[0] * (sum(rows - rest for rest in over[:raised]) + sum(over[raised:]))
            if work * t.denominator <= t.numerator * distance.scale * rows * size:
                return size
        return min(rows, MOST_SIZES)

    def possible(self, held: Whole, least: int) -> NDArray[np.bool_]:
        """Return where ``least`` rows may be within t of the table."""
        distance, rows = self.distance, int(self.about.count.sum())
        if distance is None:
            return np.ones(len(held), np.bool_)
        below = distance.below.T.astype(np.int64)
        inside, wanted = held @ below, least * (self.about.count @ below)
        missing = np.maximum(0, wanted - rows * inside)
        if equally_apart(distance) is not None:  # what is missing of some values is too much of others
            missing = 2 * missing
        else:
            missing = np.maximum(missing, rows * least - wanted - rows * (held.sum(axis=1)[:, None] - inside))
        work = missing.astype(object) @ distance.length.astype(object)
        allowed = self.requirement.t * distance.scale * rows * least
        return np.asarray(work * allowed.denominator <= allowed.numerator, np.bool_)


def equally_apart(distance: TreeDistance) -> Fraction | None:
    """Return how far any two values are apart where each has an edge of its own, of one length; None otherwise."""
    below = distance.below
    if below.shape[0] != below.shape[1] or not ((below.sum(axis=0) == 1).all() and (below.sum(axis=1) == 1).all()):
        return None
    lengths = set(distance.length.tolist())
    return Fraction(2 * lengths.pop(), distance.scale) if len(lengths) == 1 else None
