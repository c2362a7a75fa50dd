"""Changes of the masks that a policy permits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from kanon_sql.errors import PolicyError
from kanon_sql.model.masks import Mask, column_of, columns_of
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import same_name

ANY, ALL_OR_NOTHING, FROM_THE_RIGHT = KINDS = ("any combination", "all columns or none", "suppressed from the right")
"""Masks to start from."""


def of_kind(policy: Policy, kind: str) -> Policy:
    """Return the policy with other masks.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    """
    names = tuple(qi.column for qi in policy.quasi_identifiers)
    masks: dict[str, tuple[Mask, ...] | None] = {
        ANY: None,
        ALL_OR_NOTHING: (names, ()),
        FROM_THE_RIGHT: tuple(names[:shown] for shown in range(len(names), -1, -1)),
    }
    return replace(policy, masks=masks[kind], mask_costs=None)


def with_mask(policy: Policy, place: int, columns: Sequence[str] | None) -> Policy:
    """Return the policy in which the mask of a place shows other columns.

    Parameters
    ----------
    policy : Policy
        A policy with masks.
    place : int
        A place behind the last adds a mask.
    columns : sequence of str, optional
        The columns; a column that the mask shows at some of its levels keeps them. None removes the mask.

    Raises
    ------
    PolicyError
        When another mask shows the same columns, or the policy refuses it.
    """
    masks, costs = list(policy.masks or ()), list(policy.mask_costs or ())
    changed: list[Mask] = []
    if columns is not None:
        before = {column_of(each): each for each in (masks[place] if place < len(masks) else ())}
        changed = [tuple(before.get(name, name) for name in columns)]
        others = masks[:place] + masks[place + 1 :]
        if set(map(same_name, columns)) in [set(map(same_name, columns_of(each))) for each in others]:
            raise PolicyError("this mask already exists; hint: choose other columns")
    masks[place : place + 1] = changed
    if policy.mask_costs is not None:
        unlike = len(policy.quasi_identifiers) - len(columns or ())
        kept = costs[place : place + 1] or [Fraction(unlike)]
        costs[place : place + 1] = kept[: len(changed)]
    return replace(policy, masks=tuple(masks), mask_costs=None if policy.mask_costs is None else tuple(costs))


def with_costs(policy: Policy, costs: Sequence[Fraction] | None) -> Policy:
    """Return the policy in which a row costs so much under each mask; None counts the weights of suppressed cells."""
    return replace(policy, mask_costs=None if costs is None else tuple(costs))


def suppressed_columns(policy: Policy) -> list[Fraction]:
    """Return how many columns each mask suppresses: costs to start from."""
    return [Fraction(len(policy.quasi_identifiers) - len(mask)) for mask in policy.masks or ()]
