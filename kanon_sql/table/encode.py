"""Row types from Arrow turned into codes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.distances import Distance, equal, ordered
from kanon_sql.model.linked_columns import units
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import as_identifier
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable, Sensitive
from kanon_sql.table.keys import ascending
from kanon_sql.table.ladder import COST, MOST_LEVELS, Ladder, cost_steps

if TYPE_CHECKING:
    import pyarrow as pa


def encode(
    row_types: pa.StructArray, count: Int64, policy: Policy, ladders: Mapping[str, Ladder] | None = None
) -> tuple[CodedTable, Policy]:
    """Turn row types from Arrow into codes.

    Parameters
    ----------
    row_types : StructArray [t]
        The distinct combinations of quasi-identifier and sensitive values, one field a column, of any type.
    count : int64 array [t]
        Rows per combination.
    policy : Policy
        Resolved against the fields.
    ladders : mapping of Ladder, optional
        What the columns show that the policy generalizes, in the order of the row types.

    Returns
    -------
    tuple of (CodedTable, Policy)
        The table, and the policy with the fields' own names. Of the distances, the table has those of the metrics
        ``'equal'`` and ``'ordered'``; `measured` adds what codes alone do not tell.

    Raises
    ------
    SourceError
        When two row types have no different codes: their type loses information on its way.
    PolicyError
        When there are too many quasi-identifiers, the weights cannot be added exactly, or a metric asks for more than the
        values have.

    Notes
    -----
    O(t * m) time for scalar types and O(d log d) for the d distinct values of each column; nested types are compared
    value by value in Python.
    """
    names = [field.name for field in row_types.type]
    policy = policy.resolve_row_types(names)
    columns: list[tuple[str, ...]] = []
    parts: list[Int32] = []
    costs: list[Fraction] = []
    hidden_levels = 0
    for linked, weight_of in weighted_units(policy):
        ladder = (ladders or {}).get(linked[0])
        if ladder is None:
            plain = [_column_codes(row_types.field(names.index(name))) for name in linked]
            steps, levels = [Fraction(1)], [plain[0] if len(plain) == 1 else joined_codes(np.stack(plain, axis=1))]
        else:
            steps, levels = ladder.steps, list(ladder.codes)
            hidden_levels |= sum(1 << len(columns) + level for level, shown in enumerate(ladder.shown) if not shown)
        columns += [linked] * len(levels)
        parts += levels
        costs += [weight_of * step for step in steps]
    if policy.costed_masks is not None:
        steps = cost_steps(policy.costed_masks)
        columns += [COST] * len(steps)
        parts += [np.zeros(len(count), np.int32)] * len(steps)
        costs = [Fraction(0)] * len(costs) + steps
    if len(columns) > MOST_LEVELS:
        raise PolicyError(
            f"too many levels in the quasi-identifiers: {len(columns)} (maximum {MOST_LEVELS}); hint: generalize fewer "
            "columns, use fewer levels, or give masks fewer different costs"
        )
    codes = np.stack(parts, axis=1)
    values = [row_types.field(names.index(name)) for name in policy.measured]
    held = np.stack([codes_in_order(each) for each in values], axis=1) if values else codes[:, :0]
    every = np.hstack([held, codes]) if values else codes
    order = ascending(every)  # the first column counts least
    every = every[order]
    if len(every) > 1 and (every[1:] == every[:-1]).all(axis=1).any():
        raise alike_row_types()
    weight = count[order]
    cost, unit = whole_costs(costs, int(weight.sum()))
    sensitive = tuple(
        Sensitive(
            column=name,
            codes=np.ascontiguousarray(every[:, place]),
            count=_rows(every[:, place], weight),
            distances=_distances(policy, name, each, every[:, place]),
            empty=int(every[:, place].max()) if each.null_count else -1,
        )
        for place, (name, each) in enumerate(zip(policy.measured, values, strict=True))
    )
    codes = np.ascontiguousarray(every[:, len(values) :])
    table = CodedTable(
        columns=tuple(columns),
        codes=codes,
        weight=weight,
        origin=order,
        cost=cost,
        unit=unit,
        hidden_levels=hidden_levels,
        levels={column: ladder.names for column, ladder in (ladders or {}).items() if ladder.names},
        groupings=_groupings(ladders or {}),
        sensitive=sensitive,
    )
    return table, policy


def weighted_units(policy: Policy) -> list[tuple[tuple[str, ...], Fraction]]:
    """Return the columns and groups of linked columns of a resolved policy, each with its weight.

    Raises
    ------
    PolicyError
        When they are too many.
    """
    weights = {qi.column: qi.weight for qi in policy.quasi_identifiers}
    if len(weights) > 60:
        raise PolicyError(
            f"too many quasi-identifiers: {len(weights)} (maximum 60); hint: list only the columns that identify people"
        )
    return [
        (tuple(linked), sum((weights[name] for name in linked), Fraction(0))) for linked in units(list(weights), policy.linked)
    ]


def alike_row_types() -> SourceError:
    """Return the error for row types with the same codes."""
    return SourceError(
        "two distinct combinations became equal, because a column's type (such as TIME WITH TIME ZONE) loses information; "
        "hint: cast the column to VARCHAR"
    )


def _groupings(ladders: Mapping[str, Ladder]) -> tuple[str, ...]:
    """Return what there is to say of chosen groups, once for two coordinates."""
    columns: dict[str, list[str]] = {}
    for column, ladder in ladders.items():
        if ladder.grouping:
            columns.setdefault(ladder.grouping, []).append(as_identifier(column))
    return tuple(f"{', '.join(names)} in {grouping}" for grouping, names in columns.items())


def _rows(codes: Int32, weight: Int64) -> Int64:
    """Return the rows of each code."""
    rows = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    np.add.at(rows, codes, weight)
    return rows


def _distances(policy: Policy, column: str, values: pa.Array, codes: Int32) -> dict[str, Distance]:
    """Return the distances between the values of a column that its codes alone tell."""
    size = int(codes.max(initial=-1)) + 1
    found: dict[str, Distance] = {}
    for requirement in policy.closeness:
        if requirement.sensitive == column:
            if requirement.metric == "equal":
                found["equal"] = equal(size)
            elif requirement.metric == "ordered":
                if _needs_python(values.type):
                    raise PolicyError(
                        f"{requirement.describe()}: values of this type have no order; hint: use 'equal', or cast the column"
                    )
                found["ordered"] = ordered(size)
    return found


def whole_costs(weights: Sequence[Fraction], rows: int) -> tuple[Int64, int]:
    """Return the cost of hiding each column in one row as whole numbers, and their common denominator.

    Raises
    ------
    PolicyError
        When they cannot be added exactly over all rows.
    """
    unit = math.lcm(*(weight.denominator for weight in weights))
    whole = [weight.numerator * (unit // weight.denominator) for weight in weights]
    if sum(whole) >= 1 << 31:
        raise PolicyError("the weights span too wide a range to be summed exactly; hint: use fewer digits")
    if rows * sum(whole) >= 1 << 63:
        raise PolicyError("the weights are too large to sum over all rows; hint: use smaller weights, or fewer digits")
    return np.array(whole, np.int64), unit


def joined_codes(codes: Int32) -> Int32:
    """Return one code for each combination of the codes of linked columns."""
    order = ascending(codes)
    ordered = codes[order]
    joined = np.zeros(len(codes), np.int32)
    joined[order[1:]] = np.cumsum((ordered[1:] != ordered[:-1]).any(axis=1))
    return joined


def codes_in_order(values: pa.Array) -> Int32:
    """Return codes of sensitive values in their order, floats by their size, NULL last."""
    return _column_codes(_by_value(values))


def _column_codes(values: pa.Array) -> Int32:
    """Return codes of one column that follow the order of its values, NULL last."""
    encoded = exact(values).dictionary_encode(null_encoding="encode")
    codes: Int32 = ranks(encoded.dictionary)[np.from_dlpack(encoded.indices)]
    return codes


def exact(values: pa.Array) -> pa.Array:
    """Return values that Arrow can compare, equal where the values of one column are."""
    import pyarrow as pa

    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    if pa.types.is_floating(values.type):  # by their bits: 0.0 and -0.0 look different
        values = values.view({16: pa.int16(), 32: pa.int32(), 64: pa.int64()}[values.type.bit_width])
    if _needs_python(values.type):
        values = pa.array(_texts(values), pa.string())
    if pa.types.is_dictionary(values.type):  # an ENUM, in the order of its values
        values = values.indices
    return values


def ranks(distinct: pa.Array) -> Int32:
    """Return the rank of each of some distinct values, NULL the last."""
    import pyarrow.compute as pc

    rank = np.empty(len(distinct), np.int32)
    order = np.from_dlpack(pc.sort_indices(distinct))
    rank[order] = np.arange(len(rank), dtype=np.int32)
    return rank


def _by_value(values: pa.Array) -> pa.Array:
    """Return floats as whole numbers of the same order, NaN the largest; other values as they are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_floating(values.type):
        return values
    kind = {16: pa.int16(), 32: pa.int32(), 64: pa.int64()}[values.type.bit_width]
    highest = pa.scalar((1 << (kind.bit_width - 1)) - 1, kind)
    bits = values.view(kind)
    bits = pc.if_else(pc.less(bits, pa.scalar(0, kind)), pc.bit_wise_xor(bits, highest), bits)
    return pc.if_else(pc.is_nan(values), highest, bits)


def _needs_python(kind: pa.DataType) -> bool:
    import pyarrow.types as types

    return bool(types.is_nested(kind) or types.is_interval(kind))


def _texts(values: pa.Array) -> list[str | None]:
    """Return one exact text per value; equal texts stand for equal values."""
    import pyarrow as pa

    tags: Sequence[Any] = values.type_codes.to_pylist() if pa.types.is_union(values.type) else [0] * len(values)
    return [None if value is None else repr((tag, value)) for tag, value in zip(tags, values.to_pylist(), strict=True)]
