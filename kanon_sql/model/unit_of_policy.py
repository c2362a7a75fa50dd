"""The unit of a policy, and that of linked histories."""

from __future__ import annotations

import json

from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.model.policy import Policy
from kanon_sql.model.unit import Unit


def unit_of(policy: Policy, *, every_column: bool = False) -> Unit:
    """Return what a policy counts, its quasi-identifiers being named; with ``every_column``, not by its author."""
    least, known = policy.least_class_size, max(policy.known_requirements, key=lambda each: each.least, default=None)
    scope, some = "", ""
    if known is not None and known.least > least:
        least, scope, some = known.least, known.scope, json.dumps(known.known)
    kept = policy.keep or ()
    return Unit(
        guarantee=f"k >= {least}",
        least=least,
        scope=scope,
        known=some,
        by=tuple(qi.column for qi in policy.quasi_identifiers),
        every_column=every_column,
        per=None if policy.people is None else policy.people.per,
        per_row=policy.per_row,
        recoded=policy.generalized,
        roles=(*policy.sensitive, *kept, *policy.pseudonyms),
        sensitive=policy.sensitive,
        kept=tuple(name for name in kept if name not in policy.pseudonyms),
    )


def unit_of_histories(histories: LinkedHistories) -> Unit:
    """Return what a guarantee of linked histories counts."""
    return Unit(
        guarantee=f"k >= {histories.k}",
        least=histories.k,
        scope=histories.scope,
        by=tuple(histories.quasi_identifiers),
        per=histories.per,
        roles=tuple(histories.keep),
        kept=tuple(histories.keep),
    )
