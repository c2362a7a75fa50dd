"""A table of counts that is made or being made: its verdict in words, and its rows with the reason of each suppressed one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.errors import SourceError
from kanon_sql.model.how_many import how_many
from kanon_sql.studio.counts import PERCENT, PLAIN, CountForm, unit
from kanon_sql.studio.rows import brief
from kanon_sql.studio.search import Search

if TYPE_CHECKING:
    from kanon_sql.model.policy import Policy
    from kanon_sql.studio.source import Source

TOTAL, EMPTY = "Total", "(empty)"
"""What stands for a key of a total, and for an empty cell of a key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A folder with a table of counts."""

    folder: Path
    files: tuple[str, ...]  # their names
    verified: dict[str, str]  # what `kanon verify` says of the table and its certificate


class CountedTable(Search):
    """A table of counts.

    Parameters
    ----------
    source : Source
        The opened table.
    form : CountForm
        What it shows.
    policy : Policy
        Says whether people are counted, or rows.
    earlier : iterable of CountedTable
        The tables that it has to be safe together with, if no file remembers them.
    remembered, ledger
        As for `Search`.

    Attributes
    ----------
    saved : Saved or None
        Where it was saved last.
    checking : BaseProcess or None
        The process that checks what is being saved.
    """

    def __init__(
        self,
        source: Source,
        form: CountForm,
        policy: Policy,
        earlier: Iterable[CountedTable] = (),
        *,
        remembered: bool = False,
        ledger: Path | None = None,
    ) -> None:
        self.source, self.form, self.policy, self.unit = source, form, policy, unit(policy)
        before = list(earlier)
        self.respected = tuple(each.statement for each in before)
        readings = dict.fromkeys(each.form.reading(source) for each in (*before, self))
        self.prepared = tuple(each for each in readings if each is not None)
        statement = form.statement(source, policy)
        super().__init__(statement, (*self.prepared, *self.respected), remembered=remembered, ledger=ledger)
        self.saved: Saved | None = None
        self.checking: BaseProcess | None = None

    def cancel(self) -> None:
        """End the search, and the check of what is saved."""
        super().cancel()
        if self.checking is not None:
            self.checking.kill()

    @cached_property
    def certificate(self) -> TableCertificate:
        """Return the certificate.

        Raises
        ------
        SourceError
            When the table is not ready.
        """
        if self.proof is None:
            raise SourceError("the table is not ready; hint: make it first")
        return TableCertificate.from_json(self.proof)

    @property
    def title(self) -> str:
        """Return what is counted by what, in words."""
        return f"{self.unit} by {', '.join(self.form.keys)}"

    @cached_property
    def suppressed(self) -> tuple[int, int]:
        """Return how many rows show no count, and how many rows there are."""
        if self.rows is None:
            return 0, 0
        return self.rows.column(self.form.count).null_count, self.rows.num_rows

    def verdict(self) -> str:
        """Return what is guaranteed, and what it took."""
        gone, rows = self.suppressed
        few = "a single person" if self.form.k == 2 and self.unit == "people" else f"1 to {self.form.k - 1} {self.unit}"
        words = [f"No count of {few} can be worked out from this table."]
        if self.form.measure is not None:
            words.append(f"Nobody's {self.form.measure} can be estimated to within {PERCENT} %.")
        if not gone:
            return " ".join([*words, f"All {rows:,} counts are shown."])
        verb = "is" if gone == 1 else "are"
        least = self.least
        proof = "" if least is None else "; no fewer would do" if least == gone else f"; at least {least:,} had to be"
        return " ".join([*words, f"{gone:,} of {how_many(rows, 'count')} {verb} suppressed{proof}."])

    @property
    def least(self) -> int | None:
        """Return how many rows every table as safe suppresses, its grand total aside; None if the proof does not count rows."""
        claimed = self.certificate
        # of tables that are solved together, cost and bound are totals; a suppressed grand total costs as much as all rows
        counted = claimed.together is None and claimed.cost == claimed.secondary
        return claimed.primary + claimed.lower_bound if counted else None

    def shown(self, most: int) -> list[list[str | None]]:
        """Return the first rows as texts, totals last: keys, count and sum, None if suppressed, and why they are."""
        if self.rows is None:
            return []
        keys, form = self.form.keys, self.form
        with duckdb.connect() as con:
            con.register("rows", self.rows)
            found = con.execute(f"FROM rows ORDER BY ALL ASC NULLS LAST LIMIT {most}").fetchall()
        absent = EMPTY if form.grouping == PLAIN else TOTAL
        exact = self._exact()
        return [
            [
                *(absent if value is None else brief(value) for value in row[: len(keys)]),
                *(None if value is None else f"{value:,}" for value in row[len(keys) :]),
                "" if row[len(keys)] is not None else self._reason(exact.get(tuple(map(repr, row[: len(keys)])), 0)),
            ]
            for row in found
        ]

    def _exact(self) -> dict[tuple[str, ...], int]:
        """Return the counts without protection."""
        query = self.form.query(self.source, self.policy, summed=False)
        return {tuple(map(repr, keys)): n for *keys, n in self.source.con.cursor().execute(query).fetchall()}

    def _reason(self, count: int) -> str:
        if not count:
            return "nobody is here: it is listed so that another suppressed row is not the only one"
        if count < self.form.k:
            return f"fewer than {self.form.k} {self.unit}"
        also = "" if self.form.measure is None else " or a contribution"
        return f"a small count{also} could be worked out from it"
