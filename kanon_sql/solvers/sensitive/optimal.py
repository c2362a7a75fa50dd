"""`optimal` for sensitive requirements: the integer program over row types and pattern instances.

The way there: list every instance that a cheapest release may need and that can hold a class at all; prices give a bound,
and the search of `refine` a release; instances that prices prove useless are dropped. If the class that shows nothing is let
off the requirement, what is left may fall apart into components, each solved for itself: a bound, and the optimum where that
class meets the requirement anyway. Where it does not, one program decides.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013), Theorem 9.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.how_many import how_many
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.components import components
from kanon_sql.solvers.instances.ilp import BOUND, INFEASIBLE, Assignment
from kanon_sql.solvers.instances.listing import Instances, useful
from kanon_sql.solvers.instances.neighbourhood import Neighbourhood
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.k_anonymity.lagrangian import METHOD, Relaxation, relax
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.sensitive import refine
from kanon_sql.solvers.sensitive.greedy import refuse_impossible
from kanon_sql.solvers.sensitive.program import Program, solve_program
from kanon_sql.solvers.sensitive.support import able
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Prices, Recoding, row_cost

_RELAXED = f"{METHOD}, over the masks that can hold a class"
"""More than prices alone prove: instances of which no rows keep every requirement are left out."""

_MOST_MEMBERS = 1 << 24
"""Members of all instances that are listed for an exact solution."""

_MOST_PAIRS = 100_000
"""Pairs of a group of rows and an instance in a component beyond which its integer program is not built."""

_MOST_FITS = 1 << 26
"""Row types times instances of a component up to which row types that fit alike are told from the others."""

_FIRST_SLICE = 4.0
"""Seconds after which a program is first interrupted, to look around; each further attempt may take twice as long."""

_SHARE = 0.15
"""Share of the time for the release to start from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A component: its program, and which rows and instances that is about."""

    program: Program
    rows: Neighbourhood


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """The best assignment of a component, if any, a lower bound on its cost, and whether the search for it has ended."""

    part: _Part
    assignment: Assignment | None
    bound: int
    ended: bool


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a recoding of least cost whose classes meet the requirement, or the best found in time, with a proven bound.

    Parameters
    ----------
    problem : Problem
        t row types, m columns; the whole table meets the requirement.
    budget : Budget
        Time left. Without a limit, programs that are small enough are solved to the end.

    Raises
    ------
    InfeasibleError
        When there is no such recoding.

    Notes
    -----
    Exponential in the size of the largest component in the worst case. Tables whose instances are too many to list are
    left to `refine`, and the recoding says so.
    """
    refuse_impossible(problem)
    table, patterns, requirement = problem.table, problem.patterns, problem.requirement
    listed = useful(table, patterns, requirement.least, slack=None, limit=_MOST_MEMBERS) if patterns.listed else None
    if listed is None:
        found = refine.solve(problem, budget)
        return replace(found, remark=found.remark or "there are too many instances for an exact solution: refine")
    complete = listed.take(np.flatnonzero(able(requirement, listed)))
    if lost := int(table.weight[~np.isin(np.arange(table.row_types), complete.member)].sum()):
        raise InfeasibleError(
            f"{how_many(lost, 'row fits', 'rows fit')} no permitted mask together with others that make a class; hint: permit "
            "coarser masks, or the mask () that suppresses everything"
        )
    best = _start(problem, budget)
    relaxed = relax(table, complete, requirement.least, best.cost, budget)
    best = best.at_least(relaxed.bound, _RELAXED)
    for free_for_all in (True, False):
        if best.cost > best.bound and not budget.over():
            best = _by_components(problem, complete, relaxed, best, budget, free_for_all=free_for_all)
    if best.recoding is None:
        late = " in the time there was" if best.cost > best.bound else ""
        raise InfeasibleError(
            f"no release of the {table.rows} rows under the given masks meets every requirement{late}; hint: permit "
            "coarser masks, or the mask () that suppresses everything"
        )
    return replace(best.recoding, lower_bound=best.bound, bound=best.method, prices=best.prices)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Best:
    """What is known: the best recoding, if any, its cost (without one, more than any costs), and a bound with its evidence."""

    recoding: Recoding | None
    cost: int
    bound: int
    method: str
    prices: Prices | None = None

    def at_least(self, bound: int, method: str) -> _Best:
        """Return the same with another lower bound, if that is better."""
        return self if bound <= self.bound else replace(self, bound=min(bound, self.cost), method=method, prices=None)


