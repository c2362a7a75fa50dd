"""The BY list as masks: CUBE, ROLLUP and GROUPING SETS, combined as in GROUP BY."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from math import prod

from kanon_sql.errors import PolicyError
from kanon_sql.model.masks import AtLevels, Mask
from kanon_sql.model.policy_checks import MAX_LISTED_MASKS


@dataclass(frozen=True, slots=True)
class Cube:
    """Every combination of the columns, not yet listed; a plain column is the cube of itself."""

    columns: Mask

    def __iter__(self) -> Iterator[Mask]:
        sizes = range(len(self.columns), -1, -1)
        return chain.from_iterable(combinations(self.columns, size) for size in sizes)


GroupingItem = Cube | tuple[Mask, ...]
"""The masks of one item of the BY list."""


def rollup(columns: Mask) -> tuple[Mask, ...]:
    """Return the masks that suppress columns from the right.

    Examples
    --------
    >>> rollup(("country", "city"))
    (('country', 'city'), ('country',), ())
    """
    return tuple(columns[:shown] for shown in range(len(columns), -1, -1))


def union(items: Sequence[GroupingItem]) -> tuple[Mask, ...]:
    """Return the masks of all items in their order; masks of the same columns, at the same levels, count once.

    Raises
    ------
    PolicyError
        When there are more than ``MAX_LISTED_MASKS``; none is listed then.
    """
    _check_count(sum(map(_count, items)))
    masks: dict[frozenset[str | AtLevels], Mask] = {}
    for mask in chain.from_iterable(items):
        masks.setdefault(frozenset(mask), mask)
    return tuple(masks.values())


def cross(items: Sequence[GroupingItem]) -> tuple[Mask, ...] | None:
    """Return the cross product of items over different columns, or None where it is every combination.

    Raises
    ------
    PolicyError
        When there are more than ``MAX_LISTED_MASKS``; none is listed then.
    """
    if all(isinstance(item, Cube) for item in items):
        return None
    _check_count(prod(map(_count, items)))
    return tuple(tuple(chain.from_iterable(masks)) for masks in product(*items))


def _count(item: GroupingItem) -> int:
    return 1 << len(item.columns) if isinstance(item, Cube) else len(item)


def _check_count(masks: int) -> None:
    if masks > MAX_LISTED_MASKS:
        raise PolicyError(
            f"more than {MAX_LISTED_MASKS} masks are permitted; hint: a plain list of columns permits every "
            "mask, without listing them"
        )
