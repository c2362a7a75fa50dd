"""The heuristic solvers of sensitive requirements: what they release keeps every guarantee by its definition."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import chain, repeat

import numpy as np
import pytest
from test_sensitive_exact import Case, case, larger
from test_small_exact import Ending

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.requirements import LDiversity, SensitiveRequirement, TCloseness
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.sensitive import greedy, optimal, refine
from kanon_sql.solvers.sensitive.neighbourhoods import Neighbourhoods
from kanon_sql.solvers.sensitive.search import Search, of_recoding
from kanon_sql.solvers.sensitive.search_space import SensitiveSearchSpace
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding

SOLVE = {"greedy": greedy.solve, "refine": refine.solve}


def classes(drawn: Case, table: CodedTable, recoding: Recoding) -> list[list[int]]:
    """Return the classes of a release as numbers of rows; every row is in one of them."""
    rows: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for number, row in enumerate(drawn.rows):
        own = tuple(each.values[number] for each in drawn.attributes.values())
        rows[(*map(str, row), *own)].append(number)
    names = [sorted({row[c] for row in drawn.rows}) for c in range(len(drawn.rows[0]))]
    found: dict[tuple[int | None, ...], list[int]] = defaultdict(list)
    for row_type, shown, count in zip(recoding.row_type, recoding.shown, recoding.count, strict=True):
        codes = table.codes[row_type]
        look = tuple(int(code) if int(shown) >> c & 1 else None for c, code in enumerate(codes))
        values = [names[c][code] for c, code in enumerate(codes)]
        own = [int(each.codes[row_type]) for each in table.sensitive]
        for _ in range(int(count)):
            found[look].append(rows[(*values, *own)].pop())
    assert not any(rows.values())
    return list(found.values())


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("name", SOLVE)
@pytest.mark.parametrize("start", range(0, 300, 50))
def test_every_class_keeps_the_guarantee_and_nothing_beats_the_optimum(name: str, start: int) -> None:
    released = 0
    for seed in range(start, start + 50):
        drawn = case(seed)
        best = drawn.optimum()
        problem = drawn.coded()
        table = problem.table
        try:
            recoding = SOLVE[name](problem, UNLIMITED)
        except InfeasibleError:
            # Without the mask that suppresses everything a heuristic may fail where there is a release.
            assert best is None or (drawn.masks is not None and set() not in drawn.masks), seed
            continue
        assert best is not None, seed
        assert all(drawn.kept(each) for each in classes(drawn, table, recoding)), seed
        assert table.exact_cost(recoding.lower_bound) <= best <= table.exact_cost(recoding.cost(table)), seed
        released += 1
    assert released >= 10


def test_a_release_for_a_start_has_no_bound_by_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object) -> None:
        raise AssertionError("prices were asked for a bound")

    monkeypatch.setattr(refine, "FEW_COUNTERS", 0)
    monkeypatch.setattr(refine, "relax", asked)
    drawn = larger(7, 60, LDiversity(sensitive="s", l=2))
    problem = drawn.coded()
    found = refine.solve(replace(problem, for_a_start=True), UNLIMITED)
    assert all(drawn.kept(each) for each in classes(drawn, problem.table, found))
    with pytest.raises(AssertionError, match="prices"):
        refine.solve(problem, UNLIMITED)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(400, 430))
def test_refine_never_costs_more_than_greedy_and_a_used_up_budget_still_keeps_the_guarantee(seed: int) -> None:
    drawn = case(seed)
    problem = drawn.coded()
    table = problem.table
    try:
        plain = greedy.solve(problem, UNLIMITED)
    except InfeasibleError:
        return
    assert refine.solve(problem, UNLIMITED).cost(table) <= plain.cost(table)
    late = refine.solve(problem, Budget(ended=lambda: True))
    assert all(drawn.kept(each) for each in classes(drawn, table, late))


def neighbourhoods(drawn: Case, rows: float) -> tuple[CodedTable, Neighbourhoods]:
    """Neighbourhoods of the greedy's release, with all instances."""
    problem = drawn.coded()
    table = problem.table
    release = greedy.solve(problem, UNLIMITED)
    space = SensitiveSearchSpace.of(problem)
    assert space is not None
    search = Search.of(space, of_recoding(release), np.zeros(table.row_types))
    assert search.cost == release.cost(table)
    return table, Neighbourhoods(search=search, random=np.random.default_rng(0), rows=rows)


@pytest.mark.parametrize("rows", [6, 20])
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(500, 520))
def test_neighbourhoods_keep_the_guarantee_and_never_cost_more(seed: int, rows: int) -> None:
    drawn = case(seed, most=60)
    try:
        table, wide = neighbourhoods(drawn, rows)
    except InfeasibleError:
        return
    for _ in range(3):
        before = wide.search.cost
        wide.solve(UNLIMITED)
        pieces = wide.search.partial()
        assert pieces.placed.all()
        assert all(drawn.kept(each) for each in classes(drawn, table, pieces.recoding()))
        assert pieces.recoding().cost(table) == wide.search.cost <= before


GUARANTEES: list[SensitiveRequirement] = [
    LDiversity(sensitive="s", l=2),
    LDiversity(sensitive="s", l=2, variant="entropy"),
    LDiversity(sensitive="s", l=2, variant="recursive", c=1),
    TCloseness(sensitive="s", t="0.3"),
]


@pytest.mark.sweep
@pytest.mark.parametrize("requirement", GUARANTEES, ids=str)
def test_the_neighbourhood_of_the_whole_table_is_the_optimum(requirement: SensitiveRequirement) -> None:
    drawn = larger(7, 24, requirement)
    problem = drawn.coded()
    _, wide = neighbourhoods(drawn, 24)
    wide.solve(Budget(seconds=60))
    assert wide.complete
    assert wide.search.cost == optimal.solve(problem, UNLIMITED).lower_bound


@pytest.mark.sweep
@pytest.mark.parametrize("requirement", GUARANTEES, ids=str)
def test_neighbourhoods_save_cells_where_growth_idles(requirement: SensitiveRequirement) -> None:
    _, wide = neighbourhoods(larger(14, 150, requirement), 30)
    idle = wide.search
    for _ in range(4):
        idle.grow(UNLIMITED)
    before = idle.cost
    for _ in range(6):
        wide.solve(UNLIMITED)
    assert idle.cost < before


@pytest.mark.everything
@pytest.mark.parametrize("requirement", GUARANTEES[::3], ids=str)
def test_the_same_seed_finds_the_same_release(requirement: SensitiveRequirement) -> None:
    problem = larger(13, 150, requirement).coded()
    one, other = (refine.solve(problem, UNLIMITED) for _ in range(2))
    for name in ("row_type", "shown", "count"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("after", [2, 6, 12])
def test_the_search_ends_when_it_is_told_to_and_when_the_time_is_up(after: int) -> None:
    drawn = larger(17, 300, TCloseness(sensitive="s", t="0.2"))
    problem = drawn.coded()
    table = problem.table
    for told in (True, False):
        budget = Ending(answers=chain(repeat(False, after), repeat(True))) if told else Budget(seconds=after / 20)
        found = refine.solve(problem, budget)
        assert problem.requirement.holds(PartialRecoding.of(found).classes(table), found.row_type, found.count).all()
