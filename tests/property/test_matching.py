"""Simplex matching: 2-anonymity and 2-diversity against brute force, and its parts against slow oracles."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement, repeat
from typing import Any

import numpy as np
import pytest
from naive import optimum
from sensitive_cases import Attribute, Case, Row
from sensitive_cases import solved as solved_for_values
from solving import check, coded, plain
from test_small_exact import Ending, case

from kanon_sql.errors import InfeasibleError, PolicyError
from kanon_sql.kernels.partitions import FORBIDDEN, Duals, Simplices, class_costs, nearest, pairs_below, triples_below
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import AlphaAnonymity, LDiversity, Requirement, TCloseness
from kanon_sql.solvers.budget import UNLIMITED, Budget, Moment
from kanon_sql.solvers.k_anonymity import matching, optimal, refine, subset_dp
from kanon_sql.solvers.matching import simplex_matching
from kanon_sql.solvers.matching.odd_set_cuts import violated
from kanon_sql.solvers.matching.odd_set_program import odd_in
from kanon_sql.solvers.matching.simplex_matching import match
from kanon_sql.solvers.sensitive import matching as diverse_matching
from kanon_sql.solvers.sensitive import subset_dp as diverse_subset_dp
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet, ordered, permitted
from kanon_sql.table.recoding import Recoding


def problem(rows: Sequence[Row], masks: list[set[int]] | None = None, **options: Any) -> tuple[CodedTable, PatternSet, Policy]:
    if masks is not None:
        options["masks"] = [[f"c{c}" for c in sorted(mask)] for mask in masks]
    table, policy = coded(rows, k=2, **options)
    return table, permitted(table, policy), policy


@pytest.mark.everything
def test_two_anonymity_is_the_optimum_of_all_partitions() -> None:
    proven: Counter[bool] = Counter()
    for seed in range(250):
        rows, _, masks, weights = case(seed)
        best = optimum(rows, 2, masks, weights)
        table, patterns, _ = problem(rows, masks, weights={f"c{c}": weight for c, weight in enumerate(weights)})
        proven[best is not None] += 1
        if best is None:
            with pytest.raises(InfeasibleError, match="; hint: permit masks that show less"):
                matching.solve(plain(table, patterns, 2), UNLIMITED)
            continue
        recoding = matching.solve(plain(table, patterns, 2), UNLIMITED)
        check(table, recoding, 2)
        assert table.exact_cost(recoding.cost(table)) == best == table.exact_cost(recoding.lower_bound)
    assert min(proven[True], proven[False]) >= 30


def drawn(seed: int, rows: int, columns: int, values: int) -> list[Row]:
    rng = random.Random(seed)
    return [tuple(str(int(rng.random() ** 2 * values)) for _ in range(columns)) for _ in range(rows)]


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(40))
def test_two_anonymity_of_more_rows(seed: int) -> None:
    table, patterns, _ = problem(drawn(seed, 9 + seed % 8, 2 + seed % 5, 4))
    recoding = matching.solve(plain(table, patterns, 2), UNLIMITED)
    check(table, recoding, 2)
    assert recoding.cost(table) == recoding.lower_bound == subset_dp.solve(plain(table, patterns, 2), UNLIMITED).cost(table)


@pytest.mark.everything
@pytest.mark.parametrize("masks", [None, [{0, 1, 2}, {1, 2, 3}, {0, 3}, {2}, set()]], ids=["every mask", "five masks"])
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(3))
def test_two_anonymity_of_many_rows_is_the_optimum_of_the_integer_program(seed: int, masks: list[set[int]] | None) -> None:
    rows = drawn(seed, 200, 4, 5)
    table, patterns, _ = problem(rows, masks)
    assert table.weight.max() > 4
    recoding = matching.solve(plain(table, patterns, 2), UNLIMITED)
    check(table, recoding, 2)
    other = optimal.solve(plain(table, patterns, 2), UNLIMITED)
    assert recoding.cost(table) == recoding.lower_bound == other.cost(table) == other.lower_bound


def diverse(seed: int, most: int) -> Case:
    """A case of `case` with a sensitive attribute of some values."""
    rng = random.Random(seed)
    rows, _, masks, weights = case(seed)
    rows += [tuple(rng.choice(row) for row in zip(*rows, strict=True)) for _ in range(rng.randint(0, most - len(rows)))]
    values = [rng.randrange(rng.choice([2, 3, 4])) for _ in rows]
    values = [sorted(set(values)).index(value) for value in values]
    about = Attribute(values=values, names=[str(value) for value in set(values)], distances={})
    requirements: list[Requirement] = [LDiversity(sensitive="s", l=2)]
    return Case(
        rows=rows, k=rng.randint(1, 2), masks=masks, weights=weights, attributes={"s": about}, requirements=requirements
    )


@pytest.mark.everything
def test_two_diversity_is_the_optimum() -> None:
    proven: Counter[bool] = Counter()
    for seed in range(250):
        drawn = diverse(seed, 8 if seed % 5 else 12)
        try:
            table, recoding = solved_for_values(diverse_subset_dp.solve, drawn)
        except InfeasibleError:
            assert len(drawn.rows) > 8 or drawn.optimum() is None
            with pytest.raises(InfeasibleError, match="; hint: permit masks that show less"):
                solved_for_values(diverse_matching.solve, drawn)
            proven[False] += 1
        else:
            best = recoding.cost(table)
            table, recoding = solved_for_values(diverse_matching.solve, drawn)
            assert recoding.cost(table) == best == recoding.lower_bound
            proven[True] += 1
    assert min(proven[True], proven[False]) >= 30


def test_two_diversity_of_row_types_of_many_rows() -> None:
    """Pairs of different values that look alike cost nothing; what is left of one value pairs with another look."""
    rows = [("a", "x")] * 1004 + [("b", "x")] * 7
    values = [0] * 600 + [1] * 404 + [1] * 3 + [2] * 4
    about = Attribute(values=values, names=["0", "1", "2"], distances={})
    requirement = LDiversity(sensitive="s", l=2)
    drawn = Case(rows=rows, k=1, masks=None, weights=[Fraction(1)] * 2, attributes={"s": about}, requirements=[requirement])
    with pytest.raises(InfeasibleError, match="classes of two or three"):
        solved_for_values(diverse_matching.solve, drawn)
    about = Attribute(values=[0] * 505 + values[505:], names=["0", "1", "2"], distances={})
    drawn = Case(rows=rows, k=1, masks=None, weights=[Fraction(1)] * 2, attributes={"s": about}, requirements=[requirement])
    about.values[505:1004] = [1] * 499
    # 505 of one value and 499 of the other: 6 rows too many, which pair with 6 of the 7 rows that have others.
    table, recoding = solved_for_values(diverse_matching.solve, drawn)
    assert recoding.cost(table) == recoding.lower_bound == 12 + 1


def test_other_guarantees_are_refused() -> None:
    table, patterns, _ = problem([("a",), ("a",)])
    for k in (1, 3):
        with pytest.raises(PolicyError, match=f"only k = 2, not {k}; hint: use the algorithm 'optimal'"):
            matching.solve(plain(table, patterns, k), UNLIMITED)
    sound = diverse(1, 8)
    others: list[list[Requirement]] = [
        [LDiversity(sensitive="s", l=3)],
        [LDiversity(sensitive="s", l=2, variant="distinct")],
        [LDiversity(sensitive="s", l=2), AlphaAnonymity(sensitive="s", value="0", alpha="1/2")],
        [TCloseness(sensitive="s", t=1)],
    ]
    for requirements in others:
        about = sound.attributes["s"]
        equal = Attribute(values=about.values, names=about.names, distances={"equal": diverse_distance(len(about.names))})
        drawn = Case(
            rows=sound.rows,
            k=2,
            masks=None,
            weights=sound.weights,
            attributes={"s": equal},
            requirements=requirements,
        )
        with pytest.raises(
            PolicyError, match=r"only k <= 2 with l = 2 \(frequency\), not .*; hint: use the algorithm 'optimal'"
        ):
            solved_for_values(diverse_matching.solve, drawn)


def diverse_distance(values: int) -> Any:
    from kanon_sql.model.distances import equal

    return equal(values), [[Fraction(i != j) for j in range(values)] for i in range(values)]


def test_rows_without_a_partner_are_counted() -> None:
    table, patterns, _ = problem([("a", "x"), ("a", "y"), ("b", "z"), ("c", "y")], [{0}])
    with pytest.raises(
        InfeasibleError, match=r"^2 rows cannot share a class with any other row under the permitted masks; hint: "
    ):
        matching.solve(plain(table, patterns, 2), UNLIMITED)


def test_three_rows_of_which_each_fits_another_only() -> None:
    table, patterns, _ = problem([("a", "x"), ("a", "y"), ("b", "y")], [{0}, {1}])
    with pytest.raises(InfeasibleError, match="classes of two or three under the permitted masks; hint: "):
        matching.solve(plain(table, patterns, 2), UNLIMITED)


def test_columns_beyond_what_can_be_listed() -> None:
    rows = [tuple(random.Random(seed).choice("ab") for _ in range(17)) for seed in range(8)]
    table, patterns, _ = problem(rows)
    assert not patterns.listed
    recoding = matching.solve(plain(table, patterns, 2), UNLIMITED)
    assert recoding.cost(table) == recoding.lower_bound == optimum(rows, 2)


@pytest.mark.sweep
@pytest.mark.parametrize("after", [0, 1, 2, 4, 6])
def test_when_the_time_is_up_there_is_a_release_and_its_gap(after: int) -> None:
    table, patterns, _ = problem(drawn(3, 150, 5, 6))
    least = matching.solve(plain(table, patterns, 2), UNLIMITED)
    assert least.cost(table) == least.lower_bound
    for seconds in (None, 100.0):
        budget = Ending(seconds=seconds, answers=chain(repeat(False, after), repeat(True)))
        recoding = matching.solve(plain(table, patterns, 2), budget)
        check(table, recoding, 2)
        assert recoding.lower_bound <= least.cost(table) <= recoding.cost(table)


def test_progress_is_reported_and_may_interrupt() -> None:
    table, patterns, _ = problem(drawn(3, 150, 5, 6))
    heard: list[Moment] = []
    matching.solve(plain(table, patterns, 2), Budget(progress=heard.append))
    assert {moment.step for moment in heard} == {"matching"}
    assert all(0 <= moment.done <= 1 for moment in heard)
    bounds = [moment.lower_bound for moment in heard]
    assert bounds == sorted(bounds)

    def stop(moment: Moment) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        matching.solve(plain(table, patterns, 2), Budget(progress=stop))


def test_the_order_of_the_rows_does_not_matter() -> None:
    rows = drawn(5, 90, 4, 5)
    found: list[Recoding] = []
    for seed in range(2):
        random.Random(seed).shuffle(rows)
        table, patterns, _ = problem(rows)
        found.append(matching.solve(plain(table, patterns, 2), UNLIMITED))
    one, other = found
    assert (one.row_type == other.row_type).all()
    assert (one.shown == other.shown).all()
    assert (one.count == other.count).all()


def test_more_row_types_than_can_be_matched_are_left_to_refine(monkeypatch: pytest.MonkeyPatch) -> None:
    table, patterns, _ = problem(drawn(5, 40, 4, 5))
    monkeypatch.setattr(matching, "MOST_ROW_TYPES", 3)
    recoding = matching.solve(plain(table, patterns, 2), UNLIMITED)
    assert recoding.cost(table) == refine.solve(plain(table, patterns, 2), UNLIMITED).cost(table)
    assert recoding.remark == "more than 3 row types are too many: refine"


@pytest.mark.everything
def test_the_integer_program_decides_where_the_cuts_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any cuts the linear program ends in fractions."""
    monkeypatch.setattr(simplex_matching, "violated", lambda rows, member, share: [])
    decided = []
    decide = simplex_matching.whole_matching

    def counted(*arguments: Any, seconds: float | None = None, nodes: int | None = None) -> Any:
        decided.append(nodes is None)
        return decide(*arguments, seconds=seconds, nodes=nodes)

    monkeypatch.setattr(simplex_matching, "whole_matching", counted)
    for seed in range(40):
        table, patterns, _ = problem(drawn(seed, 9 + seed % 6, 4, 4))
        recoding = matching.solve(plain(table, patterns, 2), UNLIMITED)
        assert recoding.cost(table) == recoding.lower_bound == subset_dp.solve(plain(table, patterns, 2), UNLIMITED).cost(table)
    assert sum(decided) >= 5


