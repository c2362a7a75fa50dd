"""What every class of a division has to keep, laid out for kernels: a number of rows, or a promise about sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.kernels.requirements.encoded import EncodedRequirement
from kanon_sql.table.arrays import Int32
from kanon_sql.table.coded_table import CodedTable

if TYPE_CHECKING:
    from kanon_sql.solvers.sensitive.promise import Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """The least rows of a class, and the promise.

    Parameters
    ----------
    least : int
        No class has fewer rows.
    required : EncodedRequirement
        The promise; without one, the number of rows alone.
    counter : int32 array [g, s]
        The counters that a row of each sensitive-value group raises.
    group : int32 array [t]
        The group of each row type.
    promise : Promise, optional
        The promise, None where it is k alone.
    """

    least: int
    required: EncodedRequirement
    counter: Int32
    group: Int32
    promise: Promise | None = None

    @classmethod
    def of(cls, table: CodedTable, asked: int | Promise) -> Demand:
        """Return the demand of k rows, or of a promise."""
        if not isinstance(asked, int):
            return cls(least=asked.least, required=asked.encoded, counter=asked.kinds, group=asked.kind, promise=asked)
        none, group = np.zeros((table.row_types, 0), np.int32), np.zeros(table.row_types, np.int32)
        required = EncodedRequirement(
            rows=table.rows,
            least=asked,
            total=np.zeros(0, np.int64),
            of_first=0,
            criteria=np.zeros((0, 10), np.int64),
            share=np.zeros(0),
            data=np.zeros(0, np.int64),
            counter=none,
        )
        return cls(least=asked, required=required, counter=none[:1], group=group)

    def usual(self, rows: int, classes: int) -> int:
        """Return about how many rows classes come to have: as few as may be, or as many as they have if a promise asks more."""
        return self.least if self.promise is None else max(self.least, rows // classes)
