"""How long a solver may work, and whom it tells."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

Progress = Callable[[str, float], None]
"""Called with the name of the step and the share of it that is done, 0 to 1."""


def silent(step: str, done: float) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The time a solver has, measured from the moment the budget is made.

    Parameters
    ----------
    seconds : float, optional
        None is without limit.
    report : Progress
        Called between two steps; an exception it raises (an interrupt) ends the work.
    """

    seconds: float | None = None
    report: Progress = silent
    _start: float = field(default_factory=time.monotonic)

    def over(self) -> bool:
        """Return whether the time is used up."""
        return self.seconds is not None and time.monotonic() - self._start >= self.seconds


UNLIMITED = Budget()
"""For work that always ends soon."""
