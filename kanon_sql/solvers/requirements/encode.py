"""Requirements and distances encoded as arrays for kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_sql.kernels.criteria import EncodedRequirement
from kanon_sql.model.requirements import SensitiveRequirement
from kanon_sql.solvers.guarantees import on_attributes
from kanon_sql.solvers.guarantees.attribute_requirement import Criteria
from kanon_sql.table.coded_table import CodedTable


def encoded(table: CodedTable, requirements: Sequence[SensitiveRequirement], least: int) -> EncodedRequirement:
    """Return requirements on a table, encoded; ``least`` rows in a class. O(t + e v)."""
    ends = np.cumsum([0, *(len(each.count) for each in table.sensitive)]).tolist()
    total = np.concatenate([np.empty(0, np.int64), *(each.count for each in table.sensitive)]).astype(np.int64)
    criteria = Criteria(rows=table.rows, shares=[total])
    for place, each in on_attributes(requirements, table.sensitive):
        each.encode(criteria, (ends[place], ends[place + 1]))
    counter = np.empty((table.row_types, len(table.sensitive)), np.int32)
    for place, about in enumerate(table.sensitive):
        counter[:, place] = about.codes + ends[place]
    return EncodedRequirement(
        rows=table.rows,
        least=min(least, table.rows + 1),
        total=total,
        of_first=ends[1] if table.sensitive else 0,
        criteria=np.array(criteria.parts, np.int64).reshape(-1, 10),
        share=np.concatenate(criteria.shares) / table.rows,
        data=np.concatenate([np.empty(0, np.int64), *criteria.data]),
        counter=counter,
    )
