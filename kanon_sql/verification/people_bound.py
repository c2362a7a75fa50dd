"""The proof of a lower bound by prices where classes also hold rows of k people.

As in `kanon_sql.verification.dual_bound`. An instance without rows of k people holds no class, and gains nothing. An instance
of which all rows can move to another one does not count here either: people are not lost when classes are merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.errors import CertificateError
from kanon_sql.verification.dual_bound import WIDE, PricedTable, gain, gains
from kanon_sql.verification.sensitive_bound import supports_of

if TYPE_CHECKING:
    from kanon_sql.table.coded_table import Sensitive


def gains_of_people(k: int, least: int, about: Sensitive, table: PricedTable) -> int:
    """Return what all instances together gain from the prices at most; see `kanon_sql.verification.dual_bound.gains`.

    Parameters
    ----------
    k, least : int
        Least number of people and of rows of a class.
    about : Sensitive
        Whose rows each row type has; those of equal quasi-identifiers stand next to each other.

    Notes
    -----
    Where masks are too many to go through, rows are counted.
    """
    if table.permitted is None and len(table.cost) > WIDE:
        return gains(table, least)
    total = 0
    for member, spent in supports_of(table, least):
        people = np.unique(about.codes[member])
        if np.count_nonzero(people != about.empty) >= k:
            total += gain(member.tolist(), table.counts, table.prices, spent, least)
    return total


def without_people(whose: Sensitive, sensitive: Sequence[Sensitive], table: PricedTable) -> tuple[list[Sensitive], PricedTable]:
    """Put the row types together that differ in their person only, and return the other attributes with them; O(t m log t).

    What is proven of rows holds for people, too: a class of k people has at least k rows, and meets the requirements on its
    values. Row types of equal codes stay next to each other.

    Raises
    ------
    CertificateError
        When they have different prices.
    """
    others = [each for each in sensitive if each is not whose]
    codes, group, keys = list(zip(*table.codes, strict=True)), 0, []
    for i, code in enumerate(codes):
        group += i > 0 and code != codes[i - 1]
        keys.append((group, *(int(each.codes[i]) for each in others)))
    rows, price = dict.fromkeys(sorted(set(keys)), 0), dict[tuple[int, ...], int]()
    first = dict[tuple[int, ...], int]()
    for i, key in enumerate(keys):
        rows[key] += table.counts[i]
        first.setdefault(key, i)
        if price.setdefault(key, table.prices[i]) != table.prices[i]:
            raise CertificateError("prices", "rows that differ only in the person have different prices")
    chosen = [first[key] for key in rows]
    one_each = replace(
        table,
        codes=[[column[i] for i in chosen] for column in table.codes],
        counts=list(rows.values()),
        prices=[price[key] for key in rows],
    )
    return [replace(each, codes=np.asarray(each.codes)[chosen]) for each in others], one_each
