"""Checks of guarantees about what an attacker knows: what they do not support is refused, never ignored."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.model.linked_columns import Group, units
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import Summary
from kanon_sql.model.requirements import KnownColumns, Requirement, known_ones, population_ones
from kanon_sql.model.validation import as_identifier, same_name

MOST_SETS = 50_000
"""Sets of columns whose classes are counted; 60 columns have 34,220 sets of 3."""


def check_known(
    requirements: Sequence[Requirement],
    quasi_identifiers: Sequence[QuasiIdentifier],
    linked: Sequence[Group],
    pseudonyms: Sequence[str],
    every_column: bool,
) -> None:
    """Refuse guarantees for known columns next to parts of a policy that they do not support.

    Raises
    ------
    PolicyError
        When a set names a column that is not a quasi-identifier, there are too many sets, or a part is not supported.
    """
    requested = known_ones(requirements)
    if not requested:
        return
    stated = requested[0].describe()
    of_population = population_ones(requirements)
    if of_population:
        raise PolicyError(
            f"{stated} cannot be combined with {of_population[0].describe()}; hint: omit one of them, or write k without FOR"
        )
    for qi in quasi_identifiers:
        if isinstance(qi.recoding, Summary):
            raise PolicyError(
                f"{stated} cannot be combined with {type(qi.recoding).__name__.upper()} for "
                f"{as_identifier(qi.column)}, because summaries describe classes formed from all "
                f"quasi-identifiers; hint: use DIGITS, INTERVALS or a hierarchy"
            )
    if pseudonyms:
        raise PolicyError(f"{stated} cannot be combined with pseudonyms; hint: omit the pseudonyms, or write k without FOR")
    if not every_column:
        for requirement in requested:
            _check_sets(requirement, [qi.column for qi in quasi_identifiers], linked)


def _check_sets(requirement: KnownColumns, names: list[str], linked: Sequence[Group]) -> None:
    spelled = set(map(same_name, names))
    for number, given in enumerate(requirement.sets or (), 1):
        for name in given:
            if same_name(name) not in spelled:
                raise UnknownColumnError.of(name, names, f"set {number} of the known columns")
    if requirement.columns is not None and requirement.columns > (most := len(units(names, linked))):
        raise PolicyError(
            f"{requirement.describe()} needs more columns than there are quasi-identifiers ({most}); hint: write "
            f"FOR ANY {most} {'COLUMN' if most == 1 else 'COLUMNS'}"
        ).command(f"pass --known {most}")
    found = len(requirement.sets) if requirement.sets is not None else requirement.count(units(names, linked))
    if found > MOST_SETS:
        raise PolicyError(
            f"{requirement.describe()} has too many sets of columns: {found:,} (maximum {MOST_SETS:,}); hint: use fewer "
            "quasi-identifiers or known columns, or list the sets: FOR (zip, age), (zip, job)"
        )
