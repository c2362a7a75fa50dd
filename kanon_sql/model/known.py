"""Checks of guarantees about what an attacker knows: what is not built yet is refused, never ignored."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.model.linked_columns import Group, units
from kanon_sql.model.masks import Mask
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import KAnonymity, KnownColumns, Requirement, known_ones
from kanon_sql.model.validation import as_identifier, same_name

MOST_SETS = 50_000
"""Sets of columns whose classes are counted; 60 columns have 34,220 sets of 3."""


def check_known(
    requirements: Sequence[Requirement],
    quasi_identifiers: Sequence[QuasiIdentifier],
    linked: Sequence[Group],
    masks: Sequence[Mask] | None,
    pseudonyms: Sequence[str],
    every_column: bool,
) -> None:
    """Refuse guarantees for known columns next to parts of a policy that they do not support.

    Raises
    ------
    PolicyError
        When a set names a column that is not a quasi-identifier, there are too many sets, or a part is not supported.
    """
    asked = known_ones(requirements)
    if not asked:
        return
    told = asked[0].describe()
    for requirement in requirements:
        if not isinstance(requirement, KAnonymity | KnownColumns):
            raise PolicyError(
                f"{told} cannot be combined with {requirement.describe()} yet; hint: leave one of them out, or ask for it "
                "without FOR"
            )
    for qi in quasi_identifiers:
        if qi.recoding is not None:
            raise PolicyError(
                f"{told} cannot generalize yet, so {as_identifier(qi.column)} can only be suppressed; hint: leave out "
                f"{type(qi.recoding).__name__.upper()}, or store a generalized column first"
            )
    for what, given in (("masks", masks is not None), ("pseudonyms", bool(pseudonyms))):
        if given:
            raise PolicyError(f"{told} cannot be combined with {what} yet; hint: leave them out, or ask for k without FOR")
    if not every_column:
        for requirement in asked:
            _check_sets(requirement, [qi.column for qi in quasi_identifiers], linked)


def _check_sets(requirement: KnownColumns, names: list[str], linked: Sequence[Group]) -> None:
    spelled = set(map(same_name, names))
    for number, given in enumerate(requirement.sets or (), 1):
        for name in given:
            if same_name(name) not in spelled:
                raise UnknownColumnError.of(name, names, f"set {number} of the known columns")
    found = len(requirement.sets) if requirement.sets is not None else requirement.count(units(names, linked))
    if found > MOST_SETS:
        raise PolicyError(
            f"{requirement.describe()} has {found:,} sets of columns, more than {MOST_SETS:,}; hint: name fewer "
            "quasi-identifiers, fewer known columns, or the sets themselves: FOR (zip, age), (zip, job)"
        )
