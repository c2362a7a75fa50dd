"""Rare sets: the smallest sets of known columns by which fewer rows of the source are like a row than a class needs.

Every release hides a cell of each rare set in the rows that it is about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from kanon_sql.model.linked_columns import units
from kanon_sql.model.policy import Policy

_MOST_PARTS = 500_000
"""Sets of one size up to which they are counted; the solver stops at fewer."""


def few_alike(
    policy: Policy, table: Sequence[Sequence[Any]], counts: Sequence[int], order: Sequence[int]
) -> Iterator[list[list[int]]]:
    """Yield, for each size, the sets of at most so many columns, as bits, by which each row type has too few rows.

    Of several, the smallest: no set has another one as a part.
    """
    few: list[list[int]] = [[] for _ in counts]
    shorter: dict[tuple[int, ...], bytearray] = {}
    for least in _rows_required(policy, order):
        met = {}
        for chosen in sorted(least):
            mask = sum(1 << place for place in chosen)
            keys = list(zip(*(table[place] for place in chosen), strict=True))
            rows: Counter[tuple[Any, ...]] = Counter()
            for key, count in zip(keys, counts, strict=True):
                rows[key] += count
            small = {key for key, number in rows.items() if number < least[chosen]}
            parts = [shorter[part] for part in combinations(chosen, len(chosen) - 1) if part in shorter]
            found = bytearray(len(counts))
            for row_type, key in enumerate(keys):
                if any(part[row_type] for part in parts):
                    found[row_type] = 1
                elif key in small:
                    found[row_type] = 1
                    few[row_type].append(mask)
            if any(found):
                met[chosen] = found
        shorter = met
        yield few


def known_sets(policy: Policy, order: Sequence[int]) -> list[tuple[list[int], int]]:
    """Return the sets of known columns as places of the table, and the rows that each requires.

    Parameters
    ----------
    policy : Policy
        With a guarantee for known columns.
    order : sequence of int [m]
        Which of the units of the policy each column of the table is.
    """
    unit_columns = units([qi.column for qi in policy.quasi_identifiers], policy.linked)
    place_of = {unit: place for place, unit in enumerate(order)}
    found = [
        (sorted(place_of[unit] for unit in chosen), requirement.least)
        for requirement in policy.known_requirements
        for chosen in requirement.sets_of(unit_columns)
    ]
    if policy.least_class_size > 1:
        found.append((list(range(len(unit_columns))), policy.least_class_size))
    return found


def _rows_required(policy: Policy, order: Sequence[int]) -> Iterator[dict[tuple[int, ...], int]]:
    """Yield for each size the sets of so many columns that are a part of a set, and the rows that each requires."""
    widest = known_sets(policy, order)
    for size in range(1, max(len(places) for places, _ in widest) + 1):
        least: dict[tuple[int, ...], int] = {}
        for places, rows in widest:
            for chosen in combinations(places, size):
                least[chosen] = max(least.get(chosen, 1), rows)
            if len(least) > _MOST_PARTS:
                return
        yield least


def apart(masks: tuple[int, ...], cost: Sequence[int]) -> int:
    """Return what some masks without a common column cost: the shortest first."""
    met = total = 0
    for mask in sorted(masks, key=lambda mask: mask.bit_count()):
        if not mask & met:
            met |= mask
            total += min(cost[place] for place in range(len(cost)) if mask >> place & 1)
    return total
