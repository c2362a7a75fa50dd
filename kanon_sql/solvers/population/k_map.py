"""k-map, alone or next to guarantees about the rows of each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import KAnonymity, KMap
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.guarantees.k_map import RequiredKMap
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.population.cheapest import NOTHING, Cheapest, Counted, cheapest
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.registry import Solve
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import ascending
from kanon_sql.table.recoding import Recoding, hidden_bits

ALGORITHM = "cheapest_masks"

METHOD = "cheapest mask of each row type"


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return the release of least cost in which every class matches enough rows of each population.

    Parameters
    ----------
    problem : Problem
        Without a requirement of more than one row of a class.
    budget : Budget
        Time left; rows that have no mask when it ends are suppressed.

    Raises
    ------
    InfeasibleError
        When some row has no permitted mask that matches enough.

    Notes
    -----
    What matches a class depends on what it shows alone. So each row type takes its cheapest mask with enough matches, and the
    release is optimal.
    """
    found = _masks(problem, budget)
    table = problem.table
    recoding = PartialRecoding.of_row_types(table, np.ones(table.row_types, np.bool_), found.shown).recoding()
    bound = int(found.cost @ table.weight) if found.complete else 0
    return replace(recoding, lower_bound=bound, bound=METHOD if found.complete else "none: the time was short")


def solve_with_population(problem: Problem, budget: Budget, solver: Solve, *, people: bool) -> Recoding:
    """Return a release whose classes also meet the requirement of their rows, by a solver of that.

    Parameters
    ----------
    solver : Solve
        Of the requirement of the rows.
    people : bool
        Whether people are counted.

    Raises
    ------
    InfeasibleError
        When no release was found.

    Notes
    -----
    Two releases are made, and the cheaper one is taken: that of the solver, in which each class that matches too few rows
    shows less; and that of the solver for rows which show no more than their own cheapest mask with enough matches, of which
    every coarser one has as many. Bounds are the solver's own and what the cheapest mask of each row type costs, of those that
    enough rows of its table and of the populations match.
    """
    table, requested = problem.table, problem.requirement
    found = _masks(problem, budget)
    half = replace(budget, seconds=None if budget.seconds is None else budget.seconds - budget.left() / 2)
    plain = solver(problem, half)
    known = [_coarsened(problem, plain)]
    if not people and not budget.over():
        part = without_hidden(table, found.shown)
        requirement = ClassRequirement.of(part.table, (KAnonymity(k=requested.k), *requested.requirements))
        solved = solver(replace(problem, table=part.table, requirement=requirement), budget)
        other = spread(part, table.weight, found.shown, solved)
        if known[0] is None or other.cost(table) < known[0].cost(table):  # to show less costs no less
            known.append(_coarsened(problem, other))
    releases = [each for each in known if each is not None]
    if not releases:
        raise InfeasibleError(
            "some classes match too few rows of the population, and no permitted mask shows less; hint: permit masks "
            "that show less, or the mask (), which suppresses everything"
        )
    best = min(releases, key=lambda each: each.cost(table))
    bounds = [(plain.lower_bound, plain.bound)]
    if found.complete:
        bounds.append((int(found.cost @ table.weight), METHOD))
    bound, method = max(bounds, key=lambda each: each[0])
    return replace(best, lower_bound=bound, bound=method, prices=plain.prices, remark=plain.remark)


def _masks(problem: Problem, budget: Budget) -> Cheapest:
    """Return the cheapest mask of each row type that enough rows match, also of its own table; the coarsest where time ends.

    Raises
    ------
    InfeasibleError
        When there is none.
    """
    table, patterns, requested = problem.table, problem.patterns, _mapped(problem)
    counted = _counted(table, requested)
    for each in requested:
        RequiredKMap(each, table).require_feasible()
    if problem.requirement.least > 1:
        counted.append(Counted(codes=table.codes, weight=table.weight, least=problem.requirement.least))
    found = cheapest(table.codes, table.cost, patterns, counted, budget, table.ladders.values())
    lost = found.cost == NOTHING
    if lost.any() and (found.complete or (patterns.listed and 0 not in patterns.shown)):
        what = " and ".join(each.describe() for each in requested)
        fact = "under every permitted mask" if found.complete else "under every mask that was tried in time"
        raise InfeasibleError(
            f"{how_many(int(table.weight[lost].sum()), 'row breaks', 'rows break')} {what} {fact}; hint: permit "
            "masks that show less, or the mask (), which suppresses everything"
        )
    return replace(found, cost=np.where(lost, int(table.cost.sum()), found.cost))


def _mapped(problem: Problem) -> list[KMap]:
    return [each for each in problem.requirement.population if isinstance(each, KMap)]


