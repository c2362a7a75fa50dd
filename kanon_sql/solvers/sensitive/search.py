"""A local search among classes that keep a promise: they grow at the expense of dearer ones, or are rebuilt by prices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.classes.plans import SLOTS
from kanon_sql.kernels.requirements.destroy_repair import rebuild
from kanon_sql.kernels.requirements.growth import grow
from kanon_sql.kernels.requirements.plans import Classes, Ground, enter_all
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.pools import tightened
from kanon_sql.solvers.instances.repair import Pieces
from kanon_sql.solvers.sensitive.pool import Desk, Pool
from kanon_sql.solvers.sensitive.repair import settle, still_kept
from kanon_sql.table.recoding import Recoding

_SWEEPS = 6
_WORTHWHILE = 0.001
"""Sweeps of growth, and the share of the cost that a sweep has to save to be followed by another one."""

_ITEMS = 1 << 17
"""Items of instances between two looks at the clock, some hundredths of a second."""

_SIZE = 20
"""Row types of a neighbourhood that is rebuilt."""

_NOISE = 0.3
"""How far prices are shaken for that, in cells of the dearest column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Classes in a pool, and rows in the limbo.

    Parameters
    ----------
    pool : Pool
        The instances that classes may be formed of.
    ground : Ground
        The same from both sides, with prices.
    classes : Classes
        Where the rows are.
    desk : Desk
        For the kernels.
    """

    pool: Pool
    ground: Ground
    classes: Classes
    desk: Desk

    @classmethod
    def of(cls, pool: Pool, pieces: Pieces, price: NDArray[np.float64]) -> Search:
        """Return the search that starts with some classes; rows that are not placed are in the limbo."""
        wider, instance = pool.with_classes(pieces)
        ground, classes = wider.ground(price), wider.empty()
        limbo = len(wider)
        # Rows that find no slot, because their row type is spread over too many classes, are in the limbo too: it comes first.
        order = np.argsort(instance >= 0, kind="stable")
        found = np.where(instance < 0, np.int32(limbo), instance)[order]
        enter_all(ground, classes, pieces.row_type[order], found, pieces.count[order], limbo)
        return cls(pool=wider, ground=ground, classes=classes, desk=Desk.of(wider))

    @property
    def cost(self) -> int:
        """Return the cost of all rows; those in the limbo cost more than in any class."""
        return int(self.ground.cost @ self.classes.plan.rows)

    def grow(self, budget: Budget) -> None:
        """Let all instances draw rows from dearer classes, again and again while that saves much."""
        free = np.zeros(self.pool.table.row_types, np.int64)
        start = self.pool.start
        ends = np.unique(np.append(np.searchsorted(start, np.arange(_ITEMS, start[-1], _ITEMS)), len(start) - 1)).tolist()
        chunks = list(zip([0, *ends[:-1]], ends, strict=True))
        for _ in range(_SWEEPS):
            saved = 0
            for chunk in chunks:
                if budget.over():
                    return
                saved += grow(self.desk.rules, self.ground, self.pool.offers, self.classes, self.desk.hand, chunk, free)
            if saved <= _WORTHWHILE * self.cost:
                return

    def rebuild(self, steps: int, state: NDArray[np.uint64]) -> None:
        """Rebuild neighbourhoods, never to more cost; no row may be in the limbo."""
        terms = steps, _SIZE, _NOISE * float(self.pool.table.cost.max())
        rebuild(self.desk.rules, self.ground, self.classes, self.desk.hand, terms, state)

    def pieces(self) -> Pieces:
        """Return where the rows are; those in the limbo are left behind."""
        plan = self.classes.plan
        used = np.flatnonzero(plan.where >= 0)
        instance = plan.where[used]
        placed = instance < len(self.pool)
        pattern = np.append(self.pool.instances.pattern, 0)[np.where(placed, instance, -1)]
        return Pieces(
            row_type=(used // SLOTS).astype(np.int32),
            shown=np.where(placed, self.pool.patterns.shown[pattern], np.uint64(0)),
            count=plan.amount[used],
            placed=placed,
        )

    def recoding(self, budget: Budget) -> Recoding:
        """Return the release, rows in the limbo settled."""
        pool = self.pool
        kept = still_kept(pool.table, pool.promise, self.pieces())  # a class whose row types had too many slots may not
        settled = settle(pool.table, pool.patterns, pool.promise, kept, budget).recoding()
        return tightened(pool.table, pool.patterns, pool.promise.k, settled)


def of_recoding(recoding: Recoding) -> Pieces:
    """Return a recoding as pieces that are all placed."""
    placed = np.ones(len(recoding.count), np.bool_)
    return Pieces(row_type=recoding.row_type, shown=recoding.shown, count=recoding.count, placed=placed)
