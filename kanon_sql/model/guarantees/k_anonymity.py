"""k-anonymity: classes of at least k rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kanon_sql.errors import PolicyError
from kanon_sql.model.validation import whole


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
        When k is not an integer above 0, or ``per_row`` is neither true nor false.

    Examples
    --------
    >>> KAnonymity(k=5).describe()
    'k >= 5'
    >>> KAnonymity(k=5, per_row=True).describe()
    'k >= 5 PER ROW'
    """

    kind: ClassVar[str] = "k"
    synonyms: ClassVar[tuple[str, ...]] = ("k_anonymity", "kanonymity", "k_anonymous", "anonymity")

    k: int
    per_row: bool = False

    def __post_init__(self) -> None:
        whole(self.k, "k", 1)
        if not isinstance(self.per_row, bool):
            raise PolicyError(
                "per_row must be true or false; hint: set it to true to count every row, even one that describes a group"
            )

    @property
    def least_class_size(self) -> int:
        """Return the smallest class that can meet the requirement, in rows."""
        return self.k

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"k >= {self.k}{' PER ROW' * self.per_row}"

    def meaning(self) -> str:
        """Return what it means for the people in the table."""
        return f"Each row shares its quasi-identifiers with at least {self.k - 1} other rows."

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        return {"type": self.kind, "k": self.k} | ({"per_row": True} if self.per_row else {})
