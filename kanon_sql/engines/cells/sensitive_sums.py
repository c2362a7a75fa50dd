"""Sums that say too much about a person: what an attacker has to think possible of them, above and below."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from kanon_sql.engines.cells.base_cells import LARGEST, largest_of
from kanon_sql.errors import SourceError
from kanon_sql.model.protection import Ambiguity, Dominance, Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import Bools

SAFETY = 10
"""Percent by which the sum of a row of too few people is open in both directions, at least."""

TOO_LONG = "a sum has more than 18 digits; hint: round its values, or sum them in thousands"

Rules = Sequence[tuple[Dominance | Ambiguity, int]]
"""Rules about a sum, and how many contributors an attacker of each one is."""


def rules_about(text: str, requested: Sequence[tuple[Tabulation, Protection]]) -> tuple[Rules, int]:
    """Return the rules of all tables about what is summed as ``text``, and how many contributors share what they have of it."""
    rules, pooled = list[tuple[Dominance | Ambiguity, int]](), 0
    for tabulation, protection in requested:
        names = {each.name for each in tabulation.items if each.kind == "sum" and tabulation.sums[each.places[0]] == text}
        rules += [(rule, max(1, protection.contributors)) for rule in protection.rules if rule.measure in names]
        pooled = max(pooled, protection.contributors, *(protection.pooled(name) for name in names))
    return rules, pooled


def possible_sums(rules: Rules, largest: Int64, total: Int64, few: Bools) -> tuple[Int64, Int64]:
    """Return what an attacker has to think possible of a sum, or more, and the same of less.

    Parameters
    ----------
    rules : sequence
        See `rules_about`.
    largest : int64 array [r, m]
        The largest contributions to each row, in descending order.
    total : int64 array [r]
        The sum of each row.
    few : bool array [r]
        The rows of too few people.

    Returns
    -------
    required, below : int64 arrays [r]
        See `Measure`.

    Raises
    ------
    SourceError
        When a number has too many digits.

    Notes
    -----
    A rule says how much more has to be possible, and as much less has to be. Both are at least p % of the sum.
    """
    gap = np.zeros(len(total), object)
    for rule, attackers in rules:
        if isinstance(rule, Dominance):
            found = _above(largest[:, : rule.largest].sum(axis=1), 1 / rule.share, total)
        else:
            others = largest[:, 1 : 1 + attackers].sum(axis=1)
            found = _above(largest[:, 0], 1 + rule.percent / 100, total - others)
        gap = np.maximum(gap, found)
    percent = max((rule.percent for rule, _ in rules if isinstance(rule, Ambiguity)), default=Fraction(0))
    sensitive = few | (gap > 0)
    for row in np.flatnonzero(sensitive).tolist():
        share = max(percent, SAFETY * few[row]) * int(total[row]) / 100
        gap[row] = max(gap[row], ceil(share), 1)
    if len(gap) and max(gap + total) >= LARGEST:
        raise SourceError(TOO_LONG)
    required = np.where(sensitive, total + gap, 0).astype(np.int64)
    below = np.where(sensitive & (total > 0), np.maximum(total - gap, 0), -1).astype(np.int64)
    return required, below


def _above(value: Int64, factor: Fraction, total: Int64) -> NDArray[np.object_]:
    """Return by how much ``value * factor``, rounded up, is above ``total``, 0 where it is not; in numbers of any size."""
    found = [max(0, ceil(each * factor) - have) for each, have in zip(value.tolist(), total.tolist(), strict=True)]
    return np.array(found, object)


def largest_contributions(ancestors: Int32, largest: Int64, rows: int) -> Int64:
    """Return the largest contributions to each row, from those to its base cells."""
    found = np.zeros((rows, largest.shape[1]), np.int64)
    for column in ancestors.T if len(ancestors) else ():
        first, end = int(column.min()), int(column.max()) + 1
        found[first:end] = largest_of(column.astype(np.int64) - first, largest, end - first)
    return found
