"""`refine` and `optimal`: never costlier than guaranteed, no bound above the optimum, and the same again for the same seed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest
from naive import optimum
from solving import check, coded

from kanon_sql import pipeline
from kanon_sql.certificate import Certificate, Status
from kanon_sql.errors import CertificateError, InfeasibleError, PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.solvers.budget import Budget, Moment
from kanon_sql.solvers.instances import listing
from kanon_sql.solvers.instances.flow import cheapest_flow
from kanon_sql.solvers.instances.ilp import INFEASIBLE, Program, solve_program
from kanon_sql.solvers.instances.listing import SLACK, useful
from kanon_sql.solvers.k_anonymity import optimal, refine
from kanon_sql.solvers.registry import SOLVERS
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import permitted
from kanon_sql.table.recoding import Recoding
from kanon_sql.verification import verify

CERTIFIED = ("refine", "optimal")
BACKENDS = ("GSCIP", "HIGHS")
Row = tuple[Any, ...]


def solved(algorithm: str, rows: Sequence[Row], **options: Any) -> tuple[CodedTable, Recoding, Certificate]:
    table, policy = coded(rows, algorithm=algorithm, **options)
    recoding, certificate = pipeline.run(table, policy)
    check(table, recoding, policy.least_class_size)
    assert certificate.lower_bound <= certificate.cost == table.exact_cost(recoding.cost(table))
    assert (certificate.status is Status.OPTIMAL) == (certificate.lower_bound == certificate.cost)
    return table, recoding, certificate


def proven(table: CodedTable, certificate: Certificate) -> Fraction:
    return verify(certificate, table.codes.tolist(), table.weight.tolist())


def pieces(recoding: Recoding) -> tuple[list[int], ...]:
    return recoding.row_type.tolist(), recoding.shown.tolist(), recoding.count.tolist()


def town(seed: int, rows: int, columns: int = 5) -> list[Row]:
    """Draw a table in which some rows are common and others are rare."""
    rng = random.Random(seed)
    return [tuple(rng.choices("abcd", (6, 3, 2, 1))[0] for _ in range(columns)) for _ in range(rows)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A small table, its options, and the least cost of a release, if there is any."""

    seed: int
    rows: list[Row]
    options: dict[str, Any]
    best: Fraction | None


def case(seed: int) -> Case:
    rng = random.Random(seed)
    m = rng.randint(2, 4)
    values = ["a", "b", "c", None][: rng.choice([2, 2, 3, 4])]
    size = 8 if seed % 130 == 0 else rng.choice([3, 4, 5, 5, 6, 6, 6, 7])
    rows = [tuple(rng.choice(values) for _ in range(m)) for _ in range(size)]
    masks = None
    if rng.random() < 0.6:
        masks = [{c for c in range(m) if rng.random() < 0.5} for _ in range(rng.randint(1, 5))]
        if rng.random() < 0.6:
            masks.append(set())
    weights = [rng.choice([Fraction(1), Fraction(1), Fraction(3), Fraction(5, 2)]) for _ in range(m)]
    k = rng.randint(2, 3)
    options: dict[str, Any] = {"k": k, "weights": {f"c{c}": weight for c, weight in enumerate(weights)}}
    if masks is not None:
        options["masks"] = [[f"c{c}" for c in sorted(mask)] for mask in masks]
    return Case(seed=seed, rows=rows, options=options, best=optimum(rows, k, masks, weights))


