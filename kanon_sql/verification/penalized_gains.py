"""What instances gain at most where a class must also meet requirements on sensitive values: gains after penalties, by NumPy.

Each `Limit` of `kanon_sql.verification.guarantees` has a multiplier of at least 0 for each of its sets, or, where the sets are
limited together, one between -m c and m c for a set of length c, and m itself. A row pays the multipliers of the sets that
hold its value, and gets back sum share * multiplier, and most * m. Summed over a class that keeps the limit this is nothing or
more for the class: so its gain after penalties is at least its gain, whatever the multipliers are. One more number z, at least
0, is added to the gain of each row, for ``least`` times z that a class pays once: a class has so many rows.

The multipliers are chosen for each instance by itself. All are 0 at first, and a step is ``length``, at first four times the
most expensive column. Then, 128 times, or until nothing is gained:

1. Cover the rows that pay more than they cost, penalties and payments included. The gain of these, less ``least`` z, is
   compared with the lowest so far; where it is lower, or the first, the multipliers are kept.
2. Of two numbers a and b, a step from b to a is ``length`` (a - b) / (a + b). Change z by the step from the rows that are
   covered to ``least``; the multiplier of each set by the step from its share of the rows covered to its own rows; and m by the
   step from ``most`` to what the sets are off, of those alone whose multipliers have reached m c. Then cut each multiplier to
   its limits.
3. Make ``length`` 1/16 shorter. After 64 steps begin again from the kept multipliers, with a quarter of the first length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kanon_sql.verification.guarantees.claimed_requirement import ONE, Limit, Whole

_STEPS, _PASSES = 64, 2
_DIGITS = 12
"""Binary digits of the part of a step that is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Supports:
    """Instances with the row types that fit them."""

    start: Whole  # [j]: where the row types of each instance begin
    owner: Whole  # the instance of each of them
    profit: Whole  # what a row of each of them pays beyond the cost of the instance
    rows: Whole  # how many there are
    value: list[Whole]  # for each limit the code of the value of each of them

    def __len__(self) -> int:
        return len(self.start)

    def take(self, chosen: NDArray[np.bool_]) -> Self:
        """Return some of the instances."""
        kept = chosen[self.owner]
        number = np.cumsum(chosen) - 1
        owner = number[self.owner[kept]]
        return replace(
            self,
            start=np.searchsorted(owner, np.arange(int(chosen.sum()))),
            owner=owner,
            profit=self.profit[kept],
            rows=self.rows[kept],
            value=[each[kept] for each in self.value],
        )


@dataclass(slots=True, kw_only=True)
class _Multipliers:
    """The multipliers of some instances: of each limit int64 [j, e], its m int64 [j], and z int64 [j]."""

    multiplier: list[Whole]
    steepest: list[Whole]
    opening: Whole

    @classmethod
    def zero(cls, limits: Sequence[Limit], count: int) -> Self:
        return cls(
            multiplier=[np.zeros((count, len(limit.below)), np.int64) for limit in limits],
            steepest=[np.zeros(count, np.int64) for _ in limits],
            opening=np.zeros(count, np.int64),
        )

    def take(self, chosen: NDArray[np.bool_]) -> Self:
        return type(self)(
            multiplier=[each[chosen] for each in self.multiplier],
            steepest=[each[chosen] for each in self.steepest],
            opening=self.opening[chosen],
        )

    def keep(self, other: _Multipliers, where: NDArray[np.bool_]) -> None:
        """Take those of others for some instances."""
        for mine, theirs in zip([*self.multiplier, *self.steepest], [*other.multiplier, *other.steepest], strict=True):
            mine[where] = theirs[where]
        self.opening[where] = other.opening[where]

    def copy(self) -> Self:
        return self.take(np.ones(len(self.opening), np.bool_))


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalized:
    """The instances that gain something after penalties."""

    supports: Supports  # their row types
    number: Whole  # [j]: their numbers among all that were requested
    gain: Whole  # [j]: what they gain at most
    steepest: list[Whole]  # for each limit the multiplier m of each of them


