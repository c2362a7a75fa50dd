"""The system of equations that published tables make of their base cells, for a solver and for the gate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kanon_sql.engines.cells.base_cells import LARGEST, BaseCells, row_numbers
from kanon_sql.engines.cells.differences import parts_of_differences
from kanon_sql.engines.cells.exchanges import exchanged
from kanon_sql.engines.cells.named_rows import rows_named
from kanon_sql.engines.cells.published_set import PublishedSet
from kanon_sql.engines.cells.sensitive_sums import TOO_LONG, largest_contributions, possible_sums, rules_about
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import Bools, CellTable, Measure

_MILLION = 1_000_000


def published_system(
    cells: BaseCells,
    tabulation: Tabulation,
    sets: Sequence[PublishedSet],
    derived: Sequence[tuple[int, ...]],
    related: Sequence[set[int]],
    requested: Sequence[tuple[Tabulation, Protection]],
    strict: Sequence[tuple[int, tuple[int, ...]]] = (),
) -> tuple[CellTable, dict[tuple[int, ...], int]]:
    """Return the published system of tables, and the place of each grouping set in it.

    Parameters
    ----------
    cells : BaseCells
        At least one.
    tabulation : Tabulation
        The keys and sums of the base cells.
    sets : sequence of PublishedSet
        The rows of all tables.
    derived : sequence of tuple of int
        The keys of the groups that their rows name together, see `derived_sets`.
    related : sequence of set of int
        For each key those that say something about it, see `related_keys`.
    requested : sequence of (Tabulation, Protection)
        The requirement of each table: for a row that several have, the strictest counts. The cost follows the first.
    strict : sequence of (int, tuple of int)
        Groups, by a base cell and their keys, of which a table with more people is needed.

    Raises
    ------
    PolicyError
        When a row has to be shown that has too few people, or that no table has.
    SourceError
        When a sum has too many digits.

    Notes
    -----
    O(b log b) for each grouping set.
    """
    published = list(dict.fromkeys(each.keys for each in sets))
    chosen = [*published, *derived]
    ancestors, rows = row_numbers(cells.keys, chosen)
    levels = np.array([[key not in each for key in range(cells.keys.shape[1])] for each in chosen], np.int16)
    places = {keys: place for place, keys in enumerate(chosen)}
    unseen = _unseen(cells, ancestors, rows, sets, places)
    people = _added(ancestors, cells.people, rows)
    protection = requested[0][1]
    k = max(each.k for _, each in requested)
    few = (people > 0) & (people < k)
    named, hidden = rows_named(cells.keys, ancestors, places, tabulation, requested)
    if (named & few).any():
        raise PolicyError("SHOW lists a row with too few people; hint: remove it from SHOW")
    most, fewest = np.zeros(rows, np.int64), people.copy()
    for each in [] if any(each.contributors for _, each in requested) else derived:
        most[ancestors[:, places[each]]], fewest[ancestors[:, places[each]]] = exchanged(
            cells.keys, cells.people, each, sets, related
        )
    more, none = most >= k, fewest == 0
    needed, alone, rests = parts_of_differences(ancestors, levels, people, unseen, (most, fewest), k)
    needed[[ancestors[cell, places[keys]] for cell, keys in strict]] = True
    or_none = few & unseen & ~needed
    few &= ~(unseen & (more | (none & or_none & ~alone)))
    totals = [each for each in sets if set(each.keys) <= set(each.conditions)]
    stays = _rows_of(ancestors, rows, [places[each.keys] for each in sets if each.stays])
    stays |= any(each.rows == "null" for _, each in requested)
    table = CellTable(
        ancestors=ancestors,
        levels=levels,
        measures=tuple(_measures(cells, tabulation, requested, ancestors, few, or_none & few, unseen, hidden, stays)),
        cost=_shares(ancestors, cells.sums[:, tabulation.sums.index(priced)], rows)
        if (priced := protection.cost_sum(requested[0][0])) is not None
        else _costs(ancestors, levels, people, unseen, [places[each.keys] for each in totals], protection.cost),
        shown=(_rows_of(ancestors, rows, [places[each] for each in shown_sets(chosen, tabulation, requested)]) & ~unseen)
        | named,
        suppressed=unseen.copy(),
        unseen=unseen,
        coalition=max(each.contributors for _, each in requested),
        rests=rests,
    )
    kept = [place for place, keys in enumerate(chosen) if place < len(published) or few[ancestors[:, place]].any()]
    return _some(table, kept), {chosen[place]: number for number, place in enumerate(kept)}


def _some(table: CellTable, sets: Sequence[int]) -> CellTable:
    """Return a table without the groups of other sets, of which nothing is required."""
    kept = np.zeros(table.rows, np.bool_)
    kept[table.ancestors[:, sets]] = True
    number = (np.cumsum(kept) - 1).astype(np.int32)
    measures = (
        replace(
            each,
            least=each.least[kept],
            required=each.required[kept],
            below=each.below[kept],
            or_none=each.or_none[kept],
        )
        for each in table.measures
    )
    return replace(
        table,
        ancestors=number[table.ancestors[:, sets]],
        levels=table.levels[list(sets)],
        measures=tuple(measures),
        cost=table.cost[kept],
        shown=table.shown[kept],
        suppressed=table.suppressed[kept],
        unseen=table.unseen[kept],
        rests=number[table.rests[kept[table.rests].all(axis=1)]].astype(np.int64),
    )


def _shares(ancestors: Int32, values: Int64, rows: int) -> Int64:
    """Return 1 and the share of each row in a sum, in millionths of it."""
    unit = max(1, -(-int(values.sum()) // _MILLION))
    return 1 + _added(ancestors, values, rows) // unit


def _costs(
    ancestors: Int32, levels: NDArray[np.int16], people: Int64, unseen: Bools, totals: Sequence[int], cost: str
) -> Int64:
    """Return what it costs to suppress each row; a grand total costs as much as all rows, so it goes last."""
    if cost == "n":
        return people.copy()
    found = np.ones(len(people), np.int64)
    if cost == "parts":
        for above, finer in ((above, finer) for above in range(len(levels)) for finer in range(len(levels)) if above != finer):
            if (levels[finer] <= levels[above]).all():
                rows, first = np.unique(ancestors[:, finer], return_index=True)
                np.add.at(found, ancestors[first[~unseen[rows]], above], 1)
    for place in totals:
        found[ancestors[:, place]] = np.maximum(found[ancestors[:, place]], int((~unseen).sum()))
    return found


def _unseen(
    cells: BaseCells, ancestors: Int32, rows: int, sets: Sequence[PublishedSet], places: dict[tuple[int, ...], int]
) -> Bools:
    """Return which rows are in no table: groups that follow from others, and those that a condition leaves out."""
    unseen = np.ones(rows, np.bool_)
    for each in sets:
        meets = (cells.keys[:, list(each.conditions)] == 1).all(axis=1)
        unseen[ancestors[meets, places[each.keys]]] = False
    return unseen


def _measures(
    cells: BaseCells,
    tabulation: Tabulation,
    requested: Sequence[tuple[Tabulation, Protection]],
    ancestors: Int32,
    few: Bools,
    or_none: Bools,
    unseen: Bools,
    hidden: Bools,
    stays: Bools,
) -> list[Measure]:
    """Return the counts and the sums.

    ``few`` says which rows need a table with more people, HIDE names ``hidden``, and in rows that ``stays`` a reader sees that
    something is suppressed.
    """
    rows, coalition = len(few), max(each.contributors for _, each in requested)
    alone = ((cells.people > 0) & (cells.people <= coalition)).astype(np.uint8)
    k = max(each.k for _, each in requested)
    nobody = np.where(cells.people > 0, alone, 2).astype(np.uint8)
    none, nothing = np.zeros(len(cells.people), np.int64), np.zeros(rows, np.int64)
    # rows that nobody has are suppressed as cover for others, so somebody has to be possible there
    people = _added(ancestors, cells.people, rows)
    empty = ~unseen & (people == 0)
    # a cell with a sum has somebody, so a table in which it is empty would not agree with its sum
    floor = np.asarray((cells.sums > 0).any(axis=1), np.int64) if tabulation.sums else none
    least = (~unseen & ~empty & stays).astype(np.int64)
    counts = Measure(
        value=cells.people,
        floor=floor,
        least=least,
        required=np.where(hidden, people + k, np.where(few, k, empty)),
        below=nothing - 1,
        # contributors know that their group is not empty
        or_none=or_none & (coalition == 0),
        known=np.minimum(cells.people, coalition),
        fixed=alone,
    )
    found = [counts]
    for place, text in enumerate(tabulation.sums):
        if sum(map(int, cells.sums[:, place].tolist())) >= LARGEST:
            raise SourceError(TOO_LONG)
        rules, pooled = rules_about(text, requested)
        largest = largest_contributions(ancestors, cells.largest[place], rows)
        # of a group that nobody sees, a table with more people or none and the same sum is a witness of both
        required, below = possible_sums(rules, largest, _added(ancestors, cells.sums[:, place], rows), (few | hidden) & ~unseen)
        found.append(
            Measure(
                value=cells.sums[:, place].copy(),
                floor=none,
                least=nothing,
                required=np.where(unseen, 0, required),
                below=np.where(unseen, -1, below),
                or_none=np.zeros(rows, np.bool_),
                known=cells.largest[place][:, :pooled].sum(axis=1),
                fixed=nobody,
            )
        )
    return found


def shown_sets(
    sets: Iterable[tuple[int, ...]], tabulation: Tabulation, requested: Sequence[tuple[Tabulation, Protection]]
) -> set[tuple[int, ...]]:
    """Return which grouping sets have to be shown: those that SHOW names."""
    named = []
    for shape, names in ((shape, names) for shape, each in requested for names in each.show):
        keys = [shape.named(name, "key") for name in names]
        texts = {shape.keys[each.places[0]] for each in keys if each is not None}
        named.append(texts | {text for text in shape.conditions if text in tabulation.keys})
    return {each for each in sets if {tabulation.keys[key] for key in each} in named}


def _rows_of(ancestors: Int32, rows: int, places: Sequence[int]) -> Bools:
    """Return which rows some grouping sets have."""
    found = np.zeros(rows, np.bool_)
    found[ancestors[:, places]] = True
    return found


def _added(ancestors: Int32, values: Int64, rows: int) -> Int64:
    found = np.zeros(rows, np.int64)
    for column in ancestors.T:
        np.add.at(found, column, values)
    return found
