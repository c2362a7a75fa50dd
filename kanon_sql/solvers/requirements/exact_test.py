"""Exact tests of requirements on sensitive values: which classes meet each of them, from their histograms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.requirements.transport import transport
from kanon_sql.model.distances import MatrixDistance
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
from kanon_sql.solvers.requirements.least import fit_for
from kanon_sql.solvers.requirements.share_limits import ShareRequirement, share_limits
from kanon_sql.solvers.requirements.tree_edges import TreeEdges
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import Sensitive

_ERROR = 1e-13
"""Relative error of a sum of logarithms, generously."""


def meets(requirement: SensitiveRequirement, about: Sensitive, histograms: Int64, rows: Int64) -> NDArray[np.bool_]:
    """Return which classes meet a requirement, exactly, bool [c].

    Parameters
    ----------
    requirement : SensitiveRequirement
        What is tested.
    about : Sensitive
        The attribute that it is about, of v values.
    histograms : int64 array [c, v]
        Rows of each class by value.
    rows : int64 array [c]
        Rows of each class.

    Notes
    -----
    O(c v) where the counts fit into 64 bits, a transport for each class and matrix.
    """
    return np.asarray(EXACT_TESTS[type(requirement)](requirement, about, histograms, rows), np.bool_)


def _limited(requirement: ShareRequirement, about: Sensitive, h: Int64, rows: Int64) -> Any:
    found = np.ones(len(rows), np.bool_)
    for limit in share_limits(requirement, about):
        size = fit_for(int(rows.max(initial=1)) * limit.most.denominator)
        found &= h[:, limit.value].astype(size) * limit.most.denominator <= rows.astype(size) * limit.most.numerator
        size = fit_for(int(rows.max(initial=1)) * limit.least.denominator)
        found &= h[:, limit.value].astype(size) * limit.least.denominator >= rows.astype(size) * limit.least.numerator
    return found


def _counted(requirement: People, about: Sensitive, h: Int64, rows: Int64) -> Any:
    code = about.named.get(REPRESENTATIVE)
    return np.zeros(len(rows), np.bool_) if code is None else h[:, code] >= requirement.k


def _diverse(requirement: LDiversity, _: Sensitive, h: Int64, rows: Int64) -> Any:
    most = int(rows.max(initial=1))
    if requirement.variant == "frequency":
        size = fit_for(most * requirement.l.numerator)
        return h.max(axis=1).astype(size) * requirement.l.numerator <= rows.astype(size) * requirement.l.denominator
    if requirement.variant == "distinct":
        return (h > 0).sum(axis=1) >= ceil(requirement.l)
    if requirement.c is not None:
        size = fit_for(most * requirement.c.denominator * requirement.c.numerator)
        descending = -np.sort(-h, axis=1)
        tail = descending[:, int(requirement.l) - 1 :].sum(axis=1).astype(size)
        return descending[:, 0].astype(size) * requirement.c.denominator < tail * requirement.c.numerator
    return _entropy_diverse(h, rows, requirement.l)


def _close(requirement: TCloseness, about: Sensitive, h: Int64, rows: Int64) -> Any:
    distance, t, n = about.distances[requirement.metric], requirement.t, int(about.count.sum())
    most = int(rows.max(initial=1))
    if isinstance(distance, MatrixDistance):
        limits = [t.numerator * distance.scale * n * size for size in rows.tolist()]
        works = [_work(distance, n * held - size * about.count) for held, size in zip(h, rows, strict=True)]
        return np.array([work * t.denominator <= limit for work, limit in zip(works, limits, strict=True)], np.bool_)
    size = fit_for(max(int(distance.length.sum()), distance.scale) * n * most * t.denominator * max(t.numerator, 1))
    work = np.zeros(len(rows), size)
    tree = TreeEdges.of(distance)
    held = tree.below(h)
    for below, length, total in zip(held, tree.length.tolist(), tree.below(about.count[None])[:, 0].tolist(), strict=True):
        work += np.abs(n * below - rows * total).astype(size) * length
    return work * t.denominator <= rows.astype(size) * (t.numerator * distance.scale * n)


EXACT_TESTS: dict[type[SensitiveRequirement], Callable[[Any, Sensitive, Int64, Int64], Any]] = {
    LDiversity: _diverse,
    AlphaAnonymity: _limited,
    TCloseness: _close,
    People: _counted,
    BetaLikeness: _limited,
    DeltaDisclosure: _limited,
}
"""For each requirement which classes meet it, from its attribute, the histograms [c, v] and the rows [c] of classes."""


def _work(distance: MatrixDistance, excess: Int64) -> int:
    flow, _ = transport(np.ascontiguousarray(distance.cost.ravel()), excess)
    used = np.nonzero(flow)
    return sum(amount * cost for amount, cost in zip(flow[used].tolist(), distance.cost[used].tolist(), strict=True))


def _entropy_diverse(h: Int64, rows: Int64, least: Fraction) -> NDArray[np.bool_]:
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
