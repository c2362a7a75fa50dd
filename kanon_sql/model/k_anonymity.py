"""k-anonymity: classes of at least k rows, or of rows of at least k people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_sql.errors import PolicyError
from kanon_sql.model.validation import as_identifier, named, whole

REPRESENTATIVE = "represents a person"
"""What solvers call the value of a row that represents a person, where people are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KAnonymity:
    """Every equivalence class holds at least ``k`` rows.

    Parameters
    ----------
    k : int
        At least 1.
    per_row : bool
        Whether a row is what counts, even if the rows are groups of people. A query whose rows are groups needs it.

    Raises
    ------
    PolicyError
        When k is no whole number above 0, or ``per_row`` is neither true nor false.

    Examples
    --------
    >>> KAnonymity(k=5).describe()
    'k >= 5'
    >>> KAnonymity(k=5, per_row=True).describe()
    'k >= 5 PER ROW'
    """

    k: int
    per_row: bool = False

    def __post_init__(self) -> None:
        whole(self.k, "k", 1)
        if not isinstance(self.per_row, bool):
            raise PolicyError("per_row must be true or false; hint: true if each row counts, even one that is a group")

    @property
    def least_class_size(self) -> int:
        """Return the smallest class that can meet the requirement, in rows."""
        return self.k

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"k >= {self.k}{' PER ROW' * self.per_row}"

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        return {"type": "k", "k": self.k} | ({"per_row": True} if self.per_row else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """Every equivalence class holds rows of at least ``k`` people.

    Parameters
    ----------
    k : int
        The number of people.
    per : str
        The column that tells people apart; it is never released. An empty cell is nobody.

    Raises
    ------
    PolicyError
        When k is no whole number above 0, or ``per`` no name.

    Examples
    --------
    >>> People(k=5, per="patient_id").describe()
    'k >= 5 PER patient_id'
    """

    k: int
    per: str

    def __post_init__(self) -> None:
        whole(self.k, "k", 1)
        named(self.per, "the column that tells people apart")

    @property
    def sensitive(self) -> str:
        """Return the column that classes are measured by."""
        return self.per

    @property
    def least_class_size(self) -> int:
        """Return the smallest class that can meet the requirement, in rows."""
        return self.k

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"k >= {self.k} PER {as_identifier(self.per)}"

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        return {"type": "people", "k": self.k, "per": self.per}
