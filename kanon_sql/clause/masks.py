"""The BY list as masks: CUBE, ROLLUP and GROUPING SETS, combined as in GROUP BY."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
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


@dataclass(frozen=True, slots=True)
class CostedMasks:
    """Masks with what a row costs under each."""

    costs: dict[Mask, Fraction]


GroupingItem = Cube | CostedMasks | tuple[Mask, ...]
"""The masks of one item of the BY list."""

CostedSet = tuple[GroupingItem, Fraction | None]
"""A set in GROUPING SETS, and its COST."""


def rollup(columns: Mask) -> tuple[Mask, ...]:
    """Return the masks that suppress columns from the right.

    Examples
    --------
    >>> rollup(("country", "city"))
    (('country', 'city'), ('country',), ())
    """
    return tuple(columns[:shown] for shown in range(len(columns), -1, -1))


def union(items: Sequence[Cube | tuple[Mask, ...]]) -> tuple[Mask, ...]:
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


def united(sets: Sequence[CostedSet]) -> GroupingItem:
    """Return the masks of GROUPING SETS, with their costs if the sets have them.

    Raises
    ------
    PolicyError
        When only some sets have a cost, a mask has two, or there are too many masks.
    """
    costs = [cost for _, cost in sets if cost is not None]
    if not costs:
        return union([item for item, _ in sets if isinstance(item, Cube | tuple)])
    if len(costs) < len(sets):
        missing = "1 has" if len(sets) - len(costs) == 1 else f"{len(sets) - len(costs)} have"
        raise PolicyError(
            f"of the {len(sets)} grouping sets, {missing} no COST; hint: write GROUPING SETS ((zip, age) COST 0, "
            "(age) COST 2, () COST 5)"
        )
    _check_count(sum(_count(item) for item, _ in sets))
    found: dict[frozenset[str | AtLevels], tuple[Mask, Fraction]] = {}
    for item, cost in sets:
        for mask in item if isinstance(item, Cube | tuple) else ():
            if found.setdefault(frozenset(mask), (mask, cost or Fraction(0)))[1] != cost:
                raise PolicyError("a mask has two costs; hint: list each combination of columns once")
    return CostedMasks(dict(found.values()))


def cross(items: Sequence[GroupingItem]) -> tuple[Mask, ...] | None:
    """Return the cross product of items over different columns, or None where it is every combination.

    Raises
    ------
    PolicyError
        When there are more than ``MAX_LISTED_MASKS``; none is listed then.
    """
    if any(isinstance(item, CostedMasks) for item in items):
        if len(items) > 1:
            raise PolicyError("GROUPING SETS with COST must be the only item in BY; hint: move the other columns into its sets")
        return tuple(chain.from_iterable(item.costs for item in items if isinstance(item, CostedMasks)))
    if all(isinstance(item, Cube) for item in items):
        return None
    _check_count(prod(map(_count, items)))
    listed = [item for item in items if isinstance(item, Cube | tuple)]
    return tuple(tuple(chain.from_iterable(masks)) for masks in product(*listed))


def costs(items: Sequence[GroupingItem]) -> tuple[Fraction, ...] | None:
    """Return what a row costs under each mask of `cross`; None where the weights of columns count."""
    return next((tuple(item.costs.values()) for item in items if isinstance(item, CostedMasks)), None)


def _count(item: GroupingItem) -> int:
    if isinstance(item, CostedMasks):
        return len(item.costs)
    return 1 << len(item.columns) if isinstance(item, Cube) else len(item)


def _check_count(masks: int) -> None:
    if masks > MAX_LISTED_MASKS:
        raise PolicyError(
            f"too many masks (maximum {MAX_LISTED_MASKS}); hint: write a plain list of columns to permit every mask"
        )
