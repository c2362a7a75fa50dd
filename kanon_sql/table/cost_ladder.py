"""Costs of masks as levels of a column in which all rows agree: what hides more of its levels costs more.

A mask that shows more of the source may cost more. Solvers know the cost of a mask as the sum of what it hides, and that a
mask which shows more hides less. So the columns of the source cost nothing, and a column of one value has a level for each
cost: a mask hides those that it costs. Classes do not depend on a column in which all rows agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

import numpy as np

from kanon_sql.model.masks import Mask
from kanon_sql.table.coded_table import CodedTable

COST: tuple[str, ...] = ()
"""What the levels of costs show of the source: nothing."""


def cost_steps(masks: Mapping[Mask, Fraction]) -> list[Fraction]:
    """Return what each level of the costs adds to the one before.

    Examples
    --------
    >>> [str(step) for step in cost_steps({("zip", "age"): Fraction(0), ("age",): Fraction(2), (): Fraction(5)})]
    ['2', '3']
    """
    return [high - low for low, high in pairwise(sorted({Fraction(0), *masks.values()}))]


def cost_bits(table: CodedTable, cost: Fraction) -> int:
    """Return the bits of the levels that a mask of this cost shows."""
    places = table.ladders[COST]
    units = np.cumsum(table.cost[places]).tolist()
    return sum(1 << place for place, most in zip(places, units, strict=True) if most > cost * table.unit)
