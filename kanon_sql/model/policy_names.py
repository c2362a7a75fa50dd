"""The policy that a name means."""

from __future__ import annotations

from collections.abc import Iterable

from kanon_sql.errors import PolicyError, hint_of
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.validation import same_name

_LONGEST = 100
"""Characters of a name that an error quotes: a policy in JSON that is mistaken for one may be long."""


def of_name(name: str, policies: Iterable[StoredPolicy]) -> StoredPolicy:
    """Return the policy of that name.

    Raises
    ------
    PolicyError
        When there is none; with the name that was probably meant.
    """
    known = {same_name(each.name): each for each in policies}
    found = known.get(same_name(name))
    if found is not None:
        return found
    listing = ", ".join(f'"{each.name}"' for each in list(known.values())[:12]) or "none"
    hint = hint_of(name, known, f"the policies are {listing}", spelled=lambda near: f'"{known[near].name}"')
    shown = name if len(name) <= _LONGEST else f"{name[:_LONGEST]}..."
    raise PolicyError(f'there is no policy "{shown}"; hint: {hint}')
