"""The system of tables that `kanon verify` makes from a certificate is the one that a solver had, on random tables."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import replace

import numpy as np
import pytest

from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.certificate.table_file import TableEvidence, Witness
from kanon_sql.engines.cells.base_cells import BaseCells
from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.cells.table_release import TableRelease, release_tables
from kanon_sql.errors import CertificateError, InfeasibleError, PolicyError, SourceError
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Item, Tabulation
from kanon_sql.table.cell_table import PricedCut
from kanon_sql.verification.cells.base_cell import BaseCell
from kanon_sql.verification.cells.cuts_bound import proven
from kanon_sql.verification.cells.empty_cells import ImpossibleCells, check_cover, empty_cells
from kanon_sql.verification.cells.exchanges import Exchanges
from kanon_sql.verification.cells.joined_sets import check_complete, check_listed
from kanon_sql.verification.cells.joint_tables import joint_tables
from kanon_sql.verification.cells.lone_rows import check_lone_rows
from kanon_sql.verification.cells.published_system import PublishedSystem
from kanon_sql.verification.cells.related_keys import related_keys
from kanon_sql.verification.cells.unlikely_pairs import UnlikelyPairs
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
            contributors=(draw.random() < 0.3) * (1 + seed % 2),
            show=((),) if () in sets and draw.random() < 0.2 else (),
            cost=("cells", "n", "parts")[seed % 3],
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
        contributors=np.array([[sum(each > 0 for each in all_)] * summed for _, all_ in ordered], np.int64),
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
    related = related_keys(joint.whole, cells)
    impossible = ImpossibleCells(joint.whole, joint.tables)
    empty = empty_cells(joint.whole, cells, evidence.empty_cells, related, impossible)
    unlikely = UnlikelyPairs(cells, len(joint.whole.keys))
    exchanges = Exchanges(joint.whole, joint.tables, cells, unlikely.related(related))
    system = PublishedSystem(joint.whole, joint.tables, [*cells, *empty], evidence.joined_sets, exchanges)
    check_cover(system, unlikely, len(cells))
    check_complete(system, exchanges)
    suppressed = frozenset((*evidence.primaries, *evidence.secondaries))
    check_lone_rows(system, joint, suppressed, related, impossible)
    check_witnesses(system, suppressed, evidence.witnesses)
    return system


def compared(seed: int) -> tuple[PublishedSystem, TableEvidence] | None:
    """Compare both systems of a random source; None if nothing protects it."""
    try:
        cells, releases = drawn(seed)
    except (InfeasibleError, PolicyError, SourceError):
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
        pairs = zip(system.required[place], measure.required.tolist(), strict=True)
        assert all(one == other or (one < other and table.unseen[row]) for row, (one, other) in enumerate(pairs)), seed
        assert [system.least(place, row) for row in rows] == measure.least.tolist(), seed
        below = [total - gap if gap else -1 for total, gap in zip(system.values[place], system.gaps[place], strict=True)]
        assert below == measure.below.tolist(), seed
        assert [system.known(place, base) for base in range(len(system.cells))] == measure.known.tolist(), seed
        assert [system.fixed(base) for base in range(len(system.cells))] == (measure.fixed == 1).tolist(), seed
        empty = system.may_be_empty if place == 0 else frozenset()
        assert empty >= {row for row in np.flatnonzero(measure.or_none).tolist() if system.required[place][row]}, seed
    assert evidence.primaries == tuple(sorted(system.primaries)), seed
    assert [system.costs[row] for row in rows if system.is_seen(row)] == table.cost[~table.unseen].tolist(), seed
    assert certificate.cost == sum(system.costs[row] for row in evidence.secondaries), seed
    assert certificate.base_cells == len(cells)
    bound = proven(system, evidence.cuts, evidence.scale)
    assert bound == certificate.lower_bound or "integer programs" in certificate.bound_method, seed
    for each in releases:
        own = each.certificate
        assert TableCertificate.from_json(own.to_json()) == own
        suppressed = each.suppression.suppressed[each.rows].sum()
        assert (own.rows, own.primary + own.secondary) == (len(each.rows), suppressed)
    return system, evidence


@pytest.mark.everything
def test_both_systems_are_the_same() -> None:
    found = [each for each in map(compared, [*range(40), 396]) if each is not None]
    assert len(found) > 10
    assert any(system.may_be_empty for system, _ in found)
    assert any(evidence.empty_cells for _, evidence in found)
    assert any(system.is_empty(row) for system, _ in found for row in range(system.rows))
    moves = [(measure, of) for _, evidence in found for _, measure, moves in evidence.witnesses for of, *_ in moves]
    assert any(measure != of for measure, of in moves)


def raised(system: PublishedSystem, witness: Witness, row: int, measure: int) -> bool:
    """Return whether a witness has more in a row: it may be one of that row, too."""
    return sum(change for of, base, change in witness[2] if of == measure and row in system.ancestors[base]) > 0


def test_each_witness_is_needed_and_fits_what_contributors_know() -> None:
    stricter = 0
    for seed in (1, 4, 9):
        cells, releases = drawn(seed)
        certificate = releases[0].certificate
        evidence = certificate.evidence
        assert evidence is not None
        system = verified(cells, certificate, evidence)
        for needed in evidence.witnesses[::5]:
            others = (each for each in evidence.witnesses if each is not needed and not raised(system, each, *needed[:2]))
            with pytest.raises(CertificateError, match="no witness"):
                verified(cells, certificate, replace(evidence, witnesses=tuple(others)))
        protection = json.dumps(json.loads(certificate.protection) | {"contributors": 3})
        try:
            verified(cells, replace(certificate, protection=protection, together=None), evidence)
        except CertificateError as error:
            stricter += "contributor" in str(error)
    assert stricter


Counts = dict[tuple[str, str], tuple[int, ...]]

SPREAD: Counts = {(a, b): (10,) for a in "xz" for b in "uvw"} | {("x", "u"): (1,), ("x", "v"): (1,)}
"""Two people are x without being w, one of them u and the other one v."""


def by_hand(counts: Counts, sums: tuple[str, ...] = ()) -> PublishedSystem:
    """Return the system of counts by one key and of counts by another one."""
    items = [Item(name="n", kind="count"), *(Item(name=text, kind="sum", places=(place,)) for place, text in enumerate(sums))]
    tabulation = Tabulation(
        keys=("a", "b"), sums=sums, sets=((0,), (1,)), items=tuple(items), source="from people", reads=("people",)
    )
    cells = [BaseCell(keys=keys, values=values, largest=((),) * len(sums)) for keys, values in sorted(counts.items())]
    return PublishedSystem(tabulation, [(tabulation, Protection(k=5))], cells, [(0, 1)])


def moved(system: PublishedSystem, row: int, people: int) -> Witness:
    """Return a witness that moves people into the cells x, u or x, v from x, w, and back in z."""
    places = {cell.keys: base for base, cell in enumerate(system.cells)}
    of = system.cells[system.members[row][0]].keys[1]
    pairs = [(("x", of), people), (("x", "w"), -people), (("z", of), -people), (("z", "w"), people)]
    return row, 0, tuple((0, places[keys], change) for keys, change in pairs)


def test_a_small_rest_of_a_row_needs_a_witness() -> None:
    system = by_hand(SPREAD)
    one, two = (row for row in range(system.rows) if system.needs_witness(row))
    check_witnesses(system, frozenset(), [moved(system, one, 4), moved(system, two, -1)])
    with pytest.raises(CertificateError, match="no witness exists for row 0 without row"):
        check_witnesses(system, frozenset(), [moved(system, one, -1), moved(system, two, -1)])
    with pytest.raises(CertificateError, match="witness 1 is too small"):
        check_witnesses(system, frozenset(), [moved(system, one, 3), moved(system, two, -1)])


def test_a_witness_has_no_sum_where_nobody_is() -> None:
    system = by_hand({keys: (*values, 7) for keys, values in SPREAD.items() if keys != ("x", "v")}, ("income",))
    (row,) = (row for row in range(system.rows) if system.needs_witness(row))
    emptied = moved(system, row, -1)
    with pytest.raises(CertificateError, match="witness 1 has a sum without people"):
        check_witnesses(system, frozenset(), [emptied])
    without = (*emptied[:2], (*emptied[2], *((1, base, 7 * change) for _, base, change in emptied[2])))
    check_witnesses(system, frozenset(), [without])
    with pytest.raises(CertificateError, match="makes a base cell negative"):
        check_witnesses(system, frozenset(), [(*emptied[:2], (*emptied[2], (1, emptied[2][0][1], -8)))])
    with pytest.raises(CertificateError, match="a row that is shown"):
        check_witnesses(system, frozenset(), [(*without[:2], without[2][:-1])])


def test_a_row_that_may_be_empty_has_no_cut() -> None:
    system = by_hand({keys: values for keys, values in SPREAD.items() if keys != ("x", "v")})
    (row,) = system.may_be_empty
    with pytest.raises(CertificateError, match="needs no protection"):
        proven(system, [PricedCut(row=row, measure=0, lines=((0, 2, 1),), price=1)], 1)


def test_groups_that_rows_name_together_are_rows() -> None:
    system = by_hand(SPREAD)
    exchanges = Exchanges(system.tabulation, system.requested, system.cells, {frozenset((0, 1))})
    check_complete(system, exchanges)
    lacking = PublishedSystem(system.tabulation, system.requested, system.cells)
    with pytest.raises(CertificateError, match="the overlaps of rows by a, b are missing"):
        check_complete(lacking, exchanges)
    same = [cell for cell in system.cells if cell.keys in {("x", "u"), ("z", "v"), ("z", "w")}]
    check_complete(PublishedSystem(system.tabulation, system.requested, same), exchanges)  # each b has one a
