"""Which pattern instances can hold a class that meets a requirement at all."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.distances import TreeDistance
from kanon_sql.model.requirements import (
    REPRESENTATIVE,
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    People,
    SensitiveRequirement,
    TCloseness,
)
from kanon_sql.solvers.instances.listing import Instances
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.requirements.least import is_equal
from kanon_sql.solvers.requirements.share_limits import ShareRequirement, stated_limits
from kanon_sql.table.coded_table import Sensitive

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_DOUBT = 1e-9
"""Relative error of sums of floats, generously: an instance in doubt is kept."""

_BATCH = 1 << 22
"""Counters of instances that are looked at together."""


def able(requirement: ClassRequirement, instances: Instances) -> Bools:
    """Return false for instances of which no rows meet the requirement as a class, bool [j]; not for all of them.

    Notes
    -----
    Each requirement is looked at alone, and rows may be divided. If then some class keeps it, so does the same class made
    smaller in proportion, down to the least number of rows: only that number is tried. O(members + j V), and the edges of
    trees times j.
    """
    found = np.ones(len(instances), np.bool_)
    for about in requirement.sensitive:
        asked = [each for each in requirement.requirements if each.sensitive == about.column]
        step = max(1, _BATCH // len(about.count))
        for first in range(0, len(instances), step):
            part = instances.take(np.arange(first, min(first + step, len(instances))))
            support = np.zeros((len(part), len(about.count)))
            np.add.at(support, (part.owner(), about.codes[part.member]), requirement.table.weight[part.member])
            for each in asked:
                found[first : first + step] &= SUPPORTS[type(each)](each, about, support, float(requirement.least))
    return found


def _limited(requirement: ShareRequirement, about: Sensitive, support: Floats, rows: float) -> Bools:
    least, most = np.zeros(len(about.count)), np.ones(len(about.count))
    for each in stated_limits(requirement, about):
        least[each.value], most[each.value] = each.least, each.most
    enough = np.ones(len(support), np.bool_)
    for value in np.flatnonzero(least):
        enough &= _up_to(least[value] * rows, support[:, value])
    return enough & _up_to(rows, np.minimum(support, most * rows).sum(axis=1))


def _counted(requirement: People, about: Sensitive, support: Floats, _: float) -> Bools:
    code = about.named.get(REPRESENTATIVE)
    representative: Bools = (np.zeros(len(support)) if code is None else support[:, code]) >= requirement.k
    return representative


def _diverse(requirement: LDiversity, _: Sensitive, support: Floats, rows: float) -> Bools:
    if requirement.variant == "frequency":
        return _up_to(rows, np.minimum(support, rows / float(requirement.l)).sum(axis=1))
    enough: Bools = (support > 0).sum(axis=1) >= ceil(requirement.l)
    return enough


def _close(requirement: TCloseness, about: Sensitive, support: Floats, rows: float) -> Bools:
    """Return whether the rows can be t-close, as far as each edge of a tree alone tells."""
    distance = about.distances[requirement.metric]
    if not isinstance(distance, TreeDistance):
        return np.ones(len(support), np.bool_)
    below = distance.below.T.astype(np.float64)
    held, wanted = support @ below, rows * (about.count @ below) / about.count.sum()
    missing = np.maximum(0.0, wanted - held)
    if is_equal(distance):  # what is missing of some values is too much of others
        work = 2 * missing @ distance.length
    else:
        elsewhere = support.sum(axis=1)[:, None] - held
        work = np.maximum(missing, rows - wanted - elsewhere) @ distance.length
    return _up_to(work, np.full(len(support), float(requirement.t) * distance.scale * rows))


SUPPORTS: dict[type[SensitiveRequirement], Callable[[Any, Sensitive, Floats, float], Bools]] = {
    LDiversity: _diverse,
    AlphaAnonymity: _limited,
    TCloseness: _close,
    People: _counted,
    BetaLikeness: _limited,
    DeltaDisclosure: _limited,
}
"""For each requirement whether so many rows of each support [j, v], divided or not, can meet it; not all that cannot."""


def _up_to(value: Floats | float, limit: Floats) -> Bools:
    found: Bools = value <= limit * (1 + _DOUBT) + _DOUBT
    return found