def simplices(seed: int) -> tuple[Simplices, Duals, list[set[int]]]:
    """Row types with random prices and cuts; masks or every mask, values that keep rows apart or none."""
    rng = np.random.default_rng(seed)
    t, m = int(rng.integers(3, 9)), int(rng.integers(1, 5))
    codes = rng.integers(0, 3, (t, m)).astype(np.int32)
    cost = rng.integers(1, 4, m)
    cheapest = np.empty(0, np.int64)
    if seed % 3:
        shown = np.unique(rng.integers(0, 1 << m, 4)).astype(np.uint64)
        hidden = [int(cost[[c for c in range(m) if not int(word) >> c & 1]].sum()) for word in shown]
        agreed = range(1 << m)
        cheapest = np.array(
            [
                min((price for word, price in zip(shown, hidden, strict=True) if int(word) & ~each == 0), default=FORBIDDEN)
                for each in agreed
            ]
        )
    s = Simplices(
        codes=codes,
        weight=rng.integers(1, 4, t),
        apart=rng.integers(0, 3, t) if seed % 2 else np.full(t, -1),
        cost=cost,
        cheapest=cheapest,
        unit=1 << 20,
        spread=1 << 14,
    )
    cuts = [set(np.flatnonzero(rng.random(t) < 0.5).tolist()) for _ in range(3)]
    cut_price = rng.integers(0, 1 << 20, 3)
    of_row = [[number for number, inside in enumerate(cuts) if row in inside] for row in range(t)]
    price = rng.integers(0, 3 << 20, t) + np.array([sum(int(cut_price[cut]) for cut in each) for each in of_row])
    first = np.append(0, np.cumsum([len(each) for each in of_row])).astype(np.int64)
    return s, Duals(price=price, cut_price=cut_price, first=first, cut=np.array(list(chain(*of_row)), np.int32)), cuts


