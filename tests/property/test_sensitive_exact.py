"""The exact solvers of sensitive requirements against brute force."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations, product, repeat
from typing import Any

import numpy as np
import pytest
from requirement_oracle import moved
from sensitive_cases import Attribute, Case, Ground, Solve, released_classes, solved
from test_small_exact import Ending

from kanon_sql.errors import InfeasibleError, PolicyError
from kanon_sql.model.distances import MatrixDistance, TreeDistance, equal, hierarchical, numeric, ordered
from kanon_sql.model.requirements import AlphaAnonymity, LDiversity, Requirement, TCloseness
from kanon_sql.solvers.budget import Budget, Moment
from kanon_sql.solvers.guarantees.entropy import first_tangents, tangent
from kanon_sql.solvers.instances.listing import useful
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.sensitive import greedy, optimal, subset_dp
from kanon_sql.solvers.sensitive.program import Answer
from kanon_sql.solvers.sensitive.support import able
from kanon_sql.table.coded_table import CodedTable, Sensitive
from kanon_sql.table.recoding import Recoding


def drawn_metric(rng: random.Random, values: int) -> tuple[MatrixDistance, Ground]:
    """Shortest paths between some points, the largest 1."""
    far = [[0 if i == j else rng.randint(1, 9) for j in range(values)] for i in range(values)]
    far = [[min(far[i][j], far[j][i]) for j in range(values)] for i in range(values)]
    for over, i, j in product(range(values), repeat=3):
        far[i][j] = min(far[i][j], far[i][over] + far[over][j])
    scale = max(1, max(map(max, far)))
    return MatrixDistance(cost=np.array(far, np.int64), scale=scale), [[Fraction(each, scale) for each in row] for row in far]


def drawn_tree(rng: random.Random, values: int) -> tuple[TreeDistance, Ground]:
    """A hierarchy of three levels: a value, its group, everything."""
    group = [rng.randrange(2) for _ in range(values)]
    paths = [[("value", v), ("group", group[v]), ("root", 0)] for v in range(values)]
    height = {node: ["value", "group", "root"].index(node[0]) for path in paths for node in path}
    ground = [[Fraction(0 if i == j else 1 if group[i] == group[j] else 2, 2) for j in range(values)] for i in range(values)]
    return hierarchical(paths, height), ground


def attribute(rng: random.Random, rows: int) -> Attribute:
    values = [rng.randrange(rng.choice([2, 3, 4])) for _ in range(rows)]
    values = [sorted(set(values)).index(value) for value in values]
    v = max(values) + 1
    points = sorted(rng.sample(range(20), v))
    width = max(1, points[-1] - points[0])
    distances = {
        "equal": (equal(v), [[Fraction(i != j) for j in range(v)] for i in range(v)]),
        "ordered": (ordered(v), [[Fraction(abs(i - j), max(1, v - 1)) for j in range(v)] for i in range(v)]),
        "numeric": (numeric(points), [[Fraction(abs(points[i] - points[j]), width) for j in range(v)] for i in range(v)]),
        "hierarchical": drawn_tree(rng, v),
        "main.distances": drawn_metric(rng, v),
    }
    return Attribute(values=values, names=[f"name {value}" for value in range(v)], distances=distances)


def requirement(rng: random.Random, name: str, about: Attribute) -> Requirement:
    kind = rng.choice(["l", "l", "t", "t", "alpha"])
    if kind == "alpha":
        return AlphaAnonymity(sensitive=name, value=rng.choice(about.names), alpha=rng.choice(["1/3", "1/2", "2/3"]))
    if kind == "t":
        metric = rng.choice(list(about.distances))
        hierarchy = "tree" if metric == "hierarchical" else None
        t = Fraction(rng.randint(0, 10), rng.choice([10, 12, 15]))
        return TCloseness(sensitive=name, t=t, metric=metric, hierarchy=hierarchy)
    variant = rng.choice(["frequency", "distinct", "entropy", "recursive"])
    if variant == "recursive":
        c = rng.choice(["1/2", "1", "3/2", "2", "3"])
        return LDiversity(sensitive=name, l=rng.choice([1, 2, 2, 3]), variant=variant, c=c)
    return LDiversity(sensitive=name, l=rng.choice(["1.5", "2", "2", "2.5", "3"]), variant=variant)


def case(seed: int, most: int = 7) -> Case:
    """Draw a table of 2 to ``most`` rows with one sensitive attribute or two, and one to three requirements."""
    rng = random.Random(seed)
    m = rng.randint(1, 4)
    values = ["a", "b", "c"][: rng.choice([2, 2, 3])]
    rows = [tuple(rng.choice(values) for _ in range(m)) for _ in range(rng.randint(2, most))]
    masks = [{c for c in range(m) if rng.random() < 0.5} for _ in range(rng.randint(1, 5))] if rng.random() < 0.5 else None
    if masks is not None and rng.random() < 0.8:
        masks.append(set())
    names = ["s"] if rng.random() < 0.7 else ["s", "r"]
    attributes = {name: attribute(rng, len(rows)) for name in names}
    requirements = [requirement(rng, name, attributes[name]) for name in names]
    if rng.random() < 0.3:
        requirements.append(requirement(rng, "s", attributes["s"]))
    return Case(
        rows=rows,
        k=rng.randint(1, 2),
        masks=masks,
        weights=[rng.choice([Fraction(1), Fraction(1), Fraction(3), Fraction(5, 2)]) for _ in range(m)],
        attributes=attributes,
        requirements=requirements,
    )


@pytest.fixture(scope="module")
def cases() -> list[tuple[Case, Fraction | None]]:
    """Tables with their optimum."""
    return [(drawn, drawn.optimum()) for drawn in map(case, range(200))]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("solve", [subset_dp.solve, optimal.solve], ids=["subset_dp", "optimal"])
def test_the_cost_is_the_optimum(solve: Solve, cases: list[tuple[Case, Fraction | None]]) -> None:
    feasible = 0
    for drawn, best in cases:
        if best is None:
            with pytest.raises(InfeasibleError, match=r"; hint: "):
                solved(solve, drawn)
            continue
        table, recoding = solved(solve, drawn)
        assert table.exact_cost(recoding.cost(table)) == best == table.exact_cost(recoding.lower_bound)
        feasible += 1
    assert 100 <= feasible <= 180


def asked(requirement: Requirement) -> str:
    return requirement.variant if isinstance(requirement, LDiversity) else getattr(requirement, "metric", "alpha")


@pytest.mark.everything
def test_every_requirement_is_met_and_decides(cases: list[tuple[Case, Fraction | None]]) -> None:
    """Each kind of requirement makes some optimum dearer than k alone does."""
    deciding: Counter[str] = Counter()
    for drawn, best in cases:
        if best is not None and len(drawn.requirements) == 1 and replace(drawn, requirements=[]).optimum() < best:
            deciding[asked(drawn.requirements[0])] += 1
    assert set(deciding) >= {"frequency", "distinct", "entropy", "recursive", "alpha", "equal", "ordered", "main.distances"}


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(12))
def test_both_agree_on_more_rows(seed: int) -> None:
    drawn = case(1000 + seed, most=12)
    drawn = replace(drawn, masks=None)
    problem = drawn.coded()
    table, requirement = problem.table, problem.requirement
    whole = requirement.histograms(
        np.zeros(table.row_types, np.int64), np.arange(table.row_types, dtype=np.int32), table.weight
    )
    if requirement.met(whole).all():
        one, other = (solved(solve, drawn)[1] for solve in (subset_dp.solve, optimal.solve))
        assert one.cost(table) == other.cost(table) == other.lower_bound


def test_no_mask_suppresses_everything() -> None:
    """Without the mask () there may be no release that the search finds, but one all the same."""
    rows = [("a", "x"), ("a", "y"), ("b", "y"), ("b", "z"), ("c", "z"), ("c", "x")]
    values = [0, 1, 1, 0, 0, 1]
    about = replace(attribute(random.Random(1), 6), values=values, names=["no", "yes"])
    drawn = Case(
        rows=rows,
        k=2,
        masks=[{0}, {1}],
        weights=[Fraction(1), Fraction(1)],
        attributes={"s": about},
        requirements=[LDiversity(sensitive="s", l=2)],
    )
    assert drawn.optimum() == 6
    for solve in (subset_dp.solve, optimal.solve):
        table, recoding = solved(solve, drawn)
        assert recoding.cost(table) == recoding.lower_bound == 6
    for solve in (subset_dp.solve, optimal.solve):
        with pytest.raises(InfeasibleError, match="; hint: permit masks that show less"):
            solved(solve, replace(drawn, masks=[{0, 1}, {0}], attributes={"s": replace(about, values=[0, 0, 1, 1, 0, 1])}))


def test_subset_dp_refuses_more_than_18_rows() -> None:
    rng = random.Random(3)
    rows = [tuple(rng.choice("ab") for _ in range(3)) for _ in range(19)]
    drawn = replace(case(5), rows=rows, masks=None, weights=[Fraction(1)] * 3, attributes={"s": attribute(rng, 19)})
    with pytest.raises(PolicyError, match=r"at most 18 rows, but the table has 19; hint: .*optimal"):
        solved(subset_dp.solve, replace(drawn, requirements=[LDiversity(sensitive="s", l=2)]))


def larger(seed: int, rows: int, requirement: Requirement) -> Case:
    """A table of four columns and a sensitive attribute of four values."""
    rng = random.Random(seed)
    drawn = [tuple(rng.choices("abcd", (6, 3, 2, 1))[0] for _ in range(4)) for _ in range(rows)]
    values = [number % 4 for number in range(rows)]
    about = replace(attribute(rng, 12), values=values, names=list("wxyz"), distances={"equal": (equal(4), [])})
    weights = [Fraction(1)] * 4
    return Case(rows=drawn, k=2, masks=None, weights=weights, attributes={"s": about}, requirements=[requirement])


@pytest.mark.sweep
@pytest.mark.parametrize("variant", ["frequency", "entropy"])
@pytest.mark.parametrize("after", [0, 3, 6])
def test_when_the_time_is_up_there_is_a_release_and_its_gap(variant: str, after: int) -> None:
    drawn = larger(7, 30, LDiversity(sensitive="s", l=2, variant=variant))
    budget = Ending(answers=chain(repeat(False, after), repeat(True)))
    table, recoding = solved(optimal.solve, drawn, budget)
    least = solved(optimal.solve, drawn)[1]
    assert least.cost(table) == least.lower_bound
    assert recoding.lower_bound <= least.cost(table) <= recoding.cost(table)


def test_progress_is_reported_and_may_interrupt() -> None:
    steps = set()

    def hear(moment: Moment) -> None:
        assert 0 <= moment.done <= 1
        assert moment.cost is None or moment.lower_bound is None or moment.lower_bound <= moment.cost
        steps.add(moment.step)
        if moment.step == "integer programs":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solved(optimal.solve, larger(7, 30, LDiversity(sensitive="s", l=2)), Budget(progress=hear))


def diverse(histogram: np.ndarray, least: Fraction) -> bool:
    share = histogram[histogram > 0] / histogram.sum()
    return bool(-(share * np.log(share)).sum() >= np.log(float(least)))


def test_tangents_hold_for_diverse_classes_only() -> None:
    rng = np.random.default_rng(4)
    for _ in range(300):
        values, least = int(rng.integers(2, 6)), Fraction(int(rng.integers(11, 35)), 10)
        one, other = rng.integers(0, 9, (2, values)) + np.eye(values, dtype=np.int64)[0]
        assert diverse(one, least) or one @ tangent(one, least) < 0.05
        for weight in (tangent(one, least), *first_tangents(values, least)):
            assert not diverse(other, least) or other @ weight >= 0


def test_a_quick_search_solves_a_program_with_entropies_twice_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each solution that breaks an entropy asked for another search tree, then a larger program did: 105 s in all."""
    asked: list[Any] = []

    def endless(program: Any, tangents: Any, seconds: float, nodes: int | None) -> tuple[Answer, np.ndarray]:
        asked.append(program)
        alike = np.eye(1, program.requirement.counters, dtype=np.int64) * program.k
        return Answer(assignment=None, bound=0, nodes=nodes or 0, ended=False), alike

    monkeypatch.setattr("kanon_sql.solvers.sensitive.program._solved", endless)
    problem = larger(7, 30, LDiversity(sensitive="s", l=2, variant="entropy")).coded()
    found = optimal.close_gap(problem, replace(greedy.solve(problem, Budget()), lower_bound=0), Budget())
    assert found.cost(problem.table) > found.lower_bound
    assert set(Counter(map(id, asked)).values()) == {2}
    assert {bool((program.other < 0).all()) for program in asked} == {False}


