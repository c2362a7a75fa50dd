"""The search of a release that is going on: who hears of it, and how it is stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from kanon_sql.engines.notebook.progress import LiveProgress, live_progress
from kanon_sql.errors import InterruptedReleaseError, KanonError, raise_alone
from kanon_sql.solvers.budget import Moment, Progress


class RunningSearch:
    """The solver that is at work in one DuckDB instance, if there is one."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._live: LiveProgress | None = None
        self._stop = threading.Event()
        self._end = threading.Event()
        self._incumbent = False
        self._begun: dict[int, float] = {}

    @contextmanager
    def statement(self) -> Iterator[None]:
        """Note when a statement of this thread begins, for its time limit; what it calls is part of it."""
        thread = threading.get_ident()
        if thread in self._begun:
            yield
            return
        self._begun[thread] = time.monotonic()
        try:
            yield
        finally:
            del self._begun[thread]

    def begun(self) -> float:
        """Return when the statement began that asks; DuckDB may ask in a thread of its own, and then it is the last one."""
        begun = self._begun.get(threading.get_ident())
        return max(list(self._begun.values()), default=time.monotonic()) if begun is None else begun

    def watch(self, progress: Progress | None) -> None:
        """Let ``progress`` hear of the running releases; with None, a notebook shows where they stand."""
        self._progress = progress

    def interrupt(self) -> None:
        """Stop a solver that is at work, at its next step."""
        self._stop.set()

    def ready(self) -> None:
        """Forget an interrupt that came before the work began."""
        self._stop.clear()
        self._end.clear()
        self._incumbent = False
        self._live = live_progress() if self._progress is None else None

    def rest(self) -> None:
        """Note that no solver is at work any more: there is no search that could be ended."""
        self._incumbent = False
        if self._live is not None:
            self._live.close()

    def finish(self) -> bool:
        """Let a solver at work end its search with the best release it has; False if there is none yet."""
        if self._incumbent:
            self._end.set()
        return self._incumbent

    def ended(self) -> bool:
        """Return whether the search shall end."""
        return self._end.is_set()

    def report(self, moment: Moment) -> None:
        """Hear of a step of a solver; raises if it shall stop."""
        if self._stop.is_set():
            raise InterruptedReleaseError("the release was interrupted; nothing was released")
        self._incumbent = moment.cost is not None
        progress = self._live if self._progress is None else self._progress
        if progress is not None:
            try:
                progress(moment)
            except KanonError:  # its own words, such as that somebody has seen enough
                raise
            except Exception as error:
                kind = type(error).__name__
                reason = (
                    f"the release was stopped: progress raised {kind}; nothing was released; hint: let progress accept a Moment"
                )
                raise_alone(InterruptedReleaseError(reason))
