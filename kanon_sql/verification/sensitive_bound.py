"""The proof of a lower bound by prices where classes also meet requirements on sensitive values.

As in `kanon_sql.verification.dual_bound`; what an instance can gain is bounded after penalties. An instance of which all rows
can move to another one does not count here either: requirements are kept when classes are merged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.errors import CertificateError
from kanon_sql.model.policy import Policy
from kanon_sql.verification.class_sizes import LARGEST, ClassSizes, applies, owners
from kanon_sql.verification.dual_bound import PricedTable, instances
from kanon_sql.verification.guarantees import claimed_of
from kanon_sql.verification.guarantees.claimed_requirement import Limit, Whole
from kanon_sql.verification.penalized_gains import Penalized, Supports, gains_at, penalized_gains

if TYPE_CHECKING:
    from kanon_sql.table.coded_table import Sensitive

_CELLS = 4
"""Times the most expensive column: the longest step of multipliers."""

_LARGEST, _MOST_ROWS = 1 << 50, 1 << 28
"""Products of prices and rows, and rows, up to which 64 bits are enough for all sums."""


def gains_under(policy: Policy, sensitive: Sequence[Sensitive], table: PricedTable) -> int:
    """Return what all instances together gain from the prices at most; see `kanon_sql.verification.dual_bound.gains`.

    Parameters
    ----------
    policy : Policy
        What it requires of the ``sensitive`` attributes counts.

    Raises
    ------
    CertificateError
        When prices and rows are too large for 64 bits.
    """
    rows, prices, cost = sum(table.counts), table.prices, table.cost
    if rows >= _MOST_ROWS or rows * max(max(map(abs, prices)), sum(cost)) >= _LARGEST:
        raise CertificateError("prices", "the prices are too large to be checked together with sensitive values")
    claims = claimed_of(policy.sensitive_requirements, sensitive)
    least = max(policy.least_class_size, *(each.least_rows() for each in claims))
    members, spent = [], []
    for member, price in supports_of(table, least):
        members.append(member)
        spent.append(price)
    if not members:
        return 0
    size = np.array([len(each) for each in members])
    member, owner = np.concatenate(members), np.repeat(np.arange(len(members)), size)
    weight, price_of = np.array(table.counts, np.int64), np.array(prices, np.int64)
    found, closed = [], np.zeros(len(members), np.bool_)
    for each in claims:
        closed |= ~each.possible(_held(each.about, member, owner, weight), least)
        limit = each.limit()
        if limit is not None:
            found.append((limit, each.about))
    found.sort(key=lambda each: (each[0].most is None, -len(each[0].below)))  # what is about all values together leads
    limits, columns = [limit for limit, _ in found], [about.column for _, about in found]
    supports = Supports(
        start=np.cumsum(size) - size,
        owner=owner,
        profit=price_of[member] - np.array(spent, np.int64)[owner],
        rows=weight[member],
        value=[about.codes[member].astype(np.int64) for _, about in found],
    )
    longest = _CELLS * max(cost, default=0)
    penalized = penalized_gains(supports.take(~closed), limits, least, longest)
    return int((_by_size(penalized, limits, least, longest) if applies(limits, columns, least) else penalized.gain).sum())


def _by_size(penalized: Penalized, limits: Sequence[Limit], least: int, longest: int) -> Whole:
    """Return what instances gain at most, as `gains_under`, where classes of few rows have whole rows."""
    supports, best, more = penalized.supports, penalized.gain.copy(), penalized.gain.copy()
    rows = np.add.reduceat(supports.rows, supports.start) if len(supports) else best
    multiplier = [np.zeros((len(best), len(limit.length)), np.int64) for limit in limits]
    steepest = [np.zeros(len(best), np.int64) for _ in limits]
    chosen = np.zeros(len(best), np.bool_)
    for place, inside in enumerate(owners(supports.start, len(supports.owner))):
        row_types = supports.profit[inside], supports.rows[inside], supports.value[0][inside]
        sizes = ClassSizes(limits[0], limits[1:], *row_types, least)
        start = int(penalized.steepest[0][place])
        best[place] = min(best[place], sizes.best(start, longest))
        found = sizes.multipliers(start, longest) if rows[place] > LARGEST and best[place] < penalized.gain[place] else None
        if found is not None:
            chosen[place], steepest[0][place] = True, found[1]
            for each, own in zip(multiplier, found[0], strict=True):
                each[place] = own
    kept = [each[chosen] for each in multiplier], [each[chosen] for each in steepest]
    more[chosen] = gains_at(supports.take(chosen), limits, *kept, LARGEST + 1)
    larger = (rows > LARGEST) & (best < np.minimum(more, penalized.gain))
    by_steps = penalized_gains(supports.take(larger), limits, LARGEST + 1, longest)
    gain = np.zeros(len(best), np.int64)
    gain[np.flatnonzero(larger)[by_steps.number]] = by_steps.gain
    more = np.where(larger, np.minimum(more, gain), best)
    return np.minimum(penalized.gain, np.maximum(best, more))


def supports_of(table: PricedTable, least: int) -> Iterator[tuple[Whole, int]]:
    """Give the row types and the cost of a row of each instance that counts; row types of equal codes are together."""
    codes = list(zip(*table.codes, strict=True))
    first = [i for i in range(len(codes)) if i == 0 or codes[i] != codes[i - 1]]
    ranges = list(pairwise([*first, len(codes)]))
    groups_of = replace(
        table,
        codes=[[column[i] for i in first] for column in table.codes],
        counts=[sum(table.counts[low:high]) for low, high in ranges],
        prices=[max(table.prices[low:high]) for low, high in ranges],
    )
    for groups, price in instances(groups_of, least):
        yield np.concatenate([np.arange(*ranges[group]) for group in groups]), price


def _held(about: Sensitive, member: Whole, owner: Whole, weight: Whole) -> Whole:
    """Return the rows of each instance by value, int64 [j, v]."""
    values = len(about.count)
    held = np.zeros((int(owner[-1]) + 1) * values, np.int64)
    np.add.at(held, owner * values + about.codes[member], weight[member])
    return held.reshape(-1, values)
