"""The pattern instances that a cheapest release may need: the looks that released rows can have.

A *pattern instance* is a pattern with the values it shows; its *support* are the row types that have those values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.coded import CodedTable, Int64, Words
from kanon_sql.errors import InfeasibleError, PolicyError
from kanon_sql.patterns import LISTED_COLUMNS, PatternSet
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.repair import Pieces
from kanon_sql.solvers.sieve import sieve

MOST_INSTANCES = 20
"""2^20 sets of instances are enumerated in a fraction of a second; each further instance doubles them."""

_CONSIDERED = 1000
"""Instances of equal cost compared with each other before the search gives up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instances:
    """The r useful instances, and the s kinds of row types: those that fit the same instances.

    Parameters
    ----------
    shown : uint64 array [r]
        The columns that each instance shows.
    cost : int64 array [r]
        Cost of a row under each instance; ascending.
    kind : int64 array [t]
        Number of the kind of each row type.
    fits : int64 array [s]
        Bit j is set where the kind fits instance j; never 0.
    rows : int64 array [s]
        Rows of each kind.
    """

    shown: Words
    cost: Int64
    kind: Int64
    fits: Int64
    rows: Int64


def undominated(table: CodedTable, patterns: PatternSet, k: int, budget: Budget) -> Instances | None:
    """Return the instances with a support of k rows that no other can replace; None when the time is up.

    An instance can replace another if it costs no more and its support holds the other's: all rows of the one may move
    to the other, whose class only grows.

    Raises
    ------
    PolicyError
        When there are more than 20, or the patterns are too many to list.
    InfeasibleError
        When some rows fit none.

    Notes
    -----
    O(p (m^3 t / 64 + e (m + log t))) for p patterns and e eligible row types a pattern, of which the sieve leaves few;
    less where the limit is reached early. Memory O(t) per instance.
    """
    if not patterns.listed:
        raise PolicyError(
            f"row_assignment lists the patterns of at most {LISTED_COLUMNS} columns, the table has {len(table.columns)}; "
            "hint: give masks, or use the algorithm 'optimal'"
        )
    support = np.zeros((0, table.row_types), np.bool_)
    pattern = np.zeros(0, np.int64)
    sets, frequent = sieve(table.codes, table.cardinality, table.weight, k, len(patterns.shown))
    everyone = np.arange(table.row_types)
    for p, shown in enumerate(patterns.shown):
        if budget.over():
            return None
        budget.report("instances", p / len(patterns.shown))
        cheaper = int((patterns.cost[pattern] < patterns.cost[p]).sum())  # these are final: what follows costs more
        if cheaper > MOST_INSTANCES or len(pattern) > _CONSIDERED:
            raise _too_many()
        sifted = np.bitwise_and.reduce(frequent[sets & ~shown == 0], axis=0)
        if not sifted.any():
            continue
        eligible = sifted[everyone >> 6] >> (everyone & 63).astype(np.uint64) & np.uint64(1) == 1
        looks = Pieces.of_row_types(table, eligible, np.full(table.row_types, shown)).classes(table)
        rows = np.bincount(looks[eligible], weights=table.weight[eligible])
        for look in np.flatnonzero(rows >= k)[: _CONSIDERED + 1]:
            members = looks == look
            if not support[:, members].all(axis=1).any():
                replaced = (patterns.cost[pattern] == patterns.cost[p]) & ~support[:, ~members].any(axis=1)
                support = np.concatenate([support[~replaced], members[None]])
                pattern = np.append(pattern[~replaced], p)
    if len(pattern) > MOST_INSTANCES:
        raise _too_many()
    lost = ~support.any(axis=0)
    if lost.any():
        raise InfeasibleError(
            f"{int(table.weight[lost].sum())} rows fit no permitted mask together with {k - 1} other rows; "
            "hint: permit coarser masks, or the mask () that suppresses everything"
        )
    return _by_kind(table, patterns, pattern, support)


def _too_many() -> PolicyError:
    return PolicyError(
        f"row_assignment enumerates the sets of at most {MOST_INSTANCES} pattern instances, this table has more that are "
        "useful; hint: permit fewer masks, or use the algorithm 'optimal'"
    )


def _by_kind(table: CodedTable, patterns: PatternSet, pattern: Int64, support: NDArray[np.bool_]) -> Instances:
    fitting = (np.int64(1) << np.arange(len(pattern))) @ support.astype(np.int64)
    fits, kind = np.unique(fitting, return_inverse=True)
    rows = np.zeros(len(fits), np.int64)
    np.add.at(rows, kind, table.weight)
    return Instances(shown=patterns.shown[pattern], cost=patterns.cost[pattern], kind=kind, fits=fits, rows=rows)
