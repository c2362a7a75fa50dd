"""Releases for known columns against a plain count: the gate in both directions, the bound, and what the search finds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import AuditError, ClauseError, PolicyError, UnknownColumnError
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import KnownColumns
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.projections import solve as solver
from kanon_sql.table.recoding import Prices, Recoding
from kanon_sql.verification.claims import verify

Row = tuple[str | None, ...]


def drawn(draw: random.Random, rows: int, columns: int) -> list[Row]:
    return [tuple(draw.choice("abc"[: 2 + place % 2]) for place in range(columns)) for _ in range(rows)]


def table_of(rows: Sequence[Row]) -> pa.Table:
    return pa.table({f"c{place}": list(cells) for place, cells in enumerate(zip(*rows, strict=True))})


def smallest(rows: Sequence[Row], sets: Sequence[tuple[int, ...]]) -> int:
    """Return the smallest class by any of the sets."""
    return min(min(Counter(tuple(row[place] for place in chosen) for row in rows).values()) for chosen in sets)


def releases(rows: Sequence[Row], masks: Sequence[int]) -> list[Row]:
    return [
        tuple(value if mask >> place & 1 else None for place, value in enumerate(row))
        for row, mask in zip(rows, masks, strict=True)
    ]


def cheapest(rows: Sequence[Row], sets: Sequence[tuple[int, ...]], k: int) -> int:
    """Return the fewest suppressed cells of a release, by trying all."""
    columns = len(rows[0])
    best = len(rows) * columns
    for masks in product(range(1 << columns), repeat=len(rows)):
        hidden = len(rows) * columns - sum(mask.bit_count() for mask in masks)
        if hidden < best and smallest(releases(rows, masks), sets) >= k:
            best = hidden
    return best


def recoded(problem: Problem, masks: dict[Row, list[int]], columns: int) -> Recoding:
    """Return a recoding where the rows of each row type have the given masks; here a row type is its codes."""
    place, shown, count = [], [], []
    for number, codes in enumerate(problem.table.codes.tolist()):
        for mask, many in sorted(Counter(masks[tuple(codes)]).items()):
            place.append(number)
            shown.append(mask)
            count.append(many)
    del columns
    zero = Prices(price=np.zeros(problem.table.row_types, np.int64), scale=1)
    return Recoding(
        row_type=np.array(place, np.int32), shown=np.array(shown, np.uint64), count=np.array(count, np.int64), prices=zero
    )


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Let the solver return what a test puts in here."""
    told: dict[str, object] = {}

    def solve(problem: Problem, _budget: Budget) -> Recoding:
        codes = {value: np.unique([row[place] for row in told["rows"]]).tolist() for place, value in enumerate(told["names"])}  # type: ignore[attr-defined, call-overload, arg-type, var-annotated]
        masks: dict[Row, list[int]] = {}
        for row, mask in zip(told["rows"], told["masks"], strict=True):  # type: ignore[call-overload]
            key = tuple(codes[name].index(value) for name, value in zip(told["names"], row, strict=True))  # type: ignore[call-overload]
            masks.setdefault(key, []).append(mask)
        return recoded(problem, masks, len(codes))

    monkeypatch.setattr(solver, "solve", solve)
    return told


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(16))
def test_the_gate_refuses_what_a_plain_count_refuses(given: dict[str, object], seed: int) -> None:
    """Random releases: the gate passes just those in which every set has classes of k rows."""
    draw = random.Random(seed)
    columns, k = draw.randint(2, 4), draw.randint(2, 3)
    m = draw.randint(1, columns - 1)
    rows = drawn(draw, draw.randint(4, 9), columns)
    sets = list(combinations(range(columns), m))
    shares = [(1 << columns) - 1] * draw.choice([0, 2, 6]) + [0, draw.randrange(1 << columns)]
    masks = [draw.choice(shares) for _ in rows]
    given.update(rows=rows, masks=masks, names=[f"c{place}" for place in range(columns)])
    found = smallest(releases(rows, masks), sets)
    if found < k:
        with pytest.raises(AuditError, match=f"k >= {k} FOR ANY {m} COLUMN"):
            kanon_sql.anonymize(table_of(rows), k, known=m)
        return
    release = kanon_sql.anonymize(table_of(rows), k, known=m)
    assert bool(release.certificate.warnings) == (smallest_next(rows, masks, m) < k)
    assert release.certificate.smallest_class_known == found
    assert release.certificate.sets_audited == len(sets)
    assert release.certificate.known_columns == m


