"""What tokens give away: they link the rows of a person, and these rows together may look like those of nobody else."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRisk:
    """How many people have the same history, for the tokens of one column.

    The *history* of a person is the multiset of what the rows with the person's token show in the quasi-identifiers, release by
    release: an attacker who knows all rows of the person knows it. The *candidates* of a person are the people with the same
    history, the person included. A suppressed cell is a value like any other, as in an equivalence class.

    Attributes
    ----------
    column : str
        The column that shows the tokens.
    people : int
        People whose candidates are counted: those with a token in this release, and people of earlier releases whose history
        was that of one of them until now. Being absent from this release tells these apart.
    alone : int
        People who are their only candidate.
    fewest : int
        The fewest candidates of a person; 0 without people.
    average : Fraction
        The candidates of a person on average.
    releases : int
        The earlier releases that share a token with this one. A release that divides the same people in the same way is not
        counted: it was made again.

    Notes
    -----
    With one row per person in each of two releases, these are the candidates that ``intersection_risk`` counts, except for the
    people who are in one of the two releases alone (the intersection attack of Ganta, Kasiviswanathan and Smith 2008, on the
    classes). With more rows or releases, it is the same count over all of them together instead of each pair of classes.
    In one release with one row per person, the candidates are the rows of the class. People with different histories may still
    fit the same true values, if a cell is suppressed. They are not counted: an attacker who knows only true values is left with
    at least as many candidates.
    """

    column: str
    people: int
    alone: int
    fewest: int
    average: Fraction
    releases: int

    def describe(self) -> str:
        """Return the figures, for people."""
        earlier = f", together with {_counted(self.releases, 'earlier release')}" if self.releases else ""
        return (
            f"{_counted(self.people, 'person', 'people')}{earlier}: {self.alone:,} with a unique history, at least "
            f"{_counted(self.fewest, 'candidate')} each, {float(self.average):,.1f} on average"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; the average is exact, as a text."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {"average": str(self.average)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> HistoryRisk:
        """Read what `to_dict` returns."""
        return cls(**(data | {"average": Fraction(data["average"])}))


def _counted(number: int, one: str, several: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"
