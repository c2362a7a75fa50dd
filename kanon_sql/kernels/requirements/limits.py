"""Linear limits that every class of a requirement keeps, and the penalties on sensitive values that multipliers of them make.

A limit is about sets of values: those below the edges of a tree. Either no set has more than its share of the rows of a class;
or the rows that the sets have beyond their shares, weighted by the lengths of the edges, are at most a part of the class.
With a multiplier for each set no class that keeps the limit has more penalties than it gets back. So what a class gains from
prices after penalties is never less than what it gains.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import zeros_int64

_ONE = cython.declare(cython.longlong, 1 << 16)
"""Shares and lengths are whole numbers of 1/65536."""

_DIGITS = cython.declare(cython.longlong, 12)
"""Binary digits of the part of a step that is taken."""


@cython.final
@cython.cclass
class Limits:
    """Limits for loops: q of them, with e edges in all, about V counters.

    Parameters
    ----------
    begin : int64 array [q + 1]
        Limit l is about the edges ``begin[l]`` to ``begin[l + 1] - 1``, children first.
    attribute : int64 array [q]
        Place of its sensitive attribute.
    denominator : int64 array [q]
        Of its shares.
    most : int64 array [q]
        What all its edges may be off together, in 1/65536 of the class, rounded up; -1 where each share is a limit of its own.
    signed : int64 array [q]
        Whether rows that a set has too few count, too.
    leaf : int32 array [q, V]
        The lowest edge above each counter; -1 where there is none.
    parent, numerator : int64 arrays [e]
        The edge above, or -1; the share of the edge in units of the denominator.
    share, length : int64 arrays [e]
        The share and the length of each edge in 1/65536, rounded down.
    """

    def __init__(
        self,
        *,
        begin: NDArray[np.int64],
        attribute: NDArray[np.int64],
        denominator: NDArray[np.int64],
        most: NDArray[np.int64],
        signed: NDArray[np.int64],
        leaf: NDArray[np.int32],
        parent: NDArray[np.int64],
        numerator: NDArray[np.int64],
        share: NDArray[np.int64],
        length: NDArray[np.int64],
    ) -> None:
        self.begin, self.attribute, self.denominator, self.most = begin, attribute, denominator, most
        self.signed, self.leaf, self.parent, self.numerator, self.share, self.length = (
            signed,
            leaf,
            parent,
            numerator,
            share,
            length,
        )


@cython.final
@cython.cclass
class Penalties:
    """Penalties on rows by the multipliers of one instance; each thread needs its own.

    Attributes
    ----------
    multiplier : int64 array [e + q + 1]
        The penalty of each edge; for each limit the most that a penalty of it may be for a length of 1; of the least number of
        rows. All are in units of the prices.
    edges : int
        How many there are.
    back, opening : int
        What each row gets back, and gets for the least number of rows; a class loses the latter for each row of that number.
    above : int64 array [e]
        The penalties of each edge and all above it.
    rows : int64 array [e]
        Rows counted below each edge.
    """

    def __init__(self, limits: Limits) -> None:
        self.edges = len(limits.parent)
        self.multiplier = zeros_int64(self.edges + len(limits.most) + 1)
        self.above, self.rows = zeros_int64(self.edges), zeros_int64(self.edges)
        self.back, self.opening = 0, 0


def set_penalties(limits, penalties):
    """Compute from the multipliers what each row gets back, rounded up, and the penalties; no row is counted any more."""
    limited = limits.most.shape[0]
    penalties.back = 0
    penalties.opening = penalties.multiplier[penalties.edges + limited]
    for q in range(limited):
        total = 0
        for e in range(limits.begin[q + 1] - 1, limits.begin[q] - 1, -1):
            total += penalties.multiplier[e] * limits.numerator[e]
            penalties.above[e] = penalties.multiplier[e]
            if limits.parent[e] >= 0:
                penalties.above[e] += penalties.above[limits.parent[e]]
            penalties.rows[e] = 0
        if total > 0:
            penalties.back += (total + limits.denominator[q] - 1) // limits.denominator[q]
        else:
            penalties.back -= -total // limits.denominator[q]
        if limits.most[q] >= 0:
            penalties.back += (penalties.multiplier[penalties.edges + q] * limits.most[q] + _ONE - 1) // _ONE


def penalty_of(limits, penalties, counter, group):
    """Return the penalty on a row of a sensitive-value group."""
    found = 0
    for q in range(limits.most.shape[0]):
        e = limits.leaf[q, counter[group, limits.attribute[q]]]
        if e >= 0:
            found += penalties.above[e]
    return found


def count(limits, penalties, counter, group, rows):
    """Count rows of a sensitive-value group, at the lowest edges above them."""
    for q in range(limits.most.shape[0]):
        e = limits.leaf[q, counter[group, limits.attribute[q]]]
        if e >= 0:
            penalties.rows[e] += rows


def step(limits, penalties, covered, least, length):
    """Raise the penalties on what is covered too often, lower the others, each by a part of ``length``.

    The counted rows of a leaf are added up the tree. A step is as long as its reason is strong: see `_part`.
    """
    place = penalties.edges + limits.most.shape[0]
    penalties.multiplier[place] = max(0, penalties.multiplier[place] + _part(length, least, covered))
    for q in range(limits.most.shape[0]):
        place = penalties.edges + q
        off = 0
        for e in range(limits.begin[q], limits.begin[q + 1]):
            if limits.parent[e] >= 0:
                penalties.rows[limits.parent[e]] += penalties.rows[e]
            over = penalties.rows[e] * _ONE - covered * limits.share[e]
            penalties.multiplier[e] += _part(length, penalties.rows[e] * _ONE, covered * limits.share[e])
            if not limits.signed[q]:
                over = max(0, over)
                penalties.multiplier[e] = max(0, penalties.multiplier[e])
            # A penalty that is not at its limit asks for no higher one.
            penalty = penalties.multiplier[e]
            if limits.most[q] >= 0 and abs(penalty) >= penalties.multiplier[place] * limits.length[e] // _ONE:
                off += limits.length[e] * abs(over) // _ONE
        if limits.most[q] < 0:
            continue
        penalties.multiplier[place] = max(0, penalties.multiplier[place] + _part(length, off, limits.most[q] * covered))
        for e in range(limits.begin[q], limits.begin[q + 1]):
            most = penalties.multiplier[place] * limits.length[e] // _ONE
            penalties.multiplier[e] = max(-most, min(most, penalties.multiplier[e]))


def _part(length, more, less):
    """Return ``length`` times the difference of two numbers, of at least 0 each, over their sum, rounded towards 0."""
    if more > less:
        return (length * (((more - less) << _DIGITS) // (more + less))) >> _DIGITS
    if more < less:
        return -((length * (((less - more) << _DIGITS) // (more + less))) >> _DIGITS)
    return 0
