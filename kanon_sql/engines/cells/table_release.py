"""From base cells to what may be shown, of one table or of several together: the solver, the gate, and the certificate."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kanon_sql.certificate.status import Status
from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.certificate.table_file import Move, TableEvidence, Witness
from kanon_sql.engines.cells import gate
from kanon_sql.engines.cells.base_cells import BaseCells, row_numbers
from kanon_sql.engines.cells.counting import Counting, counted_for
from kanon_sql.engines.cells.earlier_tables import EarlierTable, JointSystem, joint, related
from kanon_sql.engines.cells.refused_tables import refuse_few_contributors, refuse_identifying
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.solvers.budget import Budget, Progress, never, silent
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import CellTable, Suppression, Witnesses


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRelease:
    """A protected table that passed the gate."""

    table: CellTable  # the published system, with earlier tables of the same source
    rows: Int64  # [r]: where the rows of the table are in it
    suppression: Suppression  # what the solver found
    released: EarlierTable  # what later tables of the same source have to respect
    certificate: TableCertificate  # its figures
    sums: tuple[str, ...]  # the sums of the system, in the order of its measures behind the count
    # the rows that it suppresses though nobody is in them: the keys of the grouping set, and the rank of each value
    empty_rows: list[tuple[tuple[int, ...], tuple[int, ...]]]
    empty_counts: list[Int64]  # for each condition of a count the rows of the system of which that is 0 and suppressed


def release_table(
    cells: BaseCells,
    counting: Counting,
    protection: Protection,
    earlier: Sequence[EarlierTable] = (),
    progress: Progress = silent,
    ended: Callable[[], bool] = never,
    *,
    made: bool = True,
) -> TableRelease:
    """Find which rows of a table to suppress, and check it.

    Parameters
    ----------
    cells, counting
        At least one base cell, and what is counted.
    earlier : sequence of EarlierTable
        What was released before.
    made : bool
        Whether the certificate of a table that repeats an earlier one is known. Otherwise it is solved again.

    Raises
    ------
    PolicyError, SourceError, InfeasibleError, AuditError
        When SHOW names a row of too few people, a key identifies people, an earlier table stands against it, nothing that may
        be suppressed is enough, or the gate refuses.
    """
    own = counting.own(protection)
    requested = [(own, protection)]
    if not made and earlier and protection.earlier == "fixed":
        table = EarlierTable(
            counting=own, protection=protection, cells=counted_for(own, cells, counting), suppressed=np.zeros(0, np.bool_)
        )
        before = related(table, earlier)
        if before and all(each.repeats(table) for each in before):
            alone = release_tables(cells, counting, requested, (), progress, ended)[0]
            if all(each.same(alone.released) for each in before):
                return alone
    return release_tables(cells, counting, requested, earlier, progress, ended)[0]


def release_tables(
    cells: BaseCells,
    counting: Counting,
    requested: Sequence[tuple[Counting, Protection]],
    earlier: Sequence[EarlierTable] = (),
    progress: Progress = silent,
    ended: Callable[[], bool] = never,
) -> list[TableRelease]:
    """Find which rows of several tables of the same source to suppress, and check them against a reader of all.

    Parameters
    ----------
    cells, counting
        At least one base cell, and what is counted: all keys and sums of the tables.
    requested : sequence of (Counting, Protection)
        What is counted for each table alone, and its requirement; at least one. Cost, algorithm, time limit and people are
        those of the first.
    earlier, progress, ended
        As for `release_table`.

    Raises
    ------
    PolicyError, SourceError, InfeasibleError, AuditError
        As `release_table`.
    """
    new, warnings = [], []
    for own, protection in requested:
        added = counted_for(own, cells, counting)
        warnings.append(_refused(added, own.tabulation, protection) if len(added.people) else ())
        new.append(EarlierTable(counting=own, protection=protection, cells=added, suppressed=np.zeros(0, np.bool_)))
    own, protection = requested[0]
    before = related(new[0], earlier) if protection.earlier == "fixed" else []
    if not before and len(new) == 1:
        cells, counting = new[0].cells, own
    start = time.perf_counter()
    budget = Budget(seconds=protection.time_limit, progress=progress, ended=ended)
    system, found = _solved(
        joint(new, cells, counting, before), partial(joint, new, cells, counting, before), budget, protection.algorithm
    )
    table, seconds = system.table, time.perf_counter() - start
    gate.check(table, found.suppressed, found.witnesses)
    releases = []
    for each, stated in zip(new, warnings, strict=True):
        covered = system.with_empty_rows(each)
        rows = system.rows_of(covered)
        released = replace(covered, suppressed=found.suppressed[rows])
        certificate = _certificate(system, rows, found, released, seconds)
        releases.append(
            TableRelease(
                table=table,
                rows=system.rows_of(each),
                suppression=found,
                released=released,
                certificate=replace(
                    certificate,
                    warnings=stated,
                    together=_together(counting, new, before) if len(new) > 1 or before else None,
                ),
                sums=counting.tabulation.sums,
                empty_rows=_empty_rows(covered),
                empty_counts=_empty_counts(covered, rows),
            )
        )
    return releases


def _refused(cells: BaseCells, table: Tabulation, protection: Protection) -> tuple[str, ...]:
    """Return warnings about a table that has rows.

    Raises
    ------
    SourceError
        When its keys or its sums show what people have.
    """
    refuse_few_contributors(cells, table, protection)
    return refuse_identifying(cells, table, protection)


def _solved(
    system: JointSystem, again: Callable[..., JointSystem], budget: Budget, algorithm: str
) -> tuple[JointSystem, Suppression]:
    """Return a system with the empty rows that its suppressed rows need, and what was found.

    Rows that are suppressed for others may need more of them, and those may need others.
    """
    from kanon_sql.solvers.cells import begun, finished, widened

    if not system.table.base_cells:  # nobody is in the source
        nothing = Suppression(suppressed=system.table.suppressed, witnesses=Witnesses.none(), lower_bound=0, method="line cuts")
        return system, nothing
    empty = system.missing(system.table.primary | system.table.suppressed)
    system = again(empty) if len(empty) else system
    state, found, strict = begun(system.table, budget, algorithm), None, list[tuple[int, tuple[int, ...]]]()
    while True:
        more = system.missing(state.suppressed)
        if len(more):
            empty = np.concatenate((empty, more))
            system = again(empty, strict)
            state, found = widened(state, system.table, budget), None
        elif found is None:
            found = finished(state, budget, algorithm)
        elif len(rests := gate.unproven_rests(system.table, found.witnesses)):
            strict += system.groups(rests[:, 2])
            system = again(empty, strict)
            state, found = begun(system.table, budget, algorithm), None
        else:
            return system, found


def _empty_rows(table: EarlierTable) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the rows of a table that nobody is in, see `TableRelease`."""
    sets, cells, found = table.tabulation.sets, table.cells, list[tuple[tuple[int, ...], tuple[int, ...]]]()
    if cells.people.all():
        return found
    (ancestors, rows), ranks = row_numbers(cells.keys, sets), cells.ranks
    somebody = np.bincount(ancestors[cells.people > 0].ravel(), minlength=rows) > 0
    for chosen, column in zip(sets, ancestors.T, strict=True):
        row, first = np.unique(column, return_index=True)
        found += [(chosen, tuple(ranks[cell].tolist())) for cell in first[~somebody[row]].tolist()]
    return found


