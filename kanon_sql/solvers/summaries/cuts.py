"""Top-down: parts of the table are cut in two, each time where the loss that remains is least."""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels.summaries import Measure, cut_parts
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable


def cut(table: CodedTable, measure: Measure, requirement: ClassRequirement, budget: Budget) -> tuple[Int64, Int64]:
    """Return the row types in the order of the parts that no cut improves, and the part of each, int64 [t].

    A part is cut between two codes of a column, or one value of a set or plain column is separated; similar row types are
    near each other in the order.

    Notes
    -----
    O(m^2 t) a level of cuts; memory O(t + all codes). When the budget ends, the parts that there are stay.
    """
    member = np.arange(table.row_types)
    starts = np.zeros(table.row_types, np.uint8)
    parts = np.array([[0, table.row_types]])
    while len(parts) and not budget.over():
        parts = cut_parts(table.codes, table.weight, measure, requirement.encoded, requirement.group, member, parts, starts)
        budget.report("cuts", 1 - int((parts[:, 1] - parts[:, 0]).sum()) / table.row_types)
    return member, np.cumsum(starts, dtype=np.int64)
