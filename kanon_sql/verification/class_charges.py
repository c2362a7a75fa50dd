"""The proof of a lower bound by charges for classes by known columns, in plain Python: it shares no code with a solver.

A class is a set of known columns, the part of it that rows hide, and their values in the rest. Rows of a row type may be
charged for being in a class, with an amount of at least 0. The amounts of all rows of the source that could be in the class are
divided by the least rows of a class. Each row of the class gets back the result, rounded up. A class that has rows has at least
so many, so they together get back at least what they pay. What the release costs is therefore at least what its rows cost with
these payments.

A row by itself hides a cell of each rare set: one by which too few rows of the source have its values. Beyond that it may hide
what it likes, and the cheapest choice is at least its price.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from kanon_sql.errors import CertificateError
from kanon_sql.verification.rare_sets import apart

Charge = tuple[int, int, int, int]
"""The row type, the set and the part of it that is hidden, each as bits of columns, and the amount."""

Term = tuple[int, int, int]
"""The columns that rows of a class hide and those that they show, as bits, and what a row of it pays; less than 0 is a gain."""


def terms_of(
    charges: Sequence[Charge],
    table: Sequence[Sequence[Any]],
    counts: Sequence[int],
    order: Sequence[int],
    known: Sequence[tuple[Sequence[int], int]],
) -> list[list[Term]]:
    """Return for each row type the classes that it can be in, and what a row of it pays there.

    Parameters
    ----------
    charges : sequence of tuple
        Of the certificate; bits are those of the units of the policy.
    table : sequence of sequence [m, t]
        For each unit of columns the values of the row types.
    counts : sequence of int [t]
        Rows of each row type.
    order : sequence of int [m]
        Which of the units of the policy each is.
    known : sequence of (sequence of int, int)
        The sets of known columns as places of the table, and the rows that each asks for.

    Raises
    ------
    CertificateError
        When a charge is not one.
    """
    place_of = {unit: place for place, unit in enumerate(order)}
    rows_of_set = [(sum(1 << place for place in places), rows) for places, rows in known]
    need: dict[int, int] = {}
    sums: dict[tuple[int, int], dict[tuple[Any, ...], int]] = defaultdict(lambda: defaultdict(int))
    own: dict[tuple[int, int, int], int] = defaultdict(int)
    for row_type, units, hidden_units, amount in charges:
        if not (0 <= row_type < len(counts) and amount >= 0 and 0 < units < 1 << len(order) and hidden_units & ~units == 0):
            raise CertificateError("charges", "a charge is below 0, or does not belong to a class of the table")
        chosen, part = _moved(units, place_of), _moved(hidden_units, place_of)
        if chosen not in need:
            need[chosen] = max((rows for together, rows in rows_of_set if chosen & ~together == 0), default=0)
        if need[chosen] == 0:
            raise CertificateError("charges", "a charge belongs to columns that are not known together")
        sums[chosen, part][_values(table, chosen & ~part, row_type)] += counts[row_type] * amount
        own[row_type, chosen, part] += amount
    by_shown: dict[int, dict[tuple[Any, ...], list[tuple[int, int, int]]]] = defaultdict(lambda: defaultdict(list))
    for (chosen, part), classes in sums.items():
        for values, amount in classes.items():
            by_shown[chosen & ~part][values].append((chosen, part, -(-amount // need[chosen])))
    terms: list[list[Term]] = [[] for _ in counts]
    for shown, classes_of in by_shown.items():
        columns = [column for place, column in enumerate(table) if shown >> place & 1]
        for row_type, values in enumerate(zip(*columns, strict=True) if columns else [()] * len(counts)):
            for chosen, part, back in classes_of.get(values, ()):
                net = own.get((row_type, chosen, part), 0) - back
                if net:
                    terms[row_type].append((part, shown, net))
    return terms


def charged_rows_cost(
    rare: Sequence[Sequence[int]], terms: Sequence[Sequence[Term]], cost: Sequence[int], prices: Sequence[int]
) -> bool:
    """Return whether a row of each row type costs at least its price, with what it pays and gets back.

    Parameters
    ----------
    rare : sequence of sequence of int [t]
        The rare sets of each row type, as bits of the table.
    terms : sequence of sequence of tuple [t]
        From `terms_of`.
    cost : sequence of int [m]
        Cost of hiding each unit of columns in a row.
    prices : sequence of int [t]
        What is claimed.

    Notes
    -----
    A search for each row type. 75,000 row types of 16 columns take about a minute.
    """
    return not any(
        may_cost_less(tuple(masks), list(net), cost, price) for masks, net, price in zip(rare, terms, prices, strict=True)
    )


def may_cost_less(masks: tuple[int, ...], terms: list[Term], cost: Sequence[int], price: int) -> bool:
    """Return whether some columns meet all masks and cost less, with the terms that then count.

    Columns that are in a mask, or that can gain more than they cost, are hidden or shown one after the other.
    """
    least = apart(masks, cost)
    gain = [0] * len(cost)
    for hidden, shown, net in terms:
        if net < 0:
            least += net
            _add(gain, hidden, -net)
        elif hidden | shown:
            _add(gain, shown, net)
        else:
            least += net
    if least >= price:
        return False
    column = _next(masks, gain, cost)
    if column is None:  # to show all of the rest is the cheapest
        return sum(net for hidden, _, net in terms if not hidden) < price
    bit = 1 << column
    kept = [(hidden & ~bit, shown, net) for hidden, shown, net in terms if not shown & bit]
    if may_cost_less(tuple(mask for mask in masks if not mask & bit), kept, cost, price - cost[column]):
        return True
    left = tuple(mask & ~bit for mask in masks)
    kept = [(hidden, shown & ~bit, net) for hidden, shown, net in terms if not hidden & bit]
    return all(left) and may_cost_less(left, kept, cost, price)


def _next(masks: tuple[int, ...], gain: list[int], cost: Sequence[int]) -> int | None:
    """Return the column to decide next: of the shortest mask the one in most masks, else one whose gain is above its cost."""
    if masks:
        first = min(masks, key=int.bit_count)
        places = [place for place in range(len(cost)) if first >> place & 1]
        return max(places, key=lambda place: (sum(mask >> place & 1 for mask in masks), gain[place]))
    best = max(range(len(cost)), key=lambda place: gain[place] - cost[place])
    return best if gain[best] > cost[best] else None


def _add(gain: list[int], columns: int, amount: int) -> None:
    while columns:
        bit = columns & -columns
        gain[bit.bit_length() - 1] += amount
        columns ^= bit


def _values(table: Sequence[Sequence[Any]], columns: int, row_type: int) -> tuple[Any, ...]:
    """Return the values of a row type in some columns."""
    return tuple(column[row_type] for place, column in enumerate(table) if columns >> place & 1)


def _moved(units: int, place_of: Mapping[int, int]) -> int:
    """Return bits of columns of the table from bits of the units of the policy."""
    return sum(1 << place for unit, place in place_of.items() if units >> unit & 1)
