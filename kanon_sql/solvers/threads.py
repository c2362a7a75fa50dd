"""Work on threads, where it is enough: to hand over a little takes longer than to do it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

WORKERS = min(4, os.cpu_count() or 1)
"""Threads that share the work of a solver."""

Map = Callable[..., Iterable[Any]]
"""Applies a function to the elements of sequences, as ``map`` does."""

_WAIT = 0.2
"""Seconds between two reports while a thread is waited for."""

_Found = TypeVar("_Found")


def mapping(threads: ThreadPoolExecutor, *, enough: bool) -> Map:
    """Return ``threads.map``, or the built-in ``map`` of the same results where the work is not enough."""
    return threads.map if enough else map


@contextmanager
def background(
    work: Callable[[Callable[[], bool]], _Found], *, at_once: bool
) -> Iterator[Callable[[Callable[[], None]], _Found]]:
    """Do some work on a thread of its own, and give a function that waits for what it finds and reports meanwhile.

    Parameters
    ----------
    work : callable
        Its kernels let other threads work. It is given what tells it to end: that nobody waits any more.
    at_once : bool
        Whether it begins now, while other work goes on; else when it is first waited for.
    """
    stopped = threading.Event()
    with ThreadPoolExecutor(max_workers=1) as executor:
        begun = [executor.submit(work, stopped.is_set)] if at_once else []

        def found(report: Callable[[], None]) -> _Found:
            return finished(begun[0] if begun else executor.submit(work, stopped.is_set), report)

        try:
            yield found
        finally:
            stopped.set()


def finished(future: Future[_Found], report: Callable[[], None]) -> _Found:
    """Wait for what a thread finds; ``report`` is called meanwhile in the thread that waits, and may raise."""
    while not wait([future], timeout=_WAIT).done:
        report()
    return future.result()
