"""Tables with sensitive attributes, what is asked of their classes, and a slow search for the best ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from naive import class_cost, partitions
from requirement_oracle import kept
from solving import check

from kanon_sql.model.distances import Distance
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import Requirement, TCloseness
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """A sensitive attribute: the value of each row as a number, and the distances between the values."""

    values: list[int]
    names: list[str]
    distances: dict[str, tuple[Distance, Ground]]


def keeps(requirement: Requirement, attribute: Attribute, rows: Sequence[int]) -> bool:
    """Whether some rows, by number, meet a requirement as a class."""
    counts = Counter(attribute.values[row] for row in rows)
    ground = attribute.distances[requirement.metric][1] if isinstance(requirement, TCloseness) else []
    return kept(requirement, counts, Counter(attribute.values), lambda i, j: ground[i][j], attribute.names.index)


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
