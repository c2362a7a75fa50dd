"""Checks of guarantees that are counted in a table of the population."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.errors import PolicyError
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import has_fixed_labels
from kanon_sql.model.requirements import PopulationRequirement
from kanon_sql.model.validation import as_identifier


def check_population(requirements: Sequence[PopulationRequirement], quasi_identifiers: Sequence[QuasiIdentifier]) -> None:
    """Refuse recodings whose labels depend on the rows of the source: they say nothing of other rows.

    Raises
    ------
    PolicyError
        When a column shows such labels next to a guarantee about the population.
    """
    for qi in quasi_identifiers if requirements else ():
        if qi.recoding is not None and not has_fixed_labels(qi.recoding):
            kind = type(qi.recoding).__name__.upper()
            raise PolicyError(
                f"{requirements[0].describe()}: the labels of {as_identifier(qi.column)} in {kind} follow from the released "
                "rows; hint: DIGITS, HIERARCHY, CUTS, or INTERVALS of given widths"
            )
