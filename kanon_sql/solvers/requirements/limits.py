"""Requirements as linear limits on the classes of a table; of some, what they imply.

The limits have the same multipliers in every class, however large it is, so they bound what an instance gains from prices.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_sql.kernels.requirements import Limits
from kanon_sql.model.requirements import SensitiveRequirement
from kanon_sql.solvers.guarantees import on_attributes
from kanon_sql.solvers.guarantees.limit import ONE, Limit
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable

MOST_EDGES = 64
"""Sets of values of a limit; where they are more, it is left out."""


def limits(table: CodedTable, requirements: Sequence[SensitiveRequirement]) -> Limits:
    """Return the limits of requirements on a table; O(e v).

    The first is one about all its edges together, if there is any, or one of the most edges.
    """
    known = [(place, each.limit()) for place, each in on_attributes(requirements, table.sensitive)]
    found = [(place, limit) for place, limit in known if limit is not None and 0 < len(limit.parent) <= MOST_EDGES]
    return _joined(table, sorted(found, key=lambda each: (each[1].most < 0, -len(each[1].parent))))


def _joined(table: CodedTable, found: list[tuple[int, Limit]]) -> Limits:
    ends = np.cumsum([0, *(len(about.count) for about in table.sensitive)])
    begin = np.cumsum([0, *(len(limit.parent) for _, limit in found)]).astype(np.int64)
    leaf = np.full((len(found), ends[-1]), -1, np.int32)
    parts: dict[str, list[Int64]] = {name: [np.empty(0, np.int64)] for name in ("parent", "numerator", "share", "length")}
    for number, (place, limit) in enumerate(found):
        low = int(begin[number])
        leaf[number, ends[place] : ends[place + 1]] = np.where(limit.leaf < 0, -1, limit.leaf + low)
        parts["parent"].append(np.where(limit.parent < 0, -1, limit.parent + low))
        parts["numerator"].append(limit.numerator)
        parts["share"].append(limit.numerator * ONE // limit.denominator)
        parts["length"].append(limit.length)
    return Limits(
        begin=begin,
        attribute=np.array([place for place, _ in found], np.int64),
        denominator=np.array([limit.denominator for _, limit in found], np.int64),
        most=np.array([limit.most for _, limit in found], np.int64),
        signed=np.array([limit.signed for _, limit in found], np.int64),
        leaf=leaf,
        **{name: np.concatenate(part) for name, part in parts.items()},
    )
