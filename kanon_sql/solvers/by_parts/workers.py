"""Parts are solved on all cores; their results come in the order of the parts, whichever ends first."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

from kanon_sql.solvers.budget import Budget, silent
from kanon_sql.solvers.threads import finished

MOST_THREADS = 16
"""More parts at once would not fit the memory."""

_Part = TypeVar("_Part")
_Found = TypeVar("_Found")


def solved(
    work: Callable[[_Part, Budget], _Found],
    parts: Iterable[_Part],
    budget: Budget,
    step: str,
    done: float,
    threads: int | None = None,
) -> Iterator[_Found]:
    """Yield what is found for each part, in their order.

    Parameters
    ----------
    work : callable
        Solves a part; its kernels let other threads work. The budget that it gets reports nothing and ends with that of all.
    parts : iterable
        The parts; one more than there are threads is waiting.
    budget : Budget
        Hears of the progress in the calling thread, where it may raise: then no part is begun any more, and those at work end.
    step : str
        Name of the step.
    done : float
        The share of the whole work that was done before, 0 to 1.
    threads : int, optional
        By default one for each core, `MOST_THREADS` at most.
    """
    stopped = threading.Event()
    quiet = replace(budget, progress=silent, ended=lambda: stopped.is_set() or budget.ended())
    threads = threads or min(os.cpu_count() or 1, MOST_THREADS)
    waiting: deque[Future[_Found]] = deque()
    with ThreadPoolExecutor(threads) as executor:
        try:
            for part in parts:
                waiting.append(executor.submit(work, part, quiet))
                while len(waiting) > threads:
                    yield _first(waiting, budget, step, done)
            while waiting:
                yield _first(waiting, budget, step, done)
        finally:
            stopped.set()
            for each in waiting:
                each.cancel()


def _first(waiting: deque[Future[_Found]], budget: Budget, step: str, done: float) -> _Found:
    """Return what is found for the first part, once it is."""
    found = finished(waiting[0], lambda: budget.report(step, done))
    waiting.popleft()
    budget.report(step, done)
    return found
