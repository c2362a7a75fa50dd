"""Pairs of tables of ages in bands, one by tens and the like, one by "15 and over" and the like."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from benchmarks.table_attack.draw import APART, ONE, TOGETHER, Database
from benchmarks.table_attack.statement import Dimension, Statement

_WIDTHS = (5, 8, 10, 15, 20, 25)

_EDGES = range(14, 69, 5)


def pairs(seed: int) -> Iterator[Database]:
    """Yield 66 databases: each width of the bands with each edge."""
    for number, (width, edge) in enumerate(product(_WIDTHS, _EDGES)):
        random = np.random.default_rng((seed, number))
        ages = np.clip(np.concatenate((random.normal(40, 14, 190), random.integers(10, 70, 10))), 10, 69).astype(int)
        bands = Dimension(f"band{width}", (f"age // {width} * {width}",), frozenset(("age",)))
        over = Dimension(f"over{edge}", (f"age >= {edge}",), frozenset(("age",)))
        statements = tuple(Statement((each,), "ROLLUP", n=5) for each in (bands, over))
        how = (APART, TOGETHER, ONE)[number % 3]
        batches = ((APART, (0,)), (APART, (1,))) if how == APART else ((how, (0, 1)),)
        yield Database(f"pair {width}, {edge}", ("age",), tuple((int(each),) for each in ages), statements, batches)
