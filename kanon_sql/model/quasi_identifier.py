"""Columns that help to recognize somebody."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from kanon_sql.errors import PolicyError
from kanon_sql.model.recodings import Generalization, Rectangles, recoding_from_json, recoding_to_json
from kanon_sql.model.validation import fraction, named, plain_number, same_name


@dataclass(frozen=True, slots=True, kw_only=True)
class QuasiIdentifier:
    """A column that helps to recognize somebody."""

    column: str  # name of the column; case does not count, as in SQL
    weight: Fraction = Fraction(1)  # cost of suppressing one cell of the column, above 0
    # How a cell may be coarsened before it is suppressed; None shows it or hides it. Also read from plain JSON data.
    recoding: Generalization | None = None

    def __post_init__(self) -> None:
        named(self.column, "a quasi-identifier")
        object.__setattr__(self, "weight", fraction(self.weight, f'the weight of "{self.column}"'))
        if self.weight <= 0:
            raise PolicyError(
                f'the weight of "{self.column}" must be above 0; hint: to always show the column, release it unchanged'
            )
        object.__setattr__(self, "recoding", recoding_from_json(self.recoding))

    def to_json(self) -> dict[str, Any]:
        """Return the quasi-identifier as plain JSON data."""
        recoding = recoding_to_json(self.recoding)
        return {"column": self.column, "weight": plain_number(self.weight), "recoding": recoding}

    def respelled(self, spelled: Mapping[str, str]) -> QuasiIdentifier:
        """Return the quasi-identifier whose recoding spells the other column as ``spelled``, by what `same_name` compares."""
        if not isinstance(self.recoding, Rectangles):
            return self
        return replace(self, recoding=replace(self.recoding, beside=spelled[same_name(self.recoding.beside)]))


def rectangle_pairs(quasi_identifiers: Iterable[QuasiIdentifier]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of coordinates that are released as rectangles, each once, in their order."""
    partners = {qi.column: qi.recoding.beside for qi in quasi_identifiers if isinstance(qi.recoding, Rectangles)}
    spelled = {same_name(name): name for name in partners}
    place = {name: number for number, name in enumerate(partners)}
    pairs = ((name, spelled[same_name(other)]) for name, other in partners.items())
    return tuple((one, other) for one, other in pairs if place[one] < place[other])
