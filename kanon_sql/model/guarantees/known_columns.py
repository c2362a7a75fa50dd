"""A guarantee against an attacker who knows some of the quasi-identifiers: any m of them, or given sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, ClassVar, Protocol

from kanon_sql.errors import PolicyError
from kanon_sql.model.validation import as_identifier, named, refuse_twice, whole


class OfClasses(Protocol):
    """A requirement on the people or the values of a class."""

    @property
    def sensitive(self) -> str:
        """Return the column that classes are measured by."""

    @property
    def least_class_size(self) -> int:
        """Return the smallest class that can meet the requirement, in rows."""

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownColumns:
    """By every set of quasi-identifiers that an attacker may know, a class holds at least ``k`` rows, or meets ``of``.

    A suppressed cell is a value of its own. Sets of fewer columns follow, because their classes are unions of these.

    Parameters
    ----------
    k : int, optional
        At least 1.
    of : People, or a requirement on a sensitive column, optional
        What every class must meet, instead of ``k``.
    columns : int, optional
        How many quasi-identifiers the attacker knows, any of them. Linked columns count as one.
    sets : iterable of iterable of str, optional
        The sets that the attacker may know, instead of ``columns``.

    Raises
    ------
    PolicyError
        When k or ``columns`` is not an integer above 0, or not exactly one of ``k`` and ``of``, or of ``columns`` and ``sets``,
        is given.

    Examples
    --------
    >>> KnownColumns(k=5, columns=3).describe()
    'k >= 5 FOR ANY 3 COLUMNS'
    >>> KnownColumns(k=5, sets=[["zip", "age"], ["zip", "job"]]).describe()
    'k >= 5 FOR (zip, age), (zip, job)'
    >>> from kanon_sql.model.guarantees.people import People
    >>> KnownColumns(of=People(k=5, per="patient_id"), columns=3).describe()
    'k >= 5 PER patient_id FOR ANY 3 COLUMNS'
    """

    kind: ClassVar[str] = "known"
    synonyms: ClassVar[tuple[str, ...]] = ("known_columns", "lkc", "combs", "any_m")

    k: int | None = None
    of: OfClasses | None = None
    columns: int | None = None
    sets: tuple[tuple[str, ...], ...] | None = None

    def __post_init__(self) -> None:
        if (self.k is None) == (self.of is None):
            raise PolicyError("known columns need either k or another guarantee; hint: set k = 5, or of = People(...)")
        if self.of is None:
            whole(self.k, "k", 1)
        if (self.columns is None) == (self.sets is None):
            raise PolicyError(
                "known columns must be a number or lists of columns; hint: set known = 3, or [['zip', 'age'], ['job']]"
            )
        if self.columns is not None:
            whole(self.columns, "the number of known columns", 1)
        else:
            object.__setattr__(self, "sets", _sets(self.sets))

    @classmethod
    def against(cls, requested: int | OfClasses, known: object) -> KnownColumns:
        """Return k, or another requirement, for what options write as known: a number, or lists of columns."""
        what: dict[str, Any] = {"k": requested} if isinstance(requested, int) else {"of": requested}
        if isinstance(known, int):
            return cls(columns=known, **what)
        return cls(sets=_sets(known), **what)

    @property
    def least(self) -> int:
        """Return the smallest class by a set that can meet the requirement, in rows."""
        return self.of.least_class_size if self.of is not None else self.k or 1

    @property
    def least_class_size(self) -> int:
        """Return 1: by all columns, a row may be alone."""
        return 1

    def sets_of(self, units: Sequence[Sequence[str]]) -> list[tuple[int, ...]]:
        """Return the sets whose classes are counted, as ascending places of units; none is a part of another.

        Parameters
        ----------
        units : sequence of sequence of str
            The quasi-identifiers: each one, or a group of linked ones.
        """
        if self.columns is not None:
            return list(combinations(range(len(units)), min(self.columns, len(units))))
        place = {name: number for number, names in enumerate(units) for name in names}
        found = {tuple(sorted({place[name] for name in names})) for names in self.sets or ()}
        return sorted(each for each in found if not any(set(each) < set(other) for other in found))

    def count(self, units: Sequence[Sequence[str]]) -> int:
        """Return how many sets there are, without listing them."""
        if self.columns is None:
            return len(self.sets_of(units))
        return comb(len(units), min(self.columns, len(units)))

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"k >= {self.k} {self.scope}" if self.of is None else f"{self.of.describe()} {self.scope}"

    @property
    def scope(self) -> str:
        """Return what the attacker knows, as the clause writes it."""
        if self.columns is not None:
            return f"FOR ANY {self.columns} {'COLUMN' if self.columns == 1 else 'COLUMNS'}"
        sets = ", ".join(f"({', '.join(map(as_identifier, names))})" for names in self.sets or ())
        return f"FOR {sets}"

    @property
    def known(self) -> dict[str, Any]:
        """Return the same as plain JSON data."""
        return {"columns": self.columns} if self.sets is None else {"sets": [list(names) for names in self.sets]}

    def meaning(self) -> str:
        """Return what it means for the people in the table."""
        known = "one of these sets of columns" if self.columns is None else f"any {self.columns} quasi-identifiers"
        return f"An attacker who knows {known} finds at least {self.k} matching rows."

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        requested: dict[str, Any] = {"k": self.k} if self.of is None else {"of": self.of.to_json()}
        return {"type": self.kind, **requested, **self.known}


def _sets(given: object) -> tuple[tuple[str, ...], ...]:
    """Return lists of columns as tuples."""
    hint = "hint: write [['zip', 'age'], ['zip', 'job']]"
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise PolicyError(f"known columns must be a number or lists of columns, got {type(given).__name__}; {hint}")
    lists = list(given)
    if not lists or any(isinstance(names, str) or not isinstance(names, Iterable) for names in lists):
        raise PolicyError(f"each set of known columns must be a list of columns; {hint}")
    found = tuple(tuple(named(name, "a known column") for name in names) for names in lists)
    for number, names in enumerate(found, 1):
        if not names:
            raise PolicyError(f"set {number} of the known columns is empty; {hint}")
        refuse_twice(names, f"the columns of set {number}")
    return found
