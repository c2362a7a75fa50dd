"""A table of counts that was published, by whatever tool, as a reader sees it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRow:
    """A row, and what a reader knows of its count.

    Examples
    --------
    >>> row = PublishedRow(keys=("10-19", None), lower=61, upper=61)
    >>> row.exact, PublishedRow(keys=("10-19", "f"), lower=1, upper=None, suppressed=True).exact
    (True, False)
    """

    keys: tuple[str | None, ...] = field(repr=False)  # a label for each key of the table; None for all values, a total
    lower: int = field(repr=False)  # the least count that agrees with what the row shows
    upper: int | None = field(repr=False)  # the greatest one; None is without limit
    suppressed: bool = False  # whether the count is marked as suppressed

    @property
    def exact(self) -> bool:
        """Return whether the row shows its count."""
        return self.lower == self.upper


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTable:
    """A table with its rows.

    Examples
    --------
    >>> rows = (PublishedRow(keys=("10-19",), lower=60, upper=60),)
    >>> PublishedTable(number=2, name="older.csv", keys=("age",), rows=rows, condition="age >= 15").condition
    'age >= 15'
    """

    number: int  # from 1, in the order of publication
    name: str  # what people call it
    keys: tuple[str, ...]  # the columns that it is counted by
    rows: tuple[PublishedRow, ...] = field(repr=False)
    condition: str | None = None  # the SQL condition that its people meet; None for everybody
    absent: bool = False  # whether suppressed or empty rows are left out
    state: str | None = None  # the state of the source; None if there is only one
