"""Known columns on Spark: the sets are counted in batches, a statement for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

from kanon_sql.engines.engine import KnownAnswer
from kanon_sql.engines.spark.guarantees.audited_guarantee import Ask
from kanon_sql.engines.spark.guarantees.known_columns import Audited
from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import KnownColumns

_BATCH = 56
"""Sets of a statement."""

_MOST_NEXT, _MOST_NEXT_VALUES = 1_100, 400
"""Sets of one column more that are counted for the warning, by rows and by values; Adult x 14 has 1,001 sets of 4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedSets:
    """What was counted of a table by some sets.

    Parameters
    ----------
    sets : int
        How many sets there are.
    least : int or None
        The smallest class, in rows.
    failing : int or None
        Classes that break the requirement; None where a set did not count every row.
    below, most_below : int
        The rows of these, added up over the sets, and by the worst set.
    figure : str
        What is known of the worst class.
    """

    sets: int
    least: int | None
    failing: int | None
    below: int
    most_below: int
    figure: str


def counted_sets(
    ask: Ask, requirement: KnownColumns, units: Sequence[str], sets: Sequence[Sequence[int]], written: str
) -> CountedSets:
    """Count the classes of a table with rows by some sets of columns.

    Parameters
    ----------
    ask : callable
        Runs a statement, and returns its row.
    requirement : KnownColumns
        What every class must meet.
    units : sequence of str
        What each column, or group of linked columns, is told by.
    sets : sequence of sequence of int
        Places of these.
    written : str
        The quoted name of the table or view.
    """
    guarantee = Audited(requirement)
    batches = [sets[first : first + _BATCH] for first in range(0, len(sets), _BATCH)]
    found: list[dict[str, Any]] = [ask(guarantee.check(units, batch, written)) for batch in batches]
    whole = all(row["sets"] == len(batch) and row["whole"] for row, batch in zip(found, batches, strict=True))
    least = min((row["least"] for row in found), default=None)
    worst = max(found, key=lambda row: (row["failing"] > 0, row["badness"] or 0.0))
    figure = f"the smallest has {how_many(least or 0, 'row')}" if requirement.of is None else worst["figure"]
    return CountedSets(
        sets=len(sets),
        least=least,
        failing=sum(row["failing"] for row in found) if whole else None,
        below=sum(row["below"] for row in found),
        most_below=max(row["most_below"] for row in found),
        figure=figure or "by unknown figures",
    )


def known_answer(
    ask: Ask, requirement: KnownColumns, units: Sequence[str], names: Sequence[Sequence[str]], written: str
) -> KnownAnswer:
    """Tell whether a table with rows meets a requirement by every set, and what who knows one column more gets.

    Parameters
    ----------
    ask, requirement, units, written
        As for `counted_sets`.
    names : sequence of sequence of str
        The columns of each unit.
    """
    found = counted_sets(ask, requirement, units, requirement.sets_of(names), written)
    more = 0 if requirement.columns is None else requirement.columns + 1
    most = _MOST_NEXT if requirement.of is None else _MOST_NEXT_VALUES
    following: tuple[int | None, ...] = (None, None, None)
    if more and found.failing == 0 and 0 < comb(len(units), more) <= most:
        beyond = counted_sets(ask, requirement, units, list(combinations(range(len(units)), more)), written)
        following = (beyond.sets, beyond.below, beyond.most_below)
    return KnownAnswer(failing=found.failing, worst=found.figure, figures=(found.sets, found.least, *following))
