"""The ladder of every generalized column of a policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql.errors import InfeasibleError, PolicyError, raise_alone
from kanon_sql.generalize.digits import digit_levels
from kanon_sql.generalize.groups import grouped, rectangles
from kanon_sql.generalize.intervals import interval_levels
from kanon_sql.generalize.levels import hierarchy_levels
from kanon_sql.generalize.summaries import summary_ladder
from kanon_sql.model.coding import Coded, Cuts
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import VALUE, Digits, Intervals, Levels, Ranges, Rectangles, Summary, coded_ends, shows_values
from kanon_sql.solvers.budget import Budget
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.ladder import Label, Ladder
from kanon_sql.table.sensitive_values import Columns, refuse_far_moments

if TYPE_CHECKING:
    import pyarrow as pa


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


def ladders(
    policy: Policy, texts: Mapping[str, pa.Array], count: Int64, tables: Mapping[str, Columns], budget: Budget
) -> dict[str, Ladder]:
    """Return the ladder of each generalized column, in the order of the row types.

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
    budget : Budget
        Time for the groups that are searched for.

    Raises
    ------
    PolicyError, InfeasibleError
        When a column cannot be generalized so; the message names the column.
    """
    found: dict[str, Ladder] = {}
    for qi in policy.quasi_identifiers:
        if qi.recoding is not None and not isinstance(qi.recoding, Rectangles):
            with _about(qi.column):
                column = Column.of(texts[qi.column])
                found[qi.column] = _ladder(policy, qi, column, column.rows(count), tables, budget)
    for pair in policy.rectangles:
        with _about(" and ".join(pair)):
            found |= _rectangles(policy, pair, texts, count, budget)
    return found


@contextmanager
def _about(column: str) -> Iterator[None]:
    """Let an error say which column it is about."""
    try:
        yield
    except (PolicyError, InfeasibleError) as error:
        raise_alone(type(error)(f'the column "{column}": {error}'))


def _ladder(
    policy: Policy, qi: QuasiIdentifier, column: Column, rows: Int64, tables: Mapping[str, Columns], budget: Budget
) -> Ladder:
    if isinstance(qi.recoding, Ranges):
        refuse_far_moments(column.texts)
    if isinstance(qi.recoding, Summary):
        return summary_ladder(column.texts, column.value, rows)
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
            labels, grouping = grouped(recoding, column.texts, rows, policy.fewest_rows, tables, budget)  # type: ignore[arg-type]
            levels, exact = {1: labels}, False
    names = tuple(levels) if qi.column in policy.levelled else None
    every = bool(policy.populations)
    ladder = Ladder.of(
        column.value, column.texts, rows, list(levels.values()), exact=exact, loss=loss, names=names, every=every
    )
    return replace(ladder, grouping=grouping)


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
