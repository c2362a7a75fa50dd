"""What one user of the studio works on: a table, a statement with its history, and runs."""

from __future__ import annotations

import threading
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from weakref import finalize

from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.errors import SourceError
from kanon_sql.report.measured import Measured
from kanon_sql.studio.counted_tables import CountedTables
from kanon_sql.studio.draft import Draft
from kanon_sql.studio.file_names import file_name, free
from kanon_sql.studio.look import look
from kanon_sql.studio.opening import Opening
from kanon_sql.studio.published import Published
from kanon_sql.studio.recent import Recent
from kanon_sql.studio.run import DatabaseRun, Run
from kanon_sql.studio.search import FAILED, RELEASED
from kanon_sql.studio.several import Several
from kanon_sql.studio.source import Source
from kanon_sql.studio.steps import HAND_OVER, OPEN, PROTECTION, RESULT


class Session:
    """The state behind all pages; there is one user.

    Attributes
    ----------
    runs : list of Run
        The releases, oldest first.
    counts : CountedTables
        The tables of counts.
    several : Several or None
        The choices of the page Several tables.
    published : Published
        The ledger that the person looks at.
    planned, database : DatabaseRun or None
        The releases of several tables that were planned last, and those that were started last.
    handed_over : set of int
        The numbers of the runs that were written into folders.
    confirmed : set of str
        The paths of the steps that the person has left with *Next*.
    queries : str
        What the user asks every release, to compare them.
    demo : bool
        Whether the table is the invented one.
    recent : Recent
        The files that were opened last.
    opening : Opening or None
        The file that is looked at before it is opened.
    ledger : Path or None
        The database file that remembers tables of counts; None if only the file of the source may.
    """

    def __init__(self, ledger: Path | None = None, recent: Recent | None = None) -> None:
        self.ledger = ledger
        self.recent = recent or Recent(None)
        self.opening: Opening | None = None
        self.source: Source | None = None
        self.runs: list[Run] = []
        self.counts = CountedTables()
        self.several: Several | None = None
        self.published = Published()
        self.planned: DatabaseRun | None = None
        self.database: DatabaseRun | None = None
        self.handed_over: set[int] = set()
        self.confirmed: set[str] = set()
        self.queries = ""
        self.demo = False
        self._drafts: list[Draft] = []
        self._place = -1
        self._own: Path | None = None
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
        self._adopt(Source(place))

    def choose(self, opening: Opening | None) -> None:
        """Look at another file before it is opened, or at none."""
        if self.opening is not None:
            self.opening.close()
        self.opening = opening

    def use(self) -> None:
        """Open the table that was looked at, and remember where it is unless it was dropped on the page.

        Raises
        ------
        SourceError
            When it has not been read.
        """
        if self.opening is None:
            raise SourceError("no file is chosen; hint: choose one on the Open page")
        self._adopt(self.opening.taken())
        self.opening = None
        if self.source is not None and not self.temporary:
            self.recent.remember(self.source.place)

    def _adopt(self, source: Source) -> None:
        self.close()
        self.source = source
        source.temporary = self._own is not None and source.place.path.is_relative_to(self._own)
        self._drafts, self._place, self.demo = [], -1, False
        self.confirm(OPEN.path)

    @property
    def temporary(self) -> bool:
        """Return whether the source is in a folder that does not stay: it was invented, or dropped on the page."""
        return self.demo or (self.source is not None and self.source.temporary)

    @property
    def folder(self) -> Path:
        """Return a private folder that is deleted when the studio ends: hierarchies that were made here are in it."""
        if self._own is None:
            self._own = Path(mkdtemp(prefix="kanon-studio-")).resolve()
            finalize(self, rmtree, self._own, ignore_errors=True)
        return self._own

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
                raise SourceError("no table is open; hint: open one on the Open page")
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

    @property
    def current(self) -> Run | None:
        """Return the last release of the statement as it is now; None if there is none."""
        return next((run for run in reversed(self.released) if run.draft == self.draft), None)

    def confirm(self, path: str) -> None:
        """Remember that the person is done with a step; leaving one says nothing about whether a row is a person."""
        self.confirmed.add(path)

    def state_of(self, path: str) -> str:
        """Return the state of a step: one of `STATES`."""
        if self.source is None:
            return "todo"
        if path == PROTECTION.path:
            return "done" if self.current is not None else "todo"
        if path == HAND_OVER.path:
            return "done" if self.current is not None and self.current.number in self.handed_over else "todo"
        if path == RESULT.path and self.runs and self.runs[-1].state == FAILED:
            return "attention"
        if path == RESULT.path and self.current is None:
            return "todo"
        return "done" if path in self.confirmed else "todo"

    def next_to_source(self, name: str) -> Path:
        """Return a file or folder next to the source that does not exist yet, for the user to change.

        The invented table, and one that was dropped on the page, are in a folder that does not stay.
        """
        folder = Path.cwd() if self.source is None or self.temporary else self.source.place.path.parent
        return free(folder / file_name(name))

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
            run.start(self.source, self.folder)
        return run

    @property
    def remembering(self) -> Path | None:
        """Return the file that remembers tables of counts; None if nothing but this session does."""
        if self.ledger is not None or self.source is None:
            return self.ledger
        return self.source.place.path if self.source.place.kind == "duckdb" and not self.temporary else None

    def protect(self) -> None:
        """Start the table of counts of the form."""
        if self.source is not None:
            remembered = self.remembering is not None
            self.counts.start(self.source, self.draft.policy, remembered=remembered, ledger=self.ledger)

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
        for each in (*self.runs, *([] if self.database is None else [self.database])):
            each.cancel()
        self.counts.cancel()
        self.runs, self.counts, self.handed_over, self._looks, self.confirmed = [], CountedTables(), set(), {}, set()
        if self.source is not None:
            self.source.close()
            self.source = None

    def end(self) -> None:
        """End everything and delete the private folder."""
        self.close()
        self.choose(None)
        if self._own is not None:
            rmtree(self._own, ignore_errors=True)
            self._own = None
