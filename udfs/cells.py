"""A protected table, from its base cells to the last row.

- `kanon_begin_cells(counting, protection, ticket, plan, objects, warnings)`: the number of a gathering, new for each run.
- `kanon_fit_cells(run, cells)`: the solver and the gate, called once when all base cells are gathered.
- `kanon_explain_cells(run, cells)`: what protecting a table would take; nothing is released.
- `kanon_suppressed(run, row)`: what a row does not show, once `kanon_fit_cells` has found it.
- `kanon_empty_rows(run)`: the rows that are suppressed though nobody is in them, once they are found.
- `kanon_level(value, recoding, level)`: what a level of a recoding shows for a value, as a release of rows does.
- `kanon_table_checked(run, rows)`: every row was checked; NULL, or why the table is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.built_arrays import flag_lists
from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.errors import PolicyError, raise_alone

if TYPE_CHECKING:
    import pyarrow as pa

    from kanon_sql.engines.duckdb.cells.gathered_cells import CellGathering
    from kanon_sql.table.ladder import Label


def begin(
    session: Session,
    counting: str,
    protection: str,
    ticket: int,
    plan: str,
    objects: Sequence[Mapping[str, Any]] | None,
    warnings: list[str] | None,
) -> int:
    """Return the number under which base cells of this run of a statement are gathered; ``warnings`` are about the unit."""
    from kanon_sql.engines.cells.counting import Counting
    from kanon_sql.engines.duckdb.cells.gathered_cells import CellGathering
    from kanon_sql.engines.duckdb.cells.table_record import home_of
    from kanon_sql.engines.duckdb.cells.tables_read import tables_read
    from kanon_sql.model.protection import Protection

    read = Counting.from_json(counting)
    memory, known = session.protected_tables.memory, objects or ()
    reads = tables_read(read, plan, known)
    home = home_of(reads, known, lambda: session.secret, memory)
    reads = reads if memory is None else memory.lasting(reads, known)
    read = replace(read, tabulation=replace(read.tabulation, reads=reads))
    requested = Protection.from_dict(json.loads(protection))
    return session.gatherings.begin(CellGathering(read, requested, ticket, home, warnings or ()))


def fit(session: Session, run: int, cells: int) -> str | None:
    """Find what may be shown, and keep it as a table that later ones have to respect; NULL, or why there is none."""
    from kanon_sql.engines.cells.table_release import release_table

    with session.gatherings.solving(run, cells, session.search) as gathering:
        base = gathering.whole()
        with session.protected_tables.turn() as earlier:
            search = (earlier, session.search.report, session.search.ended)
            together = session.protected_tables.solved_with(gathering.ticket)
            if together is None:
                made = session.protected_tables.made(gathering.counting.own(gathering.protection).tabulation)
                found = release_table(base, gathering.counting, gathering.protection, *search, made=made)
            else:
                tables, place = together
                found = tables.release(place, base, gathering.counting, *search)
            certificate = found.certificate
            warned = replace(certificate, warnings=(*gathering.warnings, *certificate.warnings))
            found = replace(found, certificate=session.protected_tables.add(replace(found, certificate=warned)))
    gathering.found(found, base)
    return None


def explain(session: Session, run: int, cells: int) -> list[dict[str, str]]:
    """Return the figures of the certificate that the table would have."""
    from kanon_sql.engines.cells.table_release import release_table

    with session.gatherings.ending(run), session.gatherings.solving(run, cells, session.search) as gathering:
        search = session.search.report, session.search.ended
        base = gathering.whole()
        with session.protected_tables.turn() as earlier:
            found = release_table(base, gathering.counting, gathering.protection, earlier, *search)
    certificate = replace(found.certificate, warnings=(*gathering.warnings, *found.certificate.warnings))
    return [{"property": name, "value": value} for name, value in certificate.figures().items()]


def suppressed(session: Session, run: pa.ChunkedArray, rows: pa.ChunkedArray) -> pa.Array:
    """Return for each row whether it is suppressed, and whether each count under a condition is.

    A row that does not add up to its base cells is an error.
    """
    gathering: CellGathering = session.gatherings.of(run[0].as_py())
    return flag_lists(gathering.suppressed(rows.combine_chunks()))


def empty_rows(session: Session, run: int) -> list[dict[str, object]]:
    """Return the grouping set of each row, base cells that have its keys, and that all of it is suppressed."""
    gathering: CellGathering = session.gatherings.of(run)
    return gathering.empty_rows()


def level(_session: Session, value: pa.ChunkedArray, recoding: pa.ChunkedArray, number: pa.ChunkedArray) -> pa.Array:
    """Return the labels of texts. Recoding and level are the same in all rows."""
    import pyarrow as pa

    encoded = value.combine_chunks().dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    if not texts:
        return pa.nulls(len(value), pa.string())
    shown = _labels(texts, recoding[0].as_py(), number[0].as_py())
    return pa.array(shown, pa.string()).take(encoded.indices)


def _labels(texts: Sequence[str], recoding: str, number: int) -> Sequence[Label]:
    from kanon_sql.clause.cells.levels import recoding_of
    from kanon_sql.table.labels.intervals import interval_levels

    try:
        return list(interval_levels(texts, recoding_of(recoding)).values())[number]
    except PolicyError as error:
        cause = str(error).partition(" values are not ")[2]  # it counts the values of one chunk
        raise_alone(PolicyError(f"the key IN {recoding} has values that are not {cause}") if cause else error)


def checked(session: Session, run: int, rows: int) -> str | None:
    """Check that no row is missing, remember the table, and let go of the base cells."""
    with session.gatherings.ending(run) as gathering:
        release = gathering.complete(rows)
        session.protected_tables.remember(release.released, gathering.home)
        # where it is remembered is no property of the table, so the certificate does not say it
        added = () if gathering.home.warning is None else (gathering.home.warning,)
        session.announcements.add(replace(release.certificate, warnings=(*release.certificate.warnings, *added)))
    return None


FUNCTIONS = (
    Function(name="kanon_begin_cells", returns="BIGINT", call=begin, side_effects=True),
    Function(name="kanon_fit_cells", returns="VARCHAR", call=fit, side_effects=True, refused=lambda words: words),
    Function(name="kanon_explain_cells", returns="STRUCT(property VARCHAR, value VARCHAR)[]", call=explain, side_effects=True),
    Function(name="kanon_suppressed", returns="BOOLEAN[]", call=suppressed, arrow=True, side_effects=True),
    Function(
        name="kanon_empty_rows",
        returns='STRUCT("set" BIGINT, lenders BIGINT[], suppressed BOOLEAN[])[]',
        call=empty_rows,
        side_effects=True,
    ),
    Function(name="kanon_level", returns="VARCHAR", call=level, arrow=True),
    Function(name="kanon_table_checked", returns="VARCHAR", call=checked, side_effects=True, refused=lambda words: words),
)
