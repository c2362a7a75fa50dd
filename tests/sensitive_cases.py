"""Tables with sensitive attributes, what is asked of their classes, and slow oracles for both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
from naive import class_cost, partitions
from ortools.graph.python.min_cost_flow import SimpleMinCostFlow
from solving import check

from kanon_sql.model.distances import Distance
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import AlphaAnonymity, BetaLikeness, DeltaDisclosure, LDiversity, Requirement, TCloseness
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.registry import Solve
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.encode import encode
from kanon_sql.table.patterns import permitted
from kanon_sql.table.recoding import Recoding

Row = tuple[Any, ...]
Ground = list[list[Fraction]]
"""The distance of every two values."""


def moved(class_rows: Sequence[int], table_rows: Sequence[int], ground: Ground) -> Fraction:
    """The earth mover's distance of two histograms: the cheapest transport, whatever the distance is made of."""
    scale = 1
    for each in {distance.denominator for row in ground for distance in row}:
        scale *= each
    size, total = sum(class_rows), sum(table_rows)
    flow = SimpleMinCostFlow()
    values = len(class_rows)
    for i, j in product(range(values), repeat=2):
        flow.add_arc_with_capacity_and_unit_cost(i, values + j, size * total, int(ground[i][j] * scale))
    for value in range(values):
        flow.set_node_supply(value, class_rows[value] * total)
        flow.set_node_supply(values + value, -table_rows[value] * size)
    assert flow.solve() == flow.OPTIMAL
    return Fraction(flow.optimal_cost(), size * total * scale)


def gains_at_most(beta: Fraction, held: int, size: int, total: int, rows: int) -> bool:
    """Whether (q - p) / p <= min(beta, -ln p), the definition of Cao and Karras."""
    p, q = Fraction(total, rows), Fraction(held, size)
    gain = (q - p) / p
    logarithm = -(Decimal(total) / Decimal(rows)).ln()
    return gain <= beta and (gain <= 0 or Decimal(gain.numerator) / Decimal(gain.denominator) <= logarithm)


def disclosed(held: int, size: int, total: int, rows: int) -> Decimal:
    """|ln(q / p)|, of Brickell and Shmatikov."""
    return abs((Decimal(held * rows) / Decimal(size * total)).ln())


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """A sensitive attribute: the value of each row as a number, and the distances between the values."""

    values: list[int]
    names: list[str]
    distances: dict[str, tuple[Distance, Ground]]


