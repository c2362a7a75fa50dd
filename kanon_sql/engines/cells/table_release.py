"""From base cells to what may be shown, of one table or of several together: the solver, the gate, and the certificate."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kanon_sql.certificate.status import Status
from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.engines.cells import gate
from kanon_sql.engines.cells.base_cells import BaseCells
from kanon_sql.engines.cells.counting import Counting, counted_for
from kanon_sql.engines.cells.earlier_tables import EarlierTable, joint, related
from kanon_sql.engines.cells.evidence import evidence_of
from kanon_sql.engines.cells.few_contributors import refuse_few_contributors
from kanon_sql.engines.cells.identifying_keys import refuse_identifying
from kanon_sql.model.protection import Protection
from kanon_sql.solvers.budget import Budget, Progress, never, silent
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import CellTable, Suppression


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRelease:
    """A protected table that passed the gate.

    Parameters
    ----------
    table : CellTable
        The published system, with earlier tables of the same source.
    rows : int64 array [r]
        Where the rows of the table are in it.
    suppression : Suppression
        What the solver found.
    released : EarlierTable
        What later tables of the same source have to respect.
    certificate : TableCertificate
        Its figures.
    sums : tuple of str
        The sums of the system, in the order of its measures behind the count.
    """

    table: CellTable
    rows: Int64
    suppression: Suppression
    released: EarlierTable
    certificate: TableCertificate
    sums: tuple[str, ...]


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
    protection : Protection
        What is asked of the table.
    earlier : sequence of EarlierTable
        What was released before.
    progress, ended : callable
        As for `Budget`.
    made : bool
        Whether the certificate of a table that repeats an earlier one is known. Otherwise it is solved again.

    Raises
    ------
    PolicyError, SourceError, InfeasibleError, AuditError
        When SHOW names a row of too few people, a key identifies people, an earlier table stands against it, nothing that may
        be suppressed is enough, or the gate refuses.
    """
    own = counting.own(protection)
    asked = [(own, protection)]
    if not made and earlier and protection.earlier == "fixed":
        table = EarlierTable(
            counting=own, protection=protection, cells=counted_for(own, cells, counting), suppressed=np.zeros(0, np.bool_)
        )
        before = related(table, earlier)
        if before and all(each.repeats(table) for each in before):
            alone = release_tables(cells, counting, asked, (), progress, ended)[0]
            if all(each.same(alone.released) for each in before):
                return alone
    return release_tables(cells, counting, asked, earlier, progress, ended)[0]


def release_tables(
    cells: BaseCells,
    counting: Counting,
    asked: Sequence[tuple[Counting, Protection]],
    earlier: Sequence[EarlierTable] = (),
    progress: Progress = silent,
    ended: Callable[[], bool] = never,
) -> list[TableRelease]:
    """Find which rows of several tables of the same source to suppress, and check them against a reader of all.

    Parameters
    ----------
    cells, counting
        At least one base cell, and what is counted: all keys and sums of the tables.
    asked : sequence of (Counting, Protection)
        What is counted for each table alone, and what is asked of it; at least one. Cost, algorithm, time limit and people are
        those of the first.
    earlier, progress, ended
        As for `release_table`.

    Raises
    ------
    PolicyError, SourceError, InfeasibleError, AuditError
        As `release_table`.
    """
    new, warnings = [], []
    for own, protection in asked:
        added = counted_for(own, cells, counting)
        warnings.append(refuse_identifying(added, own.tabulation, protection))
        refuse_few_contributors(added, own.tabulation, protection)
        new.append(EarlierTable(counting=own, protection=protection, cells=added, suppressed=np.zeros(0, np.bool_)))
    own, protection = asked[0]
    before = related(new[0], earlier) if protection.earlier == "fixed" else []
    if not before and len(new) == 1:
        cells, counting = new[0].cells, own
    system = joint(new, cells, counting, before)
    table = system.table
    start = time.perf_counter()
    budget = Budget(seconds=protection.time_limit, progress=progress, ended=ended)
    from kanon_sql.solvers.cells import suppress

    found = suppress(table, budget, protection.algorithm)
    seconds = time.perf_counter() - start
    gate.check(table, found.suppressed, found.witnesses)
    releases = []
    for each, mine, told in zip(new, system.rows, warnings, strict=True):
        released = replace(each, suppressed=found.suppressed[mine])
        certificate = _certificate(table, mine, found, released, seconds)
        releases.append(
            TableRelease(
                table=table,
                rows=mine,
                suppression=found,
                released=released,
                certificate=replace(
                    certificate,
                    warnings=told,
                    together=_together(counting, new) if len(new) > 1 else None,
                    prove=None if before else partial(evidence_of, system, found),
                ),
                sums=counting.tabulation.sums,
            )
        )
    return releases


def _together(counting: Counting, tables: Sequence[EarlierTable]) -> str:
    """Return the tables of a system as JSON, and the order of its keys and sums."""
    shape = counting.tabulation
    listed = [{"tabulation": each.tabulation.to_dict(), "protection": each.protection.to_dict()} for each in tables]
    return json.dumps({"keys": shape.keys, "sums": shape.sums, "tables": listed}, sort_keys=True)


def _certificate(table: CellTable, rows: Int64, found: Suppression, released: EarlierTable, seconds: float) -> TableCertificate:
    primary, secondary = table.primary, found.suppressed & ~table.primary
    own = rows[~table.unseen[rows]]
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
    )
