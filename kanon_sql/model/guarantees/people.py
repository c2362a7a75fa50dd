"""k-anonymity of people: classes of rows of at least k of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kanon_sql.model.validation import as_identifier, named, whole

REPRESENTATIVE = "represents a person"
"""What solvers call the value of a row that represents a person, where people are counted."""


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
        When k is not an integer above 0, or ``per`` is not a name.

    Examples
    --------
    >>> People(k=5, per="patient_id").describe()
    'k >= 5 PER patient_id'
    """

    kind: ClassVar[str] = "people"
    synonyms: ClassVar[tuple[str, ...]] = ()

    k: int
    per: str

    def __post_init__(self) -> None:
        whole(self.k, "k", 1)
        named(self.per, "the column that identifies people")

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

    def meaning(self) -> str:
        """Return what it means for the people in the table."""
        return f"Each class has rows from at least {self.k} people."

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        return {"type": self.kind, "k": self.k, "per": self.per}
