"""A statement at work in a process of its own, and what it has found so far."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection as Pipe
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.studio.rows import received
from kanon_sql.studio.worker import FINISH, make_release

if TYPE_CHECKING:
    import pyarrow as pa

    from kanon_sql.studio.source import Source

RUNNING, RELEASED, FAILED, CANCELLED = "running", "released", "failed", "cancelled"

MOST_POINTS = 500
"""Points of a curve: more cannot be seen."""


@dataclass(frozen=True, slots=True)
class Point:
    """Where a search was: seconds, the cost and the lower bound then, if there were any, and whether it could end there."""

    seconds: float
    step: str
    cost: float | None
    lower_bound: float | None
    ready: bool = False


class Search:
    """A statement with ANONYMIZE or PROTECT that runs.

    Parameters
    ----------
    statement : str
        A query.
    earlier : sequence of str
        Statements that run before it: those of earlier tables of counts of the same source, or the one that stores its policy.
    remembered : bool
        Whether the file of the source, or the ledger, remembers the table of counts that the statement makes.

    Attributes
    ----------
    state : str
        `RUNNING`, `RELEASED`, `FAILED` or `CANCELLED`.
    points : list of Point
        The search.
    finished : bool
        Whether the user ended the search early: the statement alone may find a better release.
    figures, proof, rows, words
        What came out: the figures of a certificate, its text, and the rows, or words about a failure.
    """

    def __init__(
        self, statement: str, earlier: Sequence[str] = (), *, remembered: bool = False, ledger: Path | None = None
    ) -> None:
        self.statement, self.earlier = statement, tuple(earlier)
        self.remembered, self.ledger = remembered, ledger
        self.state = RUNNING
        self.points: list[Point] = []
        self.finished = False
        self.figures: dict[str, str] = {}
        self.proof: str | None = None
        self.rows: pa.Table | None = None
        self.words: str | None = None
        self._process: BaseProcess | None = None
        self._pipe: Pipe | None = None

    def start(self, source: Source, folder: Path | None = None, ended: Callable[[], None] = lambda: None) -> None:
        """Start the process.

        Parameters
        ----------
        source : Source
            The table.
        folder : Path, optional
            Where the files are that the statement names without a folder; the current one if None.
        ended : callable
            Called in another thread when the process has ended.
        """
        arguments = (source.place, source.name, (*self.earlier, self.statement), self.remembered, self.ledger, folder)
        self._begin(make_release, arguments, ended)

    def _begin(self, work: Callable[..., None], arguments: Sequence[Any], ended: Callable[[], None]) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(theirs, *arguments), daemon=True)
        self._process.start()
        theirs.close()
        threading.Thread(target=self._listen, args=(self._pipe, self._process, ended), daemon=True).start()

    def finish(self) -> None:
        """End the search with the best release so far; without one yet, it goes on."""
        if self.state == RUNNING and self._pipe is not None and any(each.ready for each in self.points):
            self.finished = True
            with suppress(OSError):
                self._pipe.send_bytes(FINISH)

    def cancel(self) -> None:
        """End the process without a release."""
        if self.state == RUNNING:
            self.state = CANCELLED
        if self._process is not None:
            self._process.kill()

    def _listen(self, pipe: Pipe, process: BaseProcess, ended: Callable[[], None]) -> None:
        try:
            while self.state == RUNNING:
                what, *facts = pipe.recv()
                if what == "moment":
                    self._hear(Point(*facts))
                elif what == "released":
                    self._keep(*facts)
                    self.state = RELEASED
                else:
                    self.words, self.state = facts[0], FAILED
        except (EOFError, OSError):
            if self.state == RUNNING:
                self.words = "the solver process ended unexpectedly; hint: check that the machine has enough memory"
                self.state = FAILED
        pipe.close()
        process.join()
        ended()

    def _keep(self, figures: dict[str, str], proof: str, rows: bytes) -> None:
        self.figures, self.proof, self.rows = figures, proof, received(rows)

    def _hear(self, point: Point) -> None:
        """Add a point: the best cost and the best bound so far, whatever one step alone has proven."""
        last = self.points[-1] if self.points else point
        point = replace(
            point,
            cost=min((each for each in (last.cost, point.cost) if each is not None), default=None),
            lower_bound=max((each for each in (last.lower_bound, point.lower_bound) if each is not None), default=None),
            ready=last.ready or point.ready,
        )
        if self.points and replace(last, seconds=point.seconds) == point:
            return
        if len(self.points) >= MOST_POINTS:
            del self.points[1::2]
        self.points.append(point)
