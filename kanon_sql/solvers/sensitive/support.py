"""Which pattern instances can hold a class that meets a requirement at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.instances.listing import Instances
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement

_BATCH = 1 << 22
"""Counters of instances that are looked at together."""


def able(requirement: ClassRequirement, instances: Instances) -> NDArray[np.bool_]:
    """Return false for instances of which no rows meet the requirement as a class, bool [j]; not for all of them.

    Notes
    -----
    Each requirement is looked at alone, and rows may be divided. If then some class keeps it, so does the same class made
    smaller in proportion, down to the least number of rows: only that number is tried. O(members + j V), and the edges of
    trees times j.
    """
    found = np.ones(len(instances), np.bool_)
    for number, about in enumerate(requirement.sensitive):
        requested = [each for place, each in requirement.on_attributes if place == number]
        step = max(1, _BATCH // len(about.count))
        for first in range(0, len(instances), step):
            part = instances.take(np.arange(first, min(first + step, len(instances))))
            support = np.zeros((len(part), len(about.count)))
            np.add.at(support, (part.owner(), about.codes[part.member]), requirement.table.weight[part.member])
            for each in requested:
                found[first : first + step] &= each.supported(support, float(requirement.least))
    return found