NO_RELEASE = (
    r"^(1 row is left, and it fits|\d+ rows are left, and some of them fit|1 row fits|\d+ rows fit)"
    r" no class of at least "
    r"|^no release of the \d+ rows under the given masks has only classes of at least \d+ rows; "
)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case(seed) for seed in range(520)]


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few neighbourhoods be searched, so that much is left to the proof."""
    for solver in (refine, optimal):
        monkeypatch.setattr(solver, "ROUNDS", 2)


@pytest.mark.everything
def test_optimal_is_the_optimum(cases: list[Case]) -> None:
    feasible = Counter[bool]()
    for each in cases:
        if each.best is None:
            with pytest.raises(InfeasibleError, match=NO_RELEASE):
                solved("optimal", each.rows, **each.options)
        else:
            certificate = solved("optimal", each.rows, **each.options)[2]
            assert (each.seed, certificate.cost) == (each.seed, each.best)
            assert (each.seed, certificate.status) == (each.seed, Status.OPTIMAL)
        feasible[each.best is not None] += 1
    assert feasible[True] >= 400
    assert feasible[False] >= 10


@pytest.mark.everything
def test_refine_is_between_the_optimum_and_greedy(cases: list[Case]) -> None:
    for each in cases[:250]:
        if each.best is None:
            with pytest.raises(InfeasibleError, match=NO_RELEASE):
                solved("refine", each.rows, **each.options)
        else:
            certificate = solved("refine", each.rows, **each.options)[2]
            greedy = solved("greedy", each.rows, **each.options)[2]
            assert certificate.lower_bound <= each.best <= certificate.cost <= greedy.cost, each.seed


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("masks", [None, [["c0", "c1", "c2"], ["c1", "c3", "c4"], ["c2"], ["c4"], []]])
def test_refine_is_never_costlier_than_greedy(k: int, masks: list[list[str]] | None) -> None:
    for seed in range(3):
        rows = town(seed, 22)
        costs = [solved(name, rows, k=k, masks=masks)[2].cost for name in ("greedy", "refine", "optimal")]
        assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("algorithm", CERTIFIED)
def test_masks_that_permit_no_release(algorithm: str) -> None:
    rows = [("a", "x"), ("a", "y"), ("b", "y")]
    with pytest.raises(InfeasibleError, match="1 row "):
        solved(algorithm, rows, k=2, masks=[["c0"]])
    with pytest.raises(InfeasibleError, match=r"\d rows"):  # each row fits a mask with another one, but not all at once
        solved(algorithm, rows, k=2, masks=[["c0"], ["c1"]])
    with pytest.raises(InfeasibleError, match="3 rows, fewer than k = 4"):
        solved(algorithm, rows, k=4)


@pytest.mark.everything
def test_the_prices_prove_the_bound(cases: list[Case]) -> None:
    by_prices = 0
    for each in cases[:200]:
        if each.best is None:
            continue
        table, _, certificate = solved("refine", each.rows, **each.options)
        bound = proven(table, certificate)
        assert bound <= each.best
        if "Lagrangian" in certificate.bound_method:
            assert bound >= certificate.lower_bound
            by_prices += 1
    assert by_prices >= 100


@pytest.mark.everything
@pytest.mark.parametrize("algorithm", CERTIFIED)
def test_the_prices_prove_the_bound_of_larger_tables(algorithm: str) -> None:
    for seed in range(3):
        table, _, certificate = solved(algorithm, town(seed, 22), k=3)
        bound = proven(table, certificate)
        assert 0 < bound <= certificate.cost
        if "Lagrangian" in certificate.bound_method:
            assert bound >= certificate.lower_bound
            with pytest.raises(CertificateError, match=r"lower_bound|status"):
                proven(table, replace(certificate, lower_bound=bound + 1))


@pytest.mark.everything
def test_other_prices_prove_less_but_nothing_false(cases: list[Case]) -> None:
    rng = random.Random(3)
    positive = 0
    for each in cases[:150]:
        if each.best is None:
            continue
        table, _, certificate = solved("refine", each.rows, **each.options)
        assert certificate.prices is not None
        status = Status.FEASIBLE if certificate.cost else Status.OPTIMAL
        humble = replace(certificate, lower_bound=Fraction(0), status=status)
        edited = [max(0, price + rng.randint(-certificate.scale, certificate.scale)) for price in certificate.prices]
        for change in (
            {"scale": certificate.scale * 2},
            {"scale": max(1, certificate.scale // 3)},
            {"prices": tuple(edited)},
            {"prices": tuple(rng.sample(certificate.prices, len(certificate.prices)))},
            {"prices": tuple(10 * price for price in certificate.prices)},
            {"prices": tuple(-price for price in certificate.prices)},
        ):
            bound = proven(table, replace(humble, **change))
            assert 0 <= bound <= each.best, each.seed
            positive += bound > 0
    assert positive > 100


@pytest.mark.everything
@pytest.mark.parametrize("algorithm", CERTIFIED)
def test_the_same_seed_gives_the_same_recoding(algorithm: str) -> None:
    for seed in range(3):
        rows = town(seed, 22)
        first, second = (solved(algorithm, rows, k=3, seed=seed) for _ in range(2))
        assert pieces(first[1]) == pieces(second[1])
        assert replace(first[2], seconds=0.0) == replace(second[2], seconds=0.0)
        shuffled = random.Random(seed).sample(rows, len(rows))
        third = solved(algorithm, shuffled, k=3, seed=seed)
        assert third[2].cost == first[2].cost
        assert third[2].lower_bound == first[2].lower_bound


def program(rng: random.Random) -> Program:
    """Draw a program of 2 to 5 groups and 1 to 5 instances, each of which fits some group."""
    groups, instances = rng.randint(2, 5), rng.randint(1, 5)
    pairs = [pair for pair in product(range(groups), range(instances)) if rng.random() < 0.6]
    pairs += [(rng.randrange(groups), j) for j in range(instances) if all(j != fits for _, fits in pairs)]
    unit = rng.choice([1, 1, 2, 7])
    return Program(
        rows=np.array([rng.choice([1, 1, 2, 3]) for _ in range(groups)], np.int64),
        group=np.array([i for i, _ in pairs], np.int64),
        instance=np.array([j for _, j in pairs], np.int64),
        cost=unit * np.array([rng.randint(0, 6) for _ in range(instances)], np.int64),
        other=np.array([unit * rng.randint(3, 9) if rng.random() < 0.7 else -1 for _ in range(groups)], np.int64),
        k=rng.randint(2, 3),
    )


def by_open_sets(p: Program) -> int | None:
    """Return the least cost of a program over all sets of open instances."""
    best = None
    for size in range(len(p.cost) + 1):
        for chosen in combinations(range(len(p.cost)), size):
            if not chosen and (p.other < 0).any():
                continue
            used = np.isin(p.instance, chosen)
            flow = cheapest_flow(
                p.rows, p.group[used], np.searchsorted(chosen, p.instance[used]), p.cost[list(chosen)], p.other, p.k
            )
            if flow is not None:
                cost = int(flow[0] @ p.cost[p.instance[used]]) + int(flow[1] @ np.maximum(p.other, 0))
                best = cost if best is None else min(best, cost)
    return best


def by_rows(p: Program) -> int | None:
    """Return the least cost of a program over all places of each row; -1 is elsewhere."""
    row_kinds = np.repeat(np.arange(len(p.rows)), p.rows).tolist()
    fits = [p.instance[p.group == i].tolist() + [-1] * int(p.other[i] >= 0) for i in row_kinds]
    best = None
    for places in product(*fits):
        rows = Counter(places)
        if all(count >= p.k for place, count in rows.items() if place >= 0):
            cost = sum(int(p.other[i] if j < 0 else p.cost[j]) for i, j in zip(row_kinds, places, strict=True))
            best = cost if best is None else min(best, cost)
    return best


def feasible(p: Program, count: np.ndarray, elsewhere: np.ndarray) -> bool:
    placed = elsewhere.copy()
    np.add.at(placed, p.group, count)
    rows = np.bincount(p.instance, weights=count, minlength=len(p.cost))
    return bool(
        (count >= 0).all()
        and (elsewhere >= 0).all()
        and (placed == p.rows).all()
        and ((rows == 0) | (rows >= p.k)).all()
        and (elsewhere[p.other < 0] == 0).all()
    )


@pytest.mark.everything
def test_programs_are_solved_to_the_optimum_by_both_backends() -> None:
    rng = random.Random(11)
    found = Counter[bool]()
    for number in range(40):
        p = program(rng)
        best = by_open_sets(p)
        if p.rows.sum() <= 6:
            assert by_rows(p) == best, number
        for backend in BACKENDS:
            outcome = solve_program(p, backend=backend)
            if best is None:
                assert (outcome.assignment, outcome.bound) == (None, INFEASIBLE), number
                assert not outcome.proven
            else:
                answer = outcome.assignment
                assert answer is not None
                assert (number, answer.cost, outcome.bound) == (number, best, best)
                assert outcome.proven
                assert feasible(p, answer.count, answer.elsewhere)
        found[best is not None] += 1
    assert found[True] >= 20
    assert found[False] >= 3


@pytest.mark.everything
def test_a_limit_leaves_a_bound() -> None:
    rng = np.random.default_rng(4)
    groups, instances = 60, 120
    fits = rng.random((groups, instances)) < 0.12
    group, instance = np.nonzero(fits)
    p = Program(
        rows=rng.integers(1, 4, groups),
        group=group,
        instance=instance,
        cost=rng.integers(1, 40, instances),
        other=np.full(groups, 60),
        k=9,
    )
    limits: list[dict[str, Any]] = [
        {"nodes": 1},
        {"nodes": 3},
        {"seconds": 0.0},
        {"seconds": 0.05},
        {"seconds": 0.3},
        {"seconds": 0.3, "backend": "HIGHS"},
    ]
    outcomes = [solve_program(p, **limit) for limit in limits]
    costs = [outcome.assignment.cost for outcome in outcomes if outcome.assignment is not None]
    assert costs
    assert 0 < max(outcome.bound for outcome in outcomes) <= min(costs)
    for outcome in outcomes:
        if outcome.assignment is not None:
            assert feasible(p, outcome.assignment.count, outcome.assignment.elsewhere)


def test_a_program_without_a_solution() -> None:
    one = np.ones(1, np.int64)
    p = Program(rows=one, group=0 * one, instance=0 * one, cost=one, other=-one, k=2)
    for backend in BACKENDS:
        outcome = solve_program(p, backend=backend)
        assert (outcome.assignment, outcome.bound, outcome.proven) == (None, INFEASIBLE, False)


@pytest.mark.sweep
@pytest.mark.parametrize("algorithm", CERTIFIED)
@pytest.mark.parametrize("reports", [1, 2, 5, 15, 40])
def test_an_interrupted_search_ends_with_its_best(algorithm: str, reports: int) -> None:
    rows = town(7, 50)
    moments: list[Moment] = []

    def ended() -> bool:
        return sum(moment.cost is not None for moment in moments) >= reports

    table, policy = coded(rows, k=4, algorithm=algorithm)
    recoding, certificate = pipeline.run(table, policy, Budget.of(policy, moments.append, ended))
    check(table, recoding, 4)
    assert certificate.cost <= solved("greedy", rows, k=4)[2].cost
    assert certificate.lower_bound <= certificate.cost
    assert proven(table, certificate) <= certificate.cost
    if "Lagrangian" in certificate.bound_method:
        assert proven(table, certificate) >= certificate.lower_bound


@pytest.mark.everything
@pytest.mark.parametrize("algorithm", CERTIFIED)
def test_an_interrupted_search_proves_nothing_false(algorithm: str, cases: list[Case]) -> None:
    for each in cases[:60]:
        if each.best is None:
            continue
        heard: list[Moment] = []
        table, policy = coded(each.rows, algorithm=algorithm, **each.options)
        budget = Budget.of(policy, heard.append, lambda heard=heard: any(moment.cost is not None for moment in heard))
        recoding, certificate = pipeline.run(table, policy, budget)
        check(table, recoding, policy.least_class_size)
        assert certificate.lower_bound <= each.best <= certificate.cost, each.seed


@pytest.mark.everything
@pytest.mark.parametrize("algorithm", CERTIFIED)
def test_progress_is_monotone(algorithm: str) -> None:
    moments: list[Moment] = []
    table, policy = coded(town(8, 50, 4), k=4, algorithm=algorithm, weights={"c1": "3/2"})
    certificate = pipeline.run(table, policy, Budget.of(policy, moments.append))[1]
    told = [moment for moment in moments if moment.cost is not None and moment.lower_bound is not None]
    assert {"prices", "neighbourhoods"} <= {moment.step for moment in told}
    for before, after in pairwise(told):
        if before.step == after.step:
            assert after.cost <= before.cost
            assert after.lower_bound >= before.lower_bound
    for moment in moments:
        assert 0 <= moment.done <= 1
        if moment.cost is None or moment.lower_bound is None:
            assert moment.gap is None
        else:
            assert moment.lower_bound <= certificate.cost <= moment.cost
            assert moment.gap == float((moment.cost - moment.lower_bound) / moment.cost)


@pytest.mark.parametrize("algorithm", CERTIFIED)
def test_a_progress_report_may_raise(algorithm: str) -> None:
    def stop(moment: Moment) -> None:
        if moment.cost is not None:
            raise KeyboardInterrupt

    table, policy = coded(town(8, 60), k=4, algorithm=algorithm)
    with pytest.raises(KeyboardInterrupt):
        pipeline.run(table, policy, Budget.of(policy, stop))


@pytest.mark.parametrize("seconds", [0, -1, -0.5, 0.0])
@pytest.mark.parametrize("algorithm", CERTIFIED)
def test_a_time_limit_is_above_0(algorithm: str, seconds: float) -> None:
    with pytest.raises(PolicyError, match="time_limit must be a number of seconds above 0"):
        coded([("a",), ("a",)], k=2, algorithm=algorithm, time_limit=seconds)


@pytest.mark.sweep
@pytest.mark.parametrize("seconds", [1e-9, 0.05, 0.5])
@pytest.mark.parametrize("algorithm", CERTIFIED)
def test_a_short_time_limit_gives_a_release(algorithm: str, seconds: float) -> None:
    table, _, certificate = solved(algorithm, town(9, 120), k=4, time_limit=seconds)
    assert certificate.seconds < seconds + 2
    assert proven(table, certificate) <= certificate.cost


def test_tables_too_large_for_prices_are_left_to_greedy(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = town(10, 60)
    monkeypatch.setattr(listing, "MOST_MEMBERS", 1)
    monkeypatch.setattr(listing, "_EVERYTHING", 1)
    _, recoding, certificate = solved("refine", rows, k=3)
    table, greedy, other = solved("greedy", rows, k=3)
    assert f"{table.row_types:,} row types under 32 masks are too many for prices" in certificate.reason
    assert pieces(recoding) == pieces(greedy)
    assert (certificate.cost, certificate.lower_bound) == (other.cost, other.lower_bound)
    assert certificate.prices == other.prices


def test_too_many_masks_to_list_are_left_to_greedy() -> None:
    rows = town(10, 20, 17)
    table, greedy, _ = solved("greedy", rows, k=3)
    for algorithm in CERTIFIED:
        _, recoding, certificate = solved(algorithm, rows, k=3)
        assert "too many masks to list" in certificate.reason
        assert recoding.cost(table) <= greedy.cost(table)


@pytest.mark.parametrize(
    ("limit", "remark"),
    [("_MOST_MEMBERS", "too many instances for an exact solution"), ("_MOST_EDGES", "the integer program is too large")],
)
def test_tables_too_large_to_be_solved_are_left_to_refine(monkeypatch: pytest.MonkeyPatch, limit: str, remark: str) -> None:
    monkeypatch.setattr(optimal, limit, 5)
    rows = town(2, 60)
    _, _, certificate = solved("optimal", rows, k=3)
    if limit == "_MOST_MEMBERS" or certificate.status is Status.FEASIBLE:
        assert remark in certificate.reason
    assert certificate.cost <= solved("greedy", rows, k=3)[2].cost
    assert certificate.prices is not None


def instances_of(table: CodedTable, policy: Policy) -> dict[tuple[frozenset[int], int], int]:
    """Return the support, shown columns and cost of each instance of k rows or more, by brute force."""
    found = {}
    for shown in permitted(table, policy).shown.tolist():
        columns = [c for c in range(len(table.columns)) if shown >> c & 1]
        groups: dict[tuple[int, ...], list[int]] = {}
        for row_type, codes in enumerate(table.codes.tolist()):
            groups.setdefault(tuple(codes[c] for c in columns), []).append(row_type)
        cost = sum(int(table.cost[c]) for c in range(len(table.columns)) if not shown >> c & 1)
        for members in groups.values():
            if table.weight[members].sum() >= policy.least_class_size:
                found[frozenset(members), shown] = cost
    return found


@pytest.mark.everything
def test_every_undominated_instance_is_listed(cases: list[Case]) -> None:
    for each in cases:
        table, policy = coded(each.rows, **each.options)
        if table.rows < policy.least_class_size:
            continue
        every = instances_of(table, policy)
        fitting = frozenset[int]().union(*(members for members, _ in every))
        patterns = permitted(table, policy)
        if len(fitting) < table.row_types:
            lost = sum(int(table.weight[i]) for i in range(table.row_types) if i not in fitting)
            with pytest.raises(InfeasibleError, match=rf"^{lost} rows? fits? no class of at least"):
                useful(table, patterns, policy.least_class_size, slack=None)
            continue
        found = useful(table, patterns, policy.least_class_size, slack=None)
        assert found is not None
        ends = zip(found.start[:-1], found.start[1:], found.pattern.tolist(), found.cost.tolist(), strict=True)
        listed = {
            (frozenset(found.member[start:end].tolist()), int(patterns.shown[pattern])): cost
            for start, end, pattern, cost in ends
        }
        assert len(listed) == len(found)
        assert listed.items() <= every.items()
        for (members, _), cost in every.items():
            # Somewhere in the list all rows can move to, at no more cost: that is what a cheapest release needs.
            assert any(members <= other and price <= cost for (other, _), price in listed.items()), each.seed
        for (members, shown), cost in listed.items():
            others = [price for (other, mask), price in every.items() if members <= other and mask != shown]
            assert all(price >= cost for price in others), each.seed
            assert sum(other == members for other, _ in listed) == 1, each.seed
        few = useful(table, patterns, policy.least_class_size, slack=SLACK)
        assert few is not None
        assert len(few) <= len(found)
        assert useful(table, patterns, policy.least_class_size, slack=None, limit=len(found.member) - 1) is None


@pytest.mark.sweep
@pytest.mark.parametrize("algorithm", CERTIFIED)
@pytest.mark.parametrize(
    ("rows", "k", "cost"),
    [
        ([("a", "x")] * 9, 3, 0),
        ([("a", "x")] * 9, 9, 0),
        ([(letter, letter) for letter in "abcdef"], 2, 12),
        ([(letter, letter) for letter in "abcdef"], 1, 0),
        ([(letter, "x") for letter in "abcdef"], 3, 6),
        ([(letter, letter) for letter in "abcdef"], 6, 12),
        ([("a", "x")], 1, 0),
        ([(None, None)], 1, 0),
        ([("a", "x"), ("a", None), (None, "x")], 3, 6),
        ([("a", "x")] * 1003 + [("a", "y")] * 2 + [("b", "x")], 500, 1000),
    ],
)
def test_edges(algorithm: str, rows: list[Row], k: int, cost: int) -> None:
    _, _, certificate = solved(algorithm, rows, k=k)
    assert certificate.cost == cost
    assert certificate.status is Status.OPTIMAL or algorithm == "refine"


def test_both_are_registered() -> None:
    assert [SOLVERS[name].load() for name in CERTIFIED] == [refine.solve, optimal.solve]
