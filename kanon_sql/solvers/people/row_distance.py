"""What each row costs at least where people are counted: the cheapest pattern under which k people look like it.

References
----------
Meyerson, Williams: On the Complexity of Optimal k-Anonymity (2004), section 4 (distances of rows, where each is a person).
"""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.people.people_requirement import enough_people
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.keys import alike
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Prices, hidden_bits

METHOD = "row distance, counting people"

_MOST_WORK = 1 << 25
"""Patterns times QI groups that are looked at, a few seconds; what is left then costs no less than the next pattern."""


def people_prices(requirement: ClassRequirement, patterns: PatternSet, rows: Prices, budget: Budget) -> tuple[Prices, str]:
    """Return what a row of each row type costs at least in any release, and the name of the bound that this proves.

    Parameters
    ----------
    requirement : ClassRequirement
        What every class must meet, with its table: t row types, of which those of a QI group stand next to each other.
    patterns : PatternSet
        The permitted patterns, listed in the order of their costs.
    rows : Prices
        What a row costs at least where rows are counted, one of ``scale`` 1.
    budget : Budget
        Time left: when it ends, rows that are left cost no less than the next pattern.

    Notes
    -----
    The class of a row is a part of the instance that it shows, which therefore holds rows of as many people. As a class has at
    least as many rows as people, only patterns that cost as much as ``rows`` have to be looked at. O(u (m + log u)) for a
    pattern and u QI groups, and a sort of the row types in the instances that may set the price of a row.
    """
    table = requirement.table
    groups, first = table.without_sensitive()
    price, known = rows.price[first], np.zeros(len(first), np.bool_)
    held = np.diff(first, append=table.row_types)
    every = np.arange(table.row_types, dtype=np.int32)
    cardinality, hidden = groups.cardinality, hidden_bits(patterns.shown, len(table.columns)).astype(np.bool_)
    work = 0
    for cost, gone in zip(patterns.cost.tolist(), hidden, strict=True):
        free = ~known & (price <= cost)
        if not free.any():
            if known.all():
                break
            continue
        work += len(first)
        budget.report("row distance", min(1.0, work / _MOST_WORK))
        if work > _MOST_WORK or budget.over():
            price[free] = cost
            break
        number = alike(groups.codes, cardinality, gone)
        candidate = np.zeros(int(number.max()) + 1, np.bool_)
        candidate[number[free]] = True
        candidate &= np.bincount(number, groups.weight) >= requirement.least
        if not candidate.any():
            continue
        inside = np.where(candidate[number], number, -1).repeat(held)
        there = np.flatnonzero(inside >= 0)
        enough = enough_people(requirement, inside[there], every[there])
        found = free & candidate[number]
        found[found] = enough[number[found]]
        price[found] = cost
        known |= found
    return Prices(price=price.repeat(held), scale=1), METHOD
