"""l-diversity: the most frequent values of every class leave enough rows to others."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from kanon_sql.kernels.criteria import DISTINCT, ENTROPY, FREQUENCY, RECURSIVE
from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import LDiversity
from kanon_sql.solvers.guarantees.attribute_requirement import (
    AttributeRequirement,
    Bools,
    Criteria,
    Floats,
    fit_for,
    stricter,
    up_to,
)
from kanon_sql.solvers.guarantees.entropy import UPWARD, diverse, greatest_share
from kanon_sql.solvers.guarantees.limit import Limit
from kanon_sql.solvers.integer_programs.counters import (
    Counters,
    add_whole,
    at_most,
    distinct_values,
    each_value,
    some_of,
    whole_numbers,
)
from kanon_sql.solvers.integer_programs.model import Model
from kanon_sql.table.arrays import Int64


@dataclass(frozen=True, slots=True)
class RequiredLDiversity(AttributeRequirement[LDiversity]):
    """Frequency, distinct, entropy or recursive l-diversity."""

    def meets(self, histograms: Int64, rows: Int64) -> Any:
        """Return where the variant holds, in whole numbers."""
        requirement, most = self.requirement, int(rows.max(initial=1))
        if requirement.variant == "frequency":
            size = fit_for(most * requirement.l.numerator)
            return (
                histograms.max(axis=1).astype(size) * requirement.l.numerator <= rows.astype(size) * requirement.l.denominator
            )
        if requirement.variant == "distinct":
            return (histograms > 0).sum(axis=1) >= ceil(requirement.l)
        if requirement.c is not None:
            size = fit_for(most * requirement.c.denominator * requirement.c.numerator)
            descending = -np.sort(-histograms, axis=1)
            tail = descending[:, int(requirement.l) - 1 :].sum(axis=1).astype(size)
            return descending[:, 0].astype(size) * requirement.c.denominator < tail * requirement.c.numerator
        return diverse(histograms, rows, requirement.l)

    def encode(self, criteria: Criteria, places: tuple[int, int]) -> None:
        """Add the criterion of the variant."""
        requirement = self.requirement
        if requirement.variant == "distinct":
            criteria.add(DISTINCT, places, Fraction(min(ceil(requirement.l), criteria.rows + 1)))
        elif requirement.c is not None:
            size = min(int(requirement.l), len(self.about.count) + 1)
            criteria.add(RECURSIVE, places, stricter(requirement.c, up=False), size)
        else:
            kind = FREQUENCY if requirement.variant == "frequency" else ENTROPY
            criteria.add(kind, places, stricter(requirement.l, up=True))

    def supported(self, support: Floats, rows: float) -> Bools:
        """Return where at most 1 / l of the rows are taken of each value, or where there are l values."""
        if self.requirement.variant == "frequency":
            return up_to(rows, np.minimum(support, rows / float(self.requirement.l)).sum(axis=1))
        enough: Bools = (support > 0).sum(axis=1) >= ceil(self.requirement.l)
        return enough

    def limit(self) -> Limit | None:
        """Return the greatest share of a value: 1 / l, or c / (1 + c)."""
        requirement, values = self.requirement, len(self.about.count)
        if requirement.variant == "frequency":
            share = 1 / requirement.l
        elif requirement.variant == "recursive" and requirement.c is not None and requirement.l > 1:
            share = requirement.c / (1 + requirement.c)
        else:
            return None
        return Limit.at_most(np.arange(values, dtype=np.int32), [share] * values) if share < 1 else None

    def constrain(self, model: Model, counters: Counters, least: int) -> None:
        """Add the constraints of the variant, and how many rows an open class has of other values than each.

        Notes
        -----
        Frequency l: g[j, v] <= n[j] / l. The others in their functions.
        """
        requirement, values = self.requirement, len(self.about.count)
        if requirement.variant == "distinct":
            distinct_values(model, counters, np.ones(len(counters.held), np.bool_), ceil(requirement.l))
            return
        if requirement.c is not None:
            _recursive(model, counters, int(requirement.l), requirement.c)
            others = int(least / (1 + requirement.c)) + 1 if requirement.l > 1 else 0
        elif requirement.variant == "frequency":
            at_most(model, counters, 1 / requirement.l, np.ones(len(counters.held), np.bool_))
            others = least - int(least / requirement.l)
        else:
            others = least - int(least * (greatest_share(values, requirement.l) + UPWARD))
        some_of(model, counters, ~each_value(self.about), [others] * values)

    def figures(self) -> str:
        """Return what the variant counts."""
        count = sorted(self.about.count.tolist(), reverse=True)
        rows = sum(count)
        if self.requirement.variant == "frequency":
            most = rows * 100 // count[0] / 100
            return f"one value has {count[0]} of {how_many(rows, 'row')}, so l can be at most {most:g}"
        if self.requirement.variant == "distinct":
            return f"it has {how_many(len(count), 'different value')}"
        if self.requirement.variant == "entropy":
            shares = self.about.count / rows
            return f"its entropy is that of {np.exp(-(shares @ np.log(shares))):.6f} values"
        tail = sum(count[int(self.requirement.l) - 1 :])
        return f"its most frequent value has {how_many(count[0], 'row')}, those from place {self.requirement.l} on {tail}"

    @property
    def entropy(self) -> Fraction | None:
        """The l of entropy l-diversity."""
        return self.requirement.l if self.requirement.variant == "entropy" else None

    @property
    def finds_parts(self) -> bool:
        """Whether the variant is about frequencies or the number of values."""
        return self.requirement.variant in ("frequency", "distinct")


def _recursive(model: Model, counters: Counters, least: int, c: Fraction) -> None:
    """Add g[j, v] < c (n[j] - s[j]) if the class is open, where s[j] is at least the sum of any l - 1 counters.

    At best s[j] is (l - 1) q + sum_v max(0, g[j, v] - q) for some q.
    """
    classes, cells, owner = len(counters.size), len(counters.held), counters.owner
    top = model.add_variables(classes)
    if least > 1:
        level, above = model.add_variables(classes), model.add_variables(cells)
        row = model.add_constraints(cells, 0.0, np.inf)
        model.add(row, above, 1.0)
        model.add(row, counters.held, -1.0)
        model.add(row, level[owner], 1.0)
        row = model.add_constraints(classes, 0.0, 0.0)
        model.add(row, top, -1.0)
        model.add(row, level, float(least - 1))
        model.add(row[owner], above, 1.0)
    # In whole numbers, less is less by 1 at least.
    row = model.add_constraints(cells, -np.inf, 0.0)
    entries = [
        (row, counters.held, whole_numbers([c.denominator] * cells)),
        (row, top[owner], whole_numbers([c.numerator] * cells)),
        (row, counters.opened[owner], whole_numbers([1] * cells)),
    ]
    add_whole(model, entries, row, counters.size[owner], whole_numbers([-c.numerator] * cells))
