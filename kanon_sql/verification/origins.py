"""Whether each row of a release can come from a row of its source: what it shows covers enough of them.

No key leads from one to the other. So for each combination of labels, as many source rows must fit it as released rows show
it, or show something that tells more of the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kanon_sql.errors import AuditError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.linked_columns import units
from kanon_sql.table.arrays import Int64
from kanon_sql.verification.class_numbers import ClassNumbers
from kanon_sql.verification.coded_source import SUPPRESSED, CodedSource
from kanon_sql.verification.readings import Domain, Mask, Reading
from kanon_sql.verification.shown_cells import Cells, Rows

Way = tuple[tuple[int, int], ...]
"""A permitted way to look so: the columns whose label has to be that of a certain level, and the level."""


def check_origins(coded: CodedSource, cells: Cells, readings: Sequence[Reading]) -> None:
    """Check every combination of labels of a released row.

    Parameters
    ----------
    coded : CodedSource
        The source as codes.
    cells : Cells
        Both tables.
    readings : sequence of Reading [m]
        What the labels of each quasi-identifier mean.

    Raises
    ------
    AuditError
        When rows come from nowhere, or show columns that no permitted mask shows together, or when a class lists a value that
        none of its rows has, or a mean or median that they cannot have.

    Notes
    -----
    True releases pass: each row comes from one that fits, under a permitted mask; the values a class lists are those of its
    rows; and rows that tell more than a combination, wherever it tells something, come from rows that fit it too. O(m f) for
    each combination, f the rows that fit the rarest of its labels.
    """
    names = [qi.column for qi in coded.policy.quasi_identifiers]
    columns = [_Column(reading, domain) for reading, domain in zip(readings, cells.domains, strict=True)]
    source, released = Shelf.of(cells.source), Shelf.of(cells.released)
    combinations, combination = np.unique(cells.released.codes, axis=0, return_inverse=True)
    order = np.argsort(combination, kind="stable")
    own = np.split(order, np.searchsorted(combination[order], np.arange(1, len(combinations))))
    masks = PermittedMasks(coded, cells.domains, readings)
    numbers = [ClassNumbers.of(coded.policy, c, domain) for c, domain in enumerate(cells.domains)]
    for labels, rows in zip(combinations.tolist(), own, strict=True):
        shown = [c for c, label in enumerate(labels) if label != columns[c].hidden]
        values = {c: columns[c].covers(labels[c]) for c in shown}
        fit = source.within(values)
        inside = released.within({c: columns[c].within(labels[c]) for c in shown})
        short = _short(cells, fit, inside)
        if not short:
            ways = masks.ways(labels)
            if not ways:
                listed = ", ".join(names[c] for c in shown)
                raise AuditError(f"rows in the release show the columns ({listed}) in a way that no mask permits")
            short = _short(cells, fit[_maskable(cells.source.codes[fit], labels, ways, readings)], rows)
        if short:
            raise AuditError(
                f"at least {how_many(short, 'row of the release matches', 'rows of the release match')} no row of "
                "the source under any permitted mask"
            )
        for c in shown:
            if (class_numbers := numbers[c]) is not None:
                class_numbers.check(labels[c], cells, fit, rows)
            held = readings[c].held(labels[c])
            if held is not None and len(np.setdiff1d(held, cells.source.codes[fit, c])):
                size = int(cells.released.count[rows].sum())
                raise AuditError(
                    f'a class of {how_many(size, "row")} shows values of the column "{names[c]}" that none of its rows can have'
                )


def _maskable(codes: Int64, labels: Sequence[int], ways: Sequence[Way], readings: Sequence[Reading]) -> Mask:
    """Return which rows may look so under a permitted mask."""
    found = np.zeros(len(codes), np.bool_)
    for way in ways:
        under = np.ones(len(codes), np.bool_)
        for c, level in way:
            under &= np.isin(codes[:, c], readings[c].at(labels[c], level))
        found |= under
    return found


def _short(cells: Cells, fit: Int64, rows: Int64) -> int:
    """Return how many of the released rows are more than the source rows that fit, over all values of the other columns."""
    source, released = cells.source, cells.released
    rest, place = np.unique(np.concatenate([source.rest[fit], released.rest[rows]]), return_inverse=True)
    count = np.concatenate([-source.count[fit], released.count[rows]])
    missing = np.zeros(len(rest), np.int64)
    np.add.at(missing, place, count)
    return int(missing[missing > 0].sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Rows by the code of each column: those with code v in column c are ``order[c][start[c][v]:start[c][v + 1]]``."""

    codes: Int64
    order: list[Int64]
    start: list[Int64]
    marked: list[Mask]

    @classmethod
    def of(cls, rows: Rows) -> Shelf:
        """Put rows on the shelf; O(m r log r)."""
        order = [np.argsort(column, kind="stable") for column in rows.codes.T]
        highest = rows.codes.max(axis=0, initial=-1).tolist()
        start = [
            np.searchsorted(column[each], np.arange(top + 2))
            for column, each, top in zip(rows.codes.T, order, highest, strict=True)
        ]
        marked = [np.zeros(top + 1, np.bool_) for top in highest]
        return cls(codes=rows.codes, order=order, start=start, marked=marked)

    def within(self, sets: Mapping[int, Int64]) -> Int64:
        """Return the rows that have in each of the columns one of the codes; without columns all rows."""
        known = {c: codes[codes < len(self.start[c]) - 1] for c, codes in sets.items()}
        sizes = {c: self.start[c][codes + 1] - self.start[c][codes] for c, codes in known.items()}
        if not sizes:
            return np.arange(len(self.codes))
        rarest = min(sizes, key=lambda c: int(sizes[c].sum()))
        size = sizes[rarest]
        before = np.cumsum(size) - size
        found = self.order[rarest][np.repeat(self.start[rarest][known[rarest]] - before, size) + np.arange(int(size.sum()))]
        for c, codes in known.items():
            if c != rarest:
                self.marked[c][codes] = True
                found = found[self.marked[c][self.codes[found, c]]]
                self.marked[c][codes] = False
        return found