def _counted(table: CodedTable, requested: Sequence[KMap]) -> list[Counted]:
    everybody = [(table.populations[each.population], each.k) for each in requested]
    return [Counted(codes=each.codes, weight=each.weight, least=k) for each, k in everybody]


def _coarsened(problem: Problem, recoding: Recoding) -> Recoding | None:
    """Return a recoding whose classes show less where they match too few rows; None where no permitted mask does.

    Notes
    -----
    A class keeps its rows, and may become one with another, so it meets the requirement of its rows.
    """
    table, patterns, requested = problem.table, problem.patterns, _mapped(problem)
    codes = table.codes[recoding.row_type]
    bad = np.zeros(len(codes), np.bool_) if not patterns.listed else ~np.isin(recoding.shown, patterns.shown)
    for each in requested:
        bad |= ~RequiredKMap(each, table).enough(codes, recoding.shown)
    if not bad.any():
        return recoding
    failing, number = instances(codes[bad], recoding.shown[bad], table.cardinality)
    found = cheapest(failing, table.cost, patterns, _counted(table, requested), ladders=table.ladders.values())
    if (found.cost == NOTHING).any():
        return None
    shown = recoding.shown.copy()
    shown[bad] = found.shown[number]
    return PartialRecoding(
        row_type=recoding.row_type, shown=shown, count=recoding.count, placed=np.ones(len(shown), np.bool_)
    ).recoding()


@dataclass(frozen=True, slots=True, kw_only=True)
class Coarser:
    """A table without what masks hide: each row type has no more than one of its masks shows."""

    table: CodedTable  # its row types; what is hidden has codes of its own
    member: Int64  # [t]: the row types of the whole table, in the order of the row types here that they are a part of
    start: Int64  # [u + 1]: where the members of each row type here begin


def without_hidden(table: CodedTable, shown: Words) -> Coarser:
    """Return a table in which each row type has what a mask of it shows; O(t m log t)."""
    codes = table.codes.copy()
    hidden = hidden_bits(shown, len(table.columns)).astype(np.bool_)
    for places in table.ladders.values():
        # of a ladder, what is hidden still follows from the finest level that is shown
        finest = np.where(hidden[:, places].all(axis=1), len(places), (~hidden[:, places]).argmax(axis=1))
        label = np.zeros(len(codes), np.int64)
        for level, place in enumerate(places):
            label[finest == level] = table.codes[finest == level, place]
        rest = np.unique(np.stack([finest, label]), axis=1, return_inverse=True)[1]
        for place in places:
            own = hidden[:, place]
            codes[own, place] = (int(table.codes[:, place].max()) + 1 + rest[own]).astype(np.int32)
    held = [each.codes[:, None] for each in table.sensitive]
    every = np.hstack([*held, codes]) if held else codes
    order = ascending(every)
    fresh = np.append(True, (every[order[1:]] != every[order[:-1]]).any(axis=1))
    first = order[fresh]
    coarser = replace(
        table,
        codes=np.ascontiguousarray(codes[first]),
        weight=np.add.reduceat(table.weight[order], np.flatnonzero(fresh)),
        origin=table.origin[first],
        sensitive=tuple(replace(each, codes=np.ascontiguousarray(each.codes[first])) for each in table.sensitive),
        populations={},
    )
    return Coarser(table=coarser, member=order, start=np.append(np.flatnonzero(fresh), len(order)))


def spread(coarser: Coarser, weight: Int64, shown: Words, recoding: Recoding) -> Recoding:
    """Return a release of a coarser table as one of the whole table.

    Parameters
    ----------
    coarser : Coarser
        As `without_hidden` returned it.
    weight : int64 array [t]
        Rows of the row types of the whole table.
    shown : uint64 array [t]
        Their masks.
    recoding : Recoding
        Of the coarser table.

    Notes
    -----
    O(q + t).
    """
    ends = [np.cumsum(weight[coarser.member]), np.cumsum(recoding.count)]  # both by the row types of the coarser table
    end = np.unique(np.concatenate(ends))
    own, piece = (np.searchsorted(each, end) for each in ends)
    row_type = coarser.member[own]
    return PartialRecoding(
        row_type=row_type.astype(np.int32),
        shown=recoding.shown[piece] & shown[row_type],
        count=np.diff(end, prepend=0),
        placed=np.ones(len(end), np.bool_),
    ).recoding()


def instances(codes: Int32, shown: Words, cardinality: Int64) -> tuple[Int32, Int64]:
    """Return the distinct instances of pieces, and which one each piece is; a hidden cell has a code that no row has."""
    seen = np.where(hidden_bits(shown, codes.shape[1]).astype(np.bool_), cardinality, codes)
    order = ascending(seen.astype(np.int32))
    fresh = np.append(True, (seen[order[1:]] != seen[order[:-1]]).any(axis=1))
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(fresh) - 1
    return np.ascontiguousarray(seen[order[fresh]].astype(np.int32)), number
