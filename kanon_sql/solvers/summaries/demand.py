"""What every class of a division has to keep, laid out for kernels: a number of rows, or a promise about sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.kernels.requirements.promises import HEAD, LEAST, ROWS, TOTAL, Rules
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
    rules : Rules
        The promise; without one, the number of rows alone.
    kinds : int32 array [g, s]
        The different combinations of sensitive values, by the counters that they raise.
    kind : int32 array [t]
        The combination of each row type.
    promise : Promise, optional
        The promise, None where it is k alone.
    """

    least: int
    rules: Rules
    kinds: Int32
    kind: Int32
    promise: Promise | None = None

    @classmethod
    def of(cls, table: CodedTable, asked: int | Promise) -> Demand:
        """Return the demand of k rows, or of a promise."""
        if not isinstance(asked, int):
            return cls(least=asked.least, rules=asked.rules, kinds=asked.kinds, kind=asked.kind, promise=asked)
        law = np.zeros(TOTAL + 1, np.int64)
        law[[ROWS, LEAST, HEAD, TOTAL]] = table.rows, asked, len(law), len(law)
        none = np.zeros((table.row_types, 0), np.int32)
        rules = Rules(law=law, share=np.zeros(0), room=np.zeros(1, np.int64), counter=none)
        return cls(least=asked, rules=rules, kinds=none[:1], kind=np.zeros(table.row_types, np.int32))

    def usual(self, rows: int, classes: int) -> int:
        """Return about how many rows classes come to have: as few as may be, or as many as they have if a promise asks more."""
        return self.least if self.promise is None else max(self.least, rows // classes)
