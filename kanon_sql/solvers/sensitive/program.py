"""The integer program of rows and pattern instances, with what each class has to meet, solved by SCIP through OR-Tools.

Rows x[i, j] of group i, whose sensitive values are known, are in instance j, which is open (u[j] = 1) or empty. Next to the
constraints of `kanon_sql.solvers.instances.ilp` there are those of each guarantee, and x has to be whole.
Two classes that show the same are one in the release, which meets a requirement that both meet: so an instance holds one class.
Answers are tested exactly, whatever the tolerances of the solver.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013), Theorem 9.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from datetime import timedelta
from fractions import Fraction

import numpy as np

from kanon_sql.solvers.guarantees.entropy import add_tangent, first_tangents, tangent
from kanon_sql.solvers.instances import ilp
from kanon_sql.solvers.instances.ilp import INFEASIBLE, Assignment, Outcome
from kanon_sql.solvers.integer_programs.counters import Counters
from kanon_sql.solvers.integer_programs.model import Floats, Model
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.arrays import Int32, Int64

_ROUNDING = 1e-4
"""Costs are whole numbers; the solver's tolerances are far below this share of one."""

_TWICE = 2
"""Search trees that may use up their nodes: the second knows what the classes of the first lacked, and more add little."""

_DEEP = 1e-5
"""How far below 0 a tangent has to see a class, so that the solver's tolerances do not hide it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program(ilp.Program):
    """Groups of rows, instances, which fits which, and what a class has to meet.

    Parameters
    ----------
    rows, group, instance, cost, other, k
        As in `kanon_sql.solvers.instances.ilp.Program`; ``k`` is the least number of rows of a class that meets the
        requirement. Rows that go elsewhere count for no class.
    """

    counter: Int32  # [f, s]: the counters of a histogram that a row of each group raises
    requirement: ClassRequirement  # what every class must meet

    def histograms(self, count: Int64) -> Int64:
        """Return the histograms of the classes of an assignment, int64 [j, V]."""
        found = np.zeros((len(self.cost), self.requirement.counters), np.int64)
        for counter in self.counter[self.group].T:
            np.add.at(found, (self.instance, counter), count)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Outcome):
    """What became of a program.

    Parameters
    ----------
    assignment, bound, nodes
        As in `kanon_sql.solvers.instances.ilp.Outcome`.
    """

    ended: bool  # whether the search came to its end: more time would find no more


def solve_program(program: Program, *, seconds: float = math.inf, nodes: int | None = None) -> Answer:
    """Return the best assignment found whose classes meet the requirement, and a lower bound on the cost of all of them.

    Parameters
    ----------
    seconds, nodes : float, int
        Limits; the one on the nodes of a search tree does not depend on the clock.

    Notes
    -----
    Exponential in the worst case. With a requirement on the entropy, the program is solved again until no class is below it.
    The interpreter is free for other threads meanwhile.
    """
    end = time.monotonic() + seconds
    tangents = _Tangents.of(program.requirement)
    bound = used = 0
    while True:
        answer, classes = _solved(program, tangents, end - time.monotonic(), nodes)
        bound, used = max(bound, answer.bound), used + answer.nodes
        more = answer.assignment is None and tangents.add(classes)
        if not more or time.monotonic() >= end or (nodes is not None and used >= _TWICE * nodes):
            return replace(answer, bound=bound, nodes=used, ended=answer.ended and not more)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tangents:
    """The required entropies, by their number of values: with attribute, counters, and the weights written down so far."""

    entropies: list[tuple[int, slice, Fraction, list[Floats]]]

    @classmethod
    def of(cls, requirement: ClassRequirement) -> _Tangents:
        ends = np.cumsum([len(each.count) for each in requirement.sensitive]).tolist()
        found = []
        for place, each in requirement.on_attributes:
            if each.entropy is not None:
                values = len(each.about.count)
                first = first_tangents(values, each.entropy)
                found.append((place, slice(ends[place] - values, ends[place]), each.entropy, first))
        return cls(entropies=found)

    def add(self, classes: Int64) -> bool:
        """Write down what excludes classes, int64 [c, V]; return whether any of them is excluded by it."""
        found = False
        for _, counters, least, weights in self.entropies:
            for histogram in classes[:, counters]:
                weight = tangent(histogram, least)
                if histogram @ weight < -_DEEP:
                    weights.append(weight)
                    found = True
        return found


def _solved(program: Program, tangents: _Tangents, seconds: float, nodes: int | None) -> tuple[Answer, Int64]:
    """Solve the program once; return what became of it, and the histograms of classes that do not meet the requirement."""
    from kanon_sql.solvers.or_tools import mathopt

    none = np.empty((0, program.requirement.counters), np.int64)
    unit = int(np.gcd.reduce(np.concatenate([program.cost, program.other[program.other > 0]]), initial=0)) or 1
    model = mathopt.Model.from_model_proto(_model(program, tangents, unit))
    parameters = mathopt.SolveParameters(
        time_limit=timedelta(seconds=max(seconds, 0.01)) if seconds < math.inf else None,
        node_limit=nodes,
        absolute_gap_tolerance=1 - _ROUNDING,
        relative_gap_tolerance=0.0,
    )
    result = mathopt.solve(model, mathopt.SolverType.GSCIP, params=parameters)
    reason = result.termination.reason
    nothing = Answer(
        assignment=None,
        bound=INFEASIBLE,
        nodes=result.solve_stats.node_count,
        ended=reason in (mathopt.TerminationReason.OPTIMAL, mathopt.TerminationReason.INFEASIBLE),
    )
    if reason == mathopt.TerminationReason.INFEASIBLE:
        return nothing, none
    proven = result.termination.objective_bounds.dual_bound
    bound = max(0, unit * math.ceil(proven - _ROUNDING * max(1.0, abs(proven) * 1e-6))) if math.isfinite(proven) else 0
    nothing = replace(nothing, bound=bound)
    if not result.has_primal_feasible_solution():
        return nothing, none
    values = result.variable_values()
    whole = np.rint([values[variable] for variable in model.variables()]).astype(np.int64)
    pairs, outside = len(program.group), np.flatnonzero(program.other >= 0)
    count, elsewhere = whole[:pairs], np.zeros_like(program.rows)
    elsewhere[outside] = whole[pairs : pairs + len(outside)]
    placed = elsewhere.copy()
    np.add.at(placed, program.group, count)
    if (placed != program.rows).any():
        return nothing, none
    classes = program.histograms(count)
    classes = classes[classes.any(axis=1)]
    kept = program.requirement.met(classes)
    if not kept.all():
        return nothing, classes[~kept]
    cost = int(count @ program.cost[program.instance]) + int(elsewhere[outside] @ program.other[outside])
    assignment = Assignment(count=count, elsewhere=elsewhere, cost=cost)
    return replace(nothing, assignment=assignment, bound=min(bound, cost)), none


def _model(program: Program, tangents: _Tangents, unit: int) -> object:
    """Lay the program out for MathOpt: variables x by pair, x elsewhere, u, and what the requirement needs."""
    pairs, classes = len(program.group), len(program.cost)
    outside = np.flatnonzero(program.other >= 0)
    model = Model()
    x = model.add_variables(pairs, program.rows[program.group], integer=True)
    away = model.add_variables(len(outside), program.rows[outside])
    opened = model.add_variables(classes, 1.0, integer=True)
    size = model.add_variables(classes)
    row = model.add_constraints(len(program.rows), program.rows, program.rows)
    model.add(row[program.group], x, 1.0)
    model.add(row[outside], away, 1.0)
    row = model.add_constraints(pairs, -np.inf, 0.0)
    model.add(row, x, 1.0)
    model.add(row, opened[program.instance], -program.rows[program.group])
    row = model.add_constraints(classes, 0.0, 0.0)
    model.add(row, size, -1.0)
    model.add(row[program.instance], x, 1.0)
    row = model.add_constraints(classes, 0.0, np.inf)
    model.add(row, size, 1.0)
    model.add(row, opened, -float(program.k))
    start = 0
    for place, about in enumerate(program.requirement.sensitive):
        value = program.counter[program.group, place] - start
        start += len(about.count)
        key, cell = np.unique(program.instance * len(about.count) + value, return_inverse=True)
        held = model.add_variables(len(key))
        row = model.add_constraints(len(key), 0.0, 0.0)
        model.add(row, held, -1.0)
        model.add(row[cell], x, 1.0)
        owner, value = np.divmod(key, len(about.count))
        counters = Counters(opened=opened, size=size, owner=owner, value=value, held=held)
        for number, each in program.requirement.on_attributes:
            if number == place:
                each.constrain(model, counters, program.k)
        for there, _, _, weights in tangents.entropies:
            for weight in weights if there == place else ():
                add_tangent(model, counters, weight)
    price = np.concatenate([program.cost[program.instance], program.other[outside]]) // unit
    return model.proto(price.astype(np.float64))