def naive_cost(s: Simplices, rows: Sequence[int]) -> int | None:
    """What some rows cost as a class, without chance; None if they are none."""
    if any(rows.count(row) > s.weight[row] for row in rows):
        return None
    if any(s.apart[a] >= 0 and s.apart[a] == s.apart[b] for a, b in combinations(rows, 2)):
        return None
    cost = np.asarray(s.cost)
    agreed = [c for c in range(len(cost)) if len({int(s.codes[row, c]) for row in rows}) == 1]
    row = int(s.cheapest[sum(1 << c for c in agreed)]) if len(s.cheapest) else int(cost.sum() - cost[agreed].sum())
    return None if row >= FORBIDDEN else len(rows) * row


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
def test_reduced_costs_of_all_pairs_and_triples(seed: int) -> None:
    s, duals, cuts = simplices(seed)
    t = len(s.weight)
    every = [list(rows) for size in (2, 3) for rows in combinations_with_replacement(range(t), size)]
    member = np.array([[*rows, -1][:3] for rows in every], np.int32)
    costs = dict(zip(map(tuple, every), class_costs(s, member).tolist(), strict=True))
    reduced: dict[tuple[int, ...], int] = {}
    for rows in every:
        naive, cost = naive_cost(s, rows), costs[tuple(rows)]
        if naive is None:
            assert cost == -1
            continue
        assert naive * s.unit <= cost < naive * s.unit + 2 * s.spread
        if len(rows) == 3:
            pairs = [costs[pair] for pair in combinations(rows, 2)]
            assert min(pairs) >= 0
            assert 2 * cost >= sum(pairs)
        own = [int(duals.price[row]) - sum(int(duals.cut_price[cut]) for cut in range(3) if row in cuts[cut]) for row in rows]
        odd = [int(duals.cut_price[cut]) for cut in range(3) if sum(row in cuts[cut] for row in rows) % 2]
        reduced[tuple(rows)] = cost - sum(own) - sum(odd)
    pair, found = (np.concatenate(part) for part in zip(*(pairs_below(s, duals, 0, 1000, a, 2) for a in (0, 1)), strict=True))
    below = dict(zip(map(tuple, pair.tolist()), found.tolist(), strict=True))
    assert {rows: each for rows, each in below.items() if each < 0} == {
        rows: each for rows, each in reduced.items() if len(rows) == 2 and each < 0
    }
    price = np.asarray(duals.price)
    lower = np.zeros_like(price)
    for (a, _), each in below.items():
        lower[a] = max(lower[a], -each)
    duals = Duals(price=price - lower, cut_price=duals.cut_price, first=duals.first, cut=duals.cut)
    for slack in (0, 1 << 19, 3 << 20):
        pair, found = pairs_below(s, duals, slack, 1000, 0, 1)
        assert (found >= 0).all()
        first = np.searchsorted(pair[:, 0], np.arange(t + 1)).astype(np.int64)
        triple, found = triples_below(s, duals, slack, 1000, first, np.ascontiguousarray(pair[:, 1]))
        expected = {rows: each + sum(int(lower[row]) for row in rows) for rows, each in reduced.items() if len(rows) == 3}
        assert dict(zip(map(tuple, triple.tolist()), found.tolist(), strict=True)) == {
            rows: each for rows, each in expected.items() if each < slack
        }


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(20))
def test_nearest(seed: int) -> None:
    s, _, _ = simplices(seed)
    found = np.empty((len(s.weight), 3), np.int32)
    found[::2], found[1::2] = nearest(s, 3, 0, 2), nearest(s, 3, 1, 2)
    for row, partners in enumerate(found.tolist()):
        pairs = np.array([[row, other, -1] for other in range(len(s.weight))], np.int32)
        costs = [(int(cost), other) for other, cost in enumerate(class_costs(s, pairs)) if cost >= 0]
        prices = [cost for cost, _ in sorted(costs)[:3]]
        assert [int(class_costs(s, pairs[[other]])[0]) for other in partners if other >= 0] == pytest.approx(prices, abs=1)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
