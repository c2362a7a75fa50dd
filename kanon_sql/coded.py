"""The table as the solvers see it: integer codes per row type, never a value.

A *row type* is a distinct combination of quasi-identifier values, and of sensitive values where a requirement is about them;
``t`` row types with ``m`` columns stand for the whole table, however many rows it has. A column that can only be shown or
hidden is one coded column, and so is a group of linked columns; a column with a ladder of levels is one coded column for
each of them, finest first, and a pattern that shows one shows all coarser ones too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kanon_sql.distances import Distance, equal, ordered
from kanon_sql.errors import InfeasibleError, PolicyError, SourceError
from kanon_sql.generalizations import Level
from kanon_sql.ladder import Ladder
from kanon_sql.links import units
from kanon_sql.policy import Policy
from kanon_sql.requirements import TCloseness

if TYPE_CHECKING:
    import pyarrow as pa

Int64 = NDArray[np.int64]
Int32 = NDArray[np.int32]
Words = NDArray[np.uint64]

_WORD_LIMIT = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitive:
    """A sensitive attribute: which value each row type has. No pattern shows or hides it; it is released as it is.

    Parameters
    ----------
    column : str
        The column of the source.
    codes : int32 array [t]
        Dense codes from 0, in the order of the values; NULL is a value, the last one.
    count : int64 array [v]
        Rows of the whole table per value.
    named : mapping of str to int
        Codes of the values that alpha requirements name; what is missing does not occur.
    distances : mapping of str to Distance
        Ground distances of the metrics that the policy uses.
    empty : int
        Code of NULL, -1 where it does not occur.
    """

    column: str
    codes: Int32
    count: Int64
    named: Mapping[str, int] = field(default_factory=dict)
    distances: Mapping[str, Distance] = field(default_factory=dict)
    empty: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedTable:
    """Row types as dense integer codes.

    Parameters
    ----------
    columns : tuple of tuple of str
        For each of the ``m`` coded columns the columns of the source that it shows or hides: one, or a linked group. The
        levels of a ladder follow each other.
    codes : int32 array [t, m], C-contiguous
        Codes from 0; NULL has its own code. Rows are in ascending order, those with equal codes by their sensitive values,
        so the table does not depend on the order of its source.
    weight : int64 array [t]
        Rows of the source that share the row type.
    origin : int64 array [t]
        Position of each row type in the array it was read from.
    cost : int64 array [m]
        Cost of hiding each coded column in one row, in units of ``1 / unit``: of a level the step to the next.
    unit : int
        Common denominator of the costs, so that all costs are whole numbers.
    secret : int
        Bits of the coded columns that no pattern may show: values of which only coarser levels are released.
    levels : mapping of tuple of Level
        For each column of which masks name levels what they are called, finest first.
    sensitive : tuple of Sensitive
        The sensitive attributes that requirements are about; only with them may two row types have equal codes.
    """

    columns: tuple[tuple[str, ...], ...]
    codes: Int32
    weight: Int64
    origin: Int64
    cost: Int64
    unit: int
    secret: int = 0
    levels: Mapping[str, tuple[Level, ...]] = field(default_factory=dict)
    sensitive: tuple[Sensitive, ...] = ()

    @property
    def row_types(self) -> int:
        """Return the number of row types."""
        return len(self.weight)

    @property
    def rows(self) -> int:
        """Return the number of rows of the source."""
        return int(self.weight.sum())

    @property
    def width(self) -> Int64:
        """Return how many cells of a row are suppressed where each coded column is hidden, int64 [m]; of a ladder, the last."""
        following = (*self.columns[1:], ())
        return np.array([len(names) * (names != after) for names, after in zip(self.columns, following, strict=True)], np.int64)

    @property
    def ladders(self) -> dict[tuple[str, ...], list[int]]:
        """Return the coded columns by what they show of the source, finest first."""
        found: dict[tuple[str, ...], list[int]] = {}
        for place, names in enumerate(self.columns):
            found.setdefault(names, []).append(place)
        return found

    @property
    def has_ladders(self) -> bool:
        """Whether some column has several levels."""
        return any(len(places) > 1 for places in self.ladders.values())

    @property
    def cardinality(self) -> Int64:
        """Return the number of codes of each column, int64 [m]."""
        highest: Int64 = self.codes.max(axis=0).astype(np.int64)
        return highest + 1

    def refuse_fewer(self, k: int) -> None:
        """Raise where there are too few rows for any class."""
        if self.rows < k:
            raise InfeasibleError(
                f"the table has {self.rows} rows, fewer than k = {k}; hint: nothing of it can be released at this k"
            )

    def exact_cost(self, units: int) -> Fraction:
        """Return a cost counted in units as the user counts it."""
        return Fraction(units, self.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """A proof of a lower bound: what every row of a row type is charged at most, whatever the release.

    The bound is the sum of all prices less what the pattern instances could gain from them (the Lagrangian relaxation of
    the assignment of rows), computed in whole numbers.

    Parameters
    ----------
    price : int64 array [t]
        Price of a row of each row type, in units of ``1 / scale`` of the table's unit.
    scale : int
        A power of two.
    """

    price: Int64
    scale: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recoding:
    """What a solver decided: ``q`` pieces, each some rows of one row type under one pattern.

    Parameters
    ----------
    row_type : int32 array [q]
        Row type of the piece, ascending; a row type may be split over several pieces.
    shown : uint64 array [q]
        The columns that the rows of the piece show.
    count : int64 array [q]
        Number of rows of the piece, above 0.
    lower_bound : int
        A proven lower bound on the cost of every release under the policy, in units of the coded table.
    bound : str
        Name of the argument that proves it.
    prices : Prices, optional
        Evidence for a lower bound, if not always for all of ``lower_bound``.
    remark : str
        What the user should know of how it was found.
    """

    row_type: Int32
    shown: Words
    count: Int64
    lower_bound: int = 0
    bound: str = "trivial"
    prices: Prices | None = None
    remark: str = ""

    def cost(self, table: CodedTable) -> int:
        """Return the cost of the release in units of the table; O(q log q)."""
        return int(row_cost(self.shown, table.cost) @ self.count)


def hidden_bits(shown: Words, columns: int) -> NDArray[np.int64]:
    """Return int64 [q, columns]: 1 where the pattern hides the column."""
    place = np.arange(columns, dtype=np.uint64)
    return 1 - ((shown[:, None] >> place) & np.uint64(1)).astype(np.int64)


def row_cost(shown: Words, cost: Int64) -> Int64:
    """Return the cost of a row under each pattern, int64 [q], where a hidden cell of each column costs ``cost`` [m]."""
    kinds, kind = np.unique(shown, return_inverse=True)
    costs: Int64 = hidden_bits(kinds, len(cost)) @ cost
    return costs[kind]


def mixed_radix(cardinality: Int64) -> tuple[Int64, Int64, int]:
    """Place every column into as many 64-bit key words as are needed, so that a key identifies a group exactly.

    Returns
    -------
    word, stride : int64 arrays [m]
        The key word of each column and the factor of its code in it.
    words : int
        Number of key words.
    """
    word = np.zeros(len(cardinality), np.int64)
    stride = np.ones(len(cardinality), np.int64)
    current, size = 0, 1
    for column, radix in enumerate(int(value) for value in cardinality):
        if size * radix > _WORD_LIMIT:
            current, size = current + 1, 1
        word[column], stride[column] = current, size
        size *= radix
    return word, stride, current + 1


def alike(codes: Int32, cardinality: Int64, hidden: NDArray[np.bool_]) -> Int64:
    """Return the instance of a pattern that each row type is in, int64 [t], dense from 0.

    Parameters
    ----------
    codes : int32 array [t, m]
        The row types.
    cardinality : int64 array [m]
        Codes of each column.
    hidden : bool array [m]
        The columns that the pattern hides.

    Notes
    -----
    O(t (m + log t)).
    """
    word, stride, words = mixed_radix(np.where(hidden, 1, cardinality))
    seen = np.flatnonzero(~hidden)
    keys = np.stack([codes[:, seen[word[seen] == index]] @ stride[seen[word[seen] == index]] for index in range(words)])
    order = np.lexsort(keys)
    number = np.zeros(len(codes), np.int64)
    number[order[1:]] = np.cumsum((keys[:, order[1:]] != keys[:, order[:-1]]).any(axis=0))
    return number


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
    policy = policy.resolve(names)
    chosen = [qi.column for qi in policy.quasi_identifiers]
    if len(chosen) > 60:
        raise PolicyError(f"the table has {len(chosen)} quasi-identifiers, more than 60; hint: name those that identify people")
    weights = {qi.column: qi.weight for qi in policy.quasi_identifiers}
    columns: list[tuple[str, ...]] = []
    parts: list[Int32] = []
    costs: list[Fraction] = []
    secret = 0
    for linked in map(tuple, units(chosen, policy.linked)):
        ladder = (ladders or {}).get(linked[0])
        if ladder is None:
            plain = [_column_codes(row_types.field(names.index(name))) for name in linked]
            steps, levels = [Fraction(1)], [plain[0] if len(plain) == 1 else _joined_codes(np.stack(plain, axis=1))]
        else:
            steps, levels = ladder.steps, list(ladder.codes)
            secret |= sum(1 << len(columns) + level for level, shown in enumerate(ladder.shown) if not shown)
        weight_of = sum((weights[name] for name in linked), Fraction(0))
        columns += [linked] * len(levels)
        parts += levels
        costs += [weight_of * step for step in steps]
    if len(columns) > 60:
        raise PolicyError(
            f"the quasi-identifiers have {len(columns)} levels together, more than 60; hint: generalize fewer columns, or in "
            "fewer levels"
        )
    codes = np.stack(parts, axis=1)
    values = [row_types.field(names.index(name)) for name in policy.measured]
    held = np.stack([_column_codes(_by_value(each)) for each in values], axis=1) if values else codes[:, :0]
    every = np.hstack([held, codes]) if values else codes
    order = ascending(every)  # the first column counts least
    every = every[order]
    if len(every) > 1 and (every[1:] == every[:-1]).all(axis=1).any():
        raise SourceError(
            "two different row types cannot be told apart: a column's type (such as TIME WITH TIME ZONE) loses information; "
            "hint: cast it to VARCHAR"
        )
    cost, unit = _whole_costs(costs)
    weight = count[order]
    if int(weight.sum()) * int(cost.sum()) >= 1 << 63:
        raise PolicyError("the weights are too large to be added over all rows; hint: use smaller weights, or fewer digits")
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
        secret=secret,
        levels={column: ladder.names for column, ladder in (ladders or {}).items() if ladder.names},
        sensitive=sensitive,
    )
    return table, policy


def _rows(codes: Int32, weight: Int64) -> Int64:
    """Return the rows of each code."""
    rows = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    np.add.at(rows, codes, weight)
    return rows


def _distances(policy: Policy, column: str, values: pa.Array, codes: Int32) -> dict[str, Distance]:
    """Return the distances between the values of a column that its codes alone tell."""
    size = int(codes.max(initial=-1)) + 1
    found: dict[str, Distance] = {}
    for requirement in policy.requirements:
        if isinstance(requirement, TCloseness) and requirement.sensitive == column:
            if requirement.metric == "equal":
                found["equal"] = equal(size)
            elif requirement.metric == "ordered":
                if _needs_python(values.type):
                    raise PolicyError(
                        f"{requirement.describe()}: values of this type have no order; hint: take 'equal', or cast the column"
                    )
                found["ordered"] = ordered(size)
    return found


def _whole_costs(weights: Sequence[Fraction]) -> tuple[Int64, int]:
    unit = math.lcm(*(weight.denominator for weight in weights))
    whole = [weight.numerator * (unit // weight.denominator) for weight in weights]
    if sum(whole) >= 1 << 31:
        raise PolicyError("the weights are too far apart to add exactly; hint: use fewer digits")
    return np.array(whole, np.int64), unit


def ascending(codes: Int32) -> Int64:
    """Return the order of rows of codes, of which the first column counts least."""
    cardinality = codes.max(axis=0, initial=0).astype(np.int64) + 1
    word, stride, words = mixed_radix(cardinality)
    keys = [codes[:, word == index].astype(np.int64) @ stride[word == index] for index in range(words)]
    return np.lexsort(keys).astype(np.int64)


def _joined_codes(codes: Int32) -> Int32:
    """Return one code for each combination of the codes of linked columns."""
    order = ascending(codes)
    ordered = codes[order]
    joined = np.zeros(len(codes), np.int32)
    joined[order[1:]] = np.cumsum((ordered[1:] != ordered[:-1]).any(axis=1))
    return joined


def _column_codes(values: pa.Array) -> Int32:
    """Return codes of one column that follow the order of its values, NULL last."""
    import pyarrow as pa
    import pyarrow.compute as pc

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
    encoded = values.dictionary_encode(null_encoding="encode")
    rank = np.empty(len(encoded.dictionary), np.int32)
    order = np.from_dlpack(pc.sort_indices(encoded.dictionary))
    rank[order] = np.arange(len(rank), dtype=np.int32)
    codes: Int32 = rank[np.from_dlpack(encoded.indices)]
    return codes


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
