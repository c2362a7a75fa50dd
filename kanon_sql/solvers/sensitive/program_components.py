"""The integer program of `optimal` taken apart: components that share no instance are solved each for itself."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from math import inf

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.components import components
from kanon_sql.solvers.instances.ilp import INFEASIBLE, Assignment, Effort
from kanon_sql.solvers.instances.listing import Instances
from kanon_sql.solvers.instances.neighbourhood import Neighbourhood
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.sensitive.program import Program, solve_program
from kanon_sql.table.arrays import Int64

_MOST_FITS = 1 << 26
"""Row types times instances of a component up to which row types that fit alike are distinguished from the others."""

_FIRST_SLICE = 4.0
"""Seconds after which a program is first interrupted, to look around; each further attempt may take twice as long."""


WHOLE, QUICK = Effort(pairs=100_000), Effort(pairs=1_500, nodes=5)
"""To the end; and what takes about a second at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A component: its program, and which rows and instances that is about."""

    program: Program
    rows: Neighbourhood


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The best assignment of a component, if any, and a lower bound on its cost."""

    part: Component  # the component
    assignment: Assignment | None  # its best assignment
    bound: int  # the bound
    ended: bool  # whether no more is tried
    solved: bool = False  # whether more time would find no more


def components_of(requirement: ClassRequirement, kept: Instances, fallback: int) -> list[Component]:
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
        parts.append(_component(requirement, kept, row_types, member[pairs], owner[pairs], fallback))
    return sorted(parts, key=lambda part: len(part.program.group))


def _component(
    requirement: ClassRequirement, kept: Instances, types: Int64, member: Int64, owner: Int64, fallback: int
) -> Component:
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
    return Component(program=program, rows=rows_of_part)


def answered(parts: list[Component], cost: int, least: int, budget: Budget, effort: Effort) -> list[Answered]:
    """Solve all components, each for a while, then for twice as long what is not solved, as long as there is time."""
    answers = []
    for part in parts:
        bound = _cheapest(part.program)
        hopeless = bound == INFEASIBLE or len(part.program.group) > effort.pairs
        answers.append(Answered(part=part, assignment=None, bound=bound, ended=hopeless, solved=bound == INFEASIBLE))
    seconds = _FIRST_SLICE if effort.nodes is None else inf
    with ThreadPoolExecutor(max_workers=2) as threads:
        while not budget.over() and (open_ := [place for place, answer in enumerate(answers) if not answer.ended]):
            bound = sum(answer.bound for answer in answers)
            budget.report("integer programs", 1 - len(open_) / len(parts), cost, max(least, min(bound, cost)))
            longer = partial(_longer, seconds=seconds, budget=budget, nodes=effort.nodes)
            for place, answer in zip(open_, threads.map(longer, [answers[place] for place in open_]), strict=True):
                answers[place] = answer
            seconds *= 2
    return answers


def _longer(answer: Answered, *, seconds: float, budget: Budget, nodes: int | None) -> Answered:
    """Solve a component for some time."""
    if budget.over():
        return answer
    outcome = solve_program(answer.part.program, seconds=min(seconds, budget.left()), nodes=nodes)
    found = [each for each in (answer.assignment, outcome.assignment) if each is not None]
    return replace(
        answer,
        assignment=min(found, key=lambda each: each.cost, default=None),
        bound=max(answer.bound, outcome.bound),
        ended=outcome.ended or nodes is not None,
        solved=outcome.ended,
    )


def _cheapest(program: Program) -> int:
    """Return what the rows cost if each has its cheapest instance; `INFEASIBLE` if one has none."""
    cost = np.where(program.other >= 0, program.other, INFEASIBLE)
    np.minimum.at(cost, program.group, program.cost[program.instance])
    return INFEASIBLE if (cost == INFEASIBLE).any() else int(cost @ program.rows)
