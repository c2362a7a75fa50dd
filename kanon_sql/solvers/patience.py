"""When a search that only gains ends: once its last steps have closed too little of the gap."""

from __future__ import annotations

from dataclasses import dataclass, field

from kanon_sql.solvers.budget import Budget

_LEAST = 0.1
"""Share of the steps that every search takes."""

_RECENT = 0.5
"""Share of the steps so far that have to pay."""

_PAYS, _FAR = 0.05, 0.1
"""Share of the gap that they have to close; of this share of the cost, where the bound is farther off."""


def pays(cost: int, before: int, bound: int) -> bool:
    """Return whether a search has gained enough, from one cost to another, for the next steps to be worthwhile."""
    return before - cost >= _PAYS * min(before - bound, _FAR * before)


@dataclass(slots=True)
class Patience:
    """Watches what a search gains; with a time limit or `thorough`, it never ends one."""

    budget: Budget  # what the search may spend
    _costs: list[tuple[float, int]] = field(default_factory=list)

    def ends(self, done: float, cost: int, bound: int) -> bool:
        """Return whether a search ends that has taken a share of its steps and has a release of some cost.

        Notes
        -----
        O(1) amortized.
        """
        if self.budget.seconds is not None or self.budget.effort == "thorough":
            return False
        self._costs.append((done, cost))
        while len(self._costs) > 1 and self._costs[1][0] <= done * (1 - _RECENT):
            del self._costs[0]
        return done >= _LEAST and not pays(cost, self._costs[0][1], bound)
