"""Chosen groups: of intervals and rectangles the labels tell what they lose, bins and regions hold k rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from kanon_sql.errors import AuditError, PolicyError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.recodings import Generalization, Regions
from kanon_sql.table.arrays import Int64
from kanon_sql.table.ladder import GRAIN, Label
from kanon_sql.table.sensitive_values import Columns
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
            raise AuditError(f'two intervals of the column "{column}" overlap')
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
            raise AuditError(f'two rectangles for the columns "{names[0]}" and "{names[1]}" overlap')
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


def check_groups(
    recoding: Generalization,
    texts: Sequence[Label],
    rows: Sequence[int],
    groups: Sequence[Label],
    k: int,
    tables: Mapping[str, Columns],
) -> None:
    """Refuse bins or regions that are not what their recoding is, whoever says so.

    Parameters
    ----------
    recoding : Generalization
        Bins or regions.
    texts, rows, groups : sequences
        Of each value its text, its rows and its group.
    k : int
        Least rows of a group.
    tables : mapping
        The tables of neighbours.

    Raises
    ------
    PolicyError
        When a group has fewer rows, or a region is not connected. Whole parts of the map with fewer than k rows may be merged
        with others, if the recoding says so.
    """
    count, held = dict(zip(texts, rows, strict=True)), Counter[Label]()
    region = dict(zip(texts, groups, strict=True))
    for text, group in region.items():
        held[group] += count[text]
    few = sum(each < k for each in held.values())
    if few:
        raise PolicyError(f"{how_many(few, 'group has', 'groups have')} fewer than k = {k} rows")
    if not isinstance(recoding, Regions):
        return

    def small(part: Iterable[Label]) -> bool:
        return sum(count[text] for text in part) < k

    neighbours = {name.lower(): column for name, column in tables[recoding.edges].items()}
    pairs = [(a, b) for a, b in zip(neighbours["a"], neighbours["b"], strict=True) if a in region and b in region]
    merged = {frozenset(each) for each in _parts(texts, pairs) if recoding.components == "merge" and small(each)}
    parts = _parts(texts, [(a, b) for a, b in pairs if region[a] == region[b]])
    own = [each for each in parts if frozenset(each) not in merged]
    if any(map(small, own)) or len({region[each[0]] for each in own}) < len(own):
        raise PolicyError("a region is not connected on the map")


def _parts(texts: Sequence[Label], pairs: Iterable[tuple[Label, Label]]) -> list[list[Label]]:
    """Return the connected parts of a map; the smaller of two parts joins the larger."""
    part: dict[Label, list[Label]] = {text: [text] for text in texts}
    for a, b in pairs:
        if part[a] is not part[b]:
            small, large = sorted((part[a], part[b]), key=len)
            large += small
            part |= dict.fromkeys(small, large)
    return list({id(each): each for each in part.values()}.values())
