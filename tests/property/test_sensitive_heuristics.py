"""The heuristic solvers of sensitive requirements: what they release keeps every promise by its definition."""

from __future__ import annotations

from collections import defaultdict

import pytest
from test_sensitive_exact import Case, case

from kanon_sql.coded import CodedTable, Recoding
from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.sensitive import greedy, refine

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


@pytest.mark.parametrize("name", SOLVE)
@pytest.mark.parametrize("start", range(0, 300, 50))
def test_every_class_keeps_the_promise_and_nothing_beats_the_optimum(name: str, start: int) -> None:
    released = 0
    for seed in range(start, start + 50):
        drawn = case(seed)
        best = drawn.optimum()
        table, patterns, promise = drawn.coded()
        try:
            recoding = SOLVE[name](table, patterns, promise, UNLIMITED)
        except InfeasibleError:
            # Without the mask that suppresses everything a heuristic may fail where there is a release.
            assert best is None or (drawn.masks is not None and set() not in drawn.masks), seed
            continue
        assert best is not None, seed
        assert all(drawn.kept(each) for each in classes(drawn, table, recoding)), seed
        assert table.exact_cost(recoding.lower_bound) <= best <= table.exact_cost(recoding.cost(table)), seed
        released += 1
    assert released >= 10


@pytest.mark.parametrize("seed", range(400, 430))
def test_refine_never_costs_more_than_greedy_and_a_used_up_budget_still_keeps_the_promise(seed: int) -> None:
    drawn = case(seed)
    table, patterns, promise = drawn.coded()
    try:
        plain = greedy.solve(table, patterns, promise, UNLIMITED)
    except InfeasibleError:
        return
    assert refine.solve(table, patterns, promise, UNLIMITED).cost(table) <= plain.cost(table)
    late = refine.solve(table, patterns, promise, Budget(ended=lambda: True))
    assert all(drawn.kept(each) for each in classes(drawn, table, late))