def keeps(requirement: Requirement, attribute: Attribute, rows: Sequence[int]) -> bool:
    """Whether some rows, by number, meet a requirement as a class: its definition, word by word."""
    count = Counter(attribute.values[row] for row in rows)
    n, descending = len(rows), sorted(count.values(), reverse=True)
    if isinstance(requirement, AlphaAnonymity):
        return count[attribute.names.index(requirement.value)] <= requirement.alpha * n
    if isinstance(requirement, TCloseness):
        total = Counter(attribute.values)
        values = range(len(attribute.names))
        ground = attribute.distances[requirement.metric][1]
        return moved([count[v] for v in values], [total[v] for v in values], ground) <= requirement.t
    if isinstance(requirement, BetaLikeness):
        return all(
            gains_at_most(requirement.beta, held, n, attribute.values.count(v), len(attribute.values))
            for v, held in count.items()
        )
    if isinstance(requirement, DeltaDisclosure):
        return all(
            count[v] and disclosed(count[v], n, held, len(attribute.values)) < Decimal(str(float(requirement.delta)))
            for v, held in Counter(attribute.values).items()
        )
    assert isinstance(requirement, LDiversity)
    if requirement.variant == "frequency":
        return descending[0] * requirement.l <= n
    if requirement.variant == "distinct":
        return len(descending) >= requirement.l
    if requirement.variant == "recursive":
        return descending[0] < requirement.c * sum(descending[int(requirement.l) - 1 :])
    product_of_powers = Fraction(1)
    for each in descending:
        product_of_powers *= Fraction(each) ** each
    return Fraction(n) ** n >= requirement.l**n * product_of_powers


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A table with sensitive attributes and what is asked of its classes."""

    rows: list[Row]
    k: int
    masks: list[set[int]] | None
    weights: list[Fraction]
    attributes: dict[str, Attribute]
    requirements: list[Requirement]

    def coded(self) -> Problem:
        names = [f"c{c}" for c in range(len(self.rows[0]))]
        every = [(*row, *(each.values[number] for each in self.attributes.values())) for number, row in enumerate(self.rows)]
        types = Counter(every)
        columns = [pa.array([row[c] for row in types], pa.string()) for c in range(len(names))]
        columns += [pa.array([row[len(names) + s] for row in types], pa.int32()) for s in range(len(self.attributes))]
        masks = None if self.masks is None else [[names[c] for c in sorted(mask)] for mask in self.masks]
        policy = Policy.of(
            k=self.k,
            quasi_identifiers=names,
            masks=masks,
            weights=dict(zip(names, self.weights, strict=True)),
            requirements=self.requirements,
        )
        struct = pa.StructArray.from_arrays(columns, [*names, *self.attributes])
        table, policy = encode(struct, np.array(list(types.values()), np.int64), policy)
        sensitive = []
        for each in table.sensitive:
            own = self.attributes[each.column]
            distances = {metric: distance for metric, (distance, _) in own.distances.items()}
            sensitive.append(replace(each, named={name: code for code, name in enumerate(own.names)}, distances=distances))
        table = replace(table, sensitive=tuple(sensitive))
        requirement = ClassRequirement.of(table, policy.requirements)
        return Problem(table=table, patterns=permitted(table, policy), requirement=requirement)

    def kept(self, rows: Sequence[int]) -> bool:
        return len(rows) >= self.k and all(keeps(each, self.attributes[each.sensitive], rows) for each in self.requirements)

    def optimum(self) -> Fraction | None:
        """The least cost over all partitions; None if none meets the requirement."""
        best, known = None, {}
        for classes in partitions([(number,) for number in range(len(self.rows))]):
            costs = []
            for each in classes:
                numbers = frozenset(number for (number,) in each)
                if numbers not in known:
                    cost = class_cost([self.rows[number] for number in numbers], self.masks, self.weights)
                    known[numbers] = cost if cost is not None and self.kept(sorted(numbers)) else None
                costs.append(known[numbers])
                if costs[-1] is None:
                    break
            else:
                best = sum(costs) if best is None else min(best, sum(costs))
        return best


def solved(solve: Solve, drawn: Case, budget: Budget = UNLIMITED) -> tuple[CodedTable, Recoding]:
    """What a solver makes of a case, checked: every row is placed, every class meets the requirement, by its definition."""
    problem = drawn.coded()
    table, recoding = problem.table, solve(problem, budget)
    check(table, recoding, drawn.k)
    assert all(drawn.kept(rows) for rows in released_classes(drawn, table, recoding))
    assert np.isin(recoding.shown, problem.patterns.shown).all()
    assert recoding.lower_bound <= recoding.cost(table)
    return table, recoding


def released_classes(drawn: Case, table: CodedTable, recoding: Recoding) -> list[list[int]]:
    """The classes of a release, each by the numbers of rows of the case that have its row types."""
    seen: dict[Row, list[int]] = {}
    for number, row in enumerate(drawn.rows):
        seen.setdefault((*row, *(each.values[number] for each in drawn.attributes.values())), []).append(number)
    every = list(seen.values())
    waiting = {row_type: list(every[origin]) for row_type, origin in enumerate(table.origin)}
    classes: dict[Row, list[int]] = {}
    for row_type, shown, count in zip(recoding.row_type, recoding.shown, recoding.count, strict=True):
        look = tuple(int(code) if int(shown) >> c & 1 else None for c, code in enumerate(table.codes[row_type]))
        classes.setdefault(look, []).extend(waiting[int(row_type)].pop() for _ in range(count))
    return list(classes.values())
