"""The system of tables that `kanon verify` makes from a certificate is the one that a solver had, on random tables."""

from __future__ import annotations

import itertools
import random

import numpy as np

from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.certificate.table_evidence import TableEvidence
from kanon_sql.engines.cells.base_cells import BaseCells
from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.cells.table_release import TableRelease, release_tables
from kanon_sql.errors import InfeasibleError, PolicyError
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Item, Tabulation
from kanon_sql.verification.cells.cuts_bound import proven
from kanon_sql.verification.cells.empty_cells import empty_cells
from kanon_sql.verification.cells.joined_sets import check_complete, check_listed
from kanon_sql.verification.cells.joint_tables import joint_tables
from kanon_sql.verification.cells.published_system import BaseCell, PublishedSystem
from kanon_sql.verification.cells.witness_sums import check_witnesses

KEYS = {"zip": '"zip"', "zip IN DIGITS (1)": 'left("zip", 1)', "sex": '"sex"', "job": '"job"', "class": '"class"'}
"""The second key is a level of the first one, and the last one is determined by the job."""


def drawn(seed: int) -> tuple[list[BaseCell], list[TableRelease]]:
    """Return the base cells of a random source, and tables of it that were solved together."""
    draw = random.Random(seed)
    sizes = draw.choice([2, 4]), draw.choice([2, 3]), draw.choice([2, 4])
    cells = []
    for area, sex, job in itertools.product(*map(range, sizes)):
        contributions = [draw.randrange(60) for _ in range(draw.choice([0, 0, 1, 2, 3, 5, 9]))]
        if contributions:
            keys = (area, area // 2, sex, job, job // 2)
            cells.append((keys, contributions))
    texts, k = [*KEYS], draw.choice([2, 3, 5])
    asked = []
    for _ in range(draw.choice([1, 1, 2, 3])):
        drawn_sets = {tuple(sorted(draw.sample(range(5), draw.randrange(3)))) for _ in range(draw.randrange(1, 4))}
        sets = sorted(drawn_sets, key=lambda each: (-len(each), each))
        keys = sorted({key for chosen in sets for key in chosen}) or [2]
        summed = draw.random() < 0.5
        items = [Item(name=f"k{place}", kind="key", places=(place,)) for place in range(len(keys))]
        items += [Item(name="n", kind="count"), *([Item(name="s", kind="sum", places=(0,))] if summed else [])]
        tabulation = Tabulation(
            keys=tuple(texts[key] for key in keys),
            sums=("income",) if summed else (),
            sets=tuple(
                tuple(keys.index(key) for key in chosen) for chosen in sorted(sets, key=lambda each: (-len(each), each))
            ),
            items=tuple(items),
            source="from people",
            reads=("people",),
        )
        rules = {"p": {"s": 10}, "dominance": {"s": (1, 0.7)}} if summed and draw.random() < 0.5 else {}
        protection = Protection.of(
            k=k + draw.randrange(2),
            rows=draw.choice(["null", "absent"]),
            contributors=draw.random() < 0.3,
            show=((),) if () in sets and draw.random() < 0.2 else (),
            cost=("cells", "n")[seed % 2],
            algorithm=draw.choice(["greedy", "auto"]),
            per_row=True,
            **rules,
        )
        own = Counting(
            tabulation=tabulation,
            keys=tuple(map(KEYS.__getitem__, tabulation.keys)),
            sums=('"income"',) * summed,
            largest=protection.largest,
        )
        asked.append((own, protection))
    counting = asked[0][0].widened([own for own, _ in asked])
    used = [texts.index(text) for text in counting.tabulation.keys]
    added: dict[tuple[int, ...], list[int]] = {}
    for keys_, contributions in cells or [((0, 0, 0, 0, 0), [3, 4])]:
        added.setdefault(tuple(keys_[key] for key in used), []).extend(contributions)
    ordered = sorted(added.items())
    summed = bool(counting.tabulation.sums)
    largest = np.array([[*sorted(each, reverse=True), *[0] * counting.largest][: counting.largest] for _, each in ordered])
    found = BaseCells(
        keys=np.array([keys_ for keys_, _ in ordered], np.int64),
        people=np.array([len(each) for _, each in ordered], np.int64),
        sums=np.array([[sum(each)] * summed for _, each in ordered], np.int64),
        largest=[largest.astype(np.int64)] * summed,
    )
    plain = [
        BaseCell(
            keys=tuple(map(str, keys_)),
            values=(len(each), *[sum(each)] * summed),
            largest=(tuple(sorted(each, reverse=True)),) * summed,
        )
        for keys_, each in ordered
    ]
    return plain, release_tables(found, counting, asked)


def verified(cells: list[BaseCell], certificate: TableCertificate, evidence: TableEvidence) -> PublishedSystem:
    """Return the system of a certificate, with all that is checked before its rows."""
    joint = joint_tables(certificate)
    check_listed(joint.whole, evidence.joined_sets)
    empty = empty_cells(joint.whole, cells, evidence.empty_cells)
    system = PublishedSystem(joint.whole, joint.tables, [*cells, *empty], evidence.joined_sets)
    check_complete(system)
    check_witnesses(system, frozenset((*evidence.primaries, *evidence.secondaries)), evidence.witnesses)
    return system


def compared(seed: int) -> tuple[PublishedSystem, TableEvidence] | None:
    """Compare both systems of a random source; None if nothing protects it."""
    try:
        cells, releases = drawn(seed)
    except (InfeasibleError, PolicyError):
        return None
    table, certificate = releases[0].table, releases[0].certificate
    evidence = certificate.evidence
    assert evidence is not None
    system = verified(cells, certificate, evidence)
    rows = range(system.rows)
    assert [*map(list, system.ancestors)] == table.ancestors.tolist(), seed
    assert [not system.is_seen(row) for row in rows] == table.unseen.tolist(), seed
    assert [system.has_to_be_shown(row) for row in rows] == table.shown.tolist(), seed
    for place, measure in enumerate(table.measures):
        assert system.values[place] == table.values(place).tolist(), seed
        assert system.required[place] == measure.required.tolist(), seed
        assert [system.least(place, row) for row in rows] == measure.least.tolist(), seed
        assert [system.fixed(base) for base in range(len(system.cells))] == (measure.fixed == 1).tolist(), seed
        empty = system.may_be_empty if place == 0 else frozenset()
        assert empty == {*np.flatnonzero(measure.or_none).tolist()}, seed
    assert evidence.primaries == tuple(sorted(system.primaries)), seed
    assert certificate.base_cells == len(cells)
    bound = proven(system, evidence.cuts, evidence.scale)
    assert bound == certificate.lower_bound or "integer programs" in certificate.bound_method, seed
    for each in releases:
        own = each.certificate
        assert TableCertificate.from_json(own.to_json()) == own
        suppressed = each.suppression.suppressed[each.rows].sum()
        assert (own.rows, own.primary + own.secondary) == (len(each.rows), suppressed)
    return system, evidence


def test_both_systems_are_the_same() -> None:
    found = [each for each in map(compared, range(40)) if each is not None]
    assert len(found) > 10
    assert any(system.may_be_empty for system, _ in found)
    assert any(evidence.empty_cells for _, evidence in found)
    moves = [(measure, of) for _, evidence in found for _, measure, moves in evidence.witnesses for of, *_ in moves]
    assert any(measure != of for measure, of in moves)
