"""Complementary suppression of a table: which algorithm, and what it returns."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np

from kanon_sql.errors import InfeasibleError, PolicyError
from kanon_sql.kernels.cells import BoxSearch, CircuitSearch, PlaneSearch, WitnessStore
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.destroy_repair import improve
from kanon_sql.solvers.cells.goals import RowCells, goals_of
from kanon_sql.solvers.cells.greedy import protect, publish_by_programs
from kanon_sql.solvers.cells.lower_bound import Bound, lower_bound
from kanon_sql.solvers.cells.optimal import EFFORT, QUESTIONS, Optimal
from kanon_sql.solvers.cells.search_space import cell_space
from kanon_sql.solvers.cells.state import SECONDARY, UNIT, State, steps_for
from kanon_sql.solvers.integer_programs.model import Floats
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import CellTable, Suppression

GREEDY, OPTIMAL = "greedy", "optimal"

ALGORITHMS = (GREEDY, OPTIMAL)
"""What ``USING`` names; ``'auto'`` is greedy, then destroy and repair, then exact if the table is small."""

_SMALL = 1_500
"""Rows of a table that is solved exactly if that takes little, at most."""

_SMALLEST = 300
"""Rows of such a table, at most, if its groups overlap, so that moves alone are not enough, or if its bound is far off."""

_NEAR = 0.85
"""The share of its cost that the bound of other tables is, at least, if they are solved exactly: others seldom end in time."""

_GUIDED = 0.5
"""How much the relaxed suppression counts where a table is improved."""

_STRENGTHS = (0.5, 0.75, 1.0)
"""How much the relaxed suppression counts, by turns."""

_STARTS, _WORK, _MOST = 24, 4_000, 500
"""Tables and witnesses of all of them, at most, and witnesses of a table that is begun again, at most."""

_NOISE = 4
"""Weights are perturbed by at most so many parts of 1 where the rows come in a random order."""

_MEMBERS = 64
"""Base cells of a primary row that are tried as the centre of a box."""


def suppress(table: CellTable, budget: Budget, algorithm: str = "auto") -> Suppression:
    """Suppress rows until no primary row is disclosed, at a low cost.

    Parameters
    ----------
    budget : Budget
        Time left. Without a limit the result does not depend on the clock.
    algorithm : str
        One of `ALGORITHMS`, or ``'auto'``.

    Raises
    ------
    InfeasibleError
        When a primary row has no witness, even if every row is suppressed that may be.
    PolicyError
        When there is no such algorithm.
    """
    return finished(begun(table, budget, algorithm), budget, algorithm)


def begun(table: CellTable, budget: Budget, algorithm: str) -> State:
    """Return a table whose primary rows have witnesses, improved by moves; parameters and errors as for `suppress`."""
    if algorithm not in ("auto", *ALGORITHMS):
        listed = ", ".join(map(repr, ALGORITHMS))
        raise PolicyError(
            f"the algorithm {algorithm!r} cannot protect a table of counts; hint: use {listed}, or omit the algorithm"
        )
    state = started(table)
    protect(state, budget)
    if state.by_programs:  # moves alone do not find all witnesses, so other starts take long
        if _is_large(state):
            publish_by_programs(state, budget)
    elif not _is_large(state):
        _improve(state, budget, algorithm)
    elif algorithm != GREEDY:
        improve(state, 0, budget)
    return state


def widened(state: State, table: CellTable, budget: Budget) -> State:
    """Return a wider table, whose further base cells follow those of a state, with its pattern and its witnesses, and new ones.

    Raises
    ------
    InfeasibleError
        As for `suppress`.
    """
    wider = carried(state, table)
    protect(wider, budget)
    return wider


def finished(state: State, budget: Budget, algorithm: str) -> Suppression:
    """Prove a bound, and take exact steps where they are likely to end; parameters as for `suppress`."""
    bound = state.bound = state.bound or lower_bound(state.table, budget)
    proven = bound.cost if _is_large(state) and algorithm != OPTIMAL else _exact(state, bound, budget, algorithm)
    return Suppression(
        suppressed=state.suppressed,
        witnesses=state.witnesses(),
        lower_bound=proven,
        method=bound.method if proven == bound.cost else "cuts of the attacker, by integer programs",
        cuts=bound.priced,
        scale=bound.scale,
    )


def _is_large(state: State) -> bool:
    """Return whether a table is improved without its bound."""
    return state.table.rows > _SMALL


def _improve(state: State, budget: Budget, algorithm: str) -> None:
    """Begin a small table several times, then rebuild it in part, both guided by its bound."""
    bound = state.bound = lower_bound(state.table, budget)
    start_again(state, bound.share, bound.cost, budget)
    if state.cost > bound.cost and algorithm != GREEDY:
        state.guide(bound.share, _GUIDED)
        improve(state, bound.cost, budget)


def _exact(state: State, bound: Bound, budget: Budget, algorithm: str) -> int:
    """Take exact steps where the table is small and nearly optimal, or they are requested; return the bound that they prove."""
    if state.by_programs:
        publish_by_programs(state, budget)
    if algorithm == OPTIMAL:
        limits = inf, inf
    elif algorithm == GREEDY or (state.table.rows > _SMALLEST and (state.by_programs or bound.cost < _NEAR * state.cost)):
        return bound.cost
    else:
        limits = EFFORT, QUESTIONS // 16 if state.by_programs else QUESTIONS
    return (
        max(bound.cost, Optimal(state, bound.cuts, *limits).run(bound.cost, budget)) if state.cost > bound.cost else bound.cost
    )


def start_again(state: State, share: Floats, lower_bound: int, budget: Budget) -> None:
    """Begin several times and keep the cheapest table; a large one is not begun again.

    The relaxed suppression guides moves more or less, and the primary rows come in different orders.

    Parameters
    ----------
    state : State
        A table whose primary rows have witnesses.
    share : float64 array [r]
        To what share each row is suppressed in the cheapest relaxed suppression.
    lower_bound : int
        What is known.
    """
    random = np.random.default_rng(budget.seed)
    best, cost = state.snapshot(), state.cost
    witnesses = len(state.measure)
    starts = min(_STARTS, _WORK // max(1, witnesses)) if witnesses <= _MOST else 0
    for start in range(starts):
        if cost <= lower_bound or budget.over():
            break
        budget.report("starts", start / starts, cost, lower_bound)
        state.clear()
        state.guide(share, _STRENGTHS[start % len(_STRENGTHS)])
        order = None
        if start >= len(_STRENGTHS):
            state.price(state.weight + random.integers(_NOISE + 1, size=state.table.rows))
            order = random.permutation(witnesses)
        try:
            protect(state, budget.of_a_part(), order)
        except InfeasibleError:
            break  # an integer program took too long: there is a table already
        if state.cost < cost:
            best, cost = state.snapshot(), state.cost
    state.take(best)


def started(table: CellTable) -> State:
    """Return the search space of a table, without witnesses."""
    space = cell_space(table)
    members = RowCells(table)
    goals = goals_of(table, members)
    limits = [
        ((each.value - np.maximum(each.floor, each.known)).astype(np.int64), each.fixed.copy()) for each in table.measures
    ]
    searches = [
        BoxSearch(space, table.values(number) - each.least, *limits[number]) for number, each in enumerate(table.measures)
    ]
    set_of = np.zeros(table.rows, np.int32)
    for g, column in enumerate(table.ancestors.T):
        set_of[column] = g
    circuits = CircuitSearch(members.first, members.cells, table.base_cells)
    first, centres = _members(table, goals.row, set_of)
    store = WitnessStore(goals.row, goals.grows.copy(), first, centres, set_of, PlaneSearch(space), circuits)
    store.steps = steps = steps_for(len(goals.row))
    return State(
        table=table,
        weight=table.cost * UNIT,
        space=space,
        searches=searches,
        limits=limits,
        store=store,
        goals=goals,
        members=members,
        failures=[0] * len(goals.row),
        steps=steps,
    )


def carried(state: State, table: CellTable) -> State:
    """Return the search space of a wider table, with the pattern and the witnesses of a state.

    Parameters
    ----------
    state : State
        Its rows and base cells are in the other table, too; base cells with the same numbers.
    table : CellTable
        The same grouping sets, and further base cells that nobody has.
    """
    wider, old = started(table), state.table
    wider.by_programs = state.by_programs
    row = np.zeros(old.rows, np.int64)
    row[old.ancestors] = table.ancestors[: old.base_cells]
    pattern, before = wider.pattern.copy(), state.witnesses()
    own = row[state.pattern == SECONDARY]
    pattern[own[pattern[own] == 0]] = SECONDARY
    source = wider.goals.among(state.goals, row)
    length = np.where(source >= 0, np.diff(before.start)[source], 0)
    start = np.append(0, np.cumsum(length))
    entry = np.repeat(before.start[source], length) + np.arange(start[-1]) - np.repeat(start[:-1], length)
    wider.take(
        (
            pattern,
            replace(
                before,
                row=wider.goals.row,
                measure=wider.measure,
                start=start,
                of=before.of[entry],
                base=before.base[entry],
                change=before.change[entry],
            ),
        )
    )
    return wider


def _members(table: CellTable, row: Int32, set_of: Int32) -> tuple[Int64, Int32]:
    """Return where the base cells of each row begin, and those cells, the greatest first, at most `_MEMBERS` of each."""
    order = [np.argsort(column, kind="stable") for column in table.ancestors.T]
    sorted_rows = [column[each] for each, column in zip(order, table.ancestors.T, strict=True)]
    value, parts = table.measures[0].value, [np.zeros(0, np.int64)]
    for own in row:
        g = set_of[own]
        low, high = np.searchsorted(sorted_rows[g], [own, own + 1])
        cells = order[g][low:high]
        parts.append(cells[np.argsort(-value[cells], kind="stable")][:_MEMBERS] if high - low > 1 else cells)
    first = np.cumsum([len(part) for part in parts])
    return first.astype(np.int64), np.concatenate(parts).astype(np.int32)
