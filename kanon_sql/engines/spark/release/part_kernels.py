"""What executors do with a part of the row types: they have kanon-sql installed, with its compiled kernels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from kanon_sql.engines.built_arrays import numbers
from kanon_sql.model.policy import Policy
from kanon_sql.solvers.budget import UNLIMITED
from kanon_sql.solvers.instances.listing import least_costs
from kanon_sql.solvers.k_anonymity.greedy import cheapest_first
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.encode import encode
from kanon_sql.table.patterns import PatternSet

SHOWN = "kanon#shown"
"""The pattern of a row type that is placed, NULL where it is left."""

PRICE = "kanon#price"
"""What a row of a row type costs at least, NULL where it fits no instance."""

Work = Callable[[pa.Table], pa.Table]


def coded_part(part: pa.Table, policy: Policy) -> CodedTable:
    """Return row types as codes: the columns of the policy in its order, then the number of rows."""
    *columns, count = (_array(column) for column in part.columns)
    names = [qi.column for qi in policy.quasi_identifiers]
    types = pa.StructArray.from_arrays(columns[: len(names)], names)
    return encode(types, np.asarray(count.cast(pa.int64())), policy)[0]


def _array(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def placing(policy: Policy, patterns: PatternSet, most: int) -> Work:
    """Return the work of a round: cheapest pattern first, in parts of at most ``most`` row types; larger ones are cut."""
    columns = len(policy.quasi_identifiers) + 1

    def place(part: pa.Table) -> pa.Table:
        table = coded_part(part.select(list(range(columns))), policy)
        shown = np.zeros(table.row_types, np.int64)
        left = np.ones(table.row_types, np.bool_)
        for start in range(0, table.row_types, most):
            here = np.arange(start, min(start + most, table.row_types))
            found = cheapest_first(table.of_row_types(here), patterns, policy.k, UNLIMITED)
            back = table.origin[here]
            shown[back], left[back] = found.shown.astype(np.int64), ~found.placed
        return part.select(list(range(columns))).append_column(SHOWN, numbers(shown, missing=left))

    return place


def pricing(policy: Policy, patterns: PatternSet) -> Work:
    """Return the work of a round of the lower bound: the cost of the cheapest instance of each row type of a part."""
    columns = len(policy.quasi_identifiers) + 1

    def price(part: pa.Table) -> pa.Table:
        table = coded_part(part.select(list(range(columns))), policy)
        found = least_costs(table, patterns, policy.k)
        if found is None:
            raise AssertionError("nothing ends a search without a limit")
        prices = np.empty(table.row_types, np.int64)
        prices[table.origin] = found
        return part.select(list(range(columns))).append_column(PRICE, numbers(prices))

    return price
