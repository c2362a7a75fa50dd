"""The gate of protected tables: plain whole numbers that share nothing with a solver decide whether a row is shown.

A primary row is safe if there is another table of whole numbers that agrees with every row that is shown, and in which the row
is not primary; of a sum, also one in which it is as much less. The solver brings these tables as lists of changes; here they
are added up, and compared with what contributors know.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.errors import AuditError
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools, CellTable, Witnesses

_REFUSED = "kanon audit: {}; nothing was released"


def check(table: CellTable, suppressed: Bools, witnesses: Witnesses) -> None:
    """Check a suppression against the base cells.

    Parameters
    ----------
    suppressed : bool array [r]
        The rows that show nothing.
    witnesses : Witnesses
        For each primary row and measure that requires it, one that is about the row, or that raises it too.

    Raises
    ------
    AuditError
        When a primary row is shown or has no witness, a row is suppressed that has to be shown, or a witness is none. The error
        shows no count.

    Notes
    -----
    O(n g log(n g)) for n entries of witnesses and g grouping sets.
    """
    rows, counts = table.rows, [_totals(table, place) for place in range(len(table.measures))]
    primary_cells = [measure.required > counts[place] for place, measure in enumerate(table.measures)]
    if suppressed.shape != (rows,) or any((each & ~suppressed).any() for each in primary_cells):
        raise _refused("a row that must be suppressed is shown")
    if (suppressed & table.shown).any():
        raise _refused("a row that must be shown is suppressed")
    if (table.suppressed & ~suppressed).any():
        raise _refused("the table shows a row that an earlier table suppressed")
    if len(witnesses.start) != len(witnesses.row) + 1 or witnesses.start[0] != 0 or witnesses.start[-1] != len(witnesses.base):
        raise _refused("the witnesses are incomplete")
    if (np.diff(witnesses.start) < 0).any() or not len(witnesses.base) == len(witnesses.change) == len(witnesses.of):
        raise _refused("the witnesses are incomplete")
    if ((witnesses.base < 0) | (witnesses.base >= table.base_cells)).any():
        raise _refused("a witness changes a cell that does not exist")
    if not np.isin(witnesses.of, np.arange(len(table.measures))).all():
        raise _refused("a witness changes something other than a count or a sum")
    whose = np.repeat(np.arange(len(witnesses.row)), np.diff(witnesses.start))
    checked = [_check_measure(table, place, counts[place], suppressed, witnesses, whose) for place in range(len(counts))]
    reached = [own for own, _ in checked]
    more, less = np.zeros((2, len(witnesses.row)), np.bool_)
    for place, measure in enumerate(table.measures):
        mine, row = witnesses.measure == place, witnesses.row
        # a row that nobody sees may also be empty
        none = measure.or_none[row] & (reached[place] == 0)
        more |= mine & ((reached[place] >= measure.required[row]) | none)
        less |= mine & (measure.below[row] >= 0) & (reached[place] <= measure.below[row])
    if not (more | less).all():
        raise _refused("a witness differs too little from the count of its row")
    borrowed = _borrowed(table, witnesses, whose, less)
    for place, (measure, needed) in enumerate(zip(table.measures, primary_cells, strict=True)):
        mine = witnesses.measure == place
        # what contradicts nobody is a witness of each row that it raises
        whole, raised = checked[place][1]
        needed[raised[(borrowed[whole] < 0) & ~less[whole]]] = False
        if not _is_open(table, witnesses, borrowed, mine & more)[needed].all():
            raise _refused("a suppressed row has no witness")
        needed = (measure.below >= 0) & (measure.below < counts[place])
        if (needed & (np.bincount(witnesses.row[mine & less], minlength=rows) == 0)).any():
            raise _refused("a suppressed row has no witness with a smaller value")
    _check_together(table, witnesses, whose)
    if len(unproven_rests(table, witnesses)):
        raise _refused("the rest of a row has no witness")


def unproven_rests(table: CellTable, witnesses: Witnesses) -> Int64:
    """Return the rests of which no witness has enough people, or nobody.

    Notes
    -----
    O(n g log(n g)) for n entries of witnesses and g grouping sets, and O(w log w) for w witnesses of rows of rests.
    """
    rests = table.rests[~np.isin(table.rests[:, 2], np.flatnonzero(table.measures[0].required == 0))]
    if not len(rests):
        return rests
    counts = witnesses.of == 0
    whose = np.repeat(np.arange(len(witnesses.row)), np.diff(witnesses.start))[counts]
    base, change = witnesses.base[counts], witnesses.change[counts]
    people, proven = _totals(table, 0), np.zeros(len(rests), np.bool_)
    touched = table.ancestors[base].astype(np.int64)
    inside = np.isin(touched, rests[:, :2])
    key = (np.broadcast_to(whose[:, None], touched.shape) * table.rows + touched)[inside]
    pairs, inverse = np.unique(key, return_inverse=True)
    added = np.zeros(len(pairs), np.int64)
    np.add.at(added, inverse, np.broadcast_to(change[:, None], touched.shape)[inside])
    gained = dict(zip(pairs.tolist(), added.tolist(), strict=True))
    of_row: dict[int, list[int]] = {}
    for pair in pairs.tolist():
        of_row.setdefault(pair % table.rows, []).append(pair // table.rows)
    for number, (parent, part, rest) in enumerate(rests.tolist()):
        left, enough = int(people[parent] - people[part]), int(table.measures[0].required[rest])
        for witness in {*of_row.get(parent, ()), *of_row.get(part, ())}:
            changed = [gained.get(witness * table.rows + row, 0) for row in (parent, part)]
            then = left + changed[0] - changed[1]
            if then == 0 or then >= enough:
                proven[number] = True
                break
    return rests[~proven]


def _check_measure(
    table: CellTable, place: int, total: Int64, suppressed: Bools, witnesses: Witnesses, whose: Int64
) -> tuple[Int64, Int64]:
    """Check what all witnesses change in a measure; return what the row of each has then, and who raises which row enough."""
    measure, entries = table.measures[place], np.flatnonzero(witnesses.of == place)
    whose, base, change = whose[entries], witnesses.base[entries].astype(np.int64), witnesses.change[entries]
    count = len(witnesses.row)
    if _repeated(whose, base, table.base_cells):
        raise _refused("a witness changes a cell twice")
    if (np.abs(change.astype(np.float64)) >= 2.0**61).any() or _most_moved(whose, change, count) >= 2.0**61:
        raise _refused("a witness changes cells by more than the supported range")
    if (measure.value[base] + change < 0).any():
        raise _refused("a witness makes a cell negative")
    row = witnesses.row.astype(np.int64)
    # what each witness adds to each row that it touches
    sets = table.ancestors.shape[1]
    touched = table.ancestors[base].astype(np.int64).ravel()
    key = np.repeat(whose, sets) * table.rows + touched
    found, inverse = np.unique(key, return_inverse=True)
    added = np.zeros(len(found), np.int64)
    np.add.at(added, inverse, np.repeat(change, sets))
    at = found % table.rows
    if (added[~suppressed[at]] != 0).any():
        raise _refused("a witness changes a row that is shown")
    if (total[at] + added < measure.least[at])[suppressed[at]].any():
        raise _refused("a witness leaves a suppressed row without people")
    reached: Int64 = total[row]
    whose_row = found // table.rows
    itself = at == row[whose_row]
    reached[whose_row[itself]] += added[itself]
    return reached, np.stack((whose_row, at))[:, total[at] + added >= measure.required[at]]


def _borrowed(table: CellTable, witnesses: Witnesses, whose: Int64, less: Bools) -> Int64:
    """Return the cell that contributors know and that each witness raises nevertheless, -1 where there is none.

    Check that they change no other one, and what contributors know a cell to have at least. A witness of less is about
    attackers outside of its row.
    """
    found = np.full(len(witnesses.row), -1, np.int64)
    if not any(measure.known.any() or (measure.fixed == 1).any() for measure in table.measures):
        return found
    inside = (table.ancestors[witnesses.base] == witnesses.row[whose, None]).any(axis=1)
    for place, measure in enumerate(table.measures):
        checked = (witnesses.of == place) & ~(less[whose] & inside)
        base, change, of = witnesses.base[checked], witnesses.change[checked], whose[checked]
        if (measure.value[base] + change < measure.known[base]).any():
            raise _refused("a witness makes a cell smaller than contributors know")
        fixed = measure.fixed[base] == 1
        base, of = base[fixed], of[fixed]
        if ((change[fixed] < 0) | ~inside[checked][fixed]).any():
            raise _refused("a witness changes a cell that a contributor knows")
        if ((found[of] >= 0) & (found[of] != base)).any() or len(np.unique(of)) < len(of):
            raise _refused("a witness changes a cell that a contributor knows")
        found[of] = base
    return found


def _is_open(table: CellTable, witnesses: Witnesses, borrowed: Int64, chosen: Bools) -> Bools:
    """Return which rows have witnesses that are open to all coalitions except those of the whole row."""
    row, cell = np.unique(np.stack((witnesses.row[chosen], borrowed[chosen])), axis=1)
    people = np.zeros(table.rows, np.int64)
    np.add.at(people, row, np.where(cell < 0, table.coalition + 1, table.measures[0].value[cell]))
    given = np.bincount(row, minlength=table.rows) > 0
    return given & (people >= np.minimum(_totals(table, 0), table.coalition + 1))


def _check_together(table: CellTable, witnesses: Witnesses, whose: Int64) -> None:
    """Check that no witness has a sum where it has nobody."""
    if len(table.measures) == 1:
        return
    key, inverse = np.unique(whose * table.base_cells + witnesses.base, return_inverse=True)
    base = key % table.base_cells
    after = []
    for place, measure in enumerate(table.measures):
        mine = witnesses.of == place
        value = measure.value[base]
        np.add.at(value, inverse[mine], witnesses.change[mine])
        after.append(value)
    people, *sums = after
    if any(((people == 0) & (each != 0)).any() for each in sums):
        raise _refused("a witness has a sum without people")


def _most_moved(whose: Int64, change: Int64, witnesses: int) -> float:
    """Return how much one witness moves at most."""
    return float(np.bincount(whose, np.abs(change.astype(np.float64)), witnesses).max(initial=0.0))


def _totals(table: CellTable, place: int) -> Int64:
    """Return the value of each row, added up here again."""
    found = np.zeros(table.rows, np.int64)
    for column in table.ancestors.T:
        np.add.at(found, column, table.measures[place].value)
    return found


def _repeated(whose: Int64, base: Int64, cells: int) -> bool:
    key = np.sort(whose * cells + base)
    return bool((key[1:] == key[:-1]).any())


def _refused(what: str) -> AuditError:
    return AuditError(_REFUSED.format(what))
