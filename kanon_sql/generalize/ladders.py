"""The ladder of every generalized column of a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.generalize.groups import grouped, rectangles
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Bins, Intervals, Rectangles, Regions
from kanon_sql.solvers.budget import Budget
from kanon_sql.table.arrays import Int64
from kanon_sql.table.labels.ladders import Column, about, column_ladders
from kanon_sql.table.ladder import Label, Ladder
from kanon_sql.table.sensitive_values import Columns

if TYPE_CHECKING:
    import pyarrow as pa


def ladders(
    policy: Policy, texts: Mapping[str, pa.Array], count: Int64, tables: Mapping[str, Columns], budget: Budget
) -> dict[str, Ladder]:
    """Return the ladder of each generalized column, as `column_ladders`, with groups that are searched for."""

    def groups(recoding: Bins | Intervals | Regions, values: Sequence[Label], rows: Int64) -> tuple[list[Label], str]:
        return grouped(recoding, values, rows, policy.fewest_rows, tables, budget)

    found = column_ladders(policy, texts, count, tables, groups)
    for pair in policy.rectangles:
        with about(" and ".join(pair)):
            found |= _rectangles(policy, pair, texts, count, budget)
    return found


def _rectangles(
    policy: Policy, names: tuple[str, str], texts: Mapping[str, pa.Array], count: Int64, budget: Budget
) -> dict[str, Ladder]:
    axes = [Column.of(texts[name]) for name in names]
    points, point = np.unique(np.stack([each.value for each in axes]), axis=1, return_inverse=True)
    rows = np.zeros(points.shape[1], np.int64)
    np.add.at(rows, point, count)
    places = [each.astype(np.int64) for each in points]
    (algorithm,) = {
        qi.recoding.algorithm for qi in policy.quasi_identifiers if qi.column in names and isinstance(qi.recoding, Rectangles)
    }
    sides, grouping = rectangles(algorithm, [each.texts for each in axes], places, rows, policy.fewest_rows, budget)
    # A coordinate may lie in many rectangles: what it shows depends on the point, so each point is a value of its own.
    own = [f"{number}" for number in range(len(rows))]
    value = point.astype(np.int32)
    return {
        name: replace(Ladder.of(value, own, rows, [side], exact=False), grouping=grouping)
        for name, side in zip(names, sides, strict=True)
    }
