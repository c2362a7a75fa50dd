"""A generated table and what is true of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Meaning = Literal["key", "part", "name", "contact", "birth", "text", "personal", "group", "event", "category", "measure"]
"""What a column is about.

``key`` tells people apart, a ``part`` of a key together with a group. ``name``, ``contact`` (e-mail, telephone, street, IP
address), ``birth`` and ``text`` (which names the person) are theirs too. ``personal`` are attributes that many share. A
``group`` is a household, a class, a teacher or a shop. ``event`` numbers or dates a row; others describe it.
"""

IDENTIFYING = ("key", "name", "contact", "birth", "text")
"""Meanings whose values point to a person in the world outside the table."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
        Its name.
    meaning : str
        What it is about.
    cells : pyarrow.Array
        Its cells.
    """

    name: str
    meaning: Meaning
    cells: pa.Array


def _of_all_spellings(cells: pa.Array) -> pa.Array:
    """Return texts without capital letters, accents, and spaces at the ends."""
    letters = pc.replace_substring_regex(pc.utf8_normalize(pc.utf8_lower(cells), "NFKD"), "\\p{Mn}", "")
    return pc.utf8_trim_whitespace(letters)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of people.

    Attributes
    ----------
    seed : str
        What it was drawn from.
    kind : str
        ``visits``, ``orders``, ``payroll``, ``log-ins``, ``classes``, ``households``, ``survey``, ``families`` or ``register``.
    language : str
        Of the names.
    columns : tuple of Column
        The columns in their order.
    person : int64 [rows]
        The person of each row.
    keyed : bool
        Whether a column, or two together, tells people apart.
    """

    seed: str
    kind: str
    language: str
    columns: tuple[Column, ...]
    person: NDArray[np.int64]
    keyed: bool

    @property
    def single(self) -> bool:
        """Whether each person has one row."""
        return self.people == len(self.person)

    @property
    def people(self) -> int:
        """The number of people."""
        return len(np.unique(self.person))

    @property
    def arrow(self) -> pa.Table:
        """The table."""
        return pa.table({each.name: each.cells for each in self.columns})

    def meaning(self, name: str) -> Meaning:
        """Return what a column is about."""
        return next(each.meaning for each in self.columns if each.name == name)

    def named(self, *meanings: str) -> list[str]:
        """Return the columns that are about one of these, in their order."""
        return [each.name for each in self.columns if each.meaning in meanings]

    def joined(self, names: Sequence[str], name: str, *, spellings: bool = False) -> Table:
        """Return the table with one more column, of the texts of others: a key of people; names may have several spellings."""
        texts = [each.cells.cast(pa.string()) for each in self.columns if each.name in names]
        texts = [_of_all_spellings(each) if spellings else each for each in texts]
        cells = pc.binary_join_element_wise(*texts, "/") if len(texts) > 1 else texts[0]
        return replace(self, columns=(*self.columns, Column(name, "key", cells)))

    def first_rows(self, names: Sequence[str]) -> Table:
        """Return the first row of each value of a column, or of some columns together."""
        cells = list(zip(*(each.cells.to_pylist() for each in self.columns if each.name in names), strict=True))
        rows = list({cell: row for row, cell in reversed(list(enumerate(cells)))}.values())
        columns = tuple(Column(each.name, each.meaning, each.cells.take(rows)) for each in self.columns)
        return replace(self, columns=columns, person=self.person[rows])

    def __repr__(self) -> str:
        told: list[Any] = [f"{each.name!r}: {each.meaning}" for each in self.columns]
        return f"<{self.kind} {self.seed} of {self.people} people, {len(self.person)} rows: {', '.join(told)}>"
