"""The tables of counts of one source: those that were made, the form of the next one, and the one that the page shows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.studio.counted_table import CountedTable
from kanon_sql.studio.counts import CountForm
from kanon_sql.studio.search import RELEASED, RUNNING

if TYPE_CHECKING:
    from kanon_sql.model.policy import Policy
    from kanon_sql.studio.source import Source


class CountedTables:
    """Tables of counts that are safe together.

    Attributes
    ----------
    form : CountForm
        What the next one shows.
    all : list of CountedTable
        The tables, oldest first; only the last one can be unfinished.
    shown : CountedTable or None
        The one that the page shows.
    """

    def __init__(self) -> None:
        self.form = CountForm()
        self.all: list[CountedTable] = []
        self.shown: CountedTable | None = None

    @property
    def last(self) -> CountedTable | None:
        """Return the newest table; None if there is none."""
        return self.all[-1] if self.all else None

    @property
    def made(self) -> list[CountedTable]:
        """Return the tables that are ready."""
        return [each for each in self.all if each.state == RELEASED]

    def start(self, source: Source, policy: Policy, *, remembered: bool, ledger: Path | None) -> None:
        """Start the table of the form, in place of one that is running; it is safe together with those that are ready.

        Parameters
        ----------
        policy : Policy
            Says whether people are counted, or rows.
        remembered, ledger
            As for `kanon_sql.studio.search.Search`.
        """
        new = CountedTable(source, self.form, policy, [] if remembered else self.made, remembered=remembered, ledger=ledger)
        for each in self.all:
            if each.state == RUNNING:
                each.cancel()
        self.all, self.shown = [*self.made, new], new
        new.start(source)

    @property
    def discardable(self) -> list[CountedTable]:
        """Return the tables that can be forgotten: they were not saved, and no file remembers them."""
        return [each for each in self.made if each.saved is None and not each.remembered]

    def discard(self, tables: Iterable[CountedTable]) -> None:
        """Let later tables disregard some; nobody has seen them."""
        gone = list(tables)
        self.all = [each for each in self.all if each not in gone]
        if self.shown in gone:
            self.shown = None

    def cancel(self) -> None:
        """End all searches and checks."""
        for each in self.all:
            each.cancel()
