"""Sensitive values that their column calls equal count once, and each row keeps its own spelling of them."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from kanon_sql.engines import histogram
from kanon_sql.errors import AuditError, InfeasibleError, KanonError
from kanon_sql.table.equal_values import Spellings

KINDS = {
    "NOCASE": ("VARCHAR COLLATE NOCASE", ["'flu'", "'FLU'", "'gout'", "'Gout'", "'ulcer'"]),
    "NOACCENT": ("VARCHAR COLLATE NOACCENT", ["'e'", "'é'", "'E'", "'É'", "'x'"]),
    "INTERVAL": (
        "INTERVAL",
        ["INTERVAL '1 month'", "INTERVAL '30 days'", "INTERVAL '1 day'", "INTERVAL '24 hours'", "INTERVAL '0 days'"],
    ),
    "DOUBLE": ("DOUBLE", ["0.0", "'-0.0'", "'nan'", "'-nan'", "'inf'"]),
    "INTERVAL[]": (
        "INTERVAL[]",
        ["[INTERVAL '1 month']", "[INTERVAL '30 days']", "[INTERVAL '1 day']", "[INTERVAL '24 hours']", "[]"],
    ),
}
"""Columns with five spellings of three values: of the first four, two each are equal."""


@pytest.fixture
def con(shared_clause):
    return shared_clause


def fill(con: Any, kind: str, seed: int, rows: int = 24) -> None:
    """Make a table of zip codes and diseases, of which few are the last."""
    type_, spelled = KINDS[kind]
    con.execute(f"CREATE OR REPLACE TABLE p (id INTEGER, zip INTEGER, d {type_})")
    for i in range(rows):
        draw = hash_of(i, seed)
        con.execute(f"INSERT INTO p VALUES ({i}, {draw % 5}, {spelled[4 if draw // 5 % 6 == 0 else draw // 30 % 4]})")


def hash_of(i: int, seed: int) -> int:
    return (i * 2654435761 + seed * 40503 + 12345) * 2246822519 % (1 << 31)


def histograms(con: Any, table: str) -> list[Counter[Any]]:
    """The counts of each class: classes by the bytes of the quasi-identifier, values by the equality of the column."""
    names = "SELECT row_number() OVER () AS number, d FROM (SELECT DISTINCT d FROM p)"
    rows = con.execute(f"SELECT zip, number FROM {table} AS r JOIN ({names}) AS v ON r.d IS NOT DISTINCT FROM v.d").fetchall()
    found: dict[Any, Counter[Any]] = {}
    for zip_code, number in rows:
        found.setdefault(zip_code, Counter())[number] += 1
    return list(found.values())


def spelled(con: Any, table: str, columns: str) -> Counter[Any]:
    return Counter(con.execute(f'SELECT {columns}, CAST(d AS VARCHAR) COLLATE "binary" FROM {table}').fetchall())


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
def test_the_columns_call_two_spellings_equal(con, kind: str) -> None:
    fill(con, kind, 1, 200)
    equal = con.execute("SELECT count(*) FROM (SELECT d FROM p WHERE d IS NOT NULL GROUP BY d)").fetchall()
    texts = con.execute('SELECT count(DISTINCT CAST(d AS VARCHAR) COLLATE "binary") FROM p').fetchall()
    assert (equal, texts) == ([(3,)], [(5,)])


GUARANTEES = {
    "l(d) >= 2": lambda counts, whole: max(counts.values()) * 2 <= counts.total(),
    "l(d, 'distinct') >= 3": lambda counts, whole: len(counts) >= 3,
    "l(d, 'entropy') >= 1.5": lambda counts, whole: len(counts) >= 2,
    "l(d, 'recursive', 4) >= 2": lambda counts, whole: max(counts.values()) < 4 * (counts.total() - max(counts.values())),
    "t(d) <= 0.3": lambda counts, whole: apart(counts, whole) <= Fraction(3, 10),
}


def apart(counts: Counter[Any], whole: Counter[Any]) -> Fraction:
    return (
        sum(
            (abs(Fraction(counts[value], counts.total()) - Fraction(whole[value], whole.total())) for value in whole),
            Fraction(),
        )
        / 2
    )


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("guarantee", GUARANTEES)
@pytest.mark.parametrize("kind", KINDS)
def test_classes_keep_the_guarantee_with_equal_values_as_one(con, kind: str, guarantee: str) -> None:
    released = 0
    for seed in range(2):
        fill(con, kind, seed)
        before = spelled(con, "p", "id")
        for source, columns, keep in (("p", "id, zip, d", " KEEP id"), ("(SELECT zip, d FROM p)", "zip, d", "")):
            query = f"SELECT {columns} FROM {source} ANONYMIZE BY zip{keep} GUARANTEE k >= 2 AND {guarantee}"
            try:
                con.execute(f"CREATE OR REPLACE TABLE r AS {query}")
            except InfeasibleError:
                continue
            released += 1
            classes = histograms(con, "r")
            whole = sum(classes, Counter())
            assert all(each.total() >= 2 and GUARANTEES[guarantee](each, whole) for each in classes)
            if source == "p":
                assert spelled(con, "r", "id") == before
    assert released


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
def test_one_value_spelled_twice_is_not_diverse(con, kind: str) -> None:
    type_, (one, other, *_) = KINDS[kind]
    con.execute(f"CREATE TABLE q (zip INTEGER, d {type_})")
    con.execute(f"INSERT INTO q SELECT i % 2, CASE WHEN i // 2 % 2 = 0 THEN {one} ELSE {other} END FROM range(12) t(i)")
    for call in (
        "l_diversify('q', 'd', 2)",
        "l_diversify('q', 'd', 2, qi := ['zip'])",
        "l_diversify('q', 'd', 2, variant := 'distinct')",
    ):
        with pytest.raises(KanonError, match="cannot hold in any release"):
            con.execute(f"FROM {call}")
    assert con.execute("SELECT distinct_l, frequency_l, entropy_l FROM l_diversity('q', ['zip'], 'd')").fetchall() == [
        (1, 1.0, 1.0)
    ]
    con.execute(
        'UPDATE q SET zip = (CAST(d AS VARCHAR) COLLATE "binary" = (SELECT min(CAST(d AS VARCHAR) COLLATE "binary") FROM q))'
    )
    assert con.execute("SELECT t FROM t_closeness('q', ['zip'], 'd')").fetchall() == [(0.0,)]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["NOCASE", "NOACCENT", "INTERVAL", "INTERVAL[]"])
@pytest.mark.parametrize("shape", ["qi := ['zip']", "qi := NULL"])
def test_a_table_of_every_column_keeps_each_spelling(con, kind: str, shape: str) -> None:
    fill(con, kind, 3, 40)
    con.execute("CREATE TABLE two AS SELECT zip, d FROM p")
    con.execute(f"CREATE TABLE r AS FROM l_diversify('two', 'd', 2, k := 3, {shape})")
    assert spelled(con, "r", "1") == spelled(con, "two", "1")
    once = spelled(con, "r", "zip")
    con.execute("CREATE OR REPLACE TABLE two AS FROM two ORDER BY hash(zip, CAST(d AS VARCHAR))")
    con.execute(f"CREATE OR REPLACE TABLE r AS FROM l_diversify('two', 'd', 2, k := 3, {shape})")
    assert spelled(con, "r", "zip") == once


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["NOCASE", "NOACCENT", "INTERVAL", "INTERVAL[]"])
@pytest.mark.parametrize("shape", ["qi := ['zip']", "qi := NULL"])
def test_the_audit_finds_a_solver_that_takes_spellings_for_values(con, monkeypatch, kind: str, shape: str) -> None:
    """The audit counts by itself: the solver is told of two values where the column has one."""
    type_, (one, other, third, *_) = KINDS[kind]
    con.execute(f"CREATE TABLE q (zip INTEGER, d {type_})")
    con.execute(f"INSERT INTO q SELECT 1, CASE i % 2 WHEN 0 THEN {one} ELSE {other} END FROM range(6) t(i)")
    con.execute(f"INSERT INTO q SELECT 2, CASE i % 2 WHEN 0 THEN {one} ELSE {third} END FROM range(6) t(i)")
    call = f"CREATE OR REPLACE TABLE r AS FROM l_diversify('q', 'd', 2, k := 2, {shape})"
    with pytest.raises(KanonError, match="cannot hold in any release"):
        con.execute(call)
    monkeypatch.setattr(histogram, "together", lambda table, keys: (table, Spellings.of(table)))
    with pytest.raises(AuditError, match=r"1 class breaks l\(d\) >= 2"):
        con.execute(call)


@pytest.mark.everything
def test_a_person_spelled_twice_is_one(con) -> None:
    con.execute("CREATE TABLE visits (who VARCHAR COLLATE NOCASE, zip INTEGER)")
    con.execute("INSERT INTO visits VALUES ('Ann', 1), ('ANN', 1), ('Bob', 1), ('Carl', 2), ('Dora', 2), ('Eve', 2), (NULL, 1)")
    rows = con.execute(
        "SELECT zip, count(*) FROM (FROM visits ANONYMIZE BY zip GUARANTEE k >= 3 PER who) GROUP BY ALL"
    ).fetchall()
    assert rows == [(None, 7)], "zip 1 has rows of two people"
    con.execute("INSERT INTO visits VALUES ('fay', 1)")
    rows = con.execute(
        "SELECT zip, count(*) FROM (FROM visits ANONYMIZE BY zip GUARANTEE k >= 3 PER who) GROUP BY ALL"
    ).fetchall()
    assert sorted(rows) == [(1, 5), (2, 3)]


@pytest.mark.everything
@pytest.mark.parametrize("named", ["flu", "FLU"])
def test_alpha_counts_every_spelling(con, named: str) -> None:
    con.execute("CREATE TABLE q (id INTEGER, zip INTEGER, d VARCHAR COLLATE NOCASE)")
    con.execute("INSERT INTO q SELECT i, i // 6, ['flu', 'FLU', 'gout', 'ulcer'][1 + least(i % 6, 3)] FROM range(12) t(i)")
    con.execute("INSERT INTO q SELECT 12 + i, 2, 'FLU' FROM range(4) t(i)")
    con.execute(f"CREATE TABLE r AS FROM q ANONYMIZE BY zip KEEP id GUARANTEE k >= 2 AND alpha(d, '{named}') <= 0.5")
    worst = con.execute("SELECT max(share) FROM (SELECT avg((d = 'flu')::INTEGER) AS share FROM r GROUP BY zip)").fetchall()
    assert worst[0][0] <= 0.5
    with pytest.raises(KanonError, match="cannot hold in any release"):
        con.execute(f"CREATE TABLE s AS FROM q ANONYMIZE BY zip KEEP id GUARANTEE k >= 2 AND alpha(d, '{named}') <= 0.4")


@pytest.mark.sweep
@pytest.mark.everything
@pytest.mark.parametrize("collation", ["NOCASE", "NOACCENT", "NOCASE.NOACCENT"])
def test_quasi_identifiers_under_a_collation_are_right_or_refused(con, collation: str) -> None:
    """A class is one by its bytes: where the collation takes texts together, nothing is released in another's spelling."""
    texts = ["a", "A", "á", "b"]
    for size, k in itertools.product((2, 3), (1, 3)):
        for chosen in itertools.combinations(texts, size):
            con.execute(f"CREATE OR REPLACE TABLE q (id INTEGER, word VARCHAR COLLATE {collation})")
            con.executemany("INSERT INTO q VALUES (?, ?)", [(i, text) for i, text in enumerate(chosen * 3)])
            merged = con.execute("SELECT count(DISTINCT word) FROM q").fetchall()[0][0] < size
            for recoding in ("", " IN SETS", " IN RANGES"):
                try:
                    con.execute(f"CREATE OR REPLACE TABLE r AS FROM q ANONYMIZE BY word{recoding} KEEP id GUARANTEE k >= {k}")
                except AuditError:
                    assert merged
                    continue
                rows = con.execute(
                    'SELECT r.word COLLATE "binary", q.word COLLATE "binary" FROM r JOIN q USING (id)'
                ).fetchall()
                assert len(rows) == size * 3
                assert min(Counter(shown for shown, _ in rows).values()) >= k
                if not recoding:
                    assert all(shown in (None, text) for shown, text in rows)


@pytest.mark.parametrize(
    ("kind", "spelled"),
    [
        ("MAP(VARCHAR, DOUBLE)", ("MAP {'a': 0.0::DOUBLE}", "MAP {'a': '-0.0'::DOUBLE}")),
        ("STRUCT(v VARCHAR, d DOUBLE[])", ("{'v': 'x', 'd': ['0.0'::DOUBLE]}", "{'v': 'x', 'd': ['-0.0'::DOUBLE]}")),
    ],
)
def test_quasi_identifiers_with_texts_and_zeros_of_both_signs_are_released(con, kind: str, spelled: tuple[str, str]) -> None:
    con.execute(f"CREATE OR REPLACE TABLE p (id INTEGER, q {kind})")
    con.execute(f"INSERT INTO p SELECT i, CASE WHEN i % 2 = 0 THEN {spelled[0]} ELSE {spelled[1]} END FROM range(6) r(i)")
    released = con.execute("SELECT count(*) FROM (FROM p ANONYMIZE BY q KEEP id GUARANTEE k >= 6) WHERE q IS NOT NULL")
    assert released.fetchall() == [(6,)]
