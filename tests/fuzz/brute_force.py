"""The cheapest release of at most seven rows, by dynamic programming over all sets of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from fuzz.guarantee import Guarantee
from fuzz.label_rules import order_of
from fuzz.ladders import Rung, ladder
from fuzz.requirement_rules import in_order, kept
from fuzz.table import Look, Table

MOST_ROWS = 7
NO_LADDER = ("chosen", "bins", "rectangles", "means", "medians")
"""Groups that the program chooses before it solves: other groups might lose less, so their bound is no bound of the policy.
Losses of means and medians are rounded; they have a brute force of their own."""

Keys = Mapping[str, Callable[[str], object]]


def cheapest(costs: Sequence[Fraction | int | None], rows: int) -> Fraction | int | None:
    """The least sum over all divisions of the rows into classes, given the cost of each set of rows (None: no class).

    Sets are bit masks; O(3^n).
    """
    best: list[Fraction | int | None] = [0] + [None] * ((1 << rows) - 1)
    for chosen in range(1, 1 << rows):
        first = chosen & -chosen
        rest = part = chosen ^ first
        while True:
            own, other = costs[part | first], best[rest ^ part]
            if own is not None and other is not None:
                total = own + other
                if best[chosen] is None or total < best[chosen]:  # type: ignore[operator]
                    best[chosen] = total
            if not part:
                break
            part = (part - 1) & rest
    return best[-1]


def can_judge(source: Table, guarantee: Guarantee) -> bool:
    """Whether the brute force knows the optimum of the policy."""
    return 0 < len(source.looks) <= MOST_ROWS and not any(each.kind in NO_LADDER for each in guarantee.recodings.values())


def optimum(source: Table, guarantee: Guarantee, keys: Keys | None = None) -> Fraction | None:
    """The cost of the cheapest release, None where there is none.

    Cells are hidden or shown as the policy counts them: a cell that is hidden costs its weight, whether it was NULL or not.
    """
    rows = len(source.looks)
    whole = {each.column: source.held(each.column) for each in guarantee.requirements}
    orders = {
        each.column: in_order(whole[each.column], (keys or {}).get(each.column))
        for each in guarantee.requirements
        if each.form in ("ordered", "numeric")
    }
    people = None if guarantee.per is None else source.held(guarantee.per)
    loss = _summaries(source, guarantee) if _summarized(guarantee) else _masked(source, guarantee)
    costs: list[Fraction | int | None] = [None]
    for chosen in range(1, 1 << rows):
        members = [row for row in range(rows) if chosen >> row & 1]
        good = len(members) >= guarantee.k if people is None else len({people[row] for row in members} - {None}) >= guarantee.k
        good = good and all(
            kept(each, [whole[each.column][row] for row in members], whole[each.column], orders.get(each.column, ()))
            for each in guarantee.requirements
        )
        costs.append(loss(members) if good else None)
    found = cheapest(costs, rows)
    return None if found is None else Fraction(found)


def _summarized(guarantee: Guarantee) -> bool:
    return any(each.kind in ("ranges", "sets") for each in guarantee.recodings.values())


def _coarsened(source: Table, name: str) -> list[Look]:
    """What labels are made of: texts by their bytes, other values as SQL tells them apart."""
    return source.seen(name) if source.types[source.column(name)] == "VARCHAR" else source.held(name)


def _masked(source: Table, guarantee: Guarantee) -> Callable[[list[int]], Fraction | None]:
    """The cheapest permitted mask on whose shown levels the rows agree."""
    weight = {name: guarantee.weight(name) for name in guarantee.qi}
    columns = {name: _coarsened(source, name) if name in guarantee.recodings else source.held(name) for name in guarantee.qi}
    rungs: dict[str, list[Rung]] = {name: ladder(guarantee.recodings.get(name), columns[name]) for name in guarantee.qi}
    masks = guarantee.permitted()
    if masks is None:
        units = guarantee.units()
        masks = [
            frozenset(name for unit in chosen for name in unit)
            for n in range(len(units) + 1)
            for chosen in combinations(units, n)
        ]

    def loss(members: list[int]) -> Fraction | None:
        finest = {
            name: next(
                (rung.loss for rung in rungs[name] if len({rung.label[columns[name][row]] for row in members}) == 1), None
            )
            for name in guarantee.qi
        }
        found = [
            sum((weight[name] * (finest[name] or 0) for name in mask), Fraction(0))
            + sum((weight[name] for name in guarantee.qi if name not in mask), Fraction(0))
            for mask in masks
            if all(finest[name] is not None for name in mask)
        ]
        return min(found) * len(members) if found else None

    return loss


def _summaries(source: Table, guarantee: Guarantee) -> Callable[[list[int]], Fraction]:
    """What a row loses in ranges and sets of the values of its class, and in the levels of other columns."""
    columns = {name: _coarsened(source, name) if name in guarantee.recodings else source.held(name) for name in guarantee.qi}
    ranks = {}
    for name, held in columns.items():
        known = sorted({text for text in held if text is not None})
        ranks[name] = {
            value: rank for rank, value in enumerate(sorted(known, key=order_of(known, source.types[source.column(name)])))
        }

    rungs = {
        name: ladder(each, columns[name]) for name, each in guarantee.recodings.items() if each.kind not in ("ranges", "sets")
    }

    def cell(name: str, members: list[int]) -> Fraction:
        values = {columns[name][row] for row in members}
        recoding = guarantee.recodings.get(name)
        if recoding is None:
            return Fraction(len(values) > 1)
        if recoding.kind not in ("ranges", "sets"):  # the finest level on which the class agrees
            agreed = (rung.loss for rung in rungs[name] if len({rung.label[value] for value in values}) == 1)
            return next(agreed, Fraction(1))
        others = len({*columns[name]}) - 1
        if not others:
            return Fraction(0)
        places = [ranks[name][value] for value in values if value is not None]
        if recoding.kind == "sets":
            return Fraction(len(values) - 1, others)
        return Fraction(max(places) - min(places) + (None in values), others) if places else Fraction(0)

    return lambda members: (
        len(members) * sum((guarantee.weight(name) * cell(name, members) for name in guarantee.qi), Fraction(0))
    )
