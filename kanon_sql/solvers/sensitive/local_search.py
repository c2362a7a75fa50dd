"""Local search for sensitive requirements: destroy and repair in small neighbourhoods, then integer programs in large ones."""

from __future__ import annotations

from kanon_sql.kernels import seeded
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.patience import Patience
from kanon_sql.solvers.sensitive.neighbourhoods import Neighbourhoods
from kanon_sql.solvers.sensitive.search import Search

_STEPS_PER_ROW_TYPE, _MOST_STEPS = 0.4, 50_000
"""Steps of the local search where the clock does not decide, in a large table."""

_MORE_STEPS, _WORK = 25, 15_000_000
"""Steps for each row type of a small table, as long as those times the row types are no more work."""

_STEPS = 1_000
"""Steps between two sweeps of growth, some hundredths of a second or tenths."""


def local_search(search: Search, large: Neighbourhoods, bound: int, budget: Budget) -> None:
    """Improve classes until a bound is met, the steps or the time are over, or more steps would not pay.

    Parameters
    ----------
    search : Search
        The classes. Two operators change them: `Search.grow` lets instances draw rows from more expensive classes,
        `Search.rebuild` destroys small neighbourhoods and repairs them by prices.
    large : Neighbourhoods
        The third operator, for when these gain nothing: `Neighbourhoods.solve` assigns large ones anew by integer programs.
    bound : int
        A lower bound on the cost of every release.
    """
    space, state = search.space, seeded(budget.seed)
    steps, done, patience = budget.steps(_steps(space.table.row_types)) if budget.seconds is None else None, 0, Patience(budget)
    while search.cost > bound and not budget.over() and not large.complete and (steps is None or done < steps):
        share = budget.share() if steps is None else done / steps
        if patience.ends(share, search.cost, bound):
            break
        budget.report("local search", share, search.cost, bound)
        cost = search.cost
        search.grow(budget)
        search.rebuild(space.requirement.judged_at_once(budget, _STEPS), state)
        done += _STEPS
        if search.cost == cost or large.whole:
            large.solve(budget)
    search.grow(budget)


def _steps(row_types: int) -> int:
    """Return how many steps the local search takes where the clock does not decide."""
    large = min(_MOST_STEPS, _STEPS_PER_ROW_TYPE * row_types)
    return int(max(large, min(_MORE_STEPS * row_types, _WORK / row_types)))
