"""Random small tables: what every release keeps, and how it compares with the optimum of brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import class_sizes, optimum, smallest_class

import kanon_sql
from kanon_sql.certificate import Certificate, Status
from kanon_sql.errors import InfeasibleError

NAMES = ("zip", "Age", "odd name")
CELLS = st.sampled_from(["a", "b", None])
ROWS = st.integers(1, 3).flatmap(lambda m: st.lists(st.tuples(*[CELLS] * m), min_size=1, max_size=7))
MORE_ROWS = st.integers(1, 3).flatmap(
    lambda m: st.lists(st.tuples(*[st.sampled_from(["a", "b", "c", "d", None])] * m), min_size=2, max_size=40)
)
WEIGHTS = st.lists(st.sampled_from([Fraction(1), Fraction(2), Fraction(1, 3), Fraction(5, 2)]), min_size=3, max_size=3)
MASKS = st.one_of(st.none(), st.lists(st.sets(st.integers(0, 2)), min_size=1, max_size=4, unique_by=frozenset))


def arrow(rows: Sequence[tuple[Any, ...]]) -> pa.Table:
    """Return the rows with a running number, a constant-free extra column, and the quasi-identifiers between them."""
    columns = list(zip(*rows, strict=True))
    quasi = {name: pa.array(column, pa.string()) for name, column in zip(NAMES, columns, strict=False)}
    ids = pa.array(range(len(rows)), pa.int16())
    return pa.table(
        {"id": ids, **quasi, "disease": pa.array([None if i % 3 else f"d{i}" for i in range(len(rows))], pa.string())}
    )


def quasi_identifiers(table: pa.Table) -> list[str]:
    return [name for name in table.column_names if name in NAMES]


def named(masks: list[set[int]] | None, names: list[str]) -> list[list[str]] | None:
    return None if masks is None else [[names[c] for c in sorted(mask) if c < len(names)] for mask in masks]


def check(
    source: pa.Table,
    released: pa.Table,
    k: int,
    masks: Sequence[Sequence[str]] | None,
    weights: Sequence[Fraction] | None = None,
) -> Fraction:
    """Check everything a reader can see without the solver; return the cost that the reader sees at least."""
    names = quasi_identifiers(source)
    assert released.column_names == source.column_names
    assert released.schema.types == source.schema.types
    assert released.num_rows == source.num_rows
    assert smallest_class(released, names) >= k
    before = {row["id"]: row for row in source.to_pylist()}
    after = released.to_pylist()
    assert sorted(row["id"] for row in after) == sorted(before)
    seen = Fraction(0)
    for row in after:
        original = before[row["id"]]
        assert row["disease"] == original["disease"]
        shown = {name for name in names if row[name] is not None}
        assert all(row[name] == original[name] for name in shown)
        # A shown NULL looks like a suppressed cell: the mask may show it or not.
        either = {name for name in names if original[name] is None}
        if masks is not None:
            assert any(shown <= set(mask) <= shown | either for mask in masks)
        for name, weight in zip(names, weights or [Fraction(1)] * 3, strict=False):
            seen += 0 if name in shown or name in either else weight
    return seen


@pytest.fixture(scope="module")
def shared() -> Iterator[duckdb.DuckDBPyConnection]:
    """One connection for all examples: to register takes longer than to release a few rows."""
    with kanon_sql.register(duckdb.connect()) as con:
        yield con


def released_by_sql(
    con: duckdb.DuckDBPyConnection, source: pa.Table, call: str, arguments: dict[str, Any]
) -> tuple[pa.Table, Certificate]:
    con.register("source", source)
    listed = "".join(f", {name} := ${name}" for name in arguments)
    table = con.sql(f"FROM {call}('source'{listed})", params=arguments).to_arrow_table()
    return table, kanon_sql.releases(con)[-1]


@pytest.mark.everything
@settings(max_examples=150)
@given(rows=ROWS, k=st.integers(1, 4), masks=MASKS, weights=WEIGHTS)
def test_python_release_against_brute_force(
    rows: list[tuple[Any, ...]], k: int, masks: list[set[int]] | None, weights: list[Fraction]
) -> None:
    source = arrow(rows)
    names = quasi_identifiers(source)
    m = len(names)
    permitted = None if masks is None else [{c for c in mask if c < m} for mask in masks]
    best = optimum(rows, k, permitted, weights)
    options: dict[str, Any] = {"k": k, "quasi_identifiers": names, "masks": named(masks, names)}
    options["weights"] = dict(zip(names, weights, strict=False))
    if best is None:
        with pytest.raises(InfeasibleError):
            kanon_sql.anonymize(source, **options)
        return
    try:
        release = kanon_sql.anonymize(source, **options)
    except InfeasibleError:
        # Allowed only where no mask suppresses everything: then the search may miss the releases there are.
        assert permitted is not None
        assert set() not in permitted
        return
    certificate = release.certificate
    assert check(source, release.table, k, options["masks"], weights) <= certificate.cost
    assert certificate.lower_bound <= best <= certificate.cost
    assert (certificate.status is Status.OPTIMAL) == (certificate.cost == certificate.lower_bound)
    if certificate.status is Status.OPTIMAL:
        assert certificate.cost == best
    if masks is None:
        # Theorem 4, with weights, and a repair that touches fewer than 2 k rows.
        total = sum(weights[:m])
        assert certificate.cost <= total / min(weights[:m]) * best + (2 * k - 1) * total
        assert best > 0 or certificate.cost == 0
    assert certificate.classes == len(class_sizes(release.table, names))
    assert certificate.smallest_class == smallest_class(release.table, names)


@pytest.mark.everything
@settings(max_examples=60)
@given(rows=MORE_ROWS, k=st.integers(1, 5), weights=WEIGHTS)
def test_k_anonymize_in_sql(
    shared: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]], k: int, weights: list[Fraction]
) -> None:
    source = arrow(rows)
    names = quasi_identifiers(source)
    if k > len(rows):
        with pytest.raises(duckdb.Error, match=f"{len(rows)} rows?, fewer than k = {k}"):
            released_by_sql(shared, source, "k_anonymize", {"k": k, "qi": names})
        return
    released, certificate = released_by_sql(shared, source, "k_anonymize", {"k": k, "qi": names})
    assert check(source, released, k, None) <= certificate.cost


@pytest.mark.everything
@settings(max_examples=60)
@given(rows=MORE_ROWS, k=st.integers(1, 5), masks=st.lists(st.sets(st.integers(0, 2)), min_size=1, max_size=4))
def test_pattern_guided_in_sql(
    shared: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]], k: int, masks: list[set[int]]
) -> None:
    source = arrow(rows)
    names = quasi_identifiers(source)
    permitted = named([*masks, set()], names)
    if k > len(rows):
        return
    released, certificate = released_by_sql(shared, source, "pattern_guided", {"masks": permitted, "k": k, "qi": names})
    assert check(source, released, k, permitted) <= certificate.cost


@pytest.mark.everything
@settings(max_examples=40)
@given(rows=MORE_ROWS, k=st.integers(2, 4), seed=st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(rows: list[tuple[Any, ...]], k: int, seed: Any) -> None:
    if k > len(rows):
        return
    source = arrow(rows)
    names = quasi_identifiers(source)
    order = list(range(len(rows)))
    seed.shuffle(order)
    one = kanon_sql.anonymize(source, k=k, quasi_identifiers=names)
    other = kanon_sql.anonymize(source.take(order), k=k, quasi_identifiers=names)
    assert Counter(map(repr, one.table.to_pylist())) == Counter(map(repr, other.table.to_pylist()))
    assert one.certificate.cost == other.certificate.cost


@pytest.mark.everything
@settings(max_examples=40)
@given(rows=MORE_ROWS, k=st.integers(1, 4))
def test_every_column_a_quasi_identifier(shared: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]], k: int) -> None:
    if k > len(rows):
        return
    source = arrow(rows).drop(["id", "disease"])
    released, _ = released_by_sql(shared, source, "k_anonymize", {"k": k})
    assert released.schema.names == source.schema.names
    assert released.schema.types == source.schema.types
    assert released.num_rows == source.num_rows
    assert smallest_class(released, released.column_names) >= k
    for name in source.column_names:
        before, after = Counter(source.column(name).to_pylist()), Counter(released.column(name).to_pylist())
        assert all(after[value] <= before[value] for value in after if value is not None)


@pytest.mark.everything
@settings(max_examples=40)
@given(rows=MORE_ROWS, k=st.integers(1, 4))
def test_star_instead_of_null(rows: list[tuple[Any, ...]], k: int) -> None:
    if k > len(rows):
        return
    source = arrow(rows)
    names = quasi_identifiers(source)
    release = kanon_sql.anonymize(source, k=k, quasi_identifiers=names, suppress="*")
    assert smallest_class(release.table, names) >= k
    before = {row["id"]: row for row in source.to_pylist()}
    stars = sum(row[name] == "*" for row in release.table.to_pylist() for name in names)
    assert stars == release.certificate.suppressed_cells
    for row in release.table.to_pylist():
        assert all(row[name] in ("*", before[row["id"]][name]) for name in names)


@pytest.mark.everything
@settings(max_examples=30)
@given(rows=MORE_ROWS, k=st.integers(2, 4))
def test_the_certificate_counts_the_cells_that_are_suppressed(rows: list[tuple[Any, ...]], k: int) -> None:
    shown_rows = [tuple("none" if value is None else value for value in row) for row in rows]
    if k > len(rows):
        return
    source = arrow(shown_rows)
    names = quasi_identifiers(source)
    release = kanon_sql.anonymize(source, k=k, quasi_identifiers=names)
    nulls = sum(release.table.column(name).null_count for name in names)
    assert nulls == release.certificate.suppressed_cells == release.certificate.cost
    assert release.certificate.lower_bound <= nulls
    assert kanon_sql.audit(release.table, quasi_identifiers=names, k=k).k == release.certificate.smallest_class
