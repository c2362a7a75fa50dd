"""The policy that a name means, and that a stored text is."""

from __future__ import annotations

from collections.abc import Iterable

from kanon_sql.errors import PolicyError, hint_of, use_one_of
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.stored_protection import KEY, StoredProtection
from kanon_sql.model.validation import as_identifier, parsed, same_name

Stored = StoredPolicy | StoredProtection
"""A policy for rows, or one for tables of counts."""

_LONGEST = 100
"""Characters of a name that an error quotes: a policy in JSON that is mistaken for one may be long."""


def stored_of(name: str, table: str, text: str) -> Stored:
    """Read a stored policy of either kind from the JSON of its columns.

    Raises
    ------
    PolicyError
        When it is none.
    """
    data = parsed(text, f'the policy "{name}"')
    kind = StoredProtection if isinstance(data, dict) and KEY in data else StoredPolicy
    return kind.from_json(name, table, text)


def for_rows(policies: Iterable[Stored]) -> list[StoredPolicy]:
    """Return the policies for rows."""
    return [each for each in policies if isinstance(each, StoredPolicy)]


def of_name(name: str, policies: Iterable[Stored]) -> StoredPolicy:
    """Return the policy for rows of that name.

    Raises
    ------
    PolicyError
        When there is none; with the name that was probably meant.
    """
    found = any_of_name(name, policies)
    if isinstance(found, StoredProtection):
        raise PolicyError(
            f"{found} is for tables of counts; hint: write GROUP BY ... PROTECT WITH POLICY {as_identifier(found.name)}"
        )
    return found


def protection_of_name(name: str, policies: Iterable[Stored]) -> StoredProtection:
    """Return the policy for tables of counts of that name; errors as for `of_name`."""
    found = any_of_name(name, policies)
    if isinstance(found, StoredPolicy):
        raise PolicyError(f"{found} is for rows; hint: write ANONYMIZE WITH POLICY {as_identifier(found.name)}")
    return found


def any_of_name(name: str, policies: Iterable[Stored]) -> Stored:
    """Return the policy of that name, of either kind; errors as for `of_name`."""
    known = {same_name(each.name): each for each in policies}
    found = known.get(same_name(name))
    if found is not None:
        return found
    listing = [f'"{each.name}"' for each in list(known.values())[:12]]
    otherwise = use_one_of(listing) if listing else "create one with CREATE ANONYMIZATION POLICY"
    hint = hint_of(name, known, otherwise, spelled=lambda near: f'"{known[near].name}"')
    shown = name if len(name) <= _LONGEST else f"{name[:_LONGEST]}..."
    raise PolicyError(f'there is no policy "{shown}"; hint: {hint}')
