"""Costs of masks: every algorithm counts them, no release beats the optimum of brute force, and proofs hold by other means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive import partitions

import kanon_sql
from kanon_sql.certificate import Status
from kanon_sql.errors import InfeasibleError, PolicyError
from kanon_sql.solvers.registry import SENSITIVE_SOLVERS, SOLVERS

NAMES = ("a", "b", "c")

MASKS = [frozenset(shown) for shown in chain.from_iterable(combinations(NAMES, size) for size in range(4))]

Costs = dict[frozenset[str], Fraction]

ROWS = st.lists(st.tuples(*[st.sampled_from("xyz")] * 3, st.sampled_from("uv")), min_size=3, max_size=7)

COSTS = st.dictionaries(st.sampled_from(MASKS), st.sampled_from([Fraction(n, d) for n in range(6) for d in (1, 3)]), min_size=1)

OF_ONE_MASK = ("attribute", "full_domain")
"""Algorithms that take one mask for all rows, the best."""


def optimum(rows: Sequence[Sequence[str]], k: int, costs: Costs, *, diverse: bool) -> Fraction | None:
    """Return the least cost over all divisions of the rows into classes, each under its cheapest mask; None without any."""

    def paid(members: list[int]) -> Fraction | None:
        values = [rows[i][3] for i in members]
        if len(members) < k or (diverse and 2 * max(map(values.count, values)) > len(values)):
            return None
        agreed = {name for c, name in enumerate(NAMES) if len({rows[i][c] for i in members}) == 1}
        return min((len(members) * cost for mask, cost in costs.items() if mask <= agreed), default=None)

    found = ([paid(each) for each in classes] for classes in partitions(range(len(rows))))
    return min((sum(filter(None, each), Fraction(0)) for each in found if None not in each), default=None)


def optimum_of_one_mask(rows: Sequence[Sequence[str]], k: int, costs: Costs) -> Fraction | None:
    """Return the least cost of a release in which all rows show the same columns; None without any."""
    found = []
    for mask, cost in costs.items():
        looks = Counter(tuple(row[c] for c, name in enumerate(NAMES) if name in mask) for row in rows)
        if min(looks.values()) >= k:
            found.append(len(rows) * cost)
    return min(found, default=None)


def released(rows: Sequence[Sequence[str]], k: int, costs: Costs, algorithm: str, *, diverse: bool) -> Any:
    table = pa.table({name: [row[c] for row in rows] for c, name in enumerate((*NAMES, "s"))})
    masks = [{"columns": sorted(mask), "cost": cost} for mask, cost in costs.items()]
    about = {"sensitive": "s", "l": 2} if diverse else {"keep": ["s"]}
    return kanon_sql.anonymize(table, k, quasi_identifiers=NAMES, masks=masks, algorithm=algorithm, **about)


def check(rows: Sequence[Sequence[str]], k: int, costs: Costs, algorithm: str, *, diverse: bool) -> None:
    best = optimum(rows, k, costs, diverse=diverse)
    least = optimum_of_one_mask(rows, k, costs) if algorithm in OF_ONE_MASK else best
    try:
        release = released(rows, k, costs, algorithm, diverse=diverse)
    except InfeasibleError:
        assert least is None
        return
    assert best is not None
    certificate, cells = release.certificate, release.table.to_pylist()
    shown = [frozenset(name for name in NAMES if row[name] is not None) for row in cells]
    assert certificate.cost == sum(costs[each] for each in shown), "what the released rows show, counted again"
    assert certificate.suppressed_cells == sum(len(NAMES) - len(each) for each in shown)
    assert certificate.lower_bound <= best <= certificate.cost
    if certificate.status is Status.OPTIMAL or algorithm in ("optimal", "subset_dp", "matching"):
        assert certificate.cost == best
    assert algorithm not in OF_ONE_MASK or certificate.cost == least


ALGORITHMS = [
    *((name, False) for name in ("auto", *SOLVERS)),
    *((name, True) for name in ("auto", *SENSITIVE_SOLVERS)),
]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(("algorithm", "diverse"), ALGORITHMS)
def test_every_algorithm_counts_the_costs(algorithm: str, diverse: bool) -> None:
    @settings(max_examples=15)
    @given(rows=ROWS, k=st.just(2) if algorithm == "matching" else st.integers(2, 3), costs=COSTS)
    def run(rows: list[tuple[str, ...]], k: int, costs: Costs) -> None:
        assume(any(costs.values()))
        check(rows, k, costs, algorithm, diverse=diverse)

    run()


@pytest.mark.everything
def test_a_mask_that_shows_more_may_cost_more() -> None:
    """Everything could be shown, but the most that is shown for nothing is one column."""
    rows = [("x", "y", "z", "u")] * 4
    costs = {frozenset(NAMES): Fraction(5), frozenset("a"): Fraction(0), frozenset[str](): Fraction(1)}
    for algorithm in ("auto", "greedy", "optimal", "row_assignment", "balls"):
        release = released(rows, 2, costs, algorithm, diverse=False)
        assert release.table.select(NAMES).to_pylist() == [{"a": "x", "b": None, "c": None}] * 4
        assert (release.certificate.cost, release.certificate.suppressed_cells) == (0, 8)


WRONG = {
    "1 of the 2 masks has no cost": {"masks": [["a"], {"columns": [], "cost": 1}]},
    "lacks the key 'cost'": {"masks": [{"columns": []}]},
    "the unknown key 'price'": {"masks": [{"columns": [], "cost": 1, "price": 1}]},
    "the cost of mask 2 is below 0": {"masks": [{"columns": ["a"], "cost": 1}, {"columns": [], "cost": "-1/2"}]},
    "all masks cost 0": {"masks": [{"columns": [], "cost": 0}]},
    "the cost of mask 1 must be a number": {"masks": [{"columns": [], "cost": "much"}]},
    '"a" has a weight, but the masks have costs': {"masks": [{"columns": [], "cost": 1}], "weights": {"a": 2}},
    '"a" is generalized, but the masks have costs': {"masks": [{"columns": [], "cost": 1}], "recodings": {"a": "DIGITS"}},
    "masks 1 and 2 show the same columns": {"masks": [{"columns": ["a", "b"], "cost": 1}, {"columns": ["B", "A"], "cost": 2}]},
    "too many levels in the quasi-identifiers: 69 (maximum 60); hint: "
    "generalize fewer columns, use fewer levels, or give masks fewer different costs": {
        "masks": [{"columns": [each for c, each in enumerate("abcdef") if n >> c & 1], "cost": n} for n in range(64)],
    },
}


@pytest.mark.parametrize("message", WRONG)
def test_what_is_refused(message: str) -> None:
    table = pa.table({name: ["x", "x"] for name in "abcdef"})
    with pytest.raises(PolicyError) as caught:
        kanon_sql.anonymize(table, 2, quasi_identifiers=list("abcdef"), **WRONG[message])
    assert message in str(caught.value)


@pytest.mark.everything
def test_linked_columns_and_a_smaller_query() -> None:
    """Of masks that become the same where a column is not there, the cheapest counts."""
    con = kanon_sql.connect()
    con.execute("CREATE TABLE t AS SELECT i // 4 AS a, i // 4 AS b, i % 2 AS c FROM range(8) AS t(i)")
    con.execute("""CREATE ANONYMIZATION POLICY p ON t (
        BY GROUPING SETS ((a, b, c) COST 0, (a, b) COST 1, (c) COST 2, () COST 3); GUARANTEE k >= 4)""")
    for chosen, cost in (("a, b, c", 8), ("a, b", 0), ("c", 0)):
        con.sql(f"SELECT {chosen} FROM t ANONYMIZE WITH POLICY p").fetchall()
        assert con.sql("SELECT cost FROM kanon_releases() ORDER BY number DESC LIMIT 1").fetchall() == [(cost,)]
    clause = "GROUPING SETS ((a, b, c) COST 5, (a, c) COST 0, (a, b) COST 1/3, () COST 3) LINKED (a, b)"
    con.sql(f"SELECT a, b, c FROM t ANONYMIZE BY {clause} GUARANTEE k >= 4").fetchall()
    assert con.sql("SELECT round(cost * 3) FROM kanon_releases() ORDER BY number DESC LIMIT 1").fetchall() == [(8,)]
