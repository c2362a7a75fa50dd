"""Whether the mean or median of a class can be that of its own rows: its other columns tell which rows these may be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kanon_sql.errors import AuditError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Medians
from kanon_sql.table.arrays import Int64
from kanon_sql.table.ladder import Label
from kanon_sql.table.numbers import exact
from kanon_sql.table.sensitive_values import moment
from kanon_sql.verification.readings import Domain
from kanon_sql.verification.shown_cells import Cells

_SHORTENED = 1 / (1 << 20)
"""What a mean may differ by, relative to the largest number: texts of single precision are shorter than their numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassNumbers:
    """The numbers of a column of means or medians."""

    name: str  # the column
    place: int  # its place among the quasi-identifiers
    number: NDArray[np.float64]  # by its code each value and label; NaN where it is empty
    rank: Int64  # the same as places in their exact order
    median: bool  # whether classes show medians

    @classmethod
    def of(cls, policy: Policy, place: int, domain: Domain) -> Self | None:
        """Return the numbers of a column; None where it shows no means or medians, or of what nobody can tell the order."""
        name = policy.quasi_identifiers[place].column
        if name not in policy.aggregated:
            return None
        median = isinstance(policy.aggregated[name], Medians)
        found = _read(domain.texts, exact)
        if found is None and median:
            found = _read(domain.texts, moment)
        if found is None:
            return None
        order = {value: number for number, value in enumerate(sorted({value for value in found if value is not None}))}
        return cls(
            name=name,
            place=place,
            number=np.array([np.nan if value is None else float(value) for value in found]),
            rank=np.array([-1 if value is None else order[value] for value in found], np.int64),
            median=median,
        )

    def check(self, label: int, cells: Cells, fit: Int64, rows: Int64) -> None:
        """Check the label of a class.

        Parameters
        ----------
        label : int
            Its code.
        cells : Cells
            Both tables.
        fit : int64 array
            The rows of the source that the class may have, as far as its labels tell.
        rows : int64 array
            The rows of the release that are the class.

        Raises
        ------
        AuditError
            When no choice of as many of these rows, with the other columns of the class, has this mean or median.

        Notes
        -----
        Nothing is said of a class that may have empty cells: how many, nobody can tell. O(f log f).
        """
        if np.isnan(self.number[label]):
            return
        source, released = cells.source, cells.released
        rest, wanted = _summed(released.rest[rows], released.count[rows])
        fit = fit[np.isin(source.rest[fit], rest)]
        code, group, count = source.codes[fit, self.place], np.searchsorted(rest, source.rest[fit]), source.count[fit]
        if np.isnan(self.number[code]).any():
            return
        size = int(wanted.sum())
        low_code, low = _taken(np.lexsort((self.rank[code], group)), code, group, count, wanted)
        high_code, high = _taken(np.lexsort((-self.rank[code], group)), code, group, count, wanted)
        if self.median:
            fewest_below = int(high[self.rank[high_code] < self.rank[label]].sum())
            most_up_to = int(low[self.rank[low_code] <= self.rank[label]].sum())
            possible = 2 * fewest_below < size <= 2 * most_up_to
        else:
            margin = size * _SHORTENED * float(np.abs(self.number[code]).max(initial=0.0))
            least, most = float(self.number[low_code] @ low), float(self.number[high_code] @ high)
            possible = least - margin <= self.number[label] * size <= most + margin
        if not possible:
            what = "median" if self.median else "mean"
            raise AuditError(
                f'a class of {how_many(size, "row")} shows a {what} for the column "{self.name}" that its rows cannot have'
            )


def _taken(order: Int64, code: Int64, group: Int64, count: Int64, wanted: Int64) -> tuple[Int64, Int64]:
    """Return codes in an order, group by group, and how many rows are taken of each where the first ones are."""
    code, group, count = code[order], group[order], count[order]
    before = np.cumsum(count) - count
    start = before[np.searchsorted(group, group)]
    return code, np.clip(wanted[group] - (before - start), 0, count)


def _read(texts: Sequence[Label], read: Callable[[str], Fraction | int | None]) -> list[Fraction | int | None] | None:
    """Return the number of each text, None where one has none."""
    found = [None if text is None else read(text) for text in texts]
    return None if any(value is None and text is not None for value, text in zip(found, texts, strict=True)) else found


def _summed(rest: Int64, count: Int64) -> tuple[Int64, Int64]:
    """Return the distinct values, ascending, and the rows of each."""
    distinct, place = np.unique(rest, return_inverse=True)
    total = np.zeros(len(distinct), np.int64)
    np.add.at(total, place, count)
    return distinct, total