def _start(problem: Problem, budget: Budget) -> _Best:
    table, patterns = problem.table, problem.patterns
    if budget.seconds is not None:
        budget = replace(budget, seconds=_SHARE * budget.seconds)
    try:
        found = refine.solve(problem, budget)
    except InfeasibleError:  # it does not find every release, and the program may
        return _Best(recoding=None, cost=table.rows * int(patterns.cost[-1]) + 1, bound=0, method="trivial")
    return _Best(recoding=found, cost=found.cost(table), bound=found.lower_bound, method=found.bound, prices=found.prices)


def _by_components(
    problem: Problem,
    complete: Instances,
    relaxed: Relaxation,
    best: _Best,
    budget: Budget,
    *,
    free_for_all: bool,
) -> _Best:
    """Solve each component; with ``free_for_all`` the class that shows nothing may hold any rows, which is a relaxation."""
    table, patterns, requirement = problem.table, problem.patterns, problem.requirement
    # Opening an instance that loses raises the bound by its loss: beyond the best release, no cheaper one opens it.
    needed = relaxed.surplus >= 0
    needed |= relaxed.value - relaxed.surplus <= (best.cost - 1) * relaxed.prices.scale
    kept = complete.take(np.flatnonzero(needed))
    everyone = np.flatnonzero(np.diff(kept.start) == table.row_types)
    fallback = int(everyone[0]) if free_for_all and len(everyone) else -1
    if free_for_all and fallback < 0:
        return best
    answers = _answers(_parts(requirement, kept, fallback), best, budget)
    found = _recoding(table, patterns, kept, answers, best.recoding)
    # Without the instances that were dropped there may be no solution: then nothing is cheaper than the best release.
    best = best.at_least(sum(answer.bound for answer in answers), BOUND)
    if found is not None and found.cost(table) < best.cost and _all_meet(requirement, found):
        return replace(best, recoding=found, cost=found.cost(table))
    return best


def _all_meet(requirement: ClassRequirement, recoding: Recoding) -> bool:
    """Return whether all classes of a recoding meet the requirement, exactly."""
    number = PartialRecoding.of(recoding).classes(requirement.table)
    return bool(requirement.holds(number, recoding.row_type, recoding.count).all())


def _parts(requirement: ClassRequirement, kept: Instances, fallback: int) -> list[_Part]:
    """Return the components as programs, the smallest first: row types are connected by the instances but ``fallback``."""
    t = requirement.table.row_types
    owner = kept.owner().astype(np.int64)
    linked = owner != fallback
    owner, member = owner[linked], kept.member[linked].astype(np.int64)
    component = components(t + len(kept), np.stack([member, t + owner], axis=1))
    order = np.argsort(component[member], kind="stable")
    ends = np.searchsorted(component[member][order], np.arange(component.max() + 2))
    by_component = np.argsort(component[:t], kind="stable")
    starts = np.searchsorted(component[:t][by_component], np.arange(component.max() + 2))
    parts = []
    for number in np.unique(component[:t]).tolist():
        row_types = by_component[starts[number] : starts[number + 1]]
        pairs = order[ends[number] : ends[number + 1]]
        parts.append(_part(requirement, kept, row_types, member[pairs], owner[pairs], fallback))
    return sorted(parts, key=lambda part: len(part.program.group))


