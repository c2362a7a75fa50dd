"""The entropy of the values of a class: its exact test, and linear constraints that hold where it is high enough.

Of g[v] rows of value v, sum_v g[v] log(1 / (l s[v])) >= 0 for all shares s where the entropy is at least log l: the mean of
-log s is least, and then the entropy, where s are the shares of the class. Only some of these constraints are written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.integer_programs.counters import Counters
from kanon_sql.solvers.integer_programs.model import Model
from kanon_sql.table.arrays import Int64

Floats = NDArray[np.float64]

UPWARD = 1e-9
"""Logarithms are rounded up by this, so that a constraint excludes no class."""

_ABSENT = 1e-3
"""Rows that a value without any is taken to have, where its logarithm is needed."""

_ERROR = 1e-13
"""Relative error of a sum of logarithms, generously."""


def diverse(h: Int64, rows: Int64, least: Fraction) -> NDArray[np.bool_]:
    """Return where the entropy is at least log ``least``: by floats, and by whole numbers where those leave a doubt."""
    part = h * np.log(np.maximum(h, 1))
    size = rows * np.log(np.maximum(rows, 1))
    above = size - part.sum(axis=1) - rows * np.log(float(least))
    doubt = np.abs(above) <= _ERROR * (size + part.sum(axis=1) + rows * (1 + np.log(float(least)))) * h.shape[1]
    found: NDArray[np.bool_] = above > 0
    for place in np.flatnonzero(doubt):
        found[place] = _surely_diverse([int(each) for each in h[place] if each], least)
    return found


def _surely_diverse(h: Sequence[int], least: Fraction) -> bool:
    """Return whether n^n >= least^n prod h^h; the same holds of n and h without their common factor."""
    common = gcd(*h)
    h = [each // common for each in h]
    n, product = sum(h), 1
    for each in h:
        product *= each**each
    return bool(n**n * least.denominator**n >= least.numerator**n * product)


def add_tangent(model: Model, counters: Counters, weight: Floats) -> None:
    """Add that the rows of each class, weighted by their values [v], add up to 0 or more."""
    row = model.add_constraints(len(counters.size), 0.0, np.inf)
    model.add(row[counters.owner], counters.held, weight[counters.value])


def tangent(histogram: Int64 | Floats, least: Fraction) -> Floats:
    """Return weights [v] by which no class of an entropy of log ``least`` adds up to less than 0, but this histogram does."""
    share = np.maximum(histogram, _ABSENT)
    weight: Floats = np.log(share.sum() / (share * float(least))) + UPWARD
    return weight


def first_tangents(values: int, least: Fraction) -> list[Floats]:
    """Return the tangents where one value has the greatest share, and the others equal ones."""
    share = greatest_share(values, least)
    rows = np.where(np.eye(values, dtype=np.bool_), share, (1 - share) / max(1, values - 1))
    return [tangent(each / _ABSENT**2, least) for each in rows]


def greatest_share(values: int, least: Fraction) -> float:
    """Return what share one of some values has at most where the entropy is log ``least`` or more; 1 / v if it never is."""
    low, high = 1 / values, 1.0
    while high - low > UPWARD / 4:
        share = (low + high) / 2
        other = (1 - share) / max(1, values - 1)
        if -share * np.log(share) - (1 - share) * np.log(max(other, UPWARD**2)) >= np.log(float(least)):
            low = share
        else:
            high = share
    return high
