"""The proof of a lower bound by prices where classes also hold rows of k people.

As in `kanon_sql.verification.dual_bound`. An instance without rows of k people holds no class, and gains nothing. An instance
of which all rows can move to another one does not count here either: people are not lost when classes are merged.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql.errors import CertificateError
from kanon_sql.verification.dual_bound import WIDE, Shown, gain, gains
from kanon_sql.verification.sensitive_bound import supports_of

if TYPE_CHECKING:
    from kanon_sql.table.coded_table import Sensitive


def gains_of_people(
    k: int,
    least: int,
    about: Sensitive,
    table: list[list[Any]],
    counts: Sequence[int],
    prices: Sequence[int],
    cost: list[int],
    permitted: Collection[Shown] | None,
) -> int:
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
    if permitted is None and len(cost) > WIDE:
        return gains(table, counts, prices, cost, permitted, least)
    total = 0
    for member, spent in supports_of(table, counts, prices, cost, permitted, least):
        people = np.unique(about.codes[member])
        if np.count_nonzero(people != about.empty) >= k:
            total += gain(member.tolist(), counts, prices, spent, least)
    return total


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsOfPeople:
    """Row types without their people: they differ in their values, those of equal codes next to each other.

    What is proven of rows holds for people, too: a class of k people has at least k rows, and meets the requirements on its
    values.
    """

    table: list[list[Any]]  # the codes, column by column
    counts: list[int]  # the rows of each row type
    prices: list[int]  # what one pays
    sensitive: list[Sensitive]  # the attributes, without the one that tells people apart

    @classmethod
    def of(
        cls,
        whose: Sensitive,
        sensitive: Sequence[Sensitive],
        table: Sequence[Sequence[Any]],
        counts: Sequence[int],
        prices: Sequence[int],
    ) -> RowsOfPeople:
        """Put the row types together that differ in their person only; O(t m log t).

        Raises
        ------
        CertificateError
            When they have different prices.
        """
        others = [each for each in sensitive if each is not whose]
        codes, group, keys = list(zip(*table, strict=True)), 0, []
        for i, code in enumerate(codes):
            group += i > 0 and code != codes[i - 1]
            keys.append((group, *(int(each.codes[i]) for each in others)))
        rows, price = dict.fromkeys(sorted(set(keys)), 0), dict[tuple[int, ...], int]()
        first = dict[tuple[int, ...], int]()
        for i, key in enumerate(keys):
            rows[key] += counts[i]
            first.setdefault(key, i)
            if price.setdefault(key, prices[i]) != prices[i]:
                raise CertificateError("prices", "rows that differ in their person only have different prices")
        chosen = [first[key] for key in rows]
        return cls(
            table=[[column[i] for i in chosen] for column in table],
            counts=list(rows.values()),
            prices=[price[key] for key in rows],
            sensitive=[replace(each, codes=np.asarray(each.codes)[chosen]) for each in others],
        )
