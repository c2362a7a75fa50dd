"""The proof of a lower bound, computed again in plain Python: it trusts no solver and shares no code with one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from fractions import Fraction
from functools import cache
from math import lcm
from typing import TYPE_CHECKING, Any

from kanon_sql.errors import CertificateError
from kanon_sql.links import units
from kanon_sql.policy import Policy

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate

Shown = tuple[bool, ...]
"""A mask: for each coded column whether it is shown."""

Tree = tuple[int, Any, Any]
"""Masks that agree so far: the least cost of what they still hide, those that show the next column, those that hide it."""

_LEAF: Tree = (0, None, None)


def verify(certificate: Certificate, codes: Sequence[Sequence[Any]], counts: Sequence[int]) -> Fraction:
    """Return the lower bound that the prices of a certificate prove; its other claims must fit it, the table and the policy.

    Parameters
    ----------
    certificate : Certificate
        Nothing in it is taken for granted but what only the released rows can tell: ``cost``, ``suppressed_cells``,
        ``classes`` and ``smallest_class``.
    codes : sequence of tuple [t]
        For each row type a value for each quasi-identifier, or group of linked ones; only their equality counts. Row types
        are in the order of :class:`~kanon_sql.coded.CodedTable`.
    counts : sequence of int [t]
        Rows of each row type.

    Returns
    -------
    Fraction
        A cost below which there is no release under the policy; 0 without prices. It may be less than ``lower_bound``
        where that rests on a search, as ``bound_method`` tells: no search is repeated here.

    Raises
    ------
    CertificateError
        When the certificate contradicts the table, its policy or itself.

    Notes
    -----
    A row type i has n_i rows at the price p_i; an instance j costs w_j for each row. Every release pays w_j for a row in j,
    which is p_i less p_i - w_j. So it pays at least sum n_i p_i, less what each instance can gain at most: the sum of
    p_i - w_j over its rows, k or more of them. This is true of any prices.

    An instance does not count if all of its rows can move to one that is cheaper, or as dear with more row types, or with
    the same row types and first in order: classes only grow by such moves, and no sequence of them comes back.

    The search is depth first over the columns and drops groups of fewer than k rows, and those that already cost what
    their dearest row pays: O(t 2^m) at the worst. Adult-2 (21,257 row types, 9 columns, k = 5) takes 2 s with good prices.
    """
    policy = Policy.from_json(certificate.policy)
    weights = {qi.column: qi.weight for qi in policy.quasi_identifiers}
    columns = units(weights, policy.linked)
    exact = [sum((weights[name] for name in names), Fraction(0)) for names in columns]
    unit = lcm(*(cost.denominator for cost in exact))
    if any(len(code) != len(columns) for code in codes):
        raise CertificateError("policy", f"it makes {len(columns)} coded columns, the row types have another number of them")
    _check(certificate, policy, len(codes), sum(counts), unit)
    if not certificate.prices:
        return Fraction(0)
    order = sorted(range(len(columns)), key=lambda c: -len({code[c] for code in codes}))  # so that groups fall below k early
    cost = [int(exact[c] * unit) * certificate.scale for c in order]
    masks = policy.permitted_masks
    permitted = None if masks is None else {tuple(set(columns[c]) <= set(mask) for c in order) for mask in masks}
    prices = certificate.prices
    paid = sum(count * price for count, price in zip(counts, prices, strict=True))
    table = [[code[c] for code in codes] for c in order]
    proven = paid - _gains(table, counts, prices, cost, permitted, policy.least_class_size)
    bound = Fraction(max(0, -(-proven // certificate.scale)), unit)
    if bound > certificate.cost:
        raise CertificateError("cost", f"{certificate.cost}, but the prices prove that no release costs less than {bound}")
    if bound < certificate.lower_bound and "Lagrangian" in certificate.bound_method:
        raise CertificateError("lower_bound", f"{certificate.lower_bound}, but the prices prove only {bound}")
    return bound


def _check(c: Certificate, policy: Policy, row_types: int, rows: int, unit: int) -> None:
    """Refuse claims that contradict the table, the policy or each other."""
    promised = tuple(requirement.describe() for requirement in policy.requirements)
    k = policy.least_class_size
    facts = [
        ("requirements", c.requirements == promised, f"the policy promises {', '.join(promised)}"),
        ("rows", c.rows == rows, f"{c.rows}, but the table has {rows} rows"),
        ("row_types", c.row_types == row_types, f"{c.row_types}, but the table has {row_types} row types"),
        ("cells", c.cells == rows * len(policy.quasi_identifiers), f"{c.cells} are not rows times quasi-identifiers"),
        ("suppressed_cells", 0 <= c.suppressed_cells <= c.cells, f"{c.suppressed_cells} of {c.cells} cells"),
        ("cost", c.cost >= 0 and (c.cost * unit).denominator == 1, f"{c.cost} is no sum of weights"),
        ("smallest_class", c.smallest_class is None or c.smallest_class >= k, f"{c.smallest_class} rows, fewer than {k}"),
        ("lower_bound", 0 <= c.lower_bound <= c.cost, f"{c.lower_bound}, but the cost is {c.cost}"),
        (
            "status",
            (c.status.name == "OPTIMAL") == (c.lower_bound == c.cost),
            f"{c.status.name}, but the cost is {c.cost} and the lower bound {c.lower_bound}",
        ),
    ]
    if c.prices is not None:
        facts += [
            ("unit", c.unit == unit, f"{c.unit}, but the common denominator of the weights is {unit}"),
            ("scale", c.scale >= 1, f"{c.scale} is below 1"),
            ("prices", len(c.prices) == row_types, f"{len(c.prices)} prices for {row_types} row types"),
        ]
    for field, holds, fact in facts:
        if not holds:
            raise CertificateError(field, fact)


def _gains(
    table: list[list[Any]],
    counts: Sequence[int],
    prices: Sequence[int],
    cost: list[int],
    permitted: Collection[Shown] | None,
    k: int,
) -> int:
    """Return what all instances together gain from the prices at most; ``table`` holds the codes column by column."""

    @cache
    def least(closed: Shown) -> list[Shown]:
        """Return the cheapest permitted masks that show only columns in which rows agree."""
        found: dict[int, list[Shown]] = defaultdict(list)
        for mask in sorted(permitted or ()):
            if all(agree or not shown for agree, shown in zip(closed, mask, strict=True)):
                found[sum(price for price, shown in zip(cost, mask, strict=True) if not shown)].append(mask)
        return found[min(found)]

    @cache
    def looks(mask: Shown) -> Counter[tuple[Any, ...]]:
        """Count the row types of each instance of a mask."""
        return Counter(zip(*(column for column, shown in zip(table, mask, strict=True) if shown), strict=True))

    def dominated(mask: Shown, row: int, closed: Shown) -> bool:
        if permitted is None or closed == mask:
            return closed != mask
        others = least(closed)
        size = [looks(other)[tuple(c[row] for c, shown in zip(table, other, strict=True) if shown)] for other in others]
        return mask != others[size.index(max(size))]

    gains = 0
    waiting: list[tuple[Tree, Shown, int, Sequence[int]]] = [(_tree(permitted, cost), (), 0, range(len(counts)))]
    while waiting:
        (rest, showing, hiding), mask, spent, members = waiting.pop()
        if max(prices[i] for i in members) <= spent + rest or sum(counts[i] for i in members) < k:
            continue
        if showing is None and hiding is None:
            closed = tuple(shown or len({column[i] for i in members}) == 1 for column, shown in zip(table, mask, strict=True))
            if not dominated(mask, members[0], closed):
                gains += _gain(members, counts, prices, spent, k)
            continue
        column = table[len(mask)]
        groups: dict[Any, list[int]] = defaultdict(list)
        for i in members:
            groups[column[i]].append(i)
        if showing is not None:
            waiting += [(showing, (*mask, True), spent, group) for group in groups.values()]
        # What may be hidden as well as shown is not hidden where all rows agree: that would cost more for nothing.
        if hiding is not None and (showing is not hiding or len(groups) > 1):
            waiting.append((hiding, (*mask, False), spent + cost[len(mask)], members))
    return gains


def _gain(members: Sequence[int], counts: Sequence[int], prices: Sequence[int], cost: int, k: int) -> int:
    """Return what an instance gains at most: from every row that pays more than it costs, and the best others up to k."""
    gain, rows = 0, 0
    for i in sorted(members, key=lambda i: -prices[i]):
        served = counts[i] if prices[i] > cost else min(counts[i], k - rows)
        if served <= 0:
            break
        gain += served * (prices[i] - cost)
        rows += served
    return max(0, gain)


def _tree(permitted: Collection[Shown] | None, cost: list[int]) -> Tree:
    """Return the permitted masks as a tree; where two branches are alike, they are one object."""
    if permitted is None:
        every = _LEAF
        for _ in cost:
            every = (0, every, every)
        return every

    @cache
    def branch(masks: frozenset[Shown], column: int) -> Tree | None:
        if not masks or column == len(cost):
            return _LEAF if masks else None
        showing, hiding = (
            branch(frozenset(mask[1:] for mask in masks if mask[0] is shown), column + 1) for shown in (True, False)
        )
        ends = [each[0] + more for each, more in ((showing, 0), (hiding, cost[column])) if each is not None]
        return min(ends), showing, hiding

    return branch(frozenset(permitted), 0) or _LEAF
