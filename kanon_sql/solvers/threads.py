"""Work on threads, where it is enough: to hand over a little takes longer than to do it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

WORKERS = min(4, os.cpu_count() or 1)
"""Threads that share the work of a solver."""

Map = Callable[..., Iterable[Any]]
"""Applies a function to the elements of sequences, as ``map`` does."""


def mapping(threads: ThreadPoolExecutor, *, enough: bool) -> Map:
    """Return ``threads.map``, or the built-in ``map`` of the same results where the work is not enough."""
    return threads.map if enough else map