def test_cuts_are_violated_and_none_is_missed(seed: int) -> None:
    """Fractions that hold every row once, from several matchings mixed; all sets of row types are tried."""
    rng = random.Random(seed)
    rows = [rng.randint(1, 3) for _ in range(rng.randint(3, 8))]
    share: Counter[tuple[int, int, int]] = Counter()
    parts = rng.choice([2, 3])
    for _ in range(parts):
        left = [row for row, count in enumerate(rows) for _ in range(count)]
        for _ in range(2):  # each row twice half: cycles
            around = left.copy()
            rng.shuffle(around)
            while around:
                size = min(len(around), rng.choice([2, 2, 3]))
                each = sorted(around.pop() for _ in range(size))
                share[(*each, -1, -1)[:3]] += Fraction(1, 2 * parts)
    share = Counter({each: count for each, count in share.items() if each[1] >= 0})
    member = np.array(list(share), np.int32)
    amount = np.array([float(count) for count in share.values()])
    cuts = violated(np.array(rows), member, amount)

    def odd_classes(inside: np.ndarray) -> float:
        return float(amount[odd_in(inside, member)].sum())

    for inside in cuts:
        assert np.array(rows)[inside].sum() % 2 == 1
        assert odd_classes(inside) < 1
    if not cuts:
        for bits in range(1, 1 << len(rows)):
            inside = np.array([bits >> row & 1 == 1 for row in range(len(rows))])
            assert np.array(rows)[inside].sum() % 2 == 0 or odd_classes(inside) > 0.97


def test_larger_components_are_cut_too() -> None:
    """Two odd cycles of many row types, one edge between them: a least cut separates them."""
    size = 21
    cycles = [[(start + i, start + (i + 1) % size, -1) for i in range(size)] for start in (0, size)]
    member = np.array([*chain(*cycles), (0, size, -1)], np.int32)
    share = np.array([0.5] * 2 * size + [0.01])
    cuts = violated(
        np.ones(2 * size, np.int64), np.sort(member[:, :2], axis=1) @ np.eye(2, 3, dtype=np.int64) - [0, 0, 1], share
    )
    assert any(set(np.flatnonzero(inside)) in (set(range(size)), set(range(size, 2 * size))) for inside in cuts)


def test_match_needs_no_masks_in_a_special_order() -> None:
    rows = drawn(8, 30, 4, 4)
    table, patterns, _ = problem(rows)
    everyone = np.full(table.row_types, -1, np.int64)
    found = match(table, ordered(table, patterns.shown[::-1].copy()), everyone, UNLIMITED)
    assert found.matching is not None
    assert found.matching.cost == found.bound
    assert (found.matching.count > 0).all()
