"""Requirements on sensitive values as linear constraints on the classes of a mixed-integer program, in whole numbers.

Of class j with size n[j] and g[j, v] rows of value v:

- frequency l:         g[j, v] <= n[j] / l;
- shares (alpha, beta, delta):  least[v] n[j] <= g[j, v] <= most[v] n[j];
- k people:            g[j, v] >= k if the class is open, where v counts the representative rows;
- distinct l:          z[j, v] <= g[j, v] with z binary, and sum_v z[j, v] >= l if the class is open;
- recursive (c, l):    g[j, v] < c (n[j] - s[j]) if it is open, where s[j] is at least the sum of any l - 1 counters: at best
                       (l - 1) q + sum_v max(0, g[j, v] - q) for some q;
- t along a tree:      sum_e length[e] |a[j, e]| <= t scale n[j], where a[j, e] is what the class has more below edge e than the
                       whole table has; |a| = 2 p - a for the least p >= a, p >= 0;
- t in any metric:     a transport from the class to the whole table that costs at most t n[j];
- entropy l:           sum_v g[j, v] log(1 / (l s[v])) >= 0 for all shares s, of which only some are written down: the mean of
                       -log s is least, and then the entropy, where s are the shares of the class.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013), Theorem 9.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.requirements import (
    REPRESENTATIVE,
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    People,
    SensitiveRequirement,
    TCloseness,
)
from kanon_sql.solvers.requirements.share_limits import ShareRequirement, share_limits
from kanon_sql.solvers.sensitive.closeness import close
from kanon_sql.solvers.sensitive.counters import Counters, add_whole, each_value, some_of, whole_numbers
from kanon_sql.solvers.sensitive.model import Model
from kanon_sql.solvers.sensitive.tangents import UPWARD, greatest_share
from kanon_sql.table.coded_table import Sensitive


def constrain(model: Model, counters: Counters, requirement: SensitiveRequirement, about: Sensitive, least: int) -> None:
    """Add what a requirement asks of every class of ``least`` rows or more; of an entropy, all but what tangents say."""
    CONSTRAINTS[type(requirement)](model, counters, requirement, about, least)


def _limited(model: Model, counters: Counters, requirement: ShareRequirement, about: Sensitive, least: int) -> None:
    limits = share_limits(requirement, about)
    for each in limits:
        chosen = counters.value == each.value
        if each.most < 1:
            _at_most(model, counters, each.most, chosen)
        if each.least > 0:
            _at_least(model, counters, each.least, chosen)
    sets = each_value(about)[[each.value for each in limits]]
    some_of(model, counters, ~sets, [least - int(least * each.most) for each in limits])
    some_of(model, counters, sets, [ceil(least * each.least) for each in limits])


def _counted(model: Model, counters: Counters, requirement: People, about: Sensitive, _: int) -> None:
    chosen = np.arange(len(about.count)) == about.named.get(REPRESENTATIVE, -1)
    some_of(model, counters, chosen[None], [requirement.k])


def _diverse(model: Model, counters: Counters, requirement: LDiversity, about: Sensitive, least: int) -> None:
    if requirement.variant == "distinct":
        _distinct(model, counters, ceil(requirement.l))
        return
    if requirement.c is not None:
        _recursive(model, counters, int(requirement.l), requirement.c)
        others = int(least / (1 + requirement.c)) + 1 if requirement.l > 1 else 0
    elif requirement.variant == "frequency":
        _at_most(model, counters, 1 / requirement.l, np.ones(len(counters.held), np.bool_))
        others = least - int(least / requirement.l)
    else:
        others = least - int(least * (greatest_share(len(about.count), requirement.l) + UPWARD))
    some_of(model, counters, ~each_value(about), [others] * len(about.count))


CONSTRAINTS: dict[type[SensitiveRequirement], Callable[[Model, Counters, Any, Sensitive, int], None]] = {
    LDiversity: _diverse,
    AlphaAnonymity: _limited,
    TCloseness: close,
    People: _counted,
    BetaLikeness: _limited,
    DeltaDisclosure: _limited,
}
"""For each requirement what adds its constraints to a program, from its attribute and the least rows of a class."""


def _at_most(model: Model, counters: Counters, share: Fraction, chosen: NDArray[np.bool_]) -> None:
    held, size = counters.held[chosen], counters.size[counters.owner[chosen]]
    row = model.add_constraints(len(held), -np.inf, 0.0)
    add_whole(
        model,
        [(row, held, whole_numbers([share.denominator] * len(held)))],
        row,
        size,
        whole_numbers([-share.numerator] * len(held)),
    )


def _at_least(model: Model, counters: Counters, share: Fraction, chosen: NDArray[np.bool_]) -> None:
    """Add that each class has at least a share of one value; without a counter of it, no class of rows has."""
    row = model.add_constraints(len(counters.size), -np.inf, 0.0)
    held = (row[counters.owner[chosen]], counters.held[chosen], whole_numbers([-share.denominator] * int(chosen.sum())))
    add_whole(model, [held], row, counters.size, whole_numbers([share.numerator] * len(row)))


def _distinct(model: Model, counters: Counters, least: int) -> None:
    there = model.add_variables(len(counters.held), 1.0, integer=True)
    row = model.add_constraints(len(there), -np.inf, 0.0)
    model.add(row, there, 1.0)
    model.add(row, counters.held, -1.0)
    row = model.add_constraints(len(counters.size), 0.0, np.inf)
    model.add(row[counters.owner], there, 1.0)
    model.add(row, counters.opened, -float(least))


def _recursive(model: Model, counters: Counters, least: int, c: Fraction) -> None:
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
