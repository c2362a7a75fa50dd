"""What a certificate claims of known columns: the classes of the release by every set, and a bound proven row by row.

Every row has to hide a cell of each set of known columns by which fewer than k rows of the source have its values: the rows
that show the same there are some of these. The cheapest cells that meet all such sets are what the row costs at least.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.known_classes import counted_known
from kanon_sql.errors import CertificateError
from kanon_sql.model.linked_columns import units
from kanon_sql.model.policy import Policy

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate


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


def least_prices(
    policy: Policy, table: Sequence[Sequence[Any]], counts: Sequence[int], cost: Sequence[int], order: Sequence[int]
) -> list[int]:
    """Return what a row of each row type costs at least.

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
    """
    table = [column for _, column in sorted(zip(order, table, strict=True), key=lambda pair: pair[0])]
    cost = [paid for _, paid in sorted(zip(order, cost, strict=True))]
    unit_columns = units([qi.column for qi in policy.quasi_identifiers], policy.linked)
    least: dict[tuple[int, ...], int] = {}
    for requirement in policy.known_requirements:
        for widest in requirement.sets_of(unit_columns):
            for size in range(1, len(widest) + 1):
                for chosen in combinations(widest, size):
                    least[chosen] = max(least.get(chosen, 1), requirement.least)
    if policy.k > 1:
        least[tuple(range(len(unit_columns)))] = max(policy.k, least.get(tuple(range(len(unit_columns))), 1))
    combos: list[list[int]] = [[] for _ in counts]
    for chosen in sorted(least, key=lambda each: (len(each), each)):
        mask = sum(1 << place for place in chosen)
        keys = list(zip(*(table[place] for place in chosen), strict=True))
        rows: Counter[tuple[Any, ...]] = Counter()
        for key, count in zip(keys, counts, strict=True):
            rows[key] += count
        few = {key for key, number in rows.items() if number < least[chosen]}
        if few:
            for row_type, key in enumerate(keys):
                if key in few and not any(part & mask == part for part in combos[row_type]):
                    combos[row_type].append(mask)
    known: dict[tuple[int, ...], int] = {}
    found = []
    for masks in combos:
        asked = tuple(masks)
        if asked not in known:
            known[asked] = _cheapest(asked, cost)
        found.append(known[asked])
    return found


def _cheapest(masks: tuple[int, ...], cost: Sequence[int]) -> int:
    """Return the least cost of columns that meet all masks: one column of the first mask after the other is tried."""
    if not masks:
        return 0
    best = sum(cost)
    first = min(masks, key=lambda mask: mask.bit_count())
    apart = 0
    for place in (place for place in range(len(cost)) if first >> place & 1):
        # columns that were tried before are not chosen again: the others have to do without them
        rest = tuple(mask & ~apart for mask in masks if not mask >> place & 1)
        if all(rest):
            best = min(best, cost[place] + _cheapest(rest, cost))
        apart |= 1 << place
    return best
