"""Classes that hold rows of k people: against every partition of small tables, and counted independently."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from naive import class_cost, partitions

import kanon_sql
from kanon_sql.errors import CertificateError, InfeasibleError
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import KAnonymity, People
from kanon_sql.solvers.budget import UNLIMITED
from kanon_sql.solvers.people.by_rows import METHOD as PRICED
from kanon_sql.solvers.people.by_rows import proven
from kanon_sql.solvers.people.people_requirement import PeopleRequirement, persons
from kanon_sql.solvers.people.row_distance import METHOD
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.patterns import permitted
from kanon_sql.table.recoding import Prices
from kanon_sql.verification import verify
from kanon_sql.verification.coded_source import CodedSource

Rows = Sequence[tuple[object, ...]]

QIS = ["a", "b", "c"]
MASKS = [["a", "b", "c"], ["a", "b"], ["b"], []]


def table(seed: int, rows: int, people: int, steady: bool = False) -> pa.Table:
    """Draw rows of people; those of steady people look alike."""
    rng = random.Random(seed)
    looks = [[rng.choice("xy"), rng.randrange(3), rng.choice([1, 1, 1, None])] for _ in range(people)]
    drawn = []
    for number in range(rows):
        person = rng.choice([*range(people), None]) if rng.random() < 0.9 else 0
        look = looks[person or 0] if steady else [rng.choice("xy"), rng.randrange(3), rng.choice([1, 1, 1, None])]
        drawn.append([person, *look, rng.choice("st"), number])
    return pa.table(
        {name: list(values) for name, values in zip(["who", *QIS, "s", "id"], zip(*drawn, strict=True), strict=True)}
    )


def bracketed(mask: Sequence[str]) -> str:
    return f"({', '.join(mask)})"


def heads(source: pa.Table, released: pa.Table, columns: Sequence[str] = QIS) -> dict[tuple[object, ...], set[object]]:
    """The people of each class, by the rows that the release and its source share."""
    who = dict(zip(source.column("id").to_pylist(), source.column("who").to_pylist(), strict=True))
    found = defaultdict(set)
    for row in released.to_pylist():
        found[tuple(row[name] for name in columns)].add(who[row["id"]])
    return {shown: people - {None} for shown, people in found.items()}


def least_cost(
    source: pa.Table, k: int, masks: Sequence[Sequence[int]] | None = None, most: Fraction = Fraction(1)
) -> Fraction | None:
    """The least cost of all partitions into classes of at least k people, whose most frequent value has at most a share."""
    rows = [tuple(row[name] for name in (*QIS, "who", "s")) for row in source.to_pylist()]

    def kept(places: Sequence[int]) -> bool:
        values = [rows[place][4] for place in places]
        return len({rows[place][3] for place in places} - {None}) >= k and max(map(values.count, values)) <= most * len(values)

    cost = cache(lambda places: class_cost([rows[place][:3] for place in places], masks))  # of a set of rows
    costs = []
    for classes in partitions(range(len(rows))):
        if all(map(kept, classes)):
            parts = [cost(tuple(each)) for each in classes]
            if None not in parts:
                costs.append(sum(parts))
    return min(costs, default=None)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("masks", [None, MASKS])
def test_small_tables(seed: int, masks: list[list[str]] | None) -> None:
    source = table(seed, 7, 4)
    listed = None if masks is None else [[QIS.index(name) for name in mask] for mask in masks]
    best = least_cost(source, 2, listed)
    if best is None:
        with pytest.raises(InfeasibleError):
            kanon_sql.anonymize(source, k=2, per="who", quasi_identifiers=QIS, masks=masks)
        return
    release = kanon_sql.anonymize(source, k=2, per="who", quasi_identifiers=QIS, masks=masks)
    assert release.table.column_names == [*QIS, "s", "id"]
    certificate = release.certificate
    assert 2 <= certificate.smallest_class_people == min(map(len, heads(source, release.table).values()))
    assert certificate.lower_bound <= best <= certificate.cost
    assert certificate.cost <= 2 * best + 3, "far from the least cost"


def least_prices(source: pa.Table, k: int, masks: Sequence[Sequence[int]] | None = None) -> int:
    """What all rows cost at least: each row the cheapest mask under which rows of k people look like it."""
    rows = [tuple(row[name] for name in (*QIS, "who")) for row in source.to_pylist()]
    tried = [each for n in range(4) for each in combinations(range(3), n)] if masks is None else masks
    total = 0
    for row in rows:
        total += min(
            3 - len(mask)
            for mask in tried
            if len({other[3] for other in rows if all(other[c] == row[c] for c in mask)} - {None}) >= k
        )
    return total


@pytest.mark.everything
@pytest.mark.parametrize(("seed", "rows", "people"), [(3, 40, 12), (0, 80, 20), (0, 60, 40)])
def test_the_bound_holds_where_there_is_no_time_for_it(seed: int, rows: int, people: int) -> None:
    source = table(seed, rows, people)
    in_time, at_once = (
        kanon_sql.anonymize(source, k=3, per="who", quasi_identifiers=list(QIS), time_limit=limit).certificate
        for limit in (None, 1e-9)
    )
    assert at_once.lower_bound < in_time.lower_bound <= at_once.cost
    con = kanon_sql.connect()
    con.register("source", source)
    coded = CodedSource.read(con, Policy.from_json(at_once.policy).resolve(source.column_names))
    again, codes, counts = coded.proof(at_once)
    assert verify(again, codes, counts, coded.sensitive) == at_once.lower_bound


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("masks", [None, MASKS])
def test_the_bound_counts_people(seed: int, masks: list[list[str]] | None) -> None:
    """The prices in the certificate prove the whole bound again, whichever search found them."""
    source = table(seed, 20 + seed, 4 + seed // 4, steady=seed % 3 == 0)
    con = kanon_sql.connect()
    con.register("source", source)
    clause = f"GROUPING SETS ({', '.join(map(bracketed, masks))})" if masks else ", ".join(QIS)
    con.execute(f"CREATE TABLE released AS FROM source ANONYMIZE BY {clause} GUARANTEE k >= 3 PER who")
    certificate = kanon_sql.releases(con)[-1]
    listed = None if masks is None else [[QIS.index(name) for name in mask] for mask in masks]
    counting_people = least_prices(source, 3, listed)
    assert counting_people <= certificate.lower_bound <= certificate.cost
    assert certificate.bound_method in (METHOD, PRICED) or not certificate.lower_bound
    coded = CodedSource.read(con, Policy.from_json(certificate.policy).resolve(source.column_names))
    again, codes, counts = coded.proof(certificate)
    assert verify(again, codes, counts, coded.sensitive) == certificate.lower_bound
    assert verify(again, codes, counts) <= certificate.lower_bound, "rows alone prove no more"
    rng = random.Random(seed)
    for _ in range(5):  # whatever the prices: more than the cost is never proven, which would be an error
        prices = tuple(rng.randrange(5) for _ in again.prices)
        assert verify(replace(again, prices=prices, bound_method="a search"), codes, counts, coded.sensitive) <= again.cost


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("masks", [None, MASKS])
def test_the_bound_of_people_and_values(seed: int, masks: list[list[str]] | None) -> None:
    """It is that of rows and values, or of distances of people: whichever proves more, `kanon verify` proves it again."""
    source = table(seed, 8, 4 + seed % 3)
    listed = None if masks is None else [[QIS.index(name) for name in mask] for mask in masks]
    least = least_cost(source, 2, listed, Fraction(2, 3))
    con = kanon_sql.connect()
    con.register("source", source)
    clause = f"GROUPING SETS ({', '.join(map(bracketed, masks))})" if masks else ", ".join(QIS)
    query = f"CREATE TABLE released AS FROM source ANONYMIZE BY {clause} GUARANTEE k >= 2 PER who AND l(s) >= 1.5"
    if least is None:
        with pytest.raises(InfeasibleError):
            con.execute(query)
        return
    con.execute(query)
    certificate = kanon_sql.releases(con)[-1]
    assert certificate.lower_bound <= least <= certificate.cost
    coded = CodedSource.read(con, Policy.from_json(certificate.policy).resolve(source.column_names))
    again, codes, counts = coded.proof(certificate)
    assert verify(again, codes, counts, coded.sensitive) == certificate.lower_bound
    rng = random.Random(seed)
    for _ in range(5):
        prices = tuple(rng.randrange(5) for _ in again.prices)
        forged = replace(again, prices=prices, lower_bound=again.cost)
        with pytest.raises(CertificateError):
            verify(forged, codes, counts, coded.sensitive)


def proven_by_definition(
    rows: list[tuple[object, ...]], who: list[object], k: int, masks: list[tuple[int, ...]], cost: list[int], prices: list[int]
) -> int:
    """All prices less what instances with rows of k people gain, of which no other instance takes all rows."""
    found: dict[tuple[int, ...], int] = {}  # the least cost of each set of rows that look alike under some mask
    for mask in masks:
        groups = defaultdict(list)
        for place, row in enumerate(rows):
            groups[tuple(row[c] for c in mask)].append(place)
        spent = sum(cost) - sum(cost[c] for c in mask)
        for members in groups.values():
            found[tuple(members)] = min(found.get(tuple(members), spent), spent)
    total = sum(prices)
    for members, spent in found.items():
        if len({who[place] for place in members} - {None}) < k:
            continue
        if any(set(other) > set(members) and less <= spent for other, less in found.items()):
            continue
        gains = sorted((prices[place] - spent for place in members), reverse=True)
        total -= max(0, sum(gains[:k]) + sum(max(0, each) for each in gains[k:]))
    return total


@pytest.mark.parametrize("masks", [None, MASKS, [["a"], ["b"], ["a", "c"], ["b", "c"], []]])
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(200))
def test_what_prices_prove_is_what_the_definition_says(
    shared: duckdb.DuckDBPyConnection, seed: int, masks: list[list[str]] | None
) -> None:
    rng = random.Random(seed)
    source = table(seed, 6 + seed % 40, 3 + seed // 10, steady=seed % 3 == 0)
    weights = [rng.choice([1, 1, 2]) for _ in QIS]
    qis = tuple(QuasiIdentifier(column=name, weight=Fraction(each)) for name, each in zip(QIS, weights, strict=True))
    permitting = None if masks is None else tuple(map(tuple, masks))
    k = rng.choice([2, 3])
    policy = Policy(quasi_identifiers=qis, requirements=(People(k=k, per="who"),), masks=permitting)
    shared.register("source", source)
    coded = CodedSource.read(shared, policy.resolve(source.column_names)).table
    shared.unregister("source")
    assert coded is not None
    scale = rng.choice([1, 4])
    priced = {code: rng.randrange(5 * scale) for code in sorted(map(tuple, coded.codes.tolist()))}
    prices = Prices(price=np.array([priced[tuple(code)] for code in coded.codes.tolist()]), scale=scale)
    requirement = PeopleRequirement.of(coded, policy.requirements)
    bound = proven(requirement, permitted(coded, policy), prices, UNLIMITED)
    place = [coded.columns.index((name,)) for name in QIS]
    row_types = [i for i, n in enumerate(coded.weight.tolist()) for _ in range(n)]
    person = persons(requirement)
    told = proven_by_definition(
        [tuple(coded.codes[i, place].tolist()) for i in row_types],
        [None if person.codes[i] == person.empty else int(person.codes[i]) for i in row_types],
        k,
        [tuple(QIS.index(name) for name in mask) for mask in masks]
        if masks is not None
        else [each for n in range(4) for each in combinations(range(3), n)],
        [each * scale for each in weights],
        [int(prices.price[i]) for i in row_types],
    )
    assert bound == -(-told // scale)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(50))
def test_persons_as_values_are_the_same_people(shared: duckdb.DuckDBPyConnection, seed: int) -> None:
    """Whatever the classes, the histogram of all persons counts as many as the definition, and an empty cell is nobody."""
    rng = random.Random(seed)
    source = table(seed, 6 + seed, 4)
    k = rng.choice([1, 2, 3])
    policy = Policy(
        quasi_identifiers=tuple(QuasiIdentifier(column=name) for name in QIS), requirements=(People(k=k, per="who"),)
    )
    shared.register("source", source)
    coded = CodedSource.read(shared, policy.resolve(source.column_names)).table
    shared.unregister("source")
    assert coded is not None
    people = PeopleRequirement.of(coded, policy.requirements)
    values = ClassRequirement.of(coded, (KAnonymity(k=1), *policy.requirements))
    person = persons(people)
    every = np.arange(coded.row_types, dtype=np.int32)
    for classes in (1, 2, 3, 5):
        number = np.array([rng.randrange(classes) for _ in every])
        known = [(c, p) for c, p in zip(number.tolist(), person.codes.tolist(), strict=True) if p != person.empty]
        told = [len({p for c, p in known if c == each}) >= k for each in range(int(number.max()) + 1)]
        assert values.holds(number, every, coded.weight).tolist() == told
        support = values.histograms(number, every, coded.weight).astype(np.float64)
        assert values.on_attributes[0][1].supported(support, 0.0).tolist() == told


@pytest.mark.everything
def test_most_small_tables_lose_little_more_than_they_must() -> None:
    """Measured: 1.09 times the least cost."""
    paid, least = 0.0, 0.0
    for seed in range(40):
        source = table(seed, 7, 4)
        best = least_cost(source, 2)
        if best is not None:
            least += float(best)
            paid += float(kanon_sql.anonymize(source, k=2, per="who", quasi_identifiers=QIS).certificate.cost)
    assert paid <= 1.25 * least


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(10))
def test_people_with_one_row_each_are_rows(seed: int) -> None:
    source = table(seed, 40, 6).drop_columns("who").append_column("who", pa.array([f"p{i}" for i in range(40)]))
    counted = kanon_sql.anonymize(source, k=3, per="who", quasi_identifiers=QIS).certificate
    plain = kanon_sql.anonymize(source.drop_columns("who"), k=3, quasi_identifiers=QIS).certificate
    assert counted.lower_bound <= plain.cost
    assert plain.lower_bound <= counted.cost <= Fraction(11, 10) * plain.cost


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(10))
def test_steady_people_are_like_a_table_of_people(seed: int) -> None:
    """Where all rows of a person look alike, a class of k people is one of the table that has a row for each of them."""
    source = table(seed, 60, 20, steady=True)
    release = kanon_sql.anonymize(source, k=3, per="who", quasi_identifiers=QIS)
    assert all(len(people) >= 3 for people in heads(source, release.table).values())
    assert release.certificate.lower_bound <= release.certificate.cost


@pytest.mark.everything
@pytest.mark.parametrize("algorithm", ["auto", "refine", "greedy", "optimal"])
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(4))
def test_with_diverse_values(algorithm: str, seed: int) -> None:
    source = table(seed, 60, 12)
    release = kanon_sql.anonymize(
        source, k=4, per="who", quasi_identifiers=QIS, sensitive="s", l="4/3", algorithm=algorithm, time_limit=20
    )
    assert all(len(people) >= 4 for people in heads(source, release.table).values())
    values = defaultdict(list)
    for row in release.table.to_pylist():
        values[tuple(row[name] for name in QIS)].append(row["s"])
    assert all(max(map(each.count, each)) * 4 <= 3 * len(each) for each in values.values())


@pytest.mark.everything
def test_the_same_release_whatever_the_order() -> None:
    source = table(5, 200, 30)
    order = list(range(200))
    random.Random(1).shuffle(order)
    one, other = (
        kanon_sql.anonymize(each, k=3, per="who", quasi_identifiers=QIS).table.sort_by("id")
        for each in (source, source.take(order))
    )
    assert one.equals(other)


@pytest.mark.everything
def test_too_few_people() -> None:
    source = pa.table({"a": [1] * 6, "b": [1] * 6, "c": [1] * 6, "who": [1, 1, 1, 2, 2, None]})
    with pytest.raises(
        InfeasibleError, match="k >= 3 PER who cannot hold in any release, because even the whole table breaks it: it has"
    ):
        kanon_sql.anonymize(source, k=3, per="who", quasi_identifiers=QIS)
    release = kanon_sql.anonymize(source, k=2, per="who", quasi_identifiers=QIS)
    assert (release.certificate.status.value, release.certificate.cost) == ("OPTIMAL", 0)
    nobody = source.set_column(3, "who", pa.array([None] * 6, pa.int64()))
    with pytest.raises(InfeasibleError, match="it has rows of 0 people"):
        kanon_sql.anonymize(nobody, k=1, per="who", quasi_identifiers=QIS)