def _empty_counts(table: EarlierTable, place: Int64) -> list[Int64]:
    """Return the filtered counts that are 0 and suppressed, see `TableRelease`; its rows are at ``place``."""
    shape, cells = table.tabulation, table.cells
    ancestors, rows = row_numbers(cells.keys, [chosen for chosen, _ in shape.groups])
    somebody = np.bincount(ancestors[cells.people > 0].ravel(), minlength=rows) > 0
    found, width = list[Int64](), len(shape.sets)
    for number, key in enumerate(shape.filters, 1):
        met = cells.keys[:, key] == 1
        whole, part = ancestors[met, :width], ancestors[met, number * width : (number + 1) * width]
        found.append(place[np.unique(whole[somebody[whole] & ~somebody[part]])])
    return found


def _together(counting: Counting, new: Sequence[EarlierTable], before: Sequence[EarlierTable]) -> str:
    """Return the tables of a system as JSON, the earlier ones last, and the order of its keys and sums."""
    shape = counting.tabulation
    listed = [{"tabulation": each.tabulation.to_dict(), "protection": each.protection.to_dict()} for each in (*new, *before)]
    stated = {"keys": shape.keys, "sums": shape.sums, "tables": listed}
    return json.dumps(stated | ({"earlier": len(before)} if before else {}), sort_keys=True)


def _certificate(
    system: JointSystem, rows: Int64, found: Suppression, released: EarlierTable, seconds: float
) -> TableCertificate:
    table = system.table
    primary, secondary = table.primary, found.suppressed & ~table.primary
    own = rows[~table.unseen[rows]]
    some = table.values(0)[own] > 0
    own, empty = own[some], int((~some).sum())
    cost = int(table.cost[secondary & ~table.suppressed].sum())
    bound = min(found.lower_bound, cost)
    return TableCertificate(
        requirements=released.protection.requirements,
        algorithm=released.protection.algorithm,
        status=Status.OPTIMAL if bound == cost else Status.FEASIBLE,
        cost=cost,
        lower_bound=bound,
        bound_method=found.method,
        base_cells=int((table.measures[0].value > 0).sum()),
        rows=len(own),
        primary=int(primary[own].sum()),
        secondary=int(secondary[own].sum()),
        witnesses=len(found.witnesses.row),
        seconds=seconds,
        tabulation=released.tabulation.to_json(),
        protection=released.protection.to_json(),
        empty_rows=empty,
        prove=partial(evidence_of, system, found),
    )


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