def penalized_gains(supports: Supports, limits: Sequence[Limit], least: int, longest: int) -> Penalized:
    """Return what instances gain at most.

    Notes
    -----
    O(row types of the instances that gain something) for each of at most 128 steps.
    """
    at, number = _Multipliers.zero(limits, len(supports)), np.arange(len(supports))
    best, lowest, length = at.copy(), np.zeros(len(supports), np.int64), longest
    for step in range(_PASSES * _STEPS):
        if step and step % _STEPS == 0:
            at, length = best.copy(), longest >> 2 * (step // _STEPS)
        profit = _penalized(supports, limits, at) + at.opening[supports.owner]
        covered = np.where(profit > 0, supports.rows, 0)
        gained = _sums(covered * profit, supports) - at.opening * least
        better = np.full(len(gained), fill_value=True) if step == 0 else gained < lowest
        lowest = np.where(better, gained, lowest)
        best.keep(at, better)
        open_ = gained > 0
        if not open_.all():
            covered = covered[open_[supports.owner]]
            supports, at, best, lowest = supports.take(open_), at.take(open_), best.take(open_), lowest[open_]
            number = number[open_]
        if not len(supports):
            break
        _step(supports, limits, at, covered, least, length)
        length -= length >> 4
    gain = _gained(supports, _penalized(supports, limits, best), least)
    some = gain > 0
    return Penalized(
        supports=supports.take(some), number=number[some], gain=gain[some], steepest=[each[some] for each in best.steepest]
    )


def gains_at(supports: Supports, limits: Sequence[Limit], multiplier: list[Whole], steepest: list[Whole], least: int) -> Whole:
    """Return what instances gain at most with the multipliers of the sets [j, e] and the m [j] of each limit."""
    at = _Multipliers(multiplier=multiplier, steepest=steepest, opening=np.zeros(len(supports), np.int64))
    return _gained(supports, _penalized(supports, limits, at), least)


def _sums(each: Whole, supports: Supports) -> Whole:
    """Return sums by instance; none is without a row type."""
    found: Whole = np.add.reduceat(each, supports.start) if len(supports) else np.zeros(0, np.int64)
    return found


def _penalized(supports: Supports, limits: Sequence[Limit], at: _Multipliers) -> Whole:
    """Return the profit of a row of each row type after penalties; what it gets back is rounded up."""
    profit = supports.profit.copy()
    for limit, multiplier, steepest, value in zip(limits, at.multiplier, at.steepest, supports.value, strict=True):
        back = -(-(multiplier @ limit.numerator) // limit.denominator)
        if limit.most is not None:
            back -= -(steepest * limit.most) // ONE
        profit += (back[:, None] - multiplier @ limit.below)[supports.owner, value]
    return profit


def _step(supports: Supports, limits: Sequence[Limit], at: _Multipliers, covered: Whole, least: int, length: int) -> None:
    """Change the multipliers by steps of some length, in place."""
    rows = _sums(covered, supports)
    at.opening = np.maximum(0, at.opening + _part(length, np.full_like(rows, least), rows))
    for place, (limit, value) in enumerate(zip(limits, supports.value, strict=True)):
        values = limit.below.shape[1]
        held = np.zeros(len(supports) * values, np.int64)
        np.add.at(held, supports.owner * values + value, covered)
        inside = held.reshape(-1, values) @ limit.below.T * ONE
        due = rows[:, None] * limit.share
        multiplier = at.multiplier[place] + _part(length, inside, due)
        over = inside - due
        if not limit.signed:
            multiplier, over = np.maximum(0, multiplier), np.maximum(0, over)
        if limit.most is not None:
            reached = np.abs(multiplier) >= at.steepest[place][:, None] * limit.length // ONE
            off = np.where(reached, limit.length * np.abs(over) // ONE, 0).sum(axis=1)
            steepest = np.maximum(0, at.steepest[place] + _part(length, off, limit.most * rows))
            most = steepest[:, None] * limit.length // ONE
            multiplier, at.steepest[place] = np.clip(multiplier, -most, most), steepest
        at.multiplier[place] = multiplier


def _part(length: int, more: Whole, less: Whole) -> Whole:
    """Return the step from ``less`` to ``more``, rounded towards 0."""
    size = (length * ((np.abs(more - less) << _DIGITS) // np.maximum(1, more + less))) >> _DIGITS
    step: Whole = np.where(more > less, size, -size)
    return step


def _gained(supports: Supports, profit: Whole, least: int) -> Whole:
    """Return what all rows with a profit gain, and the best others up to the least number of rows of each instance."""
    covered = np.where(profit > 0, supports.rows, 0)
    gained, missing = _sums(covered * profit, supports), least - _sums(covered, supports)
    for place in np.flatnonzero(missing > 0).tolist():
        inside = slice(int(supports.start[place]), None if place + 1 == len(supports) else int(supports.start[place + 1]))
        gain, need = int(gained[place]), int(missing[place])
        others = sorted(
            (-each, rows)
            for each, rows in zip(profit[inside].tolist(), supports.rows[inside].tolist(), strict=True)
            if each <= 0
        )
        for loss, rows in others:
            gain -= loss * min(rows, need)
            need -= min(rows, need)
        gained[place] = max(0, gain) if need == 0 else 0
    return gained