class _Column:
    """What the labels of a column cover, and which of them cover no more than another."""

    def __init__(self, reading: Reading, domain: Domain) -> None:
        self.hidden = domain.hidden
        self._labels = np.array([label for label in domain.labels if label != domain.hidden], np.int64)
        self._covered = {label: reading.covers(label) for label in self._labels.tolist()}
        self._flat = np.concatenate([np.empty(0, np.int64), *self._covered.values()])
        self._size = np.array([len(each) for each in self._covered.values()], np.int64)
        self._start = np.cumsum(self._size) - self._size
        self._marked = np.zeros(len(domain.rows), np.bool_)
        self._inner: dict[int, Int64] = {}

    def covers(self, label: int) -> Int64:
        """Return the values that a label may stand for, ascending."""
        return self._covered[label]

    def within(self, label: int) -> Int64:
        """Return the labels that stand for no other values than this one."""
        if label not in self._inner:
            values = self._covered[label]
            self._marked[values] = True
            # most others are recognized by the first of their values
            may = np.flatnonzero((self._size <= len(values)) & self._marked[self._flat[self._start]])
            size = self._size[may]
            before = np.cumsum(size) - size
            inside = self._marked[self._flat[np.repeat(self._start[may] - before, size) + np.arange(int(size.sum()))]]
            self._inner[label] = self._labels[may[np.logical_and.reduceat(inside, before)]]
            self._marked[values] = False
        return self._inner[label]


class PermittedMasks:
    """What the policy permits to show together."""

    def __init__(self, source: CodedSource, domains: Sequence[Domain], readings: Sequence[Reading]) -> None:
        names = [qi.column for qi in source.policy.quasi_identifiers]
        self._listed = source.level_vectors
        self._linked = [[names.index(name) for name in group] for group in units(names, source.policy.linked)]
        self._hidden = [domain.hidden for domain in domains]
        self._readings = readings
        self._known: dict[tuple[frozenset[int], ...], list[Way]] = {}

    def ways(self, labels: Sequence[int]) -> list[Way]:
        """Return the permitted ways to show these labels; none where no mask shows them together.

        Notes
        -----
        A cell that looks suppressed need not be so: its value may look so at a level that a mask shows.
        """
        if self._listed is None:
            return [self._with_links(labels)]
        levels = tuple(self._levels(c, label) for c, label in enumerate(labels))
        if levels not in self._known:
            self._known[levels] = self._fitting(levels)
        return self._known[levels]

    def _with_links(self, labels: Sequence[int]) -> Way:
        """Return the only way where every combination is permitted: linked columns are shown together."""
        gone = [label == hidden for label, hidden in zip(labels, self._hidden, strict=True)]
        return tuple((c, 0) for group in self._linked if not all(gone[c] for c in group) for c in group if gone[c])

    def _levels(self, c: int, label: int) -> frozenset[int]:
        found = self._readings[c].levels(label)
        return found | {SUPPRESSED} if label == self._hidden[c] else found

    def _fitting(self, levels: Sequence[frozenset[int]]) -> list[Way]:
        """Return the listed ways that have these levels; one that asks no less than another is left out."""
        assert self._listed is not None  # noqa: S101 - called for listed masks only
        fits = np.logical_and.reduce([np.isin(self._listed[:, c], list(each)) for c, each in enumerate(levels)])
        # A suppressed cell asks nothing of its value, nor does the only level that has the label.
        conditions = {
            frozenset((c, level) for c, level in enumerate(vector) if level != SUPPRESSED and len(levels[c]) > 1)
            for vector in self._listed[fits].tolist()
        }
        if frozenset() in conditions:
            return [()]
        return [tuple(sorted(each)) for each in conditions if not any(other < each for other in conditions)]
