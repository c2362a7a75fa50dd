"""Work on threads, where it is enough: to hand over a little takes longer than to do it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from kanon_sql.solvers.budget import Budget

WORKERS = min(4, os.cpu_count() or 1)
"""Threads that share the work of a solver."""

Map = Callable[..., Iterable[Any]]
"""Applies a function to the elements of sequences, as ``map`` does."""

_Found = TypeVar("_Found")


def mapping(threads: ThreadPoolExecutor, *, enough: bool) -> Map:
    """Return ``threads.map``, or the built-in ``map`` of the same results where the work is not enough."""
    return threads.map if enough else map


@contextmanager
def beside(work: Callable[[Budget], _Found]) -> Iterator[Callable[[], _Found]]:
    """Do some work on a thread of its own while other work goes on, and give a function that waits for what it finds.

    Parameters
    ----------
    work : callable
        Its kernels let other threads work. The budget that it gets reports nothing, and ends where nobody waits any more.
    """
    stopped = threading.Event()
    with ThreadPoolExecutor(max_workers=1) as executor:
        try:
            yield executor.submit(work, Budget(ended=stopped.is_set)).result
        finally:
            stopped.set()
