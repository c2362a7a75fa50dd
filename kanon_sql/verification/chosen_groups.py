"""Chosen intervals and rectangles of a release: each value is in one of them, and the labels tell what they lose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from kanon_sql.errors import AuditError
from kanon_sql.table.arrays import Int64
from kanon_sql.table.ladder import GRAIN
from kanon_sql.verification.readings import Domain, Reading

Bounds = tuple[Fraction, Fraction]
"""What a label loses, at least and at most."""


def interval_loss(column: str, domain: Domain, reading: Reading) -> Bounds:
    """Return what the chosen intervals of a column lose.

    Parameters
    ----------
    column : str
        Its name, for errors.
    domain : Domain
        Its cells.
    reading : Reading
        What they mean.

    Raises
    ------
    AuditError
        When a value is in two intervals.

    Notes
    -----
    Values of which no cell is shown are in intervals that nobody knows; then the loss lies between two figures.
    """
    labels = [label for label in np.flatnonzero(domain.cells).tolist() if label != domain.hidden]
    if any(len(reading.meanings[label]) > 1 for label in labels):
        return Fraction(0), 1 - GRAIN
    group = np.full(len(domain.rows), -1)
    for number, label in enumerate(labels):
        values = reading.covers(label)
        if (group[values] >= 0).any():
            raise AuditError(f'the column "{column}" of the release has two intervals with values in common')
        group[values] = number
    group[reading.blank & (domain.rows > 0)] = len(labels)  # NULL is alone
    values = domain.values
    return _share(group[values], domain.rows[values])


def rectangle_losses(
    names: tuple[str, str], points: Sequence[Int64], rows: Int64, boxes: Iterable[tuple[int, int]], axes: Sequence[Reading]
) -> dict[str, Bounds]:
    """Return what the sides of the chosen rectangles lose, by column.

    Parameters
    ----------
    names : tuple of str
        The coordinates.
    points : two int64 arrays [p]
        The codes of each point of the source on both axes; each point once.
    rows : int64 array [p]
        Rows at each point.
    boxes : iterable of pairs of int
        The rectangles of the release: the codes of both sides.
    axes : two Readings
        What the sides mean.

    Raises
    ------
    AuditError
        When a point is in two rectangles.

    Notes
    -----
    O(p) for each rectangle.
    """
    taken = np.zeros(len(rows), np.bool_)
    sides = [np.full(len(rows), -1) for _ in axes]
    for box in boxes:
        inside = np.ones(len(rows), np.bool_)
        for axis, label, place in zip(axes, box, points, strict=True):
            covered = np.zeros(len(axis.empty), np.bool_)
            covered[axis.covers(label)] = True
            inside &= covered[place]
        if taken[inside].any():
            raise AuditError(f'two rectangles of the columns "{names[0]}" and "{names[1]}" have points in common')
        taken |= inside
        for side, label in zip(sides, box, strict=True):
            side[inside] = label
    return {name: _share(side, rows) for name, side in zip(names, sides, strict=True)}


def _share(group: Int64, rows: Int64) -> Bounds:
    """Return the share of the other values that a label covers, on the average row, as the ladder of the groups has it.

    Parameters
    ----------
    group : int64 array [v]
        The group of each value, -1 where nobody knows it.
    rows : int64 array [v]
        Rows with each value.
    """
    known = group >= 0
    found, place = np.unique(group[known], return_inverse=True)
    if known.all() and len(found) == len(group):
        return Fraction(0), Fraction(0)
    others = np.bincount(place)[place] - 1
    share = Fraction(int(others @ rows[known]), int(rows.sum()) * max(1, len(group) - 1))
    least = min(max(round(share / GRAIN) * GRAIN, GRAIN), 1 - GRAIN)
    if known.all():
        return least, least
    return (least if share else Fraction(0)), 1 - GRAIN
