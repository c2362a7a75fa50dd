"""The permitted patterns of a policy, cheapest first.

Among equally expensive patterns the one that hides the larger domains comes first: its instances gather the most rows, which
measured up to 6 % fewer suppressed cells on Adult and CMC than an order by position.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import prod

import numpy as np

from kanon_sql.errors import PolicyError
from kanon_sql.model.masks import AtLevels, Mask, column_of
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_checks import MAX_LISTED_MASKS
from kanon_sql.model.recoding_levels import level_names
from kanon_sql.model.recodings import Digits, Generalization, Level
from kanon_sql.table.arrays import Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.ladder import COST, cost_bits
from kanon_sql.table.recoding import row_cost

LISTED_COLUMNS = 16
"""With more patterns than those of as many columns, all are searched, not listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternSet:
    """The permitted patterns."""

    # [p]: bit ``c`` is set where coded column ``c`` is shown, and with it all coarser levels; empty when there are too many to
    # list
    shown: Words
    cost: Int64  # [p]: cost of one row under the pattern, in units of the coded table; ascending

    @property
    def listed(self) -> bool:
        """Whether the patterns are listed; if not, all 2^m are permitted."""
        return len(self.shown) > 0


def permitted(table: CodedTable, policy: Policy) -> PatternSet:
    """List the patterns that a resolved policy permits on a table.

    Notes
    -----
    O(p (m + log p)) for p patterns.
    """
    ladders = table.ladders
    levels = {names: _levels(places, table.hidden_levels) for names, places in ladders.items()}
    masks = policy.permitted_masks
    if masks is not None:
        # A permitted mask names a coded column whole: once for each column of the source behind it.
        costs = policy.costed_masks or {}
        choices = {(*_choices(table, levels, mask), *_cost_bits(table, costs.get(mask))) for mask in masks}
        _refuse_many(sum(prod(map(len, each)) for each in choices))
        shown = np.unique(np.concatenate([_combined(each) for each in choices]))
        if not len(shown):  # an empty list would stand for every pattern
            raise PolicyError("no mask permits a level that can be shown; hint: permit more general levels, or the mask ()")
        return ordered(table, shown)
    if prod(len(each) + 1 for each in levels.values()) <= 1 << LISTED_COLUMNS:
        return ordered(table, _combined([*each, 0] for each in levels.values()))
    if table.hidden_levels:
        _refuse_many(prod(len(each) + 1 for each in levels.values()))
    return PatternSet(shown=np.empty(0, np.uint64), cost=np.empty(0, np.int64))


def closed(table: CodedTable, shown: Words) -> Words:
    """Return patterns that show with each level of a ladder all coarser ones: the same classes, at no more cost."""
    found = shown.copy()
    for places in table.ladders.values():
        for finer, coarser in pairwise(places):
            found |= (found >> np.uint64(finer) & np.uint64(1)) << np.uint64(coarser)
    return found


def _levels(places: list[int], hidden_levels: int) -> tuple[int, ...]:
    """Return the bits that show each permitted level of a ladder: its own and those of all coarser ones."""
    return tuple(
        sum(1 << above for above in places[level:]) for level, place in enumerate(places) if not hidden_levels >> place & 1
    )


def _choices(table: CodedTable, levels: Mapping[tuple[str, ...], tuple[int, ...]], mask: Mask) -> Iterator[tuple[int, ...]]:
    """Yield for each ladder that a mask shows the bits of the levels at which it does."""
    shown = {column_of(each): each for each in mask}
    for names, places in table.ladders.items():
        if names == COST or names[0] not in shown:
            continue
        match shown[names[0]]:
            case AtLevels(column=column, recoding=recoding):
                chosen = {1 << places[_level(table.levels[column], name, recoding, column)] for name in level_names(recoding)}
                yield tuple(bits for bits in levels[names] if bits & -bits in chosen)
            case _:
                yield levels[names]


def _cost_bits(table: CodedTable, cost: Fraction | None) -> tuple[tuple[int, ...], ...]:
    """Return the bits of the levels that a mask with a cost of its own shows, next to those of its columns."""
    return () if cost is None else ((cost_bits(table, cost),),)


def _level(known: tuple[Level, ...], name: Level, recoding: Generalization, column: str) -> int:
    """Return the place of a level that a mask names."""
    if name in known:
        return known.index(name)
    if isinstance(recoding, Digits):  # as many characters as the longest value has are the value itself
        return 0
    raise PolicyError(
        f'a mask uses the level {name} of "{column}", which does not exist; hint: use one of its {len(known) - 1} levels'
    )


def _combined(choices: Iterable[Sequence[int]]) -> Words:
    """Return all ways to take one of each list of bits, uint64."""
    return reduce(lambda found, each: (found[:, None] | np.array(each, np.uint64)).ravel(), choices, np.zeros(1, np.uint64))


def _refuse_many(patterns: int) -> None:
    if patterns > MAX_LISTED_MASKS:
        raise PolicyError(
            f"too many combinations of masks and levels: {patterns} (maximum {MAX_LISTED_MASKS}); hint: generalize fewer "
            "columns"
        )


def ordered(table: CodedTable, shown: Words) -> PatternSet:
    """Return patterns in the order in which they are tried; O(p (m + log p))."""
    return _sorted(table, shown, -_domain(table, shown))


def other_orders(table: CodedTable, patterns: PatternSet) -> list[PatternSet]:
    """Return the same patterns, equally expensive ones in other orders: smaller domains hidden first, and by position."""
    domain = _domain(table, patterns.shown)
    return [_sorted(table, patterns.shown, tie) for tie in (domain, np.zeros_like(domain))]


def _sorted(table: CodedTable, shown: Words, tie: Int64) -> PatternSet:
    cost = row_cost(shown, table.cost)
    order = np.lexsort((shown, tie, cost))
    return PatternSet(shown=shown[order], cost=cost[order])


def _domain(table: CodedTable, shown: Words) -> Int64:
    """Return the size of the hidden domains on a logarithmic scale, whole numbers so that it is the same everywhere."""
    scale: Int64 = np.rint(np.log2(table.cardinality) * 2**20).astype(np.int64)
    return row_cost(shown, scale)