def test_instances_that_hold_no_class_are_left_out(cases: list[tuple[Case, Fraction | None]]) -> None:
    left_out = 0
    for drawn, best in cases[:120]:
        problem = drawn.coded()
        table, requirement = problem.table, problem.requirement
        if best is None:
            continue
        listed = useful(table, problem.patterns, requirement.least, slack=None)
        found = able(requirement, listed)
        left_out += int((~found).sum())
        for number in np.flatnonzero(~found).tolist():
            members = listed.take(np.array([number])).member
            rows = [row for row, row_type in enumerate(rows_in_order(drawn, table)) if row_type in members]
            sizes = range(1, len(rows) + 1)
            assert not any(drawn.kept(each) for size in sizes for each in combinations(rows, size))
    assert left_out > 20


def rows_in_order(drawn: Case, table: CodedTable) -> list[int]:
    """The row type of each row of the case."""
    found = [0] * len(drawn.rows)
    everyone = Recoding(
        row_type=np.arange(table.row_types, dtype=np.int32),
        shown=np.zeros(table.row_types, np.uint64),
        count=table.weight,
    )
    (rows,) = released_classes(drawn, table, everyone)
    for row, row_type in zip(rows, np.repeat(np.arange(table.row_types), table.weight), strict=True):
        found[row] = int(row_type)
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(40))
def test_the_distance_is_a_cheapest_transport(seed: int) -> None:
    """Trees and matrices against the flow, by the exact test of histograms just below and at the distance."""
    rng = random.Random(seed)
    rows = rng.randint(4, 12)
    about = attribute(rng, rows)
    values = range(len(about.names))
    total = [about.values.count(value) for value in values]
    some = rng.sample(range(rows), rng.randint(1, rows))
    held = [sum(about.values[row] == value for row in some) for value in values]
    for metric, (distance, ground) in about.distances.items():
        exact = moved(dict(enumerate(held)), dict(enumerate(total)), lambda i, j, ground=ground: ground[i][j])
        sensitive = Sensitive(
            column="s", codes=np.array(about.values, np.int32), count=np.array(total), distances={metric: distance}
        )
        for t, close in ((exact, True), (exact - Fraction(1, 10**4), False)):
            if t >= 0:
                hierarchy = "tree" if metric == "hierarchical" else None
                requirement = TCloseness(sensitive="s", t=t, metric=metric, hierarchy=hierarchy)
                asked = ClassRequirement.of(one_row_each(sensitive), [requirement])
                assert asked.met(np.array([held]))[0] == close


def one_row_each(sensitive: Sensitive) -> CodedTable:
    rows = len(sensitive.codes)
    return CodedTable(
        columns=(("c",),),
        codes=np.arange(rows, dtype=np.int32)[:, None],
        weight=np.ones(rows, np.int64),
        origin=np.arange(rows),
        cost=np.ones(1, np.int64),
        unit=1,
        sensitive=(sensitive,),
    )
