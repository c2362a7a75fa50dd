"""The bound that `kanon verify` computes from cuts: no lines and no multipliers prove more than the optimum."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from cell_tables import cell_table, cheapest

import kanon_sql
from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.engines.cells.base_cells import BaseCells
from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.cells.earlier_tables import EarlierTable, joint
from kanon_sql.errors import CertificateError
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Item, Tabulation
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.lower_bound import lower_bound
from kanon_sql.table.cell_table import CellTable, PricedCut
from kanon_sql.verification.cells.base_cell import BaseCell
from kanon_sql.verification.cells.cuts_bound import proven
from kanon_sql.verification.cells.published_system import PublishedSystem

PLANES = "minimum cuts of planes"
CUBE = [chosen for size in (3, 2, 1, 0) for chosen in itertools.combinations(range(3), size)]
SHAPES = (
    ((2, 3, 1), [(0, 1), (0,), (1,), ()]),
    ((2, 2, 2), CUBE),
    ((3, 2, 1), [(0, 1), (0,), ()]),
    ((2, 2, 2), [(0, 1), (0, 2), (1, 2), (2,), ()]),
    ((4, 2, 0), [(0, 1, 2), (0, 2), (1, 2), (0,), (1,), (2,), ()]),
)
"""Sizes and grouping sets; the last one is a hierarchy: its third key is half of the first."""


def tiny(seed: int, shape: int) -> tuple[CellTable, PublishedSystem]:
    """Return a random table for the solver, and the same for the verifier."""
    draw = random.Random(seed)
    sizes, sets = SHAPES[shape]
    if sizes[2]:
        places = [*itertools.product(*map(range, sizes))]
    else:
        places = [(a, b, a // 2) for a, b in itertools.product(range(4), range(2))]
    counts = {place: count for place in places if (count := draw.choice([0, 1, 2, 3, 4, 5]))} or {places[0]: 1}
    k, rows, insiders = draw.choice([2, 3, 4]), draw.choice(["null", "absent"]), draw.random() < 0.3
    levels = [tuple(int(key not in chosen) for key in range(3)) for chosen in sets]
    table = cell_table(counts, k, levels, least=int(rows == "null"), insiders=insiders)
    tabulation = Tabulation(
        keys=("a", "b", "c"),
        sums=(),
        sets=tuple(sets),
        items=(Item(name="n", kind="count"),),
        source="from t",
        reads=("t",),
    )
    protection = Protection(k=k, rows=rows, contributors=insiders)
    cells = [BaseCell(keys=tuple(map(str, place)), values=(counts[place],), largest=()) for place in sorted(counts)]
    system = PublishedSystem(tabulation, [(tabulation, protection)], cells)
    return replace(table, cost=np.array(system.costs)), system


def overlapping(seed: int) -> tuple[CellTable, PublishedSystem]:
    """Return a random table by one key and by another one, for the solver and for the verifier: nobody sees what they share."""
    draw = random.Random(seed)
    counts = {place: draw.choice([1, 1, 2, 3, 4]) for place in draw.sample([*itertools.product(range(3), range(2))], 5)}
    places, sets = sorted(counts), draw.choice([((0,), (1,), ()), ((0,), (1,))])
    tabulation = Tabulation(
        keys=("a", "b"), sums=(), sets=sets, items=(Item(name="n", kind="count"),), source="from t", reads=("t",)
    )
    protection = Protection(k=draw.choice([2, 3, 4]), rows=draw.choice(["null", "absent"]))
    none = np.zeros((5, 0), np.int64)
    keys, people = np.array(places, np.int64), np.array([counts[place] for place in places], np.int64)
    found = BaseCells(keys=keys, people=people, sums=none, contributors=none, largest=[])
    counting = Counting(tabulation=tabulation, keys=("a", "b"), sums=())
    asked = EarlierTable(counting=counting, protection=protection, cells=found, suppressed=np.zeros(0, np.bool_))
    joined = joint([asked], found, counting, [])
    people_of = zip(joined.cells.keys.tolist(), joined.cells.people.tolist(), strict=True)
    cells = [BaseCell(keys=tuple(map(str, place)), values=(count,), largest=()) for place, count in people_of]
    return joined.table, PublishedSystem(tabulation, [(tabulation, protection)], cells, joined.joined_sets)


def assert_proven_again(seed: int) -> int:
    planes = 0
    for shape in range(len(SHAPES)):
        table, system = tiny(seed, shape)
        assert system.primaries == set(np.flatnonzero(table.primary).tolist())
        found = lower_bound(table, Budget())
        planes += found.method == PLANES
        assert proven(system, found.priced, found.scale) == found.cost <= cheapest(table)
    return planes


@pytest.mark.everything
def test_what_a_solver_proves_is_proven_again_and_is_below_the_optimum() -> None:
    assert sum(map(assert_proven_again, range(8))) > 0


@pytest.mark.everything
@pytest.mark.parametrize("part", range(10))
def test_many_tables_are_proven_again(part: int) -> None:
    for seed in range(100 + 10 * part, 110 + 10 * part):
        assert_proven_again(seed)


def drawn_cuts(draw: random.Random, system: PublishedSystem) -> list[PricedCut]:
    """Return cuts of random lines that the verifier takes."""
    sets = system.grouping_sets
    named = [row for row in range(system.rows) if system.needs_witness(row) and row not in system.may_be_empty]
    lines = [
        (parent, refined)
        for parent in range(system.rows)
        for refined in range(len(sets))
        if set(sets[system.sets[parent]]) < set(sets[refined])
    ]
    found = []
    for _ in range(300 if named else 0):
        chosen = draw.sample(lines, min(len(lines), draw.randrange(1, 5)))
        cut = PricedCut(
            row=draw.choice(named),
            measure=0,
            lines=tuple((*line, draw.choice([1, 1, -1, -1, 2])) for line in chosen),
            price=1,
        )
        with suppress(CertificateError):
            proven(system, [cut], 1)
            found.append(cut)
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(6))
def test_no_lines_and_no_multipliers_prove_more_than_the_optimum(seed: int) -> None:
    draw, positive = random.Random(seed), 0
    for shape in range(len(SHAPES)):
        table, system = tiny(seed, shape)
        cuts, best = drawn_cuts(draw, system) if system.primaries else [], cheapest(table)
        for _ in range(60 if cuts else 0):
            chosen = [
                replace(each, price=draw.randrange(5)) for each in draw.sample(cuts, min(len(cuts), draw.randrange(1, 6)))
            ]
            bound = proven(system, chosen, draw.choice([1, 2, 4]))
            positive += bound > 0
            assert bound <= best
    assert positive


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("part", range(3))
def test_neither_do_those_through_rows_that_nobody_sees(part: int) -> None:
    positive = groups = 0
    for seed in range(100 * part, 100 * part + 40):
        table, system = overlapping(seed)
        draw, best, found = random.Random(seed), cheapest(table), lower_bound(table, Budget())
        assert proven(system, found.priced, found.scale) == found.cost <= best
        cuts = drawn_cuts(draw, system)
        groups += any(refined >= len(system.tabulation.sets) for cut in cuts for _, refined, _ in cut.lines)
        for _ in range(30 if cuts else 0):
            bound = proven(system, draw.sample(cuts, min(len(cuts), draw.randrange(1, 5))), 1)
            positive += bound > 0
            assert bound <= best
    assert positive
    assert groups


def drawn(seed: int) -> tuple[TableCertificate, PublishedSystem]:
    """Return the certificate of a random table, and its system counted here again."""
    draw = random.Random(seed)
    people = [("abc"[draw.randrange(3)], "xyz"[draw.randrange(draw.choice([2, 3]))]) for _ in range(draw.randrange(12, 40))]
    table = pa.table({"a": [a for a, _ in people], "b": [b for _, b in people]})
    options = {"k": draw.choice([3, 4, 5]), "rows": draw.choice(["null", "absent"]), "cost": draw.choice(["cells", "n"])}
    released = kanon_sql.protect(table, ["a", "b"], grouping=draw.choice(["cube", "rollup"]), **options)
    cells = [BaseCell(keys=keys, values=(count,), largest=()) for keys, count in sorted(Counter(people).items())]
    certificate = released.certificate
    assert certificate.evidence is not None
    for lenders in certificate.evidence.empty_cells:
        keys = tuple(cells[lender].keys[key] for key, lender in enumerate(lenders))
        cells.append(BaseCell(keys=keys, values=(0,), largest=()))
    return certificate, system_of(certificate, cells)


def system_of(certificate: TableCertificate, cells: list[BaseCell]) -> PublishedSystem:
    tabulation = Tabulation.from_dict(json.loads(certificate.tabulation))
    return PublishedSystem(tabulation, [(tabulation, Protection.from_dict(json.loads(certificate.protection)))], cells)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(12))
def test_the_cuts_of_a_certificate_prove_its_bound(seed: int) -> None:
    certificate, system = drawn(seed)
    evidence = certificate.evidence
    assert evidence is not None
    assert set(evidence.primaries) == system.primaries
    bound = proven(system, evidence.cuts, evidence.scale)
    assert bound <= certificate.cost
    if "integer programs" not in certificate.bound_method:
        assert bound == certificate.lower_bound


def plane() -> tuple[PublishedSystem, list[PricedCut], int]:
    """Return a table whose bound needs planes, and what proves it."""
    counts = {(i, j): 9 if i or j else 2 for i in range(3) for j in range(3)}
    people = [(str(i), str(j)) for (i, j), count in counts.items() for _ in range(count)]
    released = kanon_sql.protect(pa.table({"a": [a for a, _ in people], "b": [b for _, b in people]}), ["a", "b"])
    evidence = released.certificate.evidence
    assert evidence is not None
    assert released.certificate.bound_method == PLANES
    cells = [BaseCell(keys=(str(i), str(j)), values=(count,), largest=()) for (i, j), count in sorted(counts.items())]
    return system_of(released.certificate, cells), list(evidence.cuts), evidence.scale


def first(change: Callable[[PricedCut], PricedCut]) -> Callable[[list[PricedCut]], list[PricedCut]]:
    return lambda cuts: [change(cuts[0]), *cuts[1:]]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("change", "text"),
    [
        (first(lambda cut: replace(cut, price=-1)), "negative price"),
        (first(lambda cut: replace(cut, row=10**6)), "does not exist"),
        (first(lambda cut: replace(cut, measure=1)), "does not exist"),
        (first(lambda cut: replace(cut, row=cut.lines[0][0])), "needs no protection"),
        (first(lambda cut: replace(cut, lines=())), "outside its lines"),
        (first(lambda cut: replace(cut, lines=((10**6, 0, 1),))), "line that does not exist"),
        (first(lambda cut: replace(cut, lines=((0, 9, 1),))), "line that does not exist"),
        (first(lambda cut: replace(cut, lines=((cut.row, 0, 1),))), "has a row and a grouping set that form no line"),
        (first(lambda cut: replace(cut, lines=tuple((a, b, 2 * c) for a, b, c in cut.lines))), "outside its lines"),
    ],
)
def test_a_forged_cut_is_refused(change: Callable[[list[PricedCut]], list[PricedCut]], text: str) -> None:
    system, cuts, scale = plane()
    with pytest.raises(CertificateError, match=text):
        proven(system, change(cuts), scale)


def test_a_scale_below_one_is_refused() -> None:
    system, cuts, _ = plane()
    for scale in (0, -4):
        with pytest.raises(CertificateError, match="at least 1"):
            proven(system, cuts, scale)