def smallest_next(rows: Sequence[Row], masks: Sequence[int], m: int) -> int:
    return smallest(releases(rows, masks), list(combinations(range(len(rows[0])), m + 1)))


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(10))
def test_the_bound_is_at_most_the_optimum_and_the_release_at_least(seed: int) -> None:
    """Tables so small that all releases can be tried; `verify` computes the bound again."""
    draw = random.Random(seed)
    columns, k = draw.randint(2, 3), draw.randint(2, 3)
    m = draw.randint(1, columns)
    rows = drawn(draw, 5 if columns == 2 else 4, columns)
    certificate = kanon_sql.anonymize(table_of(rows), k, known=m).certificate
    optimum = cheapest(rows, list(combinations(range(columns), m)), k)
    assert certificate.lower_bound <= optimum <= certificate.cost
    by_prices = proven(certificate, rows)
    assert by_prices == certificate.lower_bound or by_prices < certificate.lower_bound == optimum


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(6))
def test_the_bound_is_proven_again_where_classes_by_all_columns_count_too(seed: int) -> None:
    draw = random.Random(seed)
    rows = drawn(draw, 12, 4)
    con = kanon_sql.connect()
    con.register("source", table_of(rows))
    guarantee = f"k >= {draw.choice([3, 4])} AND k >= {draw.choice([2, 5])} FOR ANY {draw.randint(1, 2)} COLUMNS"
    con.execute(f"FROM source ANONYMIZE BY c0, c1, c2, c3 GUARANTEE {guarantee}").fetchall()
    certificate = kanon_sql.releases(con)[-1]
    by_prices = proven(certificate, rows)
    assert by_prices == certificate.lower_bound or 0 < by_prices < certificate.lower_bound == certificate.cost


def proven(certificate: kanon_sql.Certificate, rows: Sequence[Row]) -> Fraction:
    columns = range(len(rows[0]))
    codes = [{value: number for number, value in enumerate(sorted({str(row[place]) for row in rows}))} for place in columns]
    counts = Counter(tuple(codes[place][str(row[place])] for place in columns) for row in rows)
    order = sorted(counts, key=lambda code: code[::-1])
    return verify(certificate, order, [counts[code] for code in order])


@pytest.mark.everything
@pytest.mark.parametrize("known", [2, [["c0", "c1"], ["c3"]]])
def test_a_release_of_more_rows_is_cheaper_than_by_all_columns(known: int | list[list[str]]) -> None:
    rows = drawn(random.Random(7), 60, 5)
    table = table_of(rows)
    release = kanon_sql.anonymize(table, 4, known=known)
    released = list(zip(*(release.table.column(f"c{place}").to_pylist() for place in range(5)), strict=True))
    sets = list(combinations(range(5), 2)) if known == 2 else [(0, 1), (3,)]
    assert smallest(released, sets) == release.certificate.smallest_class_known
    assert smallest(released, sets) >= 4
    assert release.certificate.cost < kanon_sql.anonymize(table, 4).certificate.cost
    assert release.certificate.lower_bound <= release.certificate.cost


@pytest.mark.everything
def test_as_many_known_columns_as_there_are_make_the_release_of_plain_k() -> None:
    table = table_of(drawn(random.Random(5), 40, 4))
    one = kanon_sql.anonymize(table, 3, known=4, secret=b"0123456789abcdef0123456789abcdef")
    other = kanon_sql.anonymize(table, 3, secret=b"0123456789abcdef0123456789abcdef")
    assert one.table.to_pylist() == other.table.to_pylist()
    assert one.certificate.lower_bound == other.certificate.lower_bound


