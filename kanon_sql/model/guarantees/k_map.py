"""k-map: what a class shows matches at least k rows of a table of the population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kanon_sql.model.validation import as_text, named, named_file, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class KMap:
    """What every equivalence class shows matches at least ``k`` rows of a table of the population.

    A suppressed cell matches everything, a shown value what SQL calls equal, NULL only NULL.

    Parameters
    ----------
    k : int
        At least 1.
    population : str
        The table of the population, as SQL spells its name, or a file; it has the quasi-identifiers under the same names. The
        released rows need not be among its rows.

    Raises
    ------
    PolicyError
        When k is not an integer above 0, or ``population`` is not a name.

    References
    ----------
    Sweeney: Computational Disclosure Control, a Primer on Data Privacy Protection, PhD thesis, MIT, 2001 (k-map).

    Examples
    --------
    >>> KMap(k=5, population="census").describe()
    'k >= 5 IN census'
    """

    kind: ClassVar[str] = "k_map"
    synonyms: ClassVar[tuple[str, ...]] = ("kmap",)

    k: int
    population: str

    def __post_init__(self) -> None:
        whole(self.k, "k in k-map", 1)
        named(self.population, "the population", "the name of a table", "set population = 'census'")

    @property
    def least_class_size(self) -> int:
        """Return 1: one row may match many of the population."""
        return 1

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"k >= {self.k} IN {spelled_table(self.population)}"

    def meaning(self) -> str:
        """Return what it means for the people in the table."""
        return f"The visible cells of a class match at least {self.k} rows of {self.population}."

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        return {"type": self.kind, "k": self.k, "population": self.population}


def spelled_table(name: str) -> str:
    """Return the name of a table as the clause writes it: a file in single quotes."""
    file = named_file(name)
    return name if file is None else as_text(file)
