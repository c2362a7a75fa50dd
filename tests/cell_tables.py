"""Small tables of counts, and an attacker who tries every table of whole numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from kanon_sql.engines.cells.base_cells import BaseCells
from kanon_sql.engines.cells.derived_sets import derived_sets
from kanon_sql.engines.cells.published_set import PublishedSet
from kanon_sql.engines.cells.published_system import published_system
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.table.cell_table import Bools, CellTable, Measure

Sets = Sequence[tuple[int, ...]]


def cell_table(
    cells: dict[tuple[int, ...], int],
    k: int,
    sets: Sets,
    *,
    least: int = 1,
    groups: Sequence[dict[int, int]] = (),
    insiders: bool = False,
) -> CellTable:
    """Return the table of counts of base cells; level 1 of a dimension is its group where it has groups, else the total."""
    keys, value = sorted(cells), np.array([cells[key] for key in sorted(cells)], np.int64)

    def unit(dimension: int, level: int, code: int) -> int:
        if dimension < len(groups) and groups[dimension]:
            return (code, groups[dimension][code], 0)[level]
        return (code, 0)[level]

    columns, rows = [], 0
    for levels in sets:
        numbers: dict[tuple[int, ...], int] = {}
        own = [numbers.setdefault(tuple(map(unit, range(len(key)), levels, key)), len(numbers)) + rows for key in keys]
        columns.append(own)
        rows += len(numbers)
    ancestors = np.array(columns, np.int32).T.copy()
    total = np.zeros(rows, np.int64)
    np.add.at(total, ancestors, value[:, None])
    required = np.where((total > 0) & (total < k), k, 0)
    coalition = int(insiders)
    return CellTable(
        ancestors=ancestors,
        levels=np.array(sets, np.int16),
        measures=(
            Measure(
                value=value,
                floor=np.zeros_like(value),
                least=np.full(rows, least),
                required=required,
                below=np.full(rows, -1),
                or_none=np.zeros(rows, np.bool_),
                known=np.minimum(value, coalition),
                fixed=((value > 0) & (value <= coalition)).astype(np.uint8),
            ),
        ),
        cost=np.ones(rows, np.int64),
        shown=np.zeros(rows, np.bool_),
        suppressed=np.zeros(rows, np.bool_),
        unseen=np.zeros(rows, np.bool_),
        coalition=coalition,
    )


def random_tables(seed: int) -> Iterable[CellTable]:
    """Return a two-way, a three-way, a hierarchical, a rollup, a linked table, and one without its finest cells."""
    rng = np.random.default_rng(seed)
    k, least = int(rng.integers(2, 5)), int(rng.integers(0, 2))

    def cells(*sizes: int) -> dict[tuple[int, ...], int]:
        found = {key: int(rng.choice([0, 1, 1, 2, 3, 5, 8])) for key in itertools.product(*map(range, sizes))}
        return {key: value for key, value in found.items() if value} or {(0,) * len(sizes): 1}

    two, three = [*itertools.product((0, 1), repeat=2)], [*itertools.product((0, 1), repeat=3)]
    yield cell_table(cells(3, 3), k, two, least=least)
    yield cell_table(cells(2, 2, 2), k, three, least=least)
    yield cell_table(cells(4, 2), k, [*itertools.product((0, 1, 2), (0, 1))], least=least, groups=[{0: 0, 1: 0, 2: 1, 3: 1}])
    yield cell_table(cells(3, 3), k, [(0, 0), (0, 1), (1, 1)], least=least)
    yield cell_table(cells(2, 2, 2), k, [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)], least=least)
    yield cell_table(cells(3, 3), k, [(0, 1), (1, 0), (1, 1)], least=least)


Known = tuple[np.ndarray, np.ndarray]
"""The least and the greatest change of each base cell that agree with what some contributors know."""


def coalitions(table: CellTable, row: int) -> Iterable[Known]:
    """Return what each coalition knows that is not all of a row: one that has all people of a cell knows the cell."""
    count, most = table.measures[0].value, table.coalition
    inside = (table.ancestors == row).any(axis=1)
    for taken in itertools.product(*(range(min(int(own), most) + 1) for own in count)):
        if sum(taken) == min(most, int(count.sum())) and (not most or sum(np.array(taken)[inside]) < table.values(0)[row]):
            taken_ = np.array(taken)
            whole = (taken_ == count) & (count > 0)
            yield np.where(whole, 0, taken_ - count if most else -(1 << 40)), np.where(whole, 0, 1 << 40)


def together(table: CellTable, row: int) -> Iterable[Known]:
    """Return what all coalitions know at once, with each of the cells of a row that are borrowed: see `CellTable.coalition`."""
    count, most = table.measures[0].value, table.coalition
    own = np.flatnonzero((table.ancestors == row).any(axis=1))
    own = own[np.argsort(-count[own], kind="stable")]
    alone = (count > 0) & (count <= most)
    rests = np.maximum(np.minimum(most + 1, table.values(0)[row]) - np.cumsum(count[own]) + count[own], 0)
    borrowed = [int(cell) for cell, rest in zip(own, rests, strict=True) if rest] if count[own[0]] <= most else []
    for cell in borrowed or [-1]:
        least, greatest = np.minimum(count, most) - count if most else -(1 << 40) + 0 * count, np.where(alone, 0, 1 << 40)
        if cell >= 0:
            greatest[cell] = 1 << 40
        yield least, greatest


def possible(table: CellTable, suppressed: np.ndarray, row: int, measure: int = 0) -> bool:
    """Return whether some table of whole numbers agrees with all rows that are shown, and has what a primary row requires.

    There has to be one for what each coalition of contributors knows.
    """
    return all(_possible(table, suppressed, row, measure, known) for known in coalitions(table, row))


def _possible(table: CellTable, suppressed: np.ndarray, row: int, measure: int, known: Known) -> bool:
    system = table.measures[measure]
    value, base = table.values(measure), system.value
    need = int(system.required[row] - value[row])
    last = {int(own): cell for cell in range(len(base)) for own in table.ancestors[cell]}
    moved = np.zeros(table.rows, np.int64)
    least, greatest = np.maximum(system.floor - base, known[0]), np.minimum(need, known[1])

    def allowed(own: int) -> bool:
        if own == row and (moved[own] >= need or (system.or_none[own] and value[own] + moved[own] == 0)):
            return True
        if own == row:
            return False
        return bool(value[own] + moved[own] >= system.least[own]) if suppressed[own] else bool(moved[own] == 0)

    def go(cell: int) -> bool:
        if cell == len(base):
            return True
        for change in range(int(least[cell]), int(greatest[cell]) + 1):
            moved[table.ancestors[cell]] += change
            if all(allowed(int(own)) for own in table.ancestors[cell] if last[int(own)] == cell) and go(cell + 1):
                return True
            moved[table.ancestors[cell]] -= change
        return False

    return go(0)


def supports(table: CellTable, row: int, measure: int = 0) -> Iterable[set[int]]:
    """Return for each witness of a primary row the rows, as bits, that must not be shown for each table that is one.

    No base cell changes by more than the row needs: more is needed in none of the small tables here.
    """
    system = table.measures[measure]
    value, base = table.values(measure), system.value
    need = int(system.required[row] - value[row])
    most = max(need, int(value[row])) if system.or_none[row] else need
    found = []
    for least, greatest in together(table, row):
        low, high = np.maximum(least, -np.minimum(base - system.floor, most)), np.minimum(greatest, most)
        ranges = [range(int(one), int(other) + 1) for one, other in zip(low, high, strict=True)]
        change = np.array(np.meshgrid(*map(np.array, ranges), indexing="ij"), np.int64).reshape(len(base), -1)
        moved = np.zeros((table.rows, change.shape[1]), np.int64)
        for cell, rows in enumerate(table.ancestors):
            moved[rows] += change[cell]
        reached = (moved[row] >= need) | (system.or_none[row] & (value[row] + moved[row] == 0))
        allowed = reached & ((moved == 0) | (value[:, None] + moved >= system.least[:, None])).all(axis=0)
        found.append({int(bits) for bits in np.unique((1 << np.arange(table.rows)) @ (moved[:, allowed] != 0))})
    return found


def cheapest(table: CellTable) -> int:
    """Return the cost of the cheapest suppression, from all of them."""
    free = table.primary | table.suppressed
    shown = sum(1 << int(row) for row in np.flatnonzero(table.shown))
    always = sum(1 << int(row) for row in np.flatnonzero(free))
    primary = [
        (int(row), m) for m, each in enumerate(table.measures) for row in np.flatnonzero(each.required > table.values(m))
    ]
    wanted = []
    for row, measure in primary:
        for support in supports(table, row, measure):
            left = {bits & ~always for bits in support if not bits & shown}
            wanted.append([bits for bits in left if not any(less != bits and less & ~bits == 0 for less in left)])
    best, seen = int(table.cost.sum()) + 1, set[int]()

    def paid(suppressed: int) -> int:
        return sum(int(each) for row, each in enumerate(table.cost) if suppressed >> row & 1)

    def go(suppressed: int) -> None:
        nonlocal best
        if suppressed in seen or paid(suppressed) >= best:
            return
        seen.add(suppressed)
        open_ = [each for each in wanted if all(bits & ~suppressed for bits in each)]
        if not open_:
            best = paid(suppressed)
        for bits in min(open_, key=len, default=[]):
            go(suppressed | bits)

    go(0)
    return best


def cost_of(table: CellTable, suppressed: Bools) -> int:
    """Return the cost of the secondary rows."""
    return int(table.cost[suppressed & ~table.primary & ~table.suppressed].sum())


def overlapping_tables(seed: int) -> Iterable[CellTable]:
    """Return tiny tables whose grouping sets overlap, with conditions, so that nobody sees some of the groups they name."""
    rng = np.random.default_rng(seed)
    shapes: list[list[PublishedSet]] = [
        [PublishedSet(keys=(0,)), PublishedSet(keys=(1,)), PublishedSet(keys=())],
        [PublishedSet(keys=(0,)), PublishedSet(keys=(0, 1), conditions=(1,))],
        [PublishedSet(keys=()), PublishedSet(keys=(1,), conditions=(1,)), PublishedSet(keys=(2,), conditions=(2,))],
        [PublishedSet(keys=(0,)), PublishedSet(keys=(1, 2), conditions=(2,))],
    ]
    for sets in shapes:
        keys = np.array([*itertools.product((0, 1, 2), (0, 1), (0, 1))], np.int64)
        keys = keys[:, [0, 1, 2]]
        chosen = np.sort(rng.choice(len(keys), 5, replace=False))
        people = rng.choice([1, 1, 2, 3, 4], 5).astype(np.int64)
        none = np.zeros((5, 0), np.int64)
        cells = BaseCells(keys=keys[chosen], people=people, sums=none, contributors=none, largest=[])
        names = ("a", "b", "c")
        shape = Tabulation(keys=names, sums=(), sets=((0,),), items=(), source="", reads=())
        derived = derived_sets(cells.keys, [each.keys for each in sets])
        yield published_system(cells, shape, sets, derived, [set()] * 3, [(shape, Protection(k=int(rng.integers(2, 5))))])[0]


def tiny_tables(seed: int) -> Iterable[CellTable]:
    """Return tables of all shapes that are small enough for every suppression to be tried."""
    rng = np.random.default_rng(seed)
    least = int(rng.integers(0, 2))

    def cells(*sizes: int) -> dict[tuple[int, ...], int]:
        found = {key: int(rng.choice([0, 1, 2, 3, 4, 5])) for key in itertools.product(*map(range, sizes))}
        return {key: value for key, value in found.items() if value} or {(0,) * len(sizes): 1}

    two, three = [*itertools.product((0, 1), repeat=2)], [*itertools.product((0, 1), repeat=3)]
    yield cell_table(cells(2, 3), 3, two, least=least)
    yield cell_table(cells(2, 2, 2), 2, three, least=least)
    yield cell_table(cells(4, 2), 2, [*itertools.product((0, 1, 2), (0, 1))], least=least, groups=[{0: 0, 1: 0, 2: 1, 3: 1}])
    yield cell_table(cells(3, 2), 4, [(0, 0), (0, 1), (1, 1)], least=least)
    yield cell_table(cells(2, 2, 2), 2, [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)], least=least)
    yield cell_table(cells(2, 3), 4, [(0, 1), (1, 0), (1, 1)], least=least)
