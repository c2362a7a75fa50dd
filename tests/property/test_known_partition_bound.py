"""The bound by charges for classes, against the cheapest release of tiny tables and against every choice of a row."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from ortools.sat.python import cp_model

import kanon_sql
from kanon_sql.certificate import Status
from kanon_sql.errors import CertificateError
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import KnownColumns
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.projections import partition_bound
from kanon_sql.solvers.projections.lower_bound import METHOD, least_prices
from kanon_sql.solvers.projections.partition_bound import BY_CLASSES, proven_prices
from kanon_sql.solvers.projections.set_requirements import SetRequirement
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Prices
from kanon_sql.verification.claims import verify
from kanon_sql.verification.class_charges import Charge, terms_of
from kanon_sql.verification.known_columns import rows_cost
from kanon_sql.verification.rare_sets import few_alike, known_sets

Row = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """A table, with the sets of known columns and the rows of their classes."""

    rows: list[Row]
    counts: list[int]
    cost: list[int]
    sets: list[Row]
    k: int

    @property
    def table(self) -> CodedTable:
        return CodedTable(
            columns=tuple((f"c{column}",) for column in range(len(self.cost))),
            codes=np.array(self.rows, np.int32),
            weight=np.array(self.counts, np.int64),
            origin=np.arange(len(self.rows)),
            cost=np.array(self.cost, np.int64),
            unit=1,
        )

    @property
    def asked(self) -> dict[Row, SetRequirement]:
        return {chosen: SetRequirement(rows=self.k) for chosen in self.sets}

    @property
    def policy(self) -> Policy:
        named = [[f"c{column}" for column in chosen] for chosen in self.sets]
        return Policy(
            quasi_identifiers=tuple(QuasiIdentifier(column=f"c{place}") for place in range(len(self.cost))),
            requirements=(KnownColumns(k=self.k, sets=named),),
        )


def drawn(draw: random.Random) -> Case:
    columns, k = draw.randint(2, 4), draw.randint(2, 4)
    rows = sorted({tuple(draw.randrange(draw.choice([2, 3])) for _ in range(columns)) for _ in range(draw.randint(3, 12))})
    counts = [draw.choice([1, 1, 1, 2, 3]) for _ in rows]
    counts[0] += max(0, k - sum(counts))
    sets = list(combinations(range(columns), draw.randint(1, columns)))
    return Case(rows=rows, counts=counts, cost=[draw.choice([1, 1, 1, 0, 2, 3]) for _ in range(columns)], sets=sets, k=k)


def optimum(case: Case) -> int:
    """Return the cost of the cheapest release, where each row of a row type chooses for itself."""
    model = cp_model.CpModel()
    rows = [row for row, count in zip(case.rows, case.counts, strict=True) for _ in range(count)]
    hidden = [[model.new_bool_var("") for _ in row] for row in rows]
    for chosen in case.sets:
        for size in range(len(chosen) + 1):
            for part in combinations(chosen, size):
                classes = defaultdict(list)
                for row, cells in zip(rows, hidden, strict=True):
                    inside = model.new_bool_var("")
                    literals = [cells[c] if c in part else ~cells[c] for c in chosen]
                    model.add_min_equality(inside, literals)
                    classes[tuple(row[c] for c in chosen if c not in part)].append(inside)
                for members in classes.values():
                    for inside in members:
                        model.add(sum(members) >= case.k * inside)
    model.minimize(sum(price * cell for cells in hidden for price, cell in zip(case.cost, cells, strict=True)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value)


def least(case: Case, charges: Sequence[Charge], scale: int) -> list[int]:
    """Return what a row of each row type costs at least with charges, by all that it may hide."""
    size, columns = Counter[tuple[int, int, Row]](), range(len(case.cost))

    def values(row: Row, mask: int) -> Row:
        return tuple(row[c] for c in columns if mask >> c & 1)

    def few(row: Row, mask: int) -> bool:
        alike = [count for other, count in zip(case.rows, case.counts, strict=True) if values(other, mask) == values(row, mask)]
        return sum(alike) < case.k

    asked = [sum(1 << c for c in chosen) for chosen in case.sets]
    for row_type, chosen, part, amount in charges:
        size[chosen, part, values(case.rows[row_type], chosen & ~part)] += amount * case.counts[row_type]
    found = []
    for row_type, row in enumerate(case.rows):
        costs = []
        for hidden in range(1 << len(columns)):
            if any(few(row, chosen & ~hidden) for chosen in asked):
                continue
            paid = scale * sum(case.cost[c] for c in columns if hidden >> c & 1)
            for (chosen, part, of), amount in size.items():
                if hidden & chosen == part and values(row, chosen & ~part) == of:
                    own = sum(each[3] for each in charges if each[:3] == (row_type, chosen, part))
                    paid += own - -(-amount // case.k)
            costs.append(paid)
        found.append(min(costs))
    return found


def again(case: Case, charges: Sequence[Charge], scale: int, prices: Sequence[int], order: Sequence[int]) -> bool:
    """Return whether the prices are proven again, with the columns of the table in some order."""
    table = [[row[column] for row in case.rows] for column in order]
    return rows_cost(case.policy, table, case.counts, [case.cost[c] * scale for c in order], order, prices, charges)


def plain(prices: Prices) -> list[Charge]:
    return [(each[0], each[1], each[2], each[3]) for each in prices.charges.tolist()]


def changed(draw: random.Random, charges: list[Charge], case: Case) -> list[Charge]:
    """Return other charges: other amounts, other classes, some twice, some for other row types."""
    found = []
    for row_type, chosen, part, amount in charges:
        match draw.randrange(6):
            case 0:
                found.append((row_type, chosen, part, draw.randint(0, 3 * amount)))
            case 1:
                asked = sum(1 << c for c in draw.choice(case.sets))
                found.append((row_type, asked, asked & draw.randrange(1 << len(case.cost)), amount))
            case 2:
                found += [(row_type, chosen, part, amount)] * 2
            case 3:
                found.append((draw.randrange(len(case.rows)), chosen, part, amount))
            case 4:
                found.append((row_type, chosen, part, amount))
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(400))
def test_no_release_costs_less(seed: int) -> None:
    """Each price is the least cost of a row, and all together cost no more than the cheapest release, by any charges."""
    draw = random.Random(seed)
    for _ in range(5):
        case = drawn(draw)
        best = optimum(case)
        found, method = proven_prices(case.table, case.asked, UNLIMITED)
        simple = least_prices(case.table, case.asked, UNLIMITED).price
        charges = plain(found)
        assert (method == BY_CLASSES) == bool(charges)
        assert int(simple @ case.table.weight) * found.scale <= int(found.price @ case.table.weight) <= best * found.scale
        assert found.price.tolist() == least(case, charges, found.scale)
        order = draw.sample(range(len(case.cost)), len(case.cost))
        for listed in (charges, changed(draw, charges, case), changed(draw, charges, case)):
            prices = least(case, listed, found.scale)
            assert np.dot(prices, case.counts) <= best * found.scale
            if listed:
                assert again(case, listed, found.scale, prices, order)
                prices[draw.randrange(len(prices))] += 1
                assert not again(case, listed, found.scale, prices, order)


@pytest.mark.everything
def test_charges_prove_more_than_rare_sets_in_many_tables() -> None:
    draw = random.Random(1)
    methods = [proven_prices(case.table, case.asked, UNLIMITED)[1] for case in (drawn(draw) for _ in range(100))]
    assert methods.count(BY_CLASSES) > 30
    assert METHOD in methods


@pytest.mark.parametrize("seed", range(20))
def test_a_search_that_ends_early_proves_less(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of the search for a row, fits and charges are limited; what is found then is proven again, too."""
    draw = random.Random(seed)
    case = drawn(draw)
    monkeypatch.setattr(partition_bound, "_NODES", draw.choice([0, 2]))
    monkeypatch.setattr(partition_bound, "_MOST_FITS", draw.choice([5, 1000]))
    monkeypatch.setattr(partition_bound, "_MOST_CHARGES", draw.choice([3, 1000]))
    found, method = proven_prices(case.table, case.asked, UNLIMITED)
    assert (method == METHOD) == (found.scale == 1)
    assert all(price <= most for price, most in zip(found.price.tolist(), least(case, plain(found), found.scale), strict=True))
    assert again(case, plain(found), found.scale, found.price.tolist(), range(len(case.cost)))
    assert proven_prices(case.table, case.asked, Budget(seconds=0))[1] == METHOD


