"""What every class has to promise, as solvers need it: exact tests of histograms, and the same laid out for kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.requirements.encoded import EncodedRequirement
from kanon_sql.kernels.requirements.transport import transport
from kanon_sql.model.distances import MatrixDistance
from kanon_sql.model.requirements import (
    STANDING,
    AlphaAnonymity,
    People,
    Requirement,
    SensitiveRequirement,
    TCloseness,
    least_rows,
    sensitive_ones,
)
from kanon_sql.solvers.instances.repair import Pieces
from kanon_sql.solvers.sensitive.layout import Tree, encoded
from kanon_sql.solvers.sensitive.least import fit_for, least_close
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable, Sensitive
from kanon_sql.table.recoding import Recoding

_ERROR = 1e-13
"""Relative error of a sum of logarithms, generously."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """The conjunction of all requirements over the sensitive attributes of a table.

    Parameters
    ----------
    k : int
        Least number of rows of a class that the policy asks for.
    least : int
        No class that keeps the promise has fewer rows; at least ``k``.
    requirements : tuple of SensitiveRequirement
        What is asked beside k.
    sensitive : tuple of Sensitive
        The sensitive attributes.
    encoded : EncodedRequirement
        The same for kernels.
    kinds : int32 array [g, s]
        The different combinations of sensitive values, by the counters that they raise in a histogram.
    kind : int32 array [t]
        The combination of each row type.
    """

    k: int
    least: int
    requirements: tuple[SensitiveRequirement, ...]
    sensitive: tuple[Sensitive, ...]
    encoded: EncodedRequirement
    kinds: Int32
    kind: Int32

    @classmethod
    def of(cls, table: CodedTable, requirements: Sequence[Requirement]) -> Promise:
        """Return the promise of a policy's requirements about a table.

        Notes
        -----
        O(t + e v) for distances with e edges, and what `least_close` takes.
        """
        k = least_rows(requirements)
        asked = sensitive_ones(requirements)
        by_column = {each.column: each for each in table.sensitive}
        least = [each.least_class_size for each in requirements]
        for close in asked:
            if isinstance(close, TCloseness):
                about = by_column[close.sensitive]
                least.append(least_close(about.count, about.distances[close.metric], close.t))
        found = max(least, default=1)
        required = encoded(table, asked, found)
        kind, sample = np.zeros(table.row_types, np.int64), np.zeros(1, np.int64)
        for each in table.sensitive:
            _, sample, kind = np.unique(kind * len(each.count) + each.codes, return_index=True, return_inverse=True)
        return cls(
            k=k,
            least=found,
            requirements=asked,
            sensitive=table.sensitive,
            encoded=required,
            kinds=np.asarray(required.counter)[sample],
            kind=kind.astype(np.int32),
        )

    @property
    def counter(self) -> Int32:
        """Return the counters that a row of each row type raises, int32 [t, s]."""
        return np.asarray(self.encoded.counter)

    @property
    def counters(self) -> int:
        """Return the number of counters of a histogram: one for each value of each sensitive attribute."""
        return sum(len(each.count) for each in self.sensitive)

    @property
    def lows(self) -> list[int]:
        """Return where the counters of each sensitive attribute begin."""
        return [low for low, _ in _places(self.sensitive)]

    def histograms(self, number: Int64, row_type: Int32, count: Int64) -> Int64:
        """Return the rows of each class by sensitive value, int64 [c, V]; ``number`` is the class of each piece, from 0."""
        found = np.zeros((int(number.max(initial=-1)) + 1, self.counters), np.int64)
        for counter in self.counter[row_type].T:
            np.add.at(found, (number, counter), count)
        return found

    def met(self, histograms: Int64) -> NDArray[np.bool_]:
        """Return which classes keep the promise, exactly, bool [c].

        Parameters
        ----------
        histograms : int64 array [c, V]
            Rows of each class by sensitive value, the attributes side by side.

        Notes
        -----
        O(c V) where the counts fit into 64 bits, a transport for each class and matrix.
        """
        low, high = _places(self.sensitive)[0]
        rows = histograms[:, low:high].sum(axis=1)
        kept: NDArray[np.bool_] = rows >= self.k
        for each in self.requirements:
            place = [about.column for about in self.sensitive].index(each.sensitive)
            low, high = _places(self.sensitive)[place]
            kept &= _met(each, self.sensitive[place], np.ascontiguousarray(histograms[:, low:high]), rows)
        return kept

    def holds(self, number: Int64, row_type: Int32, count: Int64) -> NDArray[np.bool_]:
        """Return which classes keep the promise, exactly, bool [c]; ``number`` is the class of each piece, from 0."""
        return self.met(self.histograms(number, row_type, count))

    def kept(self, table: CodedTable, recoding: Recoding) -> bool:
        """Return whether all classes of a recoding keep the promise, exactly."""
        placed = np.ones(len(recoding.count), np.bool_)
        pieces = Pieces(row_type=recoding.row_type, shown=recoding.shown, count=recoding.count, placed=placed)
        return bool(self.holds(pieces.classes(table), recoding.row_type, recoding.count).all())


def _places(sensitive: tuple[Sensitive, ...]) -> list[tuple[int, int]]:
    """Return where the counters of each sensitive attribute begin and end in a histogram."""
    ends = np.cumsum([len(each.count) for each in sensitive]).tolist()
    return list(zip([0, *ends], ends, strict=False))


def _met(requirement: SensitiveRequirement, about: Sensitive, h: Int64, rows: Int64) -> NDArray[np.bool_]:
    most = int(rows.max(initial=1))
    if isinstance(requirement, AlphaAnonymity):
        code, alpha = about.named.get(requirement.value), requirement.alpha
        held = np.zeros_like(rows) if code is None else h[:, code]
        size = fit_for(most * alpha.denominator)
        return _bools(held.astype(size) * alpha.denominator <= rows.astype(size) * alpha.numerator)
    if isinstance(requirement, People):
        code = about.named.get(STANDING)
        return _bools(np.zeros(len(rows), np.bool_) if code is None else h[:, code] >= requirement.k)
    if isinstance(requirement, TCloseness):
        return _close(requirement, about, h, rows)
    if requirement.variant == "frequency":
        size = fit_for(most * requirement.l.numerator)
        return _bools(h.max(axis=1).astype(size) * requirement.l.numerator <= rows.astype(size) * requirement.l.denominator)
    if requirement.variant == "distinct":
        return _bools((h > 0).sum(axis=1) >= ceil(requirement.l))
    if requirement.c is not None:
        size = fit_for(most * requirement.c.denominator * requirement.c.numerator)
        descending = -np.sort(-h, axis=1)
        tail = descending[:, int(requirement.l) - 1 :].sum(axis=1).astype(size)
        return _bools(descending[:, 0].astype(size) * requirement.c.denominator < tail * requirement.c.numerator)
    return _diverse(h, rows, requirement.l)


def _bools(found: Any) -> NDArray[np.bool_]:
    return np.asarray(found, np.bool_)


def _close(requirement: TCloseness, about: Sensitive, h: Int64, rows: Int64) -> NDArray[np.bool_]:
    """Return which classes are t-close."""
    distance, t, n = about.distances[requirement.metric], requirement.t, int(about.count.sum())
    most = int(rows.max(initial=1))
    if isinstance(distance, MatrixDistance):
        limits = [t.numerator * distance.scale * n * size for size in rows.tolist()]
        works = [_work(distance, n * held - size * about.count) for held, size in zip(h, rows, strict=True)]
        return np.array([work * t.denominator <= limit for work, limit in zip(works, limits, strict=True)], np.bool_)
    size = fit_for(max(int(distance.length.sum()), distance.scale) * n * most * t.denominator * max(t.numerator, 1))
    work = np.zeros(len(rows), size)
    tree = Tree.of(distance)
    held = tree.below(h)
    for below, length, total in zip(held, tree.length.tolist(), tree.below(about.count[None])[:, 0].tolist(), strict=True):
        work += np.abs(n * below - rows * total).astype(size) * length
    return _bools(work * t.denominator <= rows.astype(size) * (t.numerator * distance.scale * n))


def _work(distance: MatrixDistance, excess: Int64) -> int:
    flow, _ = transport(np.ascontiguousarray(distance.cost.ravel()), excess)
    used = np.nonzero(flow)
    return sum(amount * cost for amount, cost in zip(flow[used].tolist(), distance.cost[used].tolist(), strict=True))


def _diverse(h: Int64, rows: Int64, least: Fraction) -> NDArray[np.bool_]:
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
