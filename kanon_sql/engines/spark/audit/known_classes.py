"""Known columns on Spark: the sets are counted in batches, a statement for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

from kanon_sql.engines.engine import KnownAnswer
from kanon_sql.engines.spark.guarantees import Ask, check_known
from kanon_sql.errors import SourceError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import KnownColumns, People

_BATCH = 56
"""Sets of a statement."""

_MOST_NEXT, _MOST_NEXT_VALUES = 1_100, 400
"""Sets of one column more that are counted for the warning, by rows and by values; Adult x 14 has 1,001 sets of 4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedSets:
    """What was counted of a table by some sets."""

    sets: int  # how many sets there are
    least: int | None  # the smallest class, in rows
    failing: int | None  # classes that break the requirement; None where a set did not count every row
    below: int  # the rows of these, added up over the sets
    most_below: int  # the rows of these by the worst set
    figure: str  # what is known of the worst class
    worst: tuple[int, ...]  # the set with the smallest class; none where values count
    people: int | None  # the fewest people of a class; None if people are not counted


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
        What defines the values of each column, or group of linked columns.
    sets : sequence of sequence of int
        Places of these.
    written : str
        The quoted name of the table or view.
    """
    batches = [sets[first : first + _BATCH] for first in range(0, len(sets), _BATCH)]
    found: list[dict[str, Any]] = [ask(check_known(requirement, units, batch, written)) for batch in batches]
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
        worst=_worst(found, batches) if requirement.of is None else (),
        people=round(-max(row["worst"] for row in found)) if isinstance(requirement.of, People) else None,
    )


def _worst(found: list[dict[str, Any]], batches: list[Sequence[Sequence[int]]]) -> tuple[int, ...]:
    """Return the set with the smallest class; of several that with most rows below k, then with the first columns."""
    reported = []
    for row, batch in zip(found, batches, strict=True):
        places = sorted({place for each in batch for place in each})
        chosen = [place for place, bit in zip(reversed(places), row["worst"]["bits"], strict=True) if bit == "1"]
        reported.append((row["worst"]["least"], row["worst"]["below"], chosen))
    return tuple(sorted(min(reported)[2]))


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
    beyond = _beyond(ask, requirement, units, written) if found.failing == 0 else None
    following = (None, None, None) if beyond is None else (beyond.sets, beyond.below, beyond.most_below)
    return KnownAnswer(failing=found.failing, worst=found.figure, figures=(found.sets, found.least, found.people, *following))


def _beyond(ask: Ask, requirement: KnownColumns, units: Sequence[str], written: str) -> CountedSets | None:
    """Count the classes by sets of one column more; None if there are none, or too many."""
    more = 0 if requirement.columns is None else requirement.columns + 1
    most = _MOST_NEXT if requirement.of is None else _MOST_NEXT_VALUES
    if not more or not 0 < comb(len(units), more) <= most:
        return None
    return counted_sets(ask, requirement, units, list(combinations(range(len(units)), more)), written)


def audited_known(
    ask: Ask, requirements: Sequence[KnownColumns], names: Sequence[str], units: Sequence[str], written: str
) -> tuple[dict[str, Any], list[str]]:
    """Return the figures of `Audit` by known columns, and what does not hold.

    Parameters
    ----------
    ask, units, written
        As for `counted_sets`; the table has rows.
    requirements : sequence of KnownColumns
        First k rows, then the requirements of values, all for as many columns.
    names : sequence of str
        The quasi-identifiers.

    Raises
    ------
    SourceError
        When some set did not count every row.
    """
    rows = requirements[0]
    found = [counted_sets(ask, each, units, each.sets_of([[name] for name in names]), written) for each in requirements]
    beyond = _beyond(ask, rows, units, written)
    if any(counted.failing is None for counted in found):
        raise SourceError("the table returned different rows when it was read again; hint: store it as a table first")
    figures = {
        "k_known": found[0].least,
        "known_sets": found[0].sets,
        "known_worst_set": tuple(names[place] for place in found[0].worst),
        "known_rows_below": found[0].most_below,
        "known_rows_below_next": None if beyond is None else beyond.most_below,
    }
    reported = zip(requirements[1:], found[1:], strict=True)
    return figures, [
        f"{each.describe()} does not hold: by some set {counted.figure}" for each, counted in reported if counted.failing
    ]