@pytest.mark.everything
def test_costs_too_large_for_the_units_of_charges_have_the_simple_bound() -> None:
    draw = random.Random(2)
    for cost, methods in ((1 << 20, {BY_CLASSES, METHOD}), (1 << 37, {BY_CLASSES, METHOD}), (1 << 52, {METHOD})):
        found = set()
        for _ in range(20):
            case = replace(drawn(draw), k=3)
            case = replace(case, cost=[cost] * len(case.cost), counts=[*case.counts[:-1], 3])
            prices, method = proven_prices(case.table, case.asked, UNLIMITED)
            found.add(method)
            assert prices.price.tolist() == least(case, plain(prices), prices.scale)
        assert found == methods


def table_of(rows: Sequence[Sequence[str]]) -> pa.Table:
    return pa.table({f"c{place}": list(cells) for place, cells in enumerate(zip(*rows, strict=True))})


def certified(seed: int) -> tuple[kanon_sql.Certificate, list[Row], list[int]]:
    """Return a certificate with charges, and the row types; two columns are linked, and one is heavier."""
    draw = random.Random(seed)
    rows = [[draw.choice("abc"[: 2 + place % 2]) for place in range(5)] for _ in range(40)]
    certificate = kanon_sql.anonymize(table_of(rows), 4, known=2, linked=[["c1", "c3"]], weights={"c2": 2}).certificate
    found = Counter((row[0], (row[3], row[1]), row[2], row[4]) for row in rows)  # codes of c3 count more
    values = [sorted({each[place] for each in found}) for place in range(4)]
    codes = Counter({tuple(values[c].index(cell) for c, cell in enumerate(each)): count for each, count in found.items()})
    order = sorted(codes, key=lambda code: code[::-1])
    return certificate, order, [codes[code] for code in order]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(3))
