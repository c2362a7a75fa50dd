"""What the audit in SQL asks where floats leave a doubt, and what it checks itself.

- `kanon_entropy(counts, l, unit)`: whether a class has an entropy of at least ln(l / unit), without a rounding.
- `kanon_gain(held, size, total, all_rows)`: whether a value gains at most -ln of its share of the table, without a rounding.
- `kanon_transport(tally, costs)`: the cheapest moves that turn each class of a table into the whole of it, size for size.

The audit asks the first two only about classes, or values, that are so close to the limit that floats leave a doubt. That of
t-closeness under a table of distances does not believe the moves: it checks them, in SQL. Moves that are not the cheapest could
only fail a release that is good.
"""

from __future__ import annotations

from collections import Counter
from decimal import Context, Decimal
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

if TYPE_CHECKING:
    import pyarrow as pa

_DIGITS = 50
"""Digits of the first attempt; each further one has twice as many."""


def entropy(_session: Session, counts: list[int], l: int, unit: int) -> bool:  # noqa: E741 - its name everywhere
    """Return whether n^n * unit^n >= l^n * prod h^h, for the n rows of a class with the counts h of its values.

    Notes
    -----
    The two sides are equal if they have the same prime factors, which are compared first: uniform classes are. Else their
    logarithms differ, and are computed with more digits until the difference is larger than what it may be wrong by.
    """
    rows = sum(counts)
    powers = Counter({rows: rows})
    powers[unit] += rows
    powers[l] -= rows
    for count in counts:
        powers[count] -= count
    exponents: Counter[int] = Counter()
    for number, power in powers.items():
        for prime, times in _factors(number).items():
            exponents[prime] += power * times
    if not any(exponents.values()):
        return True
    digits = _DIGITS
    while True:
        context = Context(prec=digits)
        terms = [context.multiply(Decimal(power), context.ln(Decimal(prime))) for prime, power in exponents.items() if power]
        total = Decimal(0)
        for term in terms:
            total = context.add(total, term)
        largest = max(abs(term) for term in terms)
        # Each term and each sum is off by less than a unit of its last digit, of numbers below len(terms) * largest.
        if abs(total) > context.multiply(Decimal(3 * len(terms) ** 2).scaleb(1 - digits), largest):
            return total > 0
        digits *= 2


@cache
def _factors(number: int) -> Counter[int]:
    """Return the prime factors of a number, with their powers."""
    found: Counter[int] = Counter()
    divisor = 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            found[divisor] += 1
            number //= divisor
        divisor += 1
    if number > 1:
        found[number] += 1
    return found


def gain(_session: Session, held: int, size: int, total: int, all_rows: int) -> bool:
    """Return whether held / size / p - 1 <= -ln p, where p = total / all_rows.

    Notes
    -----
    The logarithm of a fraction but 1 is irrational, so the two sides differ, and are computed with more digits until the
    difference is larger than what it may be wrong by.
    """
    over = held * all_rows - size * total
    if over <= 0 or total == all_rows:
        return over <= 0
    digits = _DIGITS
    while True:
        context = Context(prec=digits)
        terms = [
            context.ln(Decimal(all_rows)),
            -context.ln(Decimal(total)),
            -context.divide(Decimal(over), Decimal(size * total)),
        ]
        above = context.add(context.add(terms[0], terms[1]), terms[2])
        if abs(above) > context.multiply(Decimal(10).scaleb(1 - digits), max(map(abs, terms))):
            return above > 0
        digits *= 2


def moves(_session: Session, tally: pa.ChunkedArray, costs: pa.ChunkedArray) -> pa.Array:
    """Return one list of moves.

    Parameters
    ----------
    tally : list of struct
        One list of ``(class, value, n)``: the rows of each class per value, values from 1 to v.
    costs : list of struct
        One list of ``(source, target, cost)`` for every two values.

    Returns
    -------
    list of struct
        ``(class, source, target, amount)``. An amount counts pairs of a row of the table and a row of the class, so it is
        whole: a class of s rows in a table of n has n * s of them.

    Notes
    -----
    O(v^3) a class in practice.
    """
    import pyarrow as pa

    from kanon_sql.kernels.criteria import transport

    names = ["class", "source", "target", "amount"]
    if tally.null_count:  # no rows
        return pa.array([[]], pa.list_(pa.struct([(name, pa.int64()) for name in names])))
    number, value, rows = (np.from_dlpack(column) for column in tally.combine_chunks().values.flatten())
    classes, place = np.unique(number, return_inverse=True)
    count = np.zeros((len(classes), int(value.max())), np.int64)
    count[place, value - 1] = rows
    cost = np.zeros((count.shape[1], count.shape[1]), np.int64)
    if costs.null_count == 0:
        source, target, price = (np.from_dlpack(column) for column in costs.combine_chunks().values.flatten())
        cost[source - 1, target - 1] = price
    total = count.sum(axis=0)
    found = []
    for each, held in zip(classes, count, strict=True):
        flow, _ = transport(cost.ravel(), total.sum() * held - held.sum() * total)
        source, target = np.nonzero(flow)
        found.append(np.stack([np.full(len(source), each), source + 1, target + 1, flow[source, target]]))
    columns = np.concatenate(found, axis=1)
    structs = pa.StructArray.from_arrays([pa.array(column) for column in columns], names)
    return pa.ListArray.from_arrays(pa.array([0, len(structs)], pa.int32()), structs)


FUNCTIONS = (
    Function(name="kanon_entropy", returns="BOOLEAN", call=entropy),
    Function(name="kanon_gain", returns="BOOLEAN", call=gain),
    Function(
        name="kanon_transport",
        returns='STRUCT("class" BIGINT, source BIGINT, target BIGINT, amount BIGINT)[]',
        call=moves,
        arrow=True,
    ),
)
