"""`kanon_gain(held, size, total, all_rows)`: whether a value gains at most -ln of its share of the table, without a rounding.

The audit asks it only about values whose gain is so close to that limit that floats leave a doubt.
"""

from __future__ import annotations

from decimal import Context, Decimal

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

_DIGITS = 50
"""Digits of the first attempt; each further one has twice as many."""


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


FUNCTION = Function(name="kanon_gain", returns="BOOLEAN", call=gain)
