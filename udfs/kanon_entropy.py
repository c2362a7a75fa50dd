"""`kanon_entropy(counts, l, unit)`: whether a class has an entropy of at least ln(l / unit), without a rounding.

The audit asks it only about classes whose entropy is so close to the threshold that floats leave a doubt.
"""

from __future__ import annotations

from collections import Counter
from decimal import Context, Decimal
from functools import cache

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

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


FUNCTION = Function(name="kanon_entropy", returns="BOOLEAN", call=entropy)
