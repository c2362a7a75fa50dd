"""What a row costs at least in any release: by the rows that are nearest to it, or the people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.instances.row_distance import METHOD, row_prices
from kanon_sql.solvers.problem_classes import Masks, named
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Prices


def least_prices(
    problems: Masks, patterns: PatternSet, requirement: ClassRequirement, budget: Budget = UNLIMITED
) -> tuple[Prices, str]:
    """Return what a row of each row type costs at least in any release, and the name of the bound that this proves.

    Row types that differ in sensitive values alone are alike. People are counted where patterns are listed, else rows.
    """
    table = requirement.table
    if requirement.least == 1:
        return Prices(price=np.zeros(table.row_types, np.int64), scale=1), METHOD
    alike, first = table.without_sensitive() if table.sensitive else (table, np.arange(table.row_types))
    prices = row_prices(alike, patterns, requirement.least, budget)
    prices = replace(prices, price=prices.price.repeat(np.diff(first, append=table.row_types)))
    if not patterns.listed or problems.prices is None:
        return prices, METHOD
    found: tuple[Prices, str] = named(problems.prices)(requirement, patterns, prices, budget)
    return found