def test_a_certificate_with_charges_is_proven_again(seed: int) -> None:
    certificate, codes, counts = certified(seed)
    assert certificate.bound_method == BY_CLASSES
    assert verify(certificate, codes, counts) == certificate.lower_bound
    assert kanon_sql.Certificate.from_json(certificate.to_json()) == certificate
    humble = replace(certificate, lower_bound=Fraction(0), status=Status.FEASIBLE)
    row_type, chosen, part, amount = certificate.charges[0]
    refused: list[list[Charge]] = [
        [(row_type, chosen, part, -1)],
        [(len(counts), chosen, part, amount)],
        [(-1, chosen, part, amount)],
        [(row_type, 1, 2, amount)],
        [(row_type, 0, 0, amount)],
        [(row_type, 7, 1, amount)],
        [(row_type, 1 << 9, 0, amount)],
    ]
    for charges in refused:
        with pytest.raises(CertificateError, match="charges"):
            verify(replace(humble, charges=(*charges, *certificate.charges[1:])), codes, counts)
    with pytest.raises(CertificateError, match="prices"):
        verify(replace(humble, charges=()), codes, counts)
    without = replace(humble, charges=(), prices=tuple(0 for _ in counts))
    assert verify(without, codes, counts) == 0
    with pytest.raises(CertificateError, match="lower_bound"):
        verify(replace(without, lower_bound=Fraction(1)), codes, counts)


def test_the_terms_of_a_class_add_up() -> None:
    """Two rows pay 5 and 4 for hiding the second column, and all that could do so get back a third of this."""
    case = Case(rows=[(0, 0), (0, 1), (0, 2), (1, 0)], counts=[1, 1, 2, 3], cost=[1, 1], sets=[(0, 1)], k=3)
    charges = [(0, 3, 2, 5), (1, 3, 2, 4)]
    known = known_sets(case.policy, [0, 1])
    table = [[row[c] for row in case.rows] for c in (0, 1)]
    assert terms_of(charges, table, case.counts, [0, 1], known) == [[(2, 1, 2)], [(2, 1, 1)], [(2, 1, -3)], []]
    rare = list(few_alike(case.policy, table, case.counts, [0, 1]))[-1]
    assert rare == [[3], [2], [2], []]
