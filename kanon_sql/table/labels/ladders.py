"""The ladders of columns, given the groups that are chosen for some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql.errors import InfeasibleError, PolicyError, raise_alone
from kanon_sql.model.coding import Coded, Cuts
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import (
    VALUE,
    Bins,
    Digits,
    Intervals,
    Levels,
    Ranges,
    Rectangles,
    Regions,
    Summary,
    coded_ends,
    shows_values,
)
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.labels.digits import digit_levels
from kanon_sql.table.labels.intervals import interval_levels
from kanon_sql.table.labels.levels import hierarchy_levels
from kanon_sql.table.ladder import Label, Ladder
from kanon_sql.table.numbers import in_order
from kanon_sql.table.sensitive_values import Columns, refuse_far_moments

if TYPE_CHECKING:
    import pyarrow as pa

Groups = Callable[[Bins | Intervals | Regions, Sequence[Label], Int64], tuple[list[Label], str]]
"""From values and the rows of each to the label of the group of each value, and how the groups were chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column as texts: ``texts`` [v] its values in order, NULL last; ``value`` [t] which one each row type has."""

    texts: list[Label]
    value: Int32

    @classmethod
    def of(cls, array: pa.Array) -> Column:
        """Read a column of texts."""
        encoded = array.dictionary_encode(null_encoding="encode")
        texts = encoded.dictionary.to_pylist()
        order = sorted(range(len(texts)), key=lambda place: (texts[place] is None, texts[place] or ""))
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return cls(texts=[texts[place] for place in order], value=rank[np.from_dlpack(encoded.indices)])

    def rows(self, count: Int64) -> Int64:
        """Return the rows of each value, given those of each row type."""
        found = np.zeros(len(self.texts), np.int64)
        np.add.at(found, self.value, count)
        return found


def column_ladders(
    policy: Policy, texts: Mapping[str, pa.Array], count: Int64, tables: Mapping[str, Columns], groups: Groups
) -> dict[str, Ladder]:
    """Return the ladder of each generalized column but those of rectangles, in the order of the row types.

    Parameters
    ----------
    policy : Policy
        Resolved.
    texts : mapping of StringArray [t]
        For each column of `Policy.generalized` the text of its value in each row type.
    count : int64 array [t]
        Rows of each row type.
    tables : mapping
        The tables of `Policy.tables`.
    groups : Groups
        Chooses groups, or knows those that were chosen.

    Raises
    ------
    PolicyError, InfeasibleError
        When a column cannot be generalized so; the message names the column.
    """
    found: dict[str, Ladder] = {}
    for qi in policy.quasi_identifiers:
        if qi.recoding is not None and not isinstance(qi.recoding, Rectangles):
            with about(qi.column):
                column = Column.of(texts[qi.column])
                found[qi.column] = _ladder(policy, qi, column, column.rows(count), tables, groups)
    return found


@contextmanager
def about(column: str) -> Iterator[None]:
    """Let an error say which column it is about."""
    try:
        yield
    except (PolicyError, InfeasibleError) as error:
        raise_alone(error.within(f'the column "{column}"'))


def _ladder(
    policy: Policy, qi: QuasiIdentifier, column: Column, rows: Int64, tables: Mapping[str, Columns], groups: Groups
) -> Ladder:
    if isinstance(qi.recoding, Ranges):
        refuse_far_moments(column.texts)
    if isinstance(qi.recoding, Summary):
        return _values_alone(column, rows)
    exact, loss, grouping = True, tuple[Fraction, ...](), ""
    levels: Mapping[Any, Sequence[Label]]
    match qi.recoding:
        case Digits(shown=shown, loss=loss):
            every = qi.column in policy.levelled or bool(policy.populations)
            levels, exact, loss = digit_levels(column.texts, shown, loss, every=every)
        case Levels(table=table, levels=chosen, loss=loss):
            levels, exact = hierarchy_levels(column.texts, tables[table], chosen), not chosen or VALUE in chosen
        case Intervals(steps=(_, *_), loss=loss) | Cuts(loss=loss) | Coded(loss=loss) as recoding:
            levels = interval_levels(column.texts, recoding)
            exact = coded_ends(recoding) == (None, None) and shows_values(recoding)
        case recoding:
            labels, grouping = groups(recoding, column.texts, rows)  # type: ignore[arg-type]
            levels, exact = {1: labels}, False
    names = tuple(levels) if qi.column in policy.levelled else None
    every = bool(policy.populations)
    ladder = Ladder.of(
        column.value, column.texts, rows, list(levels.values()), exact=exact, loss=loss, names=names, every=every
    )
    return replace(ladder, grouping=grouping)


def _values_alone(column: Column, rows: Int64) -> Ladder:
    """Return the ladder of values alone, coded in their order, NULL last: numbers, else moments, else texts."""
    texts = column.texts
    known = [text for text in texts if text is not None]
    keys = in_order(known)
    order = [*sorted(range(len(known)), key=keys.__getitem__), *range(len(known), len(texts))]
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return Ladder.of(rank[column.value], [texts[place] for place in order], rows[order], [], exact=True)
