"""What a certificate claims of known columns: the classes of the release by every set, and a bound proven row by row.

Every row has to hide a cell of each set of known columns by which fewer than k rows of the source have its values: the rows
that show the same there are some of these. The cheapest cells that meet all such sets are what the row costs at least.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.known_classes import counted_known
from kanon_sql.errors import CertificateError
from kanon_sql.model.linked_columns import units
from kanon_sql.model.policy import Policy

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate

_MOST_PARTS = 500_000
"""Sets of one size up to which they are counted; the solver stops at fewer."""


def check_known(con: Any, claimed: Certificate, policy: Policy) -> None:
    """Count the classes of the table ``released`` by every set of known columns, and compare them with the claims.

    Raises
    ------
    CertificateError
        When a guarantee does not hold, or a claim is another one.
    """
    names = [qi.column for qi in policy.quasi_identifiers]
    sets, smallest = 0, []
    for requirement in policy.known_requirements:
        found = counted_known(con, requirement, names, policy.linked, "released")
        sets += found.sets
        if not found.kept:
            raise CertificateError("requirements", f"{requirement.describe()} does not hold: {found.described()}")
        smallest += [] if found.least is None else [found.least]
    columns = [each.columns for each in policy.known_requirements if each.columns is not None]
    asked = bool(policy.known_requirements) and claimed.rows > 0
    facts: dict[str, int | None] = {
        "known_columns": max(columns, default=None) if asked else None,
        "sets_audited": sets if asked else None,
        "smallest_class_known": min(smallest, default=None) if asked else None,
    }
    for field, counted in facts.items():
        if getattr(claimed, field) != counted:
            raise CertificateError(field, f"{getattr(claimed, field)}, but it is {counted}")


def rows_cost(
    policy: Policy,
    table: Sequence[Sequence[Any]],
    counts: Sequence[int],
    cost: Sequence[int],
    order: Sequence[int],
    prices: Sequence[int],
) -> bool:
    """Return whether a row of each row type costs at least its price.

    Parameters
    ----------
    policy : Policy
        With a guarantee for known columns.
    table : sequence of sequence [m, t]
        For each unit of columns the values of the row types; only their equality counts.
    counts : sequence of int [t]
        Rows of each row type.
    cost : sequence of int [m]
        Cost of hiding each unit in a row.
    order : sequence of int [m]
        Which of the units of the policy each is.
    prices : sequence of int [t]
        What is claimed.

    Notes
    -----
    All rows are counted by every set. Many thousands of sets take minutes: 34,220 sets of 10,000 rows are 342 million keys.
    """
    for few in _few(policy, table, counts, order):
        asked = {(tuple(masks), price) for masks, price in zip(few, prices, strict=True)}
        if not any(_may_cost_less(masks, cost, price) for masks, price in asked):
            return True
    return False


def _few(
    policy: Policy, table: Sequence[Sequence[Any]], counts: Sequence[int], order: Sequence[int]
) -> Iterator[list[list[int]]]:
    """Yield, for each size, the sets of at most so many columns, as bits, by which each row type has too few rows.

    Of several, the smallest: no set has another one as a part.
    """
    few: list[list[int]] = [[] for _ in counts]
    shorter: dict[tuple[int, ...], bytearray] = {}
    for least in _rows_asked(policy, order):
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


def _rows_asked(policy: Policy, order: Sequence[int]) -> Iterator[dict[tuple[int, ...], int]]:
    """Yield for each size the sets of so many columns that are a part of a set, and the rows that each asks for."""
    unit_columns = units([qi.column for qi in policy.quasi_identifiers], policy.linked)
    place_of = {unit: place for place, unit in enumerate(order)}
    widest = [
        (sorted(place_of[unit] for unit in chosen), requirement.least)
        for requirement in policy.known_requirements
        for chosen in requirement.sets_of(unit_columns)
    ]
    if policy.least_class_size > 1:
        widest.append((list(range(len(unit_columns))), policy.least_class_size))
    for size in range(1, max(len(places) for places, _ in widest) + 1):
        least: dict[tuple[int, ...], int] = {}
        for places, rows in widest:
            for chosen in combinations(places, size):
                least[chosen] = max(least.get(chosen, 1), rows)
            if len(least) > _MOST_PARTS:
                return
        yield least


def _may_cost_less(masks: tuple[int, ...], cost: Sequence[int], price: int) -> bool:
    """Return whether some columns meet all masks and cost less: one column of the first mask after the other is tried."""
    if _apart(masks, cost) >= price:
        return False
    if not masks:
        return True
    first = min(masks, key=lambda mask: mask.bit_count())
    tried = 0
    for place in (place for place in range(len(cost)) if first >> place & 1):
        # columns that were tried before are not chosen again: the others have to do without them
        rest = tuple(mask & ~tried for mask in masks if not mask >> place & 1)
        if all(rest) and _may_cost_less(rest, cost, price - cost[place]):
            return True
        tried |= 1 << place
    return False


def _apart(masks: tuple[int, ...], cost: Sequence[int]) -> int:
    """Return what some masks without a common column cost: the shortest first."""
    met = paid = 0
    for mask in sorted(masks, key=lambda mask: mask.bit_count()):
        if not mask & met:
            met |= mask
            paid += min(cost[place] for place in range(len(cost)) if mask >> place & 1)
    return paid
