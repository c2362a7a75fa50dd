"""Repeated timing of one call in this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Medians of the warm runs of a call.

    Attributes
    ----------
    wall, cpu : float
        Seconds that passed, and seconds that all threads of the process worked. On a busy machine only the second tells
        something about the call.
    result : object
        What the last call returned.
    """

    wall: float
    cpu: float
    result: Any


def warm(call: Callable[[], Any], runs: int) -> Timing:
    """Call once without looking at the clock, then ``runs`` times."""
    call()
    walls, cpus, result = [], [], None
    for _ in range(runs):
        wall, cpu = time.perf_counter(), time.process_time()
        result = call()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return Timing(wall=median(walls), cpu=median(cpus), result=result)
