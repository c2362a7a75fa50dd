"""Costs of masks: what a row costs under each permitted mask, where its columns have no weights.

A mask that shows more may cost more: the cost says how bad a mask is for the user, not how much it hides.

References
----------
Bredereck, Nichterlein, Niedermeier: Pattern-Guided k-Anonymity, Algorithms 6, 2013: the costs of its pattern vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from kanon_sql.errors import PolicyError
from kanon_sql.model.masks import Mask, columns_of
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.validation import fraction, known_keys, plain_number, same_name

_EXAMPLE = "{'columns': ['zip', 'age'], 'cost': 2}"


def split_costs(items: Iterable[Any]) -> tuple[list[Any], tuple[Any, ...] | None]:
    """Return masks without their costs, and the costs; None if no mask has one.

    Parameters
    ----------
    items : iterable
        Masks as lists of columns, or all of them as ``{'columns': [...], 'cost': 2}``.

    Raises
    ------
    PolicyError
        When some masks have costs and others none, or a key is unknown.

    Examples
    --------
    >>> split_costs([{"columns": ["zip"], "cost": 0}, {"columns": [], "cost": "5/2"}])
    ([['zip'], []], (0, '5/2'))
    """
    given = list(items)
    costed = [isinstance(each, Mapping) for each in given]
    if not any(costed):
        return given, None
    if not all(costed):
        count = costed.count(False)
        missing = f"{count} of the {len(given)} masks {'has' if count == 1 else 'have'}"
        raise PolicyError(f"{missing} no cost; hint: write {_EXAMPLE} for each mask")
    read = [known_keys(dict(each), {"columns", "cost"}, "a mask", ["columns", "cost"]) for each in given]
    return [each["columns"] for each in read], tuple(each["cost"] for each in read)


def checked_costs(
    costs: Sequence[Any], masks: Sequence[Mask] | None, quasi_identifiers: Sequence[QuasiIdentifier]
) -> tuple[Fraction, ...]:
    """Return the costs of masks exactly.

    Raises
    ------
    PolicyError
        When a cost is below 0 or all are 0, when they are not one for each mask, or when columns have costs of their own.
    """
    if masks is None or len(costs) != len(masks):
        raise PolicyError(f"there are {len(costs)} costs for {len(masks or ())} masks; hint: write {_EXAMPLE} for each mask")
    exact = tuple(fraction(each, f"the cost of mask {number}") for number, each in enumerate(costs, 1))
    if min(exact) < 0:
        raise PolicyError(f"the cost of mask {exact.index(min(exact)) + 1} is below 0; hint: give the best mask the cost 0")
    if max(exact) == 0:
        raise PolicyError("all masks cost 0; hint: omit the costs to count suppressed cells")
    for qi in quasi_identifiers:
        if qi.weight != 1:
            raise PolicyError(f'"{qi.column}" has a weight, but the masks have costs; hint: include the weight in the costs')
        if qi.recoding is not None:
            raise PolicyError(f'"{qi.column}" is generalized, but the masks have costs; hint: omit the costs or the recoding')
    seen: dict[frozenset[str], int] = {}
    for number, mask in enumerate(masks, 1):
        first = seen.setdefault(key_of(mask), number)
        if first != number:
            raise PolicyError(f"masks {first} and {number} show the same columns; hint: give them the same cost")
    return exact


def key_of(mask: Mask) -> frozenset[str]:
    """Return what two masks have in common if they show the same columns."""
    return frozenset(map(same_name, columns_of(mask)))


def with_costs(masks: Sequence[Any], costs: Sequence[Fraction]) -> list[dict[str, Any]]:
    """Return masks and their costs as plain JSON data."""
    return [{"columns": mask, "cost": plain_number(cost)} for mask, cost in zip(masks, costs, strict=True)]


def cheapest_of(masks: Iterable[Mask], costs: Iterable[Fraction]) -> dict[Mask, Fraction]:
    """Return each mask once, in the order of the first, with the least of its costs."""
    found: dict[frozenset[str], tuple[Mask, Fraction]] = {}
    for mask, cost in zip(masks, costs, strict=True):
        first, known = found.setdefault(key_of(mask), (mask, cost))
        found[key_of(mask)] = first, min(known, cost)
    return dict(found.values())
