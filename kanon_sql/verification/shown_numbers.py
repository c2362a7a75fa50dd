"""Means and medians of a release against the numbers of its source, without a key that leads from row to row.

Each class shows the mean of its own rows, so the shown numbers add up to those of the source, and what they lose follows from
them alone: the sum of all squares less that of the shown ones. Shown medians are values of the source; what they lose lies
between the cheapest and the most expensive way to give each row one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from kanon_sql.errors import AuditError
from kanon_sql.model.recodings import Aggregate, Medians
from kanon_sql.table.ladder import Label
from kanon_sql.table.measurements import GRAIN, numbers_of
from kanon_sql.table.numbers import exact
from kanon_sql.verification.chosen_groups import Bounds
from kanon_sql.verification.coded_source import CodedSource
from kanon_sql.verification.readings import Domain, Meaning

_ROUNDING = Fraction(1, 1 << 52)
"""What rounding a mean to a DOUBLE may change, relative to it."""

_ALL = Fraction(1, 1)


def number_rule(recoding: Aggregate, texts: Sequence[Label], place: dict[Label, int]) -> Callable[[Label], Iterator[Meaning]]:
    """Read means, numbers between the least and the greatest of the source, and medians, numbers of it; NULL is all NULL."""
    values = np.array([place[text] for text in texts])
    found = [exact(text) for text in texts if text is not None]
    known = [value for value in found if value is not None]
    own = {text for text in texts if text is not None}

    def means(label: Label) -> Iterator[Meaning]:
        if label is None:
            if None in place:
                yield Meaning(values=np.array([place[None]]), loss=Fraction(0))
        elif isinstance(recoding, Medians):
            if label in own:
                yield Meaning(values=values, loss=Fraction(0), most=_ALL)
        else:
            value = exact(label)
            if value is not None and known and _about(min(known), -1) <= value <= _about(max(known), 1):
                yield Meaning(values=values, loss=Fraction(0), most=_ALL)

    return means


def _about(value: Fraction, sign: int) -> Fraction:
    """Return a bound that leaves something to rounding: texts of single precision are shorter than their numbers."""
    return value + sign * abs(value) / (1 << 22)


def number_loss(source: CodedSource, name: str, domain: Domain) -> Bounds:
    """Return what a cell of a column of means or medians loses, at least and at most, on average over the cells that show one.

    Raises
    ------
    AuditError
        When the means do not add up to the numbers of the source, or more cells are empty than before.
    """
    table = source.table
    if table is None:
        return Fraction(0), Fraction(0)
    labels, (place,) = source.ladders[name].labels[0], table.ladders[name,]
    median = isinstance(source.policy.aggregated[name], Medians)
    numbers = numbers_of(labels)
    held = Counter[int]()
    for code, rows in zip(table.codes[:, place].tolist(), table.weight.tolist(), strict=True):
        held[code] += rows
    own = sorted((numbers[code], rows) for code, rows in held.items() if labels[code] is not None)
    known = sum(rows for _, rows in own)
    shown = _shown(domain, labels, numbers, median=median)
    cells = sum(rows for _, rows in shown)
    nulls = cells - known  # NULLs in classes that show a number
    if nulls < 0:
        raise AuditError(f'the column "{name}" has fewer numbers in the release than in the source')
    if not cells:
        return Fraction(0), Fraction(0)
    if median:
        low, high = (Fraction(0), _greatest_sum(own, shown)) if nulls else (_matched(own, shown), _greatest_sum(own, shown))
    else:
        low, high = _squares(name, own, shown, nulls)
    total = _absolute(own) if median else _squared(own)
    scale = known / total if total else Fraction(0)
    return (max(Fraction(0), low) * scale + nulls) / cells, (max(Fraction(0), high) * scale + GRAIN + nulls) / cells


def _squared(own: list[tuple[Fraction, int]]) -> Fraction:
    """Return the sum of squared deviations from the mean of all rows."""
    rows = sum(count for _, count in own)
    total = sum((value * count for value, count in own), Fraction(0))
    return sum((value * value * count for value, count in own), Fraction(0)) - total * total / max(1, rows)


def _absolute(own: list[tuple[Fraction, int]]) -> Fraction:
    """Return the sum of absolute deviations from the lower median of all rows, given in ascending order."""
    left = (sum(count for _, count in own) + 1) // 2
    for middle, count in own:
        left -= count
        if left <= 0:
            return sum((abs(value - middle) * rows for value, rows in own), Fraction(0))
    return Fraction(0)


def _shown(domain: Domain, labels: Sequence[Label], numbers: Sequence[Fraction], *, median: bool) -> list[tuple[Fraction, int]]:
    """Return the numbers that the release shows, and the cells with each."""
    by_text = dict(zip(labels, numbers, strict=True))
    found = []
    for code in np.flatnonzero(domain.cells).tolist():
        text = domain.texts[code]
        if text is not None:
            value = by_text.get(text) if median else Fraction(float(text))
            found.append((exact(text) or Fraction(0) if value is None else value, int(domain.cells[code])))
    return sorted(found)


def _squares(name: str, own: list[tuple[Fraction, int]], shown: list[tuple[Fraction, int]], nulls: int) -> Bounds:
    """Return the least and the greatest sum of squared deviations from these means, of which some belong to NULLs."""
    total = sum(value * rows for value, rows in own)
    shown_sum = sum(value * rows for value, rows in shown)
    margin = _ROUNDING * sum(abs(value) * rows for value, rows in shown)
    gone = [nulls * value for value in (shown[0][0], shown[-1][0])]
    if not shown_sum - max(gone) - margin <= total <= shown_sum - min(gone) + margin:
        raise AuditError(f'the means of the column "{name}" do not add up to the numbers in the source')
    squares = [value * value for value, _ in shown]
    lost = sum(value * value * rows for value, rows in own) - sum(value * value * rows for value, rows in shown)
    margin = 2 * _ROUNDING * sum(value * value * rows for value, rows in shown)
    return lost + nulls * min(squares) - margin, lost + nulls * max(squares) + margin


def _matched(own: list[tuple[Fraction, int]], shown: list[tuple[Fraction, int]]) -> Fraction:
    """Return the least sum of differences of as many numbers: of the least to the least, and so on; texts may be rounded."""
    exactly = {value for value, _ in own}
    total, place, left = Fraction(0), 0, shown[0][1]
    for value, rows in sorted(own):
        while rows:
            taken = min(rows, left)
            total += abs(value - shown[place][0]) * taken
            rows, left = rows - taken, left - taken
            if not left and place + 1 < len(shown):
                place += 1
                left = shown[place][1]
    return total - sum(abs(value) * rows for value, rows in shown if value not in exactly) / Fraction(1 << 22)


def _greatest_sum(own: list[tuple[Fraction, int]], shown: list[tuple[Fraction, int]]) -> Fraction:
    """Return a sum of differences that no way to give these numbers exceeds."""
    low, high = shown[0][0], shown[-1][0]
    return sum((max(abs(value - low), abs(value - high)) * rows for value, rows in own), Fraction(0))
