"""When a search that only gains ends: once its last steps have closed too little of the gap."""

from __future__ import annotations

from dataclasses import dataclass, field

from kanon_sql.solvers.budget import Budget

_LEAST = 0.1
"""Share of the steps that every search takes."""

_RECENT = 0.5
"""Share of the steps so far that have to pay."""

_PAYS = 0.05
"""Share of the gap that they have to close."""


@dataclass(slots=True)
class Patience:
    """Watches what a search gains; with a time limit or `thorough`, it never ends one.

    Parameters
    ----------
    budget : Budget
        What the search may spend.
    """

    budget: Budget
    _gaps: list[tuple[float, int]] = field(default_factory=list)

    def ends(self, done: float, cost: int, bound: int) -> bool:
        """Return whether a search ends that has taken a share of its steps and has a release of some cost.

        Notes
        -----
        O(1) amortized.
        """
        if self.budget.seconds is not None or self.budget.effort == "thorough":
            return False
        self._gaps.append((done, cost - bound))
        while len(self._gaps) > 1 and self._gaps[1][0] <= done * (1 - _RECENT):
            del self._gaps[0]
        before = self._gaps[0][1]
        return done >= _LEAST and before - (cost - bound) < _PAYS * before
