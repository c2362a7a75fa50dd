"""Row types without the people whose rows they are: what is proven of rows holds where k people are required, too.

A class of k people has at least k rows, and meets the requirements on its values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql.errors import CertificateError

if TYPE_CHECKING:
    from kanon_sql.table.coded_table import Sensitive


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsOfPeople:
    """Row types that differ in their values, those of equal codes next to each other."""

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
