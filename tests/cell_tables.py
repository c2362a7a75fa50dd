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
from kanon_sql.table.cell_table import CellTable, Measure

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


def possible(table: CellTable, suppressed: np.ndarray, row: int, measure: int = 0) -> bool:
    """Return whether some table of whole numbers agrees with all rows that are shown, and has what a primary row requires."""
    system = table.measures[measure]
    value, base = table.values(measure), system.value
    need = int(system.required[row] - value[row])
    free = system.fixed > 0 if table.values(0)[row] != 1 else np.zeros(len(base), np.bool_)
    last = {int(own): cell for cell in range(len(base)) for own in table.ancestors[cell]}
    moved = np.zeros(table.rows, np.int64)

    def allowed(own: int) -> bool:
        if own == row and (moved[own] >= need or (system.or_none[own] and value[own] + moved[own] == 0)):
            return True
        if own == row:
            return False
        return bool(value[own] + moved[own] >= system.least[own]) if suppressed[own] else bool(moved[own] == 0)

    def go(cell: int) -> bool:
        if cell == len(base):
            return True
        for change in (0,) if free[cell] else range(-int(base[cell] - system.floor[cell]), need + 1):
            moved[table.ancestors[cell]] += change
            if all(allowed(int(own)) for own in table.ancestors[cell] if last[int(own)] == cell) and go(cell + 1):
                return True
            moved[table.ancestors[cell]] -= change
        return False

    return go(0)


def supports(table: CellTable, row: int, measure: int = 0) -> set[int]:
    """Return the rows, as bits, that must not be shown for each table that gives a primary row what it requires.

    No base cell changes by more than the row needs: more is needed in none of the small tables here.
    """
    system = table.measures[measure]
    value, base = table.values(measure), system.value
    need = int(system.required[row] - value[row])
    most = max(need, int(value[row])) if system.or_none[row] else need
    known = system.fixed > 0 if table.values(0)[row] != 1 else np.zeros(len(base), np.bool_)
    ranges = [
        (0,) if fixed else range(-min(int(own), most), most + 1) for fixed, own in zip(known, base - system.floor, strict=True)
    ]
    change = np.array(np.meshgrid(*map(np.array, ranges), indexing="ij"), np.int64).reshape(len(base), -1)
    moved = np.zeros((table.rows, change.shape[1]), np.int64)
    for cell, rows in enumerate(table.ancestors):
        moved[rows] += change[cell]
    reached = (moved[row] >= need) | (system.or_none[row] & (value[row] + moved[row] == 0))
    allowed = reached & ((moved == 0) | (value[:, None] + moved >= system.least[:, None])).all(axis=0)
    return {int(bits) for bits in np.unique((1 << np.arange(table.rows)) @ (moved[:, allowed] != 0))}


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
        left = {bits & ~always for bits in supports(table, row, measure) if not bits & shown}
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