def _part(requirement: ClassRequirement, kept: Instances, types: Int64, member: Int64, owner: Int64, fallback: int) -> _Part:
    """Return the program of some row types and of the instances that they are in."""
    weight = requirement.table.weight[types]
    used, instance = np.unique(owner, return_inverse=True)
    place = np.searchsorted(types, member)
    counter = requirement.counter[types]
    sample = group = np.arange(len(types))
    if len(types) * len(used) <= _MOST_FITS:
        fits = np.zeros((len(types), len(used)), np.bool_)
        fits[place, instance] = True
        # Row types with the same sensitive values that fit the same instances are one group: less to solve, less symmetry.
        key = np.hstack([np.packbits(fits, axis=1), counter.astype(np.int32).view(np.uint8).reshape(len(types), -1)])
        _, sample, group = np.unique(key, axis=0, return_index=True, return_inverse=True)
        place, instance = np.nonzero(fits[sample])
    rows = np.zeros(len(sample), np.int64)
    np.add.at(rows, group, weight)
    program = Program(
        rows=rows,
        group=place,
        instance=instance,
        cost=kept.cost[used],
        other=np.full(len(sample), -1 if fallback < 0 else kept.cost[fallback]),
        k=requirement.least,
        counter=counter[sample],
        requirement=requirement,
    )
    rows_of_part = Neighbourhood(
        row_type=types,
        count=weight,
        group=group.astype(np.int64),
        fallback=np.full(len(types), fallback),
        instance=used,
        program=program,
    )
    return _Part(program=program, rows=rows_of_part)


def _answers(parts: list[_Part], best: _Best, budget: Budget) -> list[_Answer]:
    """Solve all components, each for a while, then for twice as long what is not solved, as long as there is time."""
    answers = []
    for part in parts:
        bound = _cheapest(part.program)
        hopeless = bound == INFEASIBLE or len(part.program.group) > _MOST_PAIRS
        answers.append(_Answer(part=part, assignment=None, bound=bound, ended=hopeless))
    seconds = _FIRST_SLICE
    with ThreadPoolExecutor(max_workers=2) as threads:
        while not budget.over() and (open_ := [place for place, answer in enumerate(answers) if not answer.ended]):
            bound = sum(answer.bound for answer in answers)
            budget.report("integer programs", 1 - len(open_) / len(parts), best.cost, max(best.bound, min(bound, best.cost)))
            longer = partial(_longer, seconds=seconds, budget=budget)
            for place, answer in zip(open_, threads.map(longer, [answers[place] for place in open_]), strict=True):
                answers[place] = answer
            seconds *= 2
    return answers


def _longer(answer: _Answer, *, seconds: float, budget: Budget) -> _Answer:
    """Solve a component for some time."""
    if budget.over():
        return answer
    outcome = solve_program(answer.part.program, seconds=min(seconds, budget.left()))
    found = [each for each in (answer.assignment, outcome.assignment) if each is not None]
    return replace(
        answer,
        assignment=min(found, key=lambda each: each.cost, default=None),
        bound=max(answer.bound, outcome.bound),
        ended=outcome.ended,
    )


def _cheapest(program: Program) -> int:
    """Return what the rows cost if each has its cheapest instance; `INFEASIBLE` if one has none."""
    cost = np.where(program.other >= 0, program.other, INFEASIBLE)
    np.minimum.at(cost, program.group, program.cost[program.instance])
    return INFEASIBLE if (cost == INFEASIBLE).any() else int(cost @ program.rows)


def _recoding(
    table: CodedTable, patterns: PatternSet, kept: Instances, answers: list[_Answer], known: Recoding | None
) -> Recoding | None:
    """Return the answers to all components as a recoding, or ``known`` where that is cheaper; None if one has neither."""
    nothing = np.empty(0, np.int32)
    if known is None:
        known = Recoding(row_type=nothing, shown=nothing.astype(np.uint64), count=nothing.astype(np.int64))
    cost = row_cost(known.shown, table.cost) * known.count
    parts: list[tuple[Int32, Words, Int64]] = []
    for answer in answers:
        inside = np.isin(known.row_type, answer.part.rows.row_type)
        if answer.assignment is not None and (not inside.any() or answer.assignment.cost <= int(cost[inside].sum())):
            placed = answer.part.rows.placed(answer.assignment)
            parts.append((placed.row_type, patterns.shown[kept.pattern[placed.number]], placed.count))
        elif inside.any():
            parts.append((known.row_type[inside], known.shown[inside], known.count[inside]))
        else:
            return None
    row_type, shown, count = (np.concatenate(each) for each in zip(*parts, strict=True))
    return PartialRecoding(row_type=row_type, shown=shown, count=count, placed=np.ones(len(count), np.bool_)).recoding()
