"""What is counted and proven by sets of known columns, against plain counts: the audit's recursion, and the prices of rows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import duckdb
import numpy as np
import pytest

from kanon_sql.engines.duckdb.audit import known_classes
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import KnownColumns
from kanon_sql.solvers.budget import UNLIMITED
from kanon_sql.solvers.projections import lower_bound
from kanon_sql.solvers.projections.set_requirements import SetRequirement
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.verification.known_columns import rows_cost

Row = tuple[int, ...]


def drawn_sets(draw: random.Random, columns: int) -> list[tuple[int, ...]]:
    """Return sets of several lengths, which may leave out columns."""
    return sorted({tuple(sorted(draw.sample(range(columns), draw.randint(1, columns)))) for _ in range(draw.randint(1, 9))})


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(40))
def test_the_audit_counts_every_set_in_steps_of_any_size(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    columns, k = draw.randint(1, 6), draw.randint(1, 9)
    rows = [(draw.randint(1, 5), *(draw.randint(1, 3) for _ in range(columns))) for _ in range(draw.randint(1, 30))]
    sets = drawn_sets(draw, columns)
    monkeypatch.setattr(known_classes, "_MOST_AT_ONCE", draw.choice([1, 30, 1_000_000]))
    expected = []
    for place, chosen in enumerate(sets):
        classes: Counter[Row] = Counter()
        for size, *cells in rows:
            classes[tuple(cells[column] for column in chosen)] += size
        below = sum(size for size in classes.values() if size < k)
        expected.append((place, min(classes.values()), sum(classes.values()), below))
    with duckdb.connect() as con:
        names = ", ".join(["size", *(f"c{column + 1}" for column in range(columns))])
        con.execute(f"CREATE TABLE coded AS FROM (VALUES {', '.join(map(str, rows))}) AS t({names})")
        assert sorted(con.execute(known_classes.counted_sets("coded", sets, k)).fetchall()) == expected


@pytest.mark.everything
def test_a_set_of_very_many_columns_is_looked_at_by_its_shortest_parts() -> None:
    """All of 40 columns have 10^12 parts."""
    codes = np.zeros((9, 40), np.int32)
    codes[0, :3] = 1
    table = CodedTable(
        columns=tuple((f"c{column}",) for column in range(40)),
        codes=codes,
        weight=np.ones(9, np.int64),
        origin=np.arange(9),
        cost=np.ones(40, np.int64),
        unit=1,
    )
    assert (
        lower_bound.least_prices(table, {tuple(range(40)): SetRequirement(rows=3)}, UNLIMITED).price.tolist() == [3] + [0] * 8
    )


def cheapest(row: Row, rows: Sequence[Row], counts: Sequence[int], cost: Sequence[int], widest: Sequence[Row], k: int) -> int:
    """Return the cost of the cheapest columns without which k rows are like a row by each set, by trying all."""

    def alike(shown: set[int]) -> int:
        return sum(count for other, count in zip(rows, counts, strict=True) if all(other[c] == row[c] for c in shown))

    masks = [set(hidden) for size in range(len(row) + 1) for hidden in combinations(range(len(row)), size)]
    enough = [hidden for hidden in masks if all(alike(set(chosen) - hidden) >= k for chosen in widest)]
    return min((sum(cost[c] for c in hidden) for hidden in enough), default=sum(cost))


@pytest.mark.parametrize("seed", range(40))
def test_prices_are_those_of_the_cheapest_columns(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each price is proven again, a higher one is refused, and packed sets give at most the price."""
    draw = random.Random(seed)
    columns, k = draw.randint(1, 5), draw.randint(2, 4)
    rows = sorted({tuple(draw.randrange(3) for _ in range(columns)) for _ in range(draw.randint(k, 20))})
    counts = [draw.choice([1, 1, 2, 4]) for _ in rows]
    counts[0] += k  # there is a release
    cost = [draw.randint(0, 3) for _ in range(columns)]
    widest = drawn_sets(draw, columns)
    exact = [cheapest(row, rows, counts, cost, widest, k) for row in rows]
    table = CodedTable(
        columns=tuple((f"c{column}",) for column in range(columns)),
        codes=np.array(rows, np.int32),
        weight=np.array(counts, np.int64),
        origin=np.arange(len(rows)),
        cost=np.array(cost, np.int64),
        unit=1,
    )
    sets = {chosen: SetRequirement(rows=k) for chosen in widest}
    assert lower_bound.least_prices(table, sets, UNLIMITED).price.tolist() == exact
    monkeypatch.setattr(lower_bound, "_MANY", 0)
    packed = lower_bound.least_prices(table, sets, UNLIMITED).price.tolist()
    assert all(price <= most for price, most in zip(packed, exact, strict=True))
    order = draw.sample(range(columns), columns)  # the policy has the columns in another order
    policy = Policy(
        quasi_identifiers=tuple(QuasiIdentifier(column=f"c{order.index(place)}") for place in range(columns)),
        requirements=(KnownColumns(k=k, sets=[[f"c{column}" for column in chosen] for chosen in widest]),),
    )
    cells = [list(column) for column in zip(*rows, strict=True)]
    for prices, holds in ((exact, True), (packed, True), ([*exact[:-1], exact[-1] + 1], False)):
        assert rows_cost(policy, cells, counts, cost, order, prices) is holds
