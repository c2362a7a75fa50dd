"""The hardness proofs as tests: on their tables `optimal` proves what the theorem claims, and nothing costs less."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import instances
import pyarrow as pa
import pytest
from instances import Instance
from naive import smallest_class

import kanon_sql
from kanon_sql.certificate import Certificate, Status


def sets(*members: str) -> list[frozenset[int]]:
    """Return one set of digits for each text."""
    return [frozenset(map(int, each)) for each in members]


PENDANT = [*instances.K4, *((v, v + 4) for v in range(4))]
LADDER = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), *((v, v + 4) for v in range(4)), (4, 5), (6, 7)]
HALVES: dict[str, tuple[list[instances.Edge], int]] = {
    "prism": (instances.PRISM, 2),
    "K33": (instances.K33, 2),
    "K4 and 4 leaves": (PENDANT, 2),
    "nearly K4": (LADDER, 2),
}
"""Graphs, and the rows that Theorem 5 adds."""

KNOWN: dict[str, Instance] = {
    **{f"vertex cover of {name}": instances.cubic_vertex_cover(edges) for name, edges in instances.CUBIC.items()},
    **{f"bisection of {name}": instances.half_of_the_vertices(edges) for name, edges in instances.CUBIC.items()},
    "bisection of a hexagon": instances.half_of_the_vertices([(v, (v + 1) % 6) for v in range(6)]),
    "a third of the rows, K4": instances.a_share_of_the_rows(instances.K4, Fraction(1, 3)),
    "a quarter of the rows, K4": instances.a_share_of_the_rows(instances.K4, Fraction(1, 4)),
    "a third of the rows, hexagon": instances.a_share_of_the_rows([(v, (v + 1) % 6) for v in range(6)], Fraction(1, 3)),
    **{f"half clique of {name}": instances.half_clique(edges, more) for name, (edges, more) in HALVES.items()},
    "perfect matching of 6": instances.dimensional_matching(6, sets("012", "345", "123", "234", "045")),
    "perfect matching of 9": instances.dimensional_matching(9, sets("048", "156", "237", "012", "345", "147", "258", "036")),
    "perfect matching of 8 by fours": instances.dimensional_matching(8, sets("0246", "1357", "0123", "2345", "0167")),
    "no perfect matching of 6": instances.dimensional_matching(6, sets("012", "013", "024", "035", "045")),
    "no perfect matching of 9": instances.dimensional_matching(9, sets("012", "345", "067", "168", "278", "036", "147")),
    "set cover by 2 of 3": instances.three_set_cover(5, sets("012", "234", "123")),
    "set cover by 2 of 4": instances.three_set_cover(6, sets("012", "345", "123", "024")),
    "set cover by 3 of 6": instances.three_set_cover(7, sets("012", "134", "256", "036", "145", "246")),
    "set cover by 3 of 7": instances.three_set_cover(9, sets("012", "034", "056", "078", "135", "246", "178")),
    **{f"greedy is tight, m = {m}": instances.greedy_is_tight(m) for m in (2, 3, 4, 5, 6)},
}


def released(known: Instance, algorithm: str) -> Certificate:
    names = [f"c{c}" for c in range(len(known.rows[0]))]
    source = pa.table(dict(zip(names, zip(*known.rows, strict=True), strict=True)))
    masks = None if known.masks is None else [[names[c] for c in mask] for mask in known.masks]
    release = kanon_sql.anonymize(source, k=known.k, quasi_identifiers=names, masks=masks, algorithm=algorithm)
    assert smallest_class(release.table, names) >= known.k
    assert sum(release.table.column(name).null_count for name in names) == release.certificate.cost
    return release.certificate


@pytest.mark.parametrize(
    ("name", "claim"),
    [
        ("vertex cover of K4", 137),
        ("vertex cover of K33", 197),
        ("vertex cover of prism", 198),
        ("vertex cover of Petersen", 320),
        ("bisection of K4", 4 * (6 + 4) / 2),
        ("bisection of cube", 8 * (12 + 4) / 2),
        ("bisection of Petersen", 10 * (15 + 5) / 2),
        ("bisection of a hexagon", 6 * (6 + 2) / 2),
        ("a third of the rows, K4", 4 * (6 + 4) / 2),
        ("a quarter of the rows, K4", 4 * (6 + 4) / 2),
        ("a third of the rows, hexagon", 6 * (6 + 2) / 2),
        ("half clique of prism", 8 * 9 - 3 * 3),
        ("half clique of K4 and 4 leaves", 10 * 10 - 4 * 6),
        ("perfect matching of 6", 6 * (5 - 1)),
        ("perfect matching of 9", 9 * (8 - 1)),
        ("perfect matching of 8 by fours", 8 * (5 - 1)),
        ("no perfect matching of 6", 6 * (5 - 1) + 3),
        ("no perfect matching of 9", 9 * (7 - 1) + 3),
        ("set cover by 2 of 3", 4 * 5 + 3 * 3 + 3 * 2),
        ("set cover by 2 of 4", 4 * 6 + 3 * 4 + 3 * 2),
        ("set cover by 3 of 6", 4 * 7 + 3 * 6 + 3 * 3),
        ("set cover by 3 of 7", 4 * 9 + 3 * 7 + 3 * 3),
    ],
)
def test_the_optimum_is_the_one_of_the_theorem(name: str, claim: float) -> None:
    assert KNOWN[name].optimum == claim


@pytest.mark.parametrize("name", HALVES)
def test_half_a_clique_costs_what_theorem_5_says_of_it(name: str) -> None:
    edges, _ = HALVES[name]
    known = KNOWN[f"half clique of {name}"]
    limit = len(known.rows) * len(edges) - known.k * math.comb(known.k, 2)
    assert (known.optimum <= limit) == instances.has_half_clique(edges) == (name in {"prism", "K4 and 4 leaves"})


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name in KNOWN if "matching" in name])
def test_attributes_of_a_perfect_matching(name: str) -> None:
    """Meyerson and Williams, Theorem 3.2: m - n / k attributes are dropped iff there is a perfect matching."""
    known = KNOWN[name]
    n, m = len(known.rows), len(known.rows[0])
    binary = [tuple(str(int(cell == "0")) for cell in row) for row in known.rows]
    cost = released(replace(known, rows=binary), "attribute").cost
    assert cost == n * m - (n * m - known.optimum) // known.k * n
    assert (cost <= n * (m - n // known.k)) == name.startswith("perfect")


@pytest.mark.parametrize("name", [name for name in KNOWN if "matching" in name])
def test_a_perfect_matching_costs_n_times_m_minus_1(name: str) -> None:
    known = KNOWN[name]
    assert (known.optimum <= len(known.rows) * (len(known.rows[0]) - 1)) == name.startswith("perfect")


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("name", KNOWN)
def test_optimal_proves_the_claim(name: str) -> None:
    certificate = released(KNOWN[name], "optimal")
    assert certificate.status is Status.OPTIMAL
    assert certificate.cost == certificate.lower_bound == KNOWN[name].optimum


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name, known in KNOWN.items() if len(known.rows) <= 18])
def test_the_subsets_of_the_rows_prove_the_claim(name: str) -> None:
    certificate = released(KNOWN[name], "subset_dp")
    assert certificate.status is Status.OPTIMAL
    assert certificate.cost == KNOWN[name].optimum


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name, known in KNOWN.items() if known.masks is not None])
def test_the_sets_of_instances_prove_the_claim(name: str) -> None:
    certificate = released(KNOWN[name], "row_assignment")
    assert certificate.status is Status.OPTIMAL
    assert certificate.cost == KNOWN[name].optimum


@pytest.mark.sweep
@pytest.mark.parametrize("name", KNOWN)
def test_the_greedy_costs_no_less(name: str) -> None:
    certificate = released(KNOWN[name], "greedy")
    assert certificate.lower_bound <= KNOWN[name].optimum <= certificate.cost


@pytest.mark.sweep
@pytest.mark.parametrize("m", [2, 3, 4, 5, 6])
def test_the_greedy_costs_at_most_what_theorem_4_says_of_it(m: int) -> None:
    assert released(instances.greedy_is_tight(m), "greedy").cost <= Fraction((m - 1) * m * m)
