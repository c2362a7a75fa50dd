"""What a published table of counts gives away of its suppressed cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from kanon_sql.model.how_many import how_many


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenCell:
    """A suppressed cell, and which values agree with all that is published."""

    cell: tuple[str | None, ...] = field(repr=False)  # its keys; None for a total
    lower: int | Fraction = field(repr=False)  # the least value; None is without limit
    upper: int | Fraction | None = field(repr=False)  # the greatest one
    exact: bool  # whether only one value is possible
    small: bool  # whether every possible value is above 0 and below k

    @property
    def disclosed(self) -> bool:
        """Return whether the totals give the cell away."""
        return self.exact or self.small

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON takes them."""
        ends = {"lower": _number(self.lower), "upper": None if self.upper is None else _number(self.upper)}
        return {"cell": list(self.cell), **ends, "exact": self.exact, "small": self.small}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAudit:
    """What the audit of a table of counts found.

    Attributes
    ----------
    by : tuple of str
        The keys.
    rows, hidden : int
        Rows of the table, and suppressed cells.
    exact, small : int
        Suppressed cells whose value follows exactly, and those that are provably below k.
    disclosed : int
        Suppressed cells that are one of these, or both.
    cells : tuple of HiddenCell
        All suppressed cells, in the order of the table.
    groups : tuple of HiddenCell
        Groups that rows name together, such as 15 to 19 years in a table of tens and of 15 and more, if they are provably
        below k. ``(others)`` stands for the values of a key that have no row.

    Examples
    --------
    >>> import kanon_sql, pyarrow as pa
    >>> counts = pa.table({"region": ["north", "south", "east", None], "n": [12, None, None, 30]})
    >>> found = kanon_sql.audit_table(counts, by=["region"])
    >>> found.holds, [(each.lower, each.upper) for each in found.cells]
    (True, [(1, 17), (1, 17)])
    """

    by: tuple[str, ...] = field(repr=False)
    rows: int
    cells: tuple[HiddenCell, ...] = field(repr=False)
    groups: tuple[HiddenCell, ...] = field(repr=False)
    hidden: int
    exact: int
    small: int
    disclosed: int

    @classmethod
    def of(cls, by: Sequence[str], rows: int, cells: Sequence[HiddenCell], groups: Sequence[HiddenCell]) -> TableAudit:
        """Count what was found."""
        return cls(
            by=tuple(by),
            rows=rows,
            cells=tuple(cells),
            groups=tuple(groups),
            hidden=len(cells),
            exact=sum(each.exact for each in cells),
            small=sum(each.small for each in cells),
            disclosed=sum(each.disclosed for each in cells),
        )

    @property
    def holds(self) -> bool:
        """Return whether no suppressed cell is given away, and no group is provably small."""
        return not self.disclosed and not self.groups

    @property
    def figures(self) -> Mapping[str, int]:
        """Return the counts by their names."""
        return {
            "rows": self.rows,
            "suppressed cells": self.hidden,
            "known exactly": self.exact,
            "provably below k": self.small,
            "groups provably below k": len(self.groups),
        }

    def wrong(self, k: int) -> str | None:
        """Return what is wrong, None if nothing is."""
        if self.holds:
            return None
        findings = []
        if self.disclosed:
            cells = how_many(self.disclosed, "suppressed cell")
            findings.append(f"totals reveal {cells} of {self.hidden}: {self.exact} exactly, {self.small} as below k = {k}")
        if self.groups:
            verb = "is" if len(self.groups) == 1 else "are"
            findings.append(f"{how_many(len(self.groups), 'overlap')} of rows {verb} provably below k = {k}")
        return "; ".join(findings)


def hidden_cell(
    cell: tuple[str | None, ...], interval: tuple[int, int | None], unit: int, k: int, *, absent: bool
) -> HiddenCell:
    """Return a suppressed cell from its interval in units of 1 / ``unit``; an absent cell that must be empty is no secret."""
    lower, upper = interval
    return HiddenCell(
        cell=cell,
        lower=_whole(Fraction(lower, unit)),
        upper=None if upper is None else _whole(Fraction(upper, unit)),
        exact=lower == upper and (lower > 0 or not absent),
        small=lower > 0 and upper is not None and upper < k * unit,
    )


def _whole(value: Fraction) -> int | Fraction:
    return int(value) if value.denominator == 1 else value


def _number(value: int | Fraction) -> int | float:
    return value if isinstance(value, int) else float(value)
