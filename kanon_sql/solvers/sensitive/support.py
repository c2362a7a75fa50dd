"""Which pattern instances can hold a class that keeps a promise at all."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.distances import TreeDistance
from kanon_sql.model.requirements import STANDING, AlphaAnonymity, People, SensitiveRequirement, TCloseness
from kanon_sql.solvers.instances.listing import Instances
from kanon_sql.solvers.sensitive.least import is_equal
from kanon_sql.solvers.sensitive.promise import Promise
from kanon_sql.table.coded_table import CodedTable, Sensitive

Floats = NDArray[np.float64]

_DOUBT = 1e-9
"""Relative error of sums of floats, generously: an instance in doubt is kept."""

_BATCH = 1 << 22
"""Counters of instances that are looked at together."""


def able(table: CodedTable, promise: Promise, instances: Instances) -> NDArray[np.bool_]:
    """Return false for instances of which no rows keep the promise as a class, bool [j]; not for all of them.

    Notes
    -----
    Each requirement is looked at alone, and rows may be divided. If then some class keeps it, so does the same class made
    smaller in proportion, down to the least number of rows: only that number is tried. O(members + j V), and the edges of
    trees times j.
    """
    found = np.ones(len(instances), np.bool_)
    for about in promise.sensitive:
        asked = [each for each in promise.requirements if each.sensitive == about.column]
        step = max(1, _BATCH // len(about.count))
        for first in range(0, len(instances), step):
            part = instances.take(np.arange(first, min(first + step, len(instances))))
            support = np.zeros((len(part), len(about.count)))
            np.add.at(support, (part.owner(), about.codes[part.member]), table.weight[part.member])
            for each in asked:
                found[first : first + step] &= _fits(each, about, support, float(promise.least))
    return found


def _fits(requirement: SensitiveRequirement, about: Sensitive, support: Floats, rows: float) -> NDArray[np.bool_]:
    """Return whether so many rows of each support [j, v], divided or not, can meet a requirement."""
    if isinstance(requirement, AlphaAnonymity):
        code = about.named.get(requirement.value)
        others = support.sum(axis=1) - (0.0 if code is None else support[:, code])
        return _up_to((1 - float(requirement.alpha)) * rows, others)
    if isinstance(requirement, People):
        code = about.named.get(STANDING)
        marks: NDArray[np.bool_] = (np.zeros(len(support)) if code is None else support[:, code]) >= requirement.k
        return marks
    if isinstance(requirement, TCloseness):
        return _near(requirement, about, support, rows)
    if requirement.variant == "frequency":
        return _up_to(rows, np.minimum(support, rows / float(requirement.l)).sum(axis=1))
    enough: NDArray[np.bool_] = (support > 0).sum(axis=1) >= ceil(requirement.l)
    return enough


def _near(requirement: TCloseness, about: Sensitive, support: Floats, rows: float) -> NDArray[np.bool_]:
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


def _up_to(value: Floats | float, limit: Floats) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = value <= limit * (1 + _DOUBT) + _DOUBT
    return found
