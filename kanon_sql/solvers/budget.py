"""Time limit, random seed and progress reporting of a solver run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from kanon_sql.model.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Where the work stands.

    Attributes
    ----------
    step : str
        Name of the step.
    done : float
        The share of it that is done, 0 to 1.
    cost, lower_bound : Fraction or None
        Cost of the best release so far and what is proven of every release, once there are any.
    rows_found : bool
        Whether there is a release that counts rows, from which one that counts people can be made.
    """

    step: str
    done: float
    cost: Fraction | None = None
    lower_bound: Fraction | None = None
    rows_found: bool = False

    @property
    def ready(self) -> bool:
        """Return whether the search can end now with a release."""
        return self.rows_found or self.cost is not None

    @property
    def gap(self) -> float | None:
        """Return the share of the cost that is not proven to be needed, 0 to 1."""
        if self.cost is None or self.lower_bound is None:
            return None
        return float((self.cost - self.lower_bound) / self.cost) if self.cost else 0.0

    def __str__(self) -> str:
        """Return the step, and how good the best release so far is known to be."""
        if self.cost is None:
            return self.step
        cost = f"{self.step}: cost {float(self.cost):,.12g}"
        if self.lower_bound is None or self.gap is None:
            return cost
        return f"{cost}, proven at least {float(self.lower_bound):,.12g} (gap {100 * self.gap:.1f} %)"


EFFORT = {"fast": 0.25, "default": 1.0, "thorough": 8.0}
"""How many times as many steps as by default a search takes, if no time limit ends it."""

Progress = Callable[[Moment], None]
"""Hears of the work as it goes on; an exception it raises ends the work without a release."""


def silent(moment: Moment) -> None:
    """Report nothing."""


def never() -> bool:
    """Go on to the end."""
    return False


_AUDIT, _SLACK, _BEYOND = 2.5, 1.0, 0.2
"""How many times as long as reading the row types the rest takes, and what may go beyond a limit: seconds, and a share of it.

The rest reads the rows again, joins what they show and audits it: 3 times as long for 300,000 rows, for few rows less.
"""

_SHORTEST = 0.5
"""Seconds of a limit that the search has at least, however long reading took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a solver may spend."""

    # None is without limit: the solver ends by its own count of steps, so that its result does not depend on the clock
    seconds: float | None = None
    effort: str = "default"  # how large that count is, see `EFFORT`
    seed: int = 0  # seed of the solvers that draw
    unit: int = 1  # units of cost that the user counts as 1
    progress: Progress = silent  # hears between two steps
    ended: Callable[[], bool] = never  # whether the search shall end with the best it has
    # when the time began, as `time.monotonic`; by default when the budget is made
    begun: float = field(default_factory=time.monotonic)
    _within: float | None = None

    @classmethod
    def of(
        cls, policy: Policy, progress: Progress = silent, ended: Callable[[], bool] = never, begun: float | None = None
    ) -> Self:
        """Return the budget of the search of a statement that began then, or begins now: the audit has to end in time, too."""
        seconds, began = policy.time_limit, time.monotonic() if begun is None else begun
        if seconds is not None:
            read = time.monotonic() - began
            audit = min(seconds / 2, max(0.0, _AUDIT * read - _SLACK - _BEYOND * seconds))
            seconds = max(seconds - audit, read + min(seconds, _SHORTEST))
        return cls(seconds=seconds, effort=policy.effort, seed=policy.seed, progress=progress, ended=ended, begun=began)

    def over(self) -> bool:
        """Return whether the time is used up, or the search has to end."""
        return self.ended() or self.left() <= 0

    def left(self) -> float:
        """Return the seconds left; infinity without limit."""
        return float("inf") if self.seconds is None else self.seconds - (time.monotonic() - self.begun)

    @property
    def limited(self) -> bool:
        """Return whether the clock may end the work, also that of a solver that counts its steps."""
        return self.seconds is not None or self._within is not None

    def clock(self) -> float:
        """Return the seconds until the clock ends the work; infinity without limit."""
        return self.left() if self._within is None else self._within - (time.monotonic() - self.begun)

    def steps(self, count: float) -> int:
        """Return how many steps a search takes that takes ``count`` by default."""
        return max(1, int(count * EFFORT[self.effort]))

    def share(self) -> float:
        """Return the share of the time that is used up, 0 to 1; 0 without limit."""
        return 0.0 if self.seconds is None else min(1.0, (time.monotonic() - self.begun) / self.seconds)

    def at_least(self, seconds: float, ended: Callable[[], bool]) -> Budget:
        """Return a budget of what is left, or so many seconds if that is less, which reports nothing."""
        seconds = max(seconds, self.left())
        return Budget(seconds=None if self.seconds is None else seconds, effort=self.effort, ended=ended)

    def counted(self) -> Budget:
        """Return the same budget for a solver that ends by its own count of steps, if the time is not up before."""
        return self if self.seconds is None else replace(self, seconds=None, _within=self.seconds, ended=self.over)

    def alongside(self, ended: Callable[[], bool]) -> Budget:
        """Return the budget of work on another thread, which ends too if ``ended`` says so, and reports nothing."""
        return replace(self, progress=silent, ended=lambda: ended() or self.ended())

    def part(self, share: float) -> Budget:
        """Return a budget of a share of the time that is left."""
        return self if self.seconds is None else replace(self, seconds=self.seconds - self.left() * (1 - share))

    def half(self) -> Budget:
        """Return a budget of half of the time that is left."""
        return self.part(0.5)

    def of_a_part(self) -> Budget:
        """Return the budget of work on a part of the table: what the part costs says nothing of the whole."""
        return replace(self, progress=lambda moment: self.progress(replace(moment, cost=None, lower_bound=None)))

    def of_rows(self) -> Budget:
        """Return the budget of a search that counts rows, or one row of each person: its costs are not those of people."""
        return replace(
            self,
            progress=lambda moment: self.progress(
                replace(moment, cost=None, lower_bound=None, rows_found=moment.cost is not None)
            ),
        )

    def of_fewer_masks(self, scale: int) -> Budget:
        """Return the budget of work under fewer masks: its releases are releases of the table, its bounds prove nothing of it.

        Parameters
        ----------
        scale : int
            Units of the table that one unit of that work is.
        """
        return replace(
            self,
            progress=lambda moment: self.progress(
                replace(moment, cost=None if moment.cost is None else scale * moment.cost, lower_bound=None)
            ),
        )

    def report(self, step: str, done: float, cost: int | None = None, lower_bound: int | None = None) -> None:
        """Tell where the work stands; costs in units of the table."""
        found = [None if units is None else Fraction(units, self.unit) for units in (cost, lower_bound)]
        self.progress(Moment(step=step, done=done, cost=found[0], lower_bound=found[1]))


UNLIMITED = Budget()
"""For work that always ends soon."""
