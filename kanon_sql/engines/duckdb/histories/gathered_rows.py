"""The rows of one running statement that links histories: they arrive in chunks, and each asks for the cells that it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql.certificate.exposure import warnings_of
from kanon_sql.certificate.history_certificate import HistoryCertificate
from kanon_sql.engines.built_arrays import numbers
from kanon_sql.engines.duckdb.gather.gathering import Gathering
from kanon_sql.errors import AuditError, SourceError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.model.validation import as_identifier
from kanon_sql.solvers.budget import Progress
from kanon_sql.solvers.histories.solve import HistorySolution, solve
from kanon_sql.table.arrays import Int64
from kanon_sql.table.history_table import Bools, HistoryTable

if TYPE_CHECKING:
    import pyarrow as pa


class HistoryGathering(Gathering):
    """The rows of one statement while it runs.

    Parameters
    ----------
    requested : LinkedHistories
        The guarantee.
    warnings : sequence of str
        What its certificate says of whom a row describes.
    """

    def __init__(self, requested: LinkedHistories, warnings: Sequence[str] = ()) -> None:
        super().__init__(warnings)
        self.requested = requested
        self._handed = 0
        self._own: Bools = np.zeros(0, np.bool_)
        self._visible: Bools = np.zeros((0, 0), np.bool_)
        self._table: HistoryTable | None = None
        self._found: HistorySolution | None = None

    def solve(self, report: Progress) -> None:
        """Find what each row shows.

        Raises
        ------
        SourceError, InfeasibleError
            When a row has no person, or there is no release.
        """
        table = self._coded()
        self._found = found = solve(table, self.requested.k, self.requested.known_rows, report)
        self._table = table
        of_person, of_row = found.shown.cells(table)
        visible = np.empty((self._rows, len(self._own) + 1), np.bool_)
        visible[:, :-1][:, self._own], visible[:, :-1][:, ~self._own] = of_person, of_row
        visible[:, -1] = found.shown.linked
        self._visible = visible

    def cells(self, row: Int64) -> pa.Array:
        """Return for each row which quasi-identifiers it shows, and then whether it shows its token."""
        import pyarrow as pa

        with self._lock:
            self._handed += len(row)
        shown = self._visible[row - 1]
        width = shown.shape[1]
        offsets = numbers(np.arange(0, shown.size + 1, width, dtype=np.int32))
        values = pa.Array.from_buffers(
            pa.bool_(), shown.size, [None, pa.py_buffer(np.packbits(shown.ravel(), bitorder="little"))]
        )
        return pa.ListArray.from_arrays(offsets, values)

    def complete(
        self,
        rows: int,
        fewest: int | None,
        people: int,
        below_next: int | None,
        unlinked: int,
        own: list[bool],
        exposed: Mapping[str, Any] | None,
    ) -> HistoryCertificate:
        """Return the certificate of what the audit counted.

        Parameters
        ----------
        rows, people : int
            Released rows, and people with tokens.
        fewest, below_next : int, optional
            The fewest people by any known rows, and the people below k by one row more.
        unlinked : int
            The people of the rows without a token.
        own : list of bool
            The quasi-identifiers that have one value in all linked rows of each person.
        exposed : mapping, optional
            What the columns that are released unchanged reveal: the counts of ``exposure.sql``.

        Raises
        ------
        AuditError
            When some known rows are those of too few people, rows are missing, or a person shows different own columns.
        """
        table, found, requested = self._table, self._found, self.requested
        if table is None or found is None:
            raise AssertionError("the audit ran before the search")
        if not rows == self._handed == len(table.person):
            raise AuditError("kanon audit: the release and its source have different rows; nothing was released")
        if (self._own & ~np.array(own, np.bool_)).any():
            raise AuditError("kanon audit: a person's own columns differ between rows; nothing was released")
        if 0 < unlinked < requested.k:
            finding = (
                f"the rows without a token belong to {how_many(unlinked, 'person', 'people')}, fewer than k = {requested.k}"
            )
            raise AuditError(f"kanon audit: {finding}; nothing was released")
        if wrong := requested.broken(fewest):
            raise AuditError(f"kanon audit: {wrong}; nothing was released")
        return HistoryCertificate(
            guarantee=requested.describe(),
            policy=requested.to_json(),
            k=requested.k,
            people=table.people,
            rows=rows,
            own_columns=tuple(name for name, each in zip(requested.quasi_identifiers, self._own, strict=True) if each),
            linked_people=people,
            linked_rows=int(found.shown.linked.sum()),
            fewest_candidates=fewest,
            people_below_next=below_next,
            suppressed_cells=found.shown.cost(table),
            cells=rows * len(self._own),
            lower_bound=found.lower_bound,
            bound_method=found.bound_method,
            seconds=found.seconds,
            warnings=(*self.warnings, *(() if exposed is None else warnings_of(exposed, requested.roles))),
        )

    def close(self) -> None:
        """Let go of everything."""
        super().close()
        self._table, self._found = None, None

    def _coded(self) -> HistoryTable:
        """Return the codes of the source in the order of its rows, and note which quasi-identifiers are the person's own."""
        width = len(self.requested.quasi_identifiers)
        if not self._chunks:
            return HistoryTable(
                person=np.zeros(0, np.int64), own=np.zeros((0, 0), np.int32), facts=np.zeros((0, width), np.int32)
            )
        row, person, nobody, *codes = (np.from_dlpack(each).astype(np.int64) for each in self._joined().flatten())
        if missing := int(nobody.sum()):
            raise SourceError(
                f"{how_many(missing, 'row has', 'rows have')} no person in {as_identifier(self.requested.per)}; hint: exclude "
                "these rows"
            )
        order = np.argsort(row)
        whose, every = person[order], np.column_stack(codes)[order].astype(np.int32)
        first = np.zeros(int(whose.max(initial=-1)) + 1, np.int64)
        first[whose[::-1]] = np.arange(len(whose))[::-1]
        self._own = (every == every[first[whose]]).all(axis=0)
        return HistoryTable(person=whose, own=every[first][:, self._own], facts=every[:, ~self._own])
