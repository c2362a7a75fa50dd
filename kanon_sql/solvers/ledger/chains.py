"""The shortest chain of facts that proves that a group is small."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.ledger.bounds import bounds
from kanon_sql.solvers.ledger.programs import IMPOSSIBLE, Goal, solved
from kanon_sql.solvers.ledger.sums import fewest, lightest
from kanon_sql.solvers.ledger.systems import System
from kanon_sql.solvers.ledger.views import Array, View

SIZES = (60, 240)
"""Facts around a group that are looked at, before all are."""

_SECONDS = 2.0
"""The most that one program may take."""


Chain = dict[int, int]
"""The facts of a chain, and 1 for those that are added, -1 for those that are subtracted."""


def shortest(system: System, group: Array, proof: Sequence[int], budget: Budget) -> Chain:
    """Return a chain of which no fact can be left out.

    Parameters
    ----------
    system : System
        A view with a table for the parts of the group.
    group : array of bool
        The atoms of the view that belong to the group.
    proof : sequence of int
        Facts that prove the group, next to those that say that nobody is somewhere.
    budget : Budget
        When it is over, the chain may have facts that are not needed.

    Notes
    -----
    Chains of one or two facts are found by comparing bounds. Longer ones are sums of facts that bound the group:
    a linear program finds one, and an integer program a smaller one. A proof may need whole numbers, so that no sum is one.
    Then facts are left out one after another as long as the others prove the group.
    """
    view = system.view
    usable, own = _usable(system), np.array(proof)
    simple = None
    for facts in (own, usable):
        if simple is None and (len(own) <= 4 or not budget.over()):
            simple = bounds(view.inside[facts], view.lower[facts], view.upper[facts], group, system.n)
            chain = () if simple is None else tuple(facts[[*simple.chain]].tolist())
    if simple is None:
        around = view.inside[own].any(axis=0)
        nobody = np.flatnonzero((view.upper == 0) & (view.inside & around).any(axis=1))
        chain = tuple({*proof, *nobody.tolist()})
    if len(chain) <= 2 or budget.over():
        return _signed(view, group, chain)
    facts = usable[_ranked(view, usable, group)]
    if len(chain) > 4:
        chain = light(view, group, facts, (*SIZES, len(facts)), system.n, budget) or chain
    chain = _filtered(view, group, chain, system.n, budget)
    if len(chain) > 3 and not budget.over():
        near = np.unique([*facts[: SIZES[0]], *chain])
        smaller = fewest(*_system_of(view, near, group), system.n, len(chain), budget, _SECONDS)
        if smaller:
            return {int(near[fact]): sign for fact, sign in smaller.items()}
    return _signed(view, group, chain)


def light(view: View, group: Array, facts: Array, sizes: Sequence[int], n: int, budget: Budget) -> tuple[int, ...]:
    """Return a proof with small multiples, of the first facts if they are enough; nothing if there is none."""
    for size in sizes:
        near = np.sort(facts[:size])
        found = near[lightest(*_system_of(view, near, group), n)]
        if len(found) and proves(view, group, found, n, budget):
            return tuple(found.tolist())
    return ()


def _system_of(view: View, facts: Array, group: Array) -> tuple[Array, Array, Array, Array]:
    """Return some facts with one atom for each that they tell apart."""
    atoms = _distinct(view.inside[facts], group)
    return view.inside[np.ix_(facts, atoms)], view.lower[facts], view.upper[facts], group[atoms]


def _signed(view: View, group: Array, chain: Sequence[int]) -> Chain:
    """Add the facts that count people of the group, and subtract the others."""
    return {fact: 1 if view.inside[fact, group].any() else -1 for fact in chain}


def proves(view: View, group: Array, facts: Array, n: int, budget: Budget) -> bool:
    """Return whether every table that agrees with some facts has 1 to n - 1 people in a group."""
    inside, lower, upper, own = _system_of(view, facts, group)
    goals = Goal(own, 0, 0), Goal(own, n, None)
    return all(solved(inside, lower, upper, goal, n, budget, _SECONDS).status == IMPOSSIBLE for goal in goals)


def _usable(system: System) -> Array:
    """Return the facts that say something, without those of parts that contradict themselves."""
    view = system.view
    says = (view.lower > 0) | (view.upper >= 0)
    doubtful = view.inside[:, system.alive[system.unknown]].any(axis=1)
    doubtful |= (system.sizes == 0) & (view.lower > 0)
    return np.flatnonzero(says & ~doubtful)


def _ranked(view: View, facts: Array, group: Array) -> Array:
    """Return the order of facts by how near they are to a group: first those that count some of it, the smallest first."""
    common = view.inside[np.ix_(facts, np.flatnonzero(group))].any(axis=1)
    around = view.inside[facts[common]].any(axis=0)
    beside = view.inside[np.ix_(facts, np.flatnonzero(around))].any(axis=1)
    sizes = view.inside[facts].sum(axis=1)
    return np.lexsort((sizes, ~beside, ~common))


def _distinct(inside: Array, group: Array) -> Array:
    """Return one atom for each set of facts that some atom is in, apart for atoms of the group and others."""
    packed = np.packbits(np.vstack([inside, group[None, :]]), axis=0).T
    _, first = np.unique(np.ascontiguousarray(packed).view(f"V{packed.shape[1]}").reshape(-1), return_index=True)
    return np.sort(first)


def _filtered(view: View, group: Array, facts: Sequence[int], n: int, budget: Budget) -> tuple[int, ...]:
    """Leave facts out, many at once at first, as long as the rest proves the group."""
    kept, step = list(facts), max(1, len(facts) // 2)
    while True:
        place = 0
        while place < len(kept) and not budget.over():
            rest = kept[:place] + kept[place + step :]
            if rest and proves(view, group, np.array(rest), n, budget):
                kept = rest
            else:
                place += step
        if step == 1 or budget.over():
            return tuple(kept)
        step //= 2
