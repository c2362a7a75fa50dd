"""Linked columns: suppressed together or not at all, through every entrance, at no more than the cost of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import optimum, smallest_class

import kanon_sql
from kanon_sql.certificate import Release, Status
from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.model.policy import Policy
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.registry import SOLVERS

QI = ["city", "zip", "age"]
LINKED = [["city", "zip"]]

CELLS = st.sampled_from(["a", "b", None])
ROWS = st.lists(st.tuples(*[CELLS] * 4), min_size=1, max_size=7)
GROUPS = st.sampled_from([[[0, 1]], [[3, 1]], [[2, 0, 1]], [[0, 3], [1, 2]], [[0, 1, 2, 3]]])
NAMES = ["a", "b", "c", "d"]


def town(rows: int = 240, seed: int = 1) -> pa.Table:
    """Return people of some cities; a zip code is of one city, and one in eight of either is missing."""
    rng = np.random.default_rng(seed)
    city, part, age = rng.integers(0, 6, rows), rng.integers(0, 4, rows), rng.integers(20, 40, rows)
    known = rng.integers(0, 8, (rows, 2)) > 0
    return pa.table(
        {
            "id": range(rows),
            "city": pa.array([f"city {c}" for c in city], mask=~known[:, 0]),
            "zip": pa.array(1000 + 10 * city + part, mask=~known[:, 1]),
            "age": age,
        }
    )


def hidden(source: pa.Table, released: pa.Table, key: str = "id") -> Iterator[tuple[dict[str, Any], set[str]]]:
    """Yield each row of the source, and its columns that are there but not released."""
    after = {row[key]: row for row in released.to_pylist()}
    for row in source.to_pylist():
        shown = after[row[key]]
        assert all(shown[name] in (value, None) for name, value in row.items())
        yield row, {name for name, value in row.items() if value is not None and shown[name] is None}


def check_links(source: pa.Table, released: pa.Table, linked: Sequence[Sequence[str]]) -> None:
    for row, gone in hidden(source, released):
        for group in linked:
            there = {name for name in group if row[name] is not None}
            assert gone & there in (set(), there)


@pytest.mark.everything
@pytest.mark.parametrize("algorithm", ["auto", "greedy"])
def test_no_row_hides_a_part_of_what_is_linked(algorithm: str) -> None:
    source = town()
    free = kanon_sql.anonymize(source, k=5, quasi_identifiers=QI, keep=["id"], algorithm=algorithm)
    with pytest.raises(AssertionError):
        check_links(source, free.table, LINKED)
    release = kanon_sql.anonymize(source, k=5, quasi_identifiers=QI, linked=LINKED, keep=["id"], algorithm=algorithm)
    check_links(source, release.table, LINKED)
    assert smallest_class(release.table, QI) >= 5
    assert release.certificate.cells == 3 * source.num_rows
    assert release.certificate.cost == release.certificate.suppressed_cells


def test_the_suppressed_cells_are_counted_one_by_one() -> None:
    source = pa.table({"id": [1, 2, 3, 4], "city": ["x", "x", "y", "z"], "zip": [1, 1, 2, 3], "age": [30, 30, 30, 30]})
    weights = {"zip": 3}
    certificate = kanon_sql.anonymize(source, quasi_identifiers=QI, linked=LINKED, weights=weights, keep=["id"]).certificate
    assert (certificate.suppressed_cells, certificate.cells, certificate.cost) == (4, 12, 8)
    assert '"linked":[["city","zip"]]' in certificate.policy


def test_missing_values_are_values_of_linked_columns() -> None:
    cities, zips = ["x", "x", None, None, "x", None], [None, None, 1, 1, 1, None]
    source = pa.table({"id": range(6), "city": cities, "zip": pa.array(zips, pa.int64())})
    release = kanon_sql.anonymize(source, k=2, quasi_identifiers=["city", "zip"], linked=LINKED, keep=["id"])
    rows = [(row["city"], row["zip"]) for row in sorted(release.table.to_pylist(), key=lambda row: row["id"])]
    assert rows == [("x", None), ("x", None), (None, 1), (None, 1), (None, None), (None, None)]
    assert release.certificate.cost == 4, "a missing value that is suppressed costs as any other"


def permitted(groups: Sequence[Sequence[int]], masks: Sequence[Sequence[int]] | None) -> list[set[int]]:
    every = chain.from_iterable(combinations(range(4), size) for size in range(5))
    return [
        set(mask) for mask in (every if masks is None else masks) if all(set(g) & set(mask) in (set(), set(g)) for g in groups)
    ]


@pytest.mark.everything
@settings(max_examples=80)
@given(
    rows=ROWS,
    k=st.integers(1, 3),
    groups=GROUPS,
    masks=st.none() | st.lists(st.lists(st.integers(0, 3), unique=True), max_size=4),
    weight=st.sampled_from([1, 3]),
)
def test_against_brute_force_over_the_permitted_masks(
    rows: list[tuple[Any, ...]], k: int, groups: list[list[int]], masks: list[list[int]] | None, weight: int
) -> None:
    source = pa.table(
        {name: pa.array(column, pa.string()) for name, column in zip(NAMES, zip(*rows, strict=True), strict=True)}
    )
    source = source.append_column("id", pa.array(range(len(rows))))
    k = min(k, len(rows))
    masks = None if masks is None else [*masks, []]
    linked = [[NAMES[c] for c in group] for group in groups]
    named = None if masks is None else [[NAMES[c] for c in mask] for mask in masks]
    weights = {"b": weight}
    options: dict[str, Any] = {"keep": ["id"], "masks": named, "linked": linked, "weights": weights}
    release = kanon_sql.anonymize(source, k=k, quasi_identifiers=NAMES, **options)
    check_links(source, release.table, linked)
    assert smallest_class(release.table, NAMES) >= k
    best = optimum(rows, k, permitted(groups, masks), [1, weight, 1, 1])
    certificate = release.certificate
    assert certificate.lower_bound <= best <= certificate.cost
    assert certificate.status is not Status.OPTIMAL or certificate.cost == best


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("algorithm", SOLVERS)
def test_every_solver_keeps_the_links(algorithm: str) -> None:
    rows = [("a", 1, 30), ("a", 1, 31), ("a", 2, 30), ("b", 3, 30), ("b", 3, 31), ("b", None, 31), (None, None, 30)]
    source = pa.table({"id": range(7), **dict(zip(QI, zip(*rows, strict=True), strict=True))})
    release = kanon_sql.anonymize(source, k=2, quasi_identifiers=QI, linked=LINKED, keep=["id"], algorithm=algorithm)
    check_links(source, release.table, LINKED)
    best = optimum(rows, 2, [(0, 1, 2), (0, 1), (2,), ()])
    assert release.certificate.lower_bound <= best <= release.certificate.cost
    optimal = SOLVERS[algorithm].guarantee.startswith("optimal") and "optimal among" not in SOLVERS[algorithm].guarantee
    assert not optimal or release.certificate.cost == best


def wide(columns: int = 18, rows: int = 200) -> pa.Table:
    rng = np.random.default_rng(5)
    return pa.table({"id": range(rows), **{f"c{i}": rng.integers(0, 2 + i % 3, rows) for i in range(columns)}})


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    "linked",
    [[["c0", "c17"]], [["c0", "c17"], ["c5", "c6", "c7"]]],
    ids=["17 units, too many to list", "15 units, listed"],
)
def test_eighteen_columns_with_links(linked: list[list[str]]) -> None:
    source = wide(rows=40)
    names = source.column_names[1:]
    release = kanon_sql.anonymize(source, k=4, quasi_identifiers=names, keep=["id"], linked=linked)
    check_links(source, release.table, linked)
    assert smallest_class(release.table, names) >= 4
    assert release.certificate.suppressed_cells == sum(len(gone) for _, gone in hidden(source, release.table))


@pytest.mark.everything
def test_columns_split_top_down_keep_their_links(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Budget, "over", lambda self: True)
    source, linked = wide(20), [["c0", "c17"], ["c1", "c2"], ["c18", "c3"]]
    release = kanon_sql.anonymize(source, k=4, quasi_identifiers=source.column_names[1:], keep=["id"], linked=linked)
    check_links(source, release.table, linked)


@pytest.fixture
def clinic(shared_clause: Any) -> Iterator[Any]:
    shared_clause.register("source", town())
    shared_clause.execute("CREATE TABLE people AS FROM source")
    yield shared_clause
    shared_clause.unregister("source")


def from_python(masks: list[list[str]] | None) -> Release:
    options: dict[str, Any] = {"keep": ["id"], "masks": masks, "linked": LINKED, "weights": {"age": 2}}
    return kanon_sql.anonymize(town(), k=5, quasi_identifiers=QI, **options)


BY = {
    None: "city, zip, age WEIGHT 2",
    "sets": "GROUPING SETS ((city, zip, age WEIGHT 2), (city, age), (city, zip), (zip), (age), ())",
}
MASKS = {None: None, "sets": [["city", "zip", "age"], ["city", "age"], ["city", "zip"], ["zip"], ["age"], []]}


@pytest.mark.everything
@pytest.mark.parametrize("masks", BY)
def test_every_entrance_gives_the_same_release(clinic: Any, masks: str | None) -> None:
    policy = Policy.of(k=5, quasi_identifiers=QI, keep=["id"], masks=MASKS[masks], linked=LINKED, weights={"age": 2})
    common = f"qi := {QI}, keep := ['id'], linked := [['ZIP', 'city']], weights := MAP {{'age': 2}}"
    ways = {
        "clause": f"FROM people ANONYMIZE BY {BY[masks]} KEEP id LINKED (zip, city) GUARANTEE k >= 5 ORDER BY id",
        "k_anonymize": f"FROM k_anonymize('people', 5, masks := {MASKS[masks] or 'NULL'}, {common}) ORDER BY id",
        "anonymize": f"FROM anonymize('people', '{policy.to_json()}') ORDER BY id",
    }
    if masks:
        ways["pattern_guided"] = f"FROM pattern_guided('people', {MASKS[masks]}, k := 5, {common}) ORDER BY id"
    expected = from_python(MASKS[masks])

    def looks(table: Any) -> Any:  # the secret decides which of some equal rows shows what
        return Counter(map(tuple, table.select(QI).to_pandas().astype(str).to_numpy().tolist()))

    for name, sql in ways.items():
        assert looks(clinic.sql(sql).to_arrow_table()) == looks(expected.table), name
        assert kanon_sql.releases(clinic)[-1].cost == expected.certificate.cost, name


def test_links_of_every_column(clinic: Any) -> None:
    rows = clinic.sql("FROM k_anonymize('people', 200, linked := [['CITY', 'zip', 'Age', 'id']])").fetchall()
    assert set(rows) == {(None, None, None, None)}


@pytest.mark.parametrize(
    ("linked", "message"),
    [
        ("[['city']]", "linked group 1 needs at least two columns"),
        ("[['city', 'town']]", 'unknown column "town"'),
        ("[['city', 'zip'], ['zip', 'age']]", '"zip" is in two linked groups'),
        ("['city', 'zip']", "a linked group must be a list of columns"),
        ("[['city', 'zip'], NULL]", "a linked group must be a list of columns"),
        ("[['city', NULL]]", "must be a column name"),
        ("'city'", "linked must be a list"),
    ],
)
@pytest.mark.parametrize("qi", ["NULL", "['city', 'zip', 'age']"], ids=["every column", "named columns"])
def test_senseless_links_are_refused(clinic: Any, linked: str, message: str, qi: str) -> None:
    with pytest.raises(PolicyError, match=message):
        clinic.execute(f"FROM k_anonymize('people', 5, qi := {qi}, linked := {linked})")


@pytest.mark.everything
def test_no_links_are_no_restriction(clinic: Any) -> None:
    without, empty, null = (
        clinic.sql(f"FROM k_anonymize('people', 5, qi := {QI}, keep := ['id']{linked}) ORDER BY id").fetchall()
        for linked in ("", ", linked := []", ", linked := NULL")
    )
    assert without == empty == null


def test_a_policy_over_every_column_names_an_unknown_linked_column() -> None:
    with pytest.raises(UnknownColumnError, match='"town"'):
        kanon_sql.anonymize(town(), k=5, linked=[["city", "town"]])