@pytest.mark.everything
def test_the_same_input_gives_the_same_release() -> None:
    table = table_of(drawn(random.Random(9), 50, 5))
    first, second = (kanon_sql.anonymize(table, 3, known=1, secret=b"0123456789abcdef0123456789abcdef") for _ in range(2))
    assert first.table.to_pylist() == second.table.to_pylist()


@pytest.mark.everything
def test_rows_beyond_those_that_are_looked_at_alone_keep_their_weight() -> None:
    """Row types of many rows are one row of the search; weights of columns and linked columns count."""
    rows = [("a", "a", "a")] * 500 + [("a", "b", "a")] * 3 + [("b", "a", "b")] * 2 + [("b", "b", "b")] * 90
    release = kanon_sql.anonymize(table_of(rows), 5, known=2, weights={"c0": 3}, linked=[["c1", "c2"]])
    released = list(zip(*(release.table.column(f"c{place}").to_pylist() for place in range(3)), strict=True))
    assert smallest(released, [(0, 1, 2)]) >= 5
    assert release.certificate.lower_bound <= release.certificate.cost


PARTS: list[tuple[dict[str, object], str]] = [
    ({"population": "census", "k_map": 2}, "cannot be combined with k >= 2 IN census"),
    ({"recodings": {"c0": "RANGES"}}, "cannot be combined with RANGES for c0"),
    ({"known": [["c0", "x"]]}, 'unknown column "x" in set 1 of the known columns'),
    ({"known": []}, "each set of known columns must be a list of columns"),
    ({"known": [[]]}, "set 1 of the known columns is empty"),
    ({"known": ["c0"]}, "each set of known columns must be a list of columns"),
    ({"known": 0}, "the number of known columns must be a whole number of at least 1"),
    ({"known": 2.5}, "known columns must be a number or lists of columns, got float"),
]


@pytest.mark.parametrize(("parts", "message"), PARTS)
def test_what_is_not_supported_is_refused(parts: dict[str, object], message: str) -> None:
    with pytest.raises((PolicyError, UnknownColumnError), match=message):
        kanon_sql.anonymize(table_of([("1", "2", "3")] * 4), 2, **{"quasi_identifiers": ["c0", "c1"], "known": 1, **parts})  # type: ignore[arg-type]


def test_pseudonyms_are_refused() -> None:
    with pytest.raises(PolicyError, match="FOR ANY 1 COLUMN cannot be combined with pseudonyms"):
        Policy(
            quasi_identifiers=(QuasiIdentifier(column="a"),),
            requirements=(KnownColumns(k=2, columns=1),),
            keep=("b",),
            pseudonyms=("b",),
        )


@pytest.mark.everything
def test_the_clause_reads_what_is_known() -> None:
    con = kanon_sql.connect()
    con.execute("CREATE TABLE t AS SELECT i % 2 AS a, i % 3 AS b, i % 4 AS c FROM range(48) AS r(i)")
    con.execute("SELECT * FROM t ANONYMIZE BY a, b, c GUARANTEE k >= 3 FOR (a, b), (c) AND 4 <= k FOR ANY 1 COLUMN").fetchall()
    certificate = kanon_sql.releases(con)[-1]
    assert certificate.requirements == ("k >= 3 FOR (a, b), (c)", "k >= 4 FOR ANY 1 COLUMN")
    assert kanon_sql.Policy.from_json(certificate.policy).to_json() == certificate.policy
    for guarantee in ("k >= 3 FOR 3 COLUMNS", "k >= 3 FOR ANY COLUMNS", "k >= 3 FOR ANY 1.5 COLUMNS", "k >= 3 FOR ()"):
        with pytest.raises(ClauseError, match="hint: write GUARANTEE k >= 5 FOR"):
            con.execute(f"SELECT * FROM t ANONYMIZE BY a, b, c GUARANTEE {guarantee}")
