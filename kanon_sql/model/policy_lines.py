"""A policy in a few lines, for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kanon_sql.model.validation import as_identifier

if TYPE_CHECKING:
    from kanon_sql.model.policy import Policy

_MAX_NAMES = 8
"""Columns that a line names."""


def lines(policy: Policy) -> str:
    """Return what a policy guarantees, of which columns, and how it is solved; masks and recodings are counted.

    The only value of a cell in it is that of alpha, which is part of the guarantee.
    """
    named = names(qi.column for qi in policy.quasi_identifiers if not policy.every_column)
    masks, groups = len(policy.masks or ()), len(policy.linked)
    limit = "" if policy.time_limit is None else f", at most {policy.time_limit:g} s"
    told = {
        "guarantee": ", ".join(each.describe() for each in policy.requirements),
        "quasi-identifiers": named or "every column that is not sensitive",
        "coarsened": names(policy.generalized),
        "masks": f"{masks:,} permitted" if masks else "",
        "linked": f"{groups} group{'s' * (groups != 1)} of columns" if groups else "",
        "kept": names(policy.keep or ()),
        "solver": f"{policy.algorithm}, seed {policy.seed}{limit}",
    }
    return "\n".join(f"{name:<18}{text}" for name, text in told.items() if text)


def names(columns: Iterable[str]) -> str:
    """Return names of columns as SQL spells them; of many the first, and how many more there are."""
    spelled = [as_identifier(column) for column in columns]
    more = len(spelled) - _MAX_NAMES
    return ", ".join(spelled[:_MAX_NAMES]) + (f" and {more} more" if more > 0 else "")
