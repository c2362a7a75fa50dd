"""Findings of the audit of a ledger: a group, its numbers, and the chain of published rows that proves them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kanon_sql.model.how_many import how_many


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A published row in a chain.

    Attributes
    ----------
    table : int
        The number of its table.
    name : str
        What people call the table.
    keys : tuple of str or None
        The labels of the row. None for all values of a key.
    about : str
        What the row is about, in words.
    lower, upper : int or None
        What it shows of its count; None is without limit.
    sign : int
        1 if the row is added, -1 if it is subtracted, 0 if it only says that a key has no further values.
    closes : str or None
        The key whose values are all listed below the row, if that is all that the link says.
    """

    table: int
    name: str
    keys: tuple[str | None, ...] = field(repr=False)
    about: str = field(repr=False)
    lower: int = field(repr=False)
    upper: int | None = field(repr=False)
    sign: int
    closes: str | None = None

    @property
    def count(self) -> str:
        """Return what the row shows."""
        if self.upper is None:
            return f"at least {self.lower}"
        return str(self.lower) if self.lower == self.upper else f"{self.lower} to {self.upper}"

    def __str__(self) -> str:
        """Return the link in words."""
        if self.closes is not None:
            return f"{self.about}: every {self.closes} is listed (table {self.table})"
        return f"{self.about}: {self.count} (table {self.table})"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON takes them."""
        fields = {"table": self.table, "name": self.name, "keys": list(self.keys), "lower": self.lower, "upper": self.upper}
        return {**fields, "sign": self.sign, "closes": self.closes}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A group that provably has 1 to n - 1 people.

    Attributes
    ----------
    kind : str
        ``shown`` if a row shows the number itself, else ``provable``.
    group : str
        The group in words.
    least, most : int
        Its numbers of people. Everything that was published together leaves no others.
    operation : str
        How published rows name the group: ``row`` is one row, ``both`` the people whom two rows count, ``without`` those of the
        first row whom the second one does not count.
    rows : tuple
        These rows: for each the number of its table and its labels.
    tight : bool
        Whether both numbers are possible. If not, the time was up before the range was narrowed.
    chain : tuple of Link
        Published rows that prove that the group has 1 to n - 1 people.
    """

    kind: str
    group: str
    least: int
    most: int
    operation: str
    rows: tuple[tuple[int, tuple[str | None, ...]], ...] = field(repr=False)
    tight: bool
    chain: tuple[Link, ...] = field(repr=False)

    @property
    def text(self) -> str:
        """Return the proof in words, to follow with a pencil."""
        added = [str(link) for link in self.chain if link.sign > 0]
        taken = [str(link) for link in self.chain if link.sign < 0]
        others = [str(link) for link in self.chain if link.sign == 0]
        parts = ["; ".join(added), *(["of these " + "; ".join(taken)] if taken else []), *others]
        return f"{', '.join(part for part in parts if part)}. {self.people}: {self.group}."

    @property
    def people(self) -> str:
        """Return how many people the group has, as the first words of a sentence."""
        if self.least == self.most:
            return "One person" if self.least == 1 else how_many(self.least, "person", "people")
        return f"{self.least} to {self.most} people"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON takes them."""
        fields = {"kind": self.kind, "group": self.group, "least": self.least, "most": self.most, "tight": self.tight}
        rows = [{"table": table, "keys": list(keys)} for table, keys in self.rows]
        return {
            **fields,
            "operation": self.operation,
            "rows": rows,
            "chain": [link.to_dict() for link in self.chain],
            "text": self.text,
        }
