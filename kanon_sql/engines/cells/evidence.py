"""What a stranger needs for checking a table, or several that were solved together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_sql.certificate.table_file import Move, TableEvidence, Witness
from kanon_sql.engines.cells.base_cells import BaseCells
from kanon_sql.engines.cells.earlier_tables import JointSystem
from kanon_sql.table.cell_table import Suppression, Witnesses


def evidence_of(system: JointSystem, found: Suppression) -> TableEvidence:
    """Return the evidence of a suppression; rows that nobody sees have no place in its pattern."""
    table = system.table
    pattern = found.suppressed & ~table.unseen
    return TableEvidence(
        primaries=tuple(np.flatnonzero(pattern & table.primary).tolist()),
        secondaries=tuple(np.flatnonzero(pattern & ~table.primary).tolist()),
        witnesses=tuple(_listed(found.witnesses)),
        cuts=found.cuts,
        scale=found.scale,
        joined_sets=tuple(system.joined_sets),
        empty_cells=tuple(_empty_cells(system.cells)),
    )


def _listed(witnesses: Witnesses) -> Iterator[Witness]:
    """Yield each witness, its moves in the order of the file."""
    whose = np.repeat(np.arange(len(witnesses.row)), np.diff(witnesses.start))
    order = np.lexsort((witnesses.of, witnesses.of != witnesses.measure[whose], whose))
    moves: list[Move] = list(
        zip(*(each[order].tolist() for each in (witnesses.of, witnesses.base, witnesses.change)), strict=True)
    )
    starts = witnesses.start.tolist()
    for number, (row, measure) in enumerate(zip(witnesses.row.tolist(), witnesses.measure.tolist(), strict=True)):
        yield row, measure, tuple(moves[starts[number] : starts[number + 1]])


def _empty_cells(cells: BaseCells) -> Iterator[tuple[int, ...]]:
    """Yield for each base cell that nobody has, by key, the first cell with people that has the same value."""
    people = int((cells.people > 0).sum())
    same = []
    for column in cells.keys.T:
        values, first = np.unique(column[:people], return_index=True)
        same.append(first[np.searchsorted(values, column[people:])].tolist())
    yield from zip(*same, strict=True)
