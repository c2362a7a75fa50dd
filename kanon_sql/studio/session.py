"""What one user of the studio works on: a table, a statement with its history, and runs."""

from __future__ import annotations

import re
import threading
from pathlib import Path

from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.errors import SourceError
from kanon_sql.report.measured import Measured
from kanon_sql.studio.draft import Draft
from kanon_sql.studio.look import look
from kanon_sql.studio.run import DatabaseRun, Run
from kanon_sql.studio.search import RELEASED, Search
from kanon_sql.studio.source import Source


class Session:
    """The state behind all pages; there is one user.

    Attributes
    ----------
    runs : list of Run
        The releases, oldest first.
    tables : list of Search
        The tables of counts, oldest first.
    planned, database : DatabaseRun or None
        The releases of several tables that were planned last, and those that were started last.
    handed_over : set of int
        The numbers of the runs that were written into folders.
    queries : str
        What the user asks every release, to compare them.
    demo : bool
        Whether the table is the invented one, so that the tour is shown.
    ledger : Path or None
        The database file that remembers tables of counts; None if only the file of the source may.
    """

    def __init__(self, ledger: Path | None = None) -> None:
        self.ledger = ledger
        self.source: Source | None = None
        self.runs: list[Run] = []
        self.tables: list[Search] = []
        self.planned: DatabaseRun | None = None
        self.database: DatabaseRun | None = None
        self.handed_over: set[int] = set()
        self.queries = ""
        self.demo = False
        self.toured = False
        self._drafts: list[Draft] = []
        self._place = -1
        self._looks: dict[int, Measured] = {}
        self._counting = threading.Lock()
        self._counted: Source | None = None

    def open(self, place: Place) -> None:
        """Open a table; the runs of another one are forgotten.

        Raises
        ------
        SourceError
            When it cannot be read.
        """
        source = Source(place)
        self.close()
        self.source = source
        self._drafts, self._place, self.demo = [], -1, False

    @property
    def ready(self) -> bool:
        """Return whether the table is counted: then no page has to wait."""
        return self.source is not None and self._counted is self.source

    def counted(self) -> Source:
        """Count what all pages show of the table and return it; several pages at once wait for one count.

        Raises
        ------
        SourceError
            When no table is open.
        """
        with self._counting:
            source = self.source
            if source is None:
                raise SourceError("no table is open; hint: open one on the Data page")
            if not self.ready and source.profile and self.draft.statement and source.alone(self.person):
                self._counted = source
            return source

    @property
    def draft(self) -> Draft:
        """Return the statement as it is now; the first one is made when it is first requested."""
        if not self._drafts and self.source is not None:
            policy, dropped = self.source.first_policy
            self._drafts, self._place = [Draft.of(self.source.spelled, self.source.columns, policy, dropped)], 0
        return self._drafts[self._place]

    @draft.setter
    def draft(self, draft: Draft) -> None:
        if draft != self.draft:
            self._drafts[self._place + 1 :] = [draft]
            self._place += 1

    @property
    def person(self) -> str | None:
        """Return the column that tells people apart: that of the draft, or if it leaves this open, the likely one."""
        policy = self.draft.policy
        if policy.people is not None:
            return policy.people.per
        return None if policy.per_row or self.source is None else self.source.person

    def next_to_source(self, name: str) -> Path:
        """Return a file or folder next to the source, for the user to change; the invented table is in one that does not stay.

        Names of tables and columns are of strangers: what could lead to another folder becomes ``_``.
        """
        folder = Path.cwd() if self.source is None or self.demo else self.source.place.path.parent
        return folder / re.sub(r"[^\w .-]", "_", name)

    @property
    def undoable(self) -> bool:
        """Return whether there is an earlier statement."""
        return self._place > 0

    @property
    def redoable(self) -> bool:
        """Return whether there is a later statement."""
        return self._place + 1 < len(self._drafts)

    def undo(self) -> None:
        """Take the last change of the statement back."""
        self._place -= self.undoable

    def redo(self) -> None:
        """Take the last change again that was taken back."""
        self._place += self.redoable

    def solve(self, name: str = "") -> Run:
        """Start a release of the statement as it is now."""
        number = len(self.runs) + 1
        run = Run(number, name.strip() or f"run {number}", self.draft)
        self.runs.append(run)
        if self.source is not None:
            run.start(self.source)
        return run

    @property
    def protected(self) -> list[Search]:
        """Return the tables of counts that are ready."""
        return [each for each in self.tables if each.state == RELEASED]

    @property
    def remembering(self) -> Path | None:
        """Return the file that remembers tables of counts; None if nothing but this session does."""
        if self.ledger is not None or self.source is None:
            return self.ledger
        return self.source.place.path if self.source.place.kind == "duckdb" else None

    def protect(self, statement: str) -> None:
        """Start a table of counts that protects what follows from it and the earlier ones together."""
        remembered = self.remembering is not None
        earlier = [] if remembered else [each.statement for each in self.protected]
        for each in self.tables:
            each.cancel()
        if self.source is not None:
            self.tables = [*self.protected, Search(statement, earlier, remembered=remembered, ledger=self.ledger)]
            self.tables[-1].start(self.source)

    def forget_tables(self) -> None:
        """Let the next table of counts stand alone."""
        for each in self.tables:
            each.cancel()
        self.tables = []

    def release_tables(self, run: DatabaseRun) -> None:
        """Start the releases of a database, in place of those that are running."""
        if self.database is not None:
            self.database.cancel()
        self.planned = self.database = run
        run.start_all()

    @property
    def released(self) -> list[Run]:
        """Return the runs that ended with a release."""
        return [run for run in self.runs if run.state == RELEASED]

    def look(self, run: Run) -> Measured:
        """Return the figures of a run, counted once."""
        if run.number not in self._looks and self.source is not None:
            self._looks[run.number] = look(self.source, run)
        return self._looks[run.number]

    def close(self) -> None:
        """End all runs and forget the table."""
        for each in (*self.runs, *self.tables, *([] if self.database is None else [self.database])):
            each.cancel()
        self.runs, self.tables, self.handed_over, self._looks = [], [], set(), {}
        if self.source is not None:
            self.source.close()
            self.source = None
