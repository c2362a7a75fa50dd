"""l-diversity: how many values a class has, and how large a part of it one may be."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.requirements import LDiversity
from kanon_sql.verification.guarantees.claimed_requirement import ClaimedRequirement, Limit, Whole, at_most


@dataclass(frozen=True, slots=True)
class LDiversityClaim(ClaimedRequirement[LDiversity]):
    """Every variant asks for l different values."""

    def any_limit(self) -> Limit | None:
        """Return the greatest share of a value, where the variant sets one."""
        values, requirement = len(self.about.count), self.requirement
        if requirement.variant == "frequency":
            share = 1 / requirement.l
        elif requirement.c is not None and requirement.l > 1:
            share = requirement.c / (1 + requirement.c)  # the greatest counter is less than c times the others
        else:
            return None
        return at_most(np.eye(values, dtype=np.int64), [share] * values)

    def possible(self, held: Whole, least: int) -> NDArray[np.bool_]:
        """Return where ``least`` rows may be diverse."""
        part = self.requirement.l
        if self.requirement.variant == "frequency":
            capped = np.minimum(held * part.numerator, least * part.denominator).sum(axis=1)
            return np.asarray(capped >= least * part.numerator, np.bool_)
        return np.asarray((held > 0).sum(axis=1) >= ceil(part), np.bool_)
