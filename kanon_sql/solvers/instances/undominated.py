"""The pattern instances that a cheapest release may need, where they are few: no other instance can replace them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.errors import PolicyError
from kanon_sql.solvers.instances.listing import useful
from kanon_sql.table.arrays import Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import LISTED_COLUMNS, PatternSet

MOST_INSTANCES = 20
"""2^20 sets of instances are enumerated in a fraction of a second; each further instance doubles them."""

_CONSIDERED = 1000
"""Instances of equal cost compared with each other before the search gives up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsefulInstances:
    """The r instances that a cheapest release may need, and the s groups of row types: those that fit the same instances."""

    shown: Words  # [r]: the columns that each instance shows
    cost: Int64  # [r]: cost of a row of each instance; ascending
    group: Int64  # [t]: number of the group of each row type
    fits: Int64  # [s]: bit j is set where the group fits instance j; never 0
    rows: Int64  # [s]: rows of each group


def undominated(table: CodedTable, patterns: PatternSet, k: int) -> UsefulInstances:
    """Return the instances with a support of k rows that no other can replace.

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
    O(t) for each listed instance, after listing them; less where the limit is reached early. Memory O(t) per instance kept.
    """
    if not patterns.listed:
        raise PolicyError(
            f"row_assignment supports at most {LISTED_COLUMNS} columns without listed masks, but the table has "
            f"{len(table.columns)}; hint: list the masks, or use the algorithm 'optimal'"
        )
    listed = useful(table, patterns, k, slack=None)
    if listed is None:
        raise _too_many()
    support = np.zeros((0, table.row_types), np.bool_)
    kept = np.zeros(0, np.int64)
    for number in np.argsort(listed.pattern, kind="stable").tolist():  # patterns are in the order of their cost
        cheaper = int((listed.cost[kept] < listed.cost[number]).sum())  # these are final: what follows costs more
        if cheaper > MOST_INSTANCES or len(kept) > _CONSIDERED:
            raise _too_many()
        members = np.zeros(table.row_types, np.bool_)
        members[listed.member[listed.start[number] : listed.start[number + 1]]] = True
        if not support[:, members].all(axis=1).any():
            replaced = (listed.cost[kept] == listed.cost[number]) & ~support[:, ~members].any(axis=1)
            support = np.concatenate([support[~replaced], members[None]])
            kept = np.append(kept[~replaced], number)
    if len(kept) > MOST_INSTANCES:
        raise _too_many()
    return _by_group(table, patterns.shown[listed.pattern[kept]], listed.cost[kept], support)


def _too_many() -> PolicyError:
    return PolicyError(
        f"row_assignment supports at most {MOST_INSTANCES} useful pattern instances, but this table has more; hint: permit "
        "fewer masks, or use the algorithm 'optimal'"
    )


def _by_group(table: CodedTable, shown: Words, cost: Int64, support: NDArray[np.bool_]) -> UsefulInstances:
    fitting = (np.int64(1) << np.arange(len(cost))) @ support.astype(np.int64)
    fits, group = np.unique(fitting, return_inverse=True)
    rows = np.zeros(len(fits), np.int64)
    np.add.at(rows, group, table.weight)
    return UsefulInstances(shown=shown, cost=cost, group=group, fits=fits, rows=rows)
