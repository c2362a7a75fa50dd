"""Values that fewer than k rows or people share single them out: judged by counting in Python, on every kind of column."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.engines.duckdb.release.exposure import singled
from kanon_sql.errors import UnlistedColumnError

Row = tuple[Any, ...]

TWICE = """CREATE TABLE twice AS SELECT 'N' || (i // 2) AS who, i // 2 % 3 AS zip, i // 2 % 2 AS age,
    ['flu', 'hiv', 'x'][1 + i % 3] AS d FROM range(120) t(i)"""


@pytest.fixture
def con(shared_clause: Connection) -> Connection:
    return shared_clause


def warnings_of(con: Connection) -> tuple[str, ...]:
    return kanon_sql.releases(con)[-1].warnings


@pytest.mark.parametrize("k", [3, 5, 10, 100])
def test_a_name_in_two_rows_is_a_name(con: Connection, k: int) -> None:
    con.execute(TWICE)
    with pytest.raises(
        UnlistedColumnError, match=r"who singles out 100\.0% of the rows \(values shared by fewer than 3 rows\)"
    ):
        con.execute(f"FROM twice ANONYMIZE BY zip, age GUARANTEE k >= {k} AND l(d) >= 2")


def test_a_sensitive_column_of_names_is_a_warning(con: Connection) -> None:
    con.execute(TWICE)
    con.execute("SELECT zip, age, who FROM twice ANONYMIZE BY zip, age GUARANTEE k >= 5 AND l(who) >= 2").fetchall()
    assert warnings_of(con) == (
        "who is released unchanged and singles out 100.0% of the rows (values shared by fewer than 3 rows)",
    )
    assert kanon_sql.releases(con)[-1].unchanged == ()


def test_a_sensitive_column_that_holds_the_quasi_identifiers_gives_them_back(con: Connection) -> None:
    rows = "SELECT i % 5 AS zip, i % 3 AS age, (i % 5) || '-' || i % 7 % 2 AS s FROM range(600) t(i)"
    con.execute(f"FROM ({rows}) ANONYMIZE BY zip, age GUARANTEE k >= 50 AND l(s) >= 3").fetchall()
    assert "s is released unchanged and gives back 100.0% of the suppressed cells of zip" in warnings_of(con)


def test_kept_and_sensitive_columns_are_measured_together(con: Connection) -> None:
    """Each of the columns has values of 30 rows, two of them single out a third, all three every row."""
    con.execute(
        "CREATE TABLE t AS SELECT i % 2 AS zip, i // 30 AS a, (i + i // 90) % 30 AS b, i // 3 % 10 AS d FROM range(900) t(i)"
    )
    con.execute("FROM t ANONYMIZE BY zip KEEP a, b GUARANTEE k >= 5 AND l(d) >= 2").fetchall()
    assert warnings_of(con) == (
        "the 2 columns released unchanged together single out 100.0% of the rows (values shared by fewer than 5 rows)",
    )
    con.execute("SELECT zip, a, d FROM t ANONYMIZE BY zip KEEP a GUARANTEE k >= 5 AND l(d) >= 2").fetchall()
    assert warnings_of(con) == (
        "the 2 columns released unchanged, including the sensitive ones, together single out 100.0% of the rows (values "
        "shared by fewer than 5 rows)",
    )


def test_what_singles_out_is_refused_before_the_search(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    def searched(*_: object) -> None:
        raise AssertionError("the search has started")

    monkeypatch.setattr("kanon_sql.udfs.release.solve", searched)
    con.execute(TWICE)
    for statement in (
        "FROM twice ANONYMIZE BY zip, age GUARANTEE k >= 5 AND l(d) >= 2",
        "FROM twice ANONYMIZE BY zip, age GUARANTEE k >= 5 FOR ANY 1 COLUMN",
        "FROM k_anonymize('twice', 5, qi := ['zip', 'age'])",
    ):
        with pytest.raises(UnlistedColumnError, match="who singles out"):
            con.execute(statement)


@pytest.mark.parametrize(("pairs", "refused"), [(200, False), (201, True)])
def test_large_tables_are_counted_exactly(con: Connection, monkeypatch: pytest.MonkeyPatch, pairs: int, refused: bool) -> None:
    monkeypatch.setitem(singled.__kwdefaults__, "budget", 500)
    rows = f"SELECT i % 4 AS a, CASE WHEN i < {2 * pairs} THEN i // 2 ELSE -(i % 7) - 1 END AS b FROM range(2000) t(i)"
    query = f"FROM ({rows}) ANONYMIZE BY a GUARANTEE k >= 5"
    if refused:
        with pytest.raises(
            UnlistedColumnError, match=r"b singles out 20.1% of the rows \(values shared by fewer than 5 rows\)"
        ):
            con.execute(query).fetchall()
    else:
        assert len(con.execute(query).fetchall()) == 2000


@pytest.mark.parametrize("value", ["i // 4", "CASE WHEN i % 2 = 0 THEN i // 4 ELSE -1 END"])
def test_parts_of_large_tables_estimate_the_share(con: Connection, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setitem(singled.__kwdefaults__, "budget", 20_000)
    con.execute(
        f"FROM (SELECT i % 4 AS a, {value} AS b FROM range(40000) t(i)) ANONYMIZE BY a KEEP b GUARANTEE k >= 5"
    ).fetchall()
    words = r"b is released unchanged and singles out about ([\d.]+)% of the rows \(values shared by fewer than 5 rows\)"
    found = re.fullmatch(words, warnings_of(con)[0])
    assert found is not None
    assert float(found[1]) == pytest.approx(50 if "CASE" in value else 100, abs=5)


def shared(k: int, people: int) -> int:
    return max(2, min(k, 10, people // 40))


def singled_out(values: Sequence[Any], whose: Sequence[Any], fewest: int) -> float:
    """The share of the rows whose value fewer people have."""
    people = defaultdict(set)
    for value, person in zip(values, whose, strict=True):
        people[value].add(person)
    return sum(len(people[value]) < fewest for value in values) / len(values)


def drawn(draw: random.Random) -> tuple[list[Row], bool, int]:
    """Rows of a person, two columns, and one that will be sensitive."""
    size, counted = draw.choice([40, 130, 250, 500]), draw.random() < 0.5
    width = [draw.choice([3, 12, 40, size // 3, size]) for _ in range(3)]
    people = size // draw.choice([1, 2, 4])
    own = [[draw.randrange(each) for each in width] for _ in range(people)]
    rows: list[Row] = []
    for number in range(size):
        cells = own[number % people] if draw.random() < 0.9 else [draw.randrange(each) for each in width]
        rows.append((number % people, number % 2, *(None if draw.random() < 0.02 else each for each in cells)))
    return rows, counted, draw.choice([1, 2, 4, 5, 10, 100])


def expected(rows: list[Row], counted: bool, k: int, sensitive: bool, kept: bool) -> tuple[dict[str, float], list[str]]:
    """The columns that are refused, with their shares, and the warnings if none is."""
    whose = [row[0] for row in rows] if counted else list(range(len(rows)))
    fewest, total = shared(k, len(set(whose))), len(rows)
    names = ["a", "b", "s"]
    share = {name: singled_out([row[place] for row in rows], whose, fewest) for place, name in enumerate(names, 2)}
    unlisted = names[:2] if sensitive else names
    refused = {}
    if not kept:
        refused = {name: share[name] for name in unlisted if share[name] > 0.5 or share[name] * total > 0.2 * max(total, 50)}
        alone = singled_out([row[2 : 2 + len(unlisted)] for row in rows], whose, 2)
        if not refused and alone > 0.5:
            refused = {"together": alone}
    return refused, list(warned(rows, whose, fewest, counted, share, unlisted))


def warned(
    rows: list[Row], whose: list[Any], fewest: int, counted: bool, share: dict[str, float], unlisted: list[str]
) -> Iterator[str]:
    who = f" (values shared by fewer than {fewest} {'people' if counted else 'rows'})" if fewest > 2 else ""
    for name, each in share.items():
        if each >= 0.01:
            yield f"{name} is released unchanged and singles out {each:.1%} of the rows{who}"
    most = max((each for each in share.values() if each >= 0.01), default=0.0)
    together = singled_out([row[2 : 2 + len(unlisted)] for row in rows], whose, fewest)
    if together >= most + 0.01:
        yield f"the {len(unlisted)} columns released unchanged together single out {together:.1%} of the rows{who}"
        most = together
    every = singled_out([row[2:] for row in rows], whose, fewest)
    if len(unlisted) < len(share) and every >= most + 0.01:
        included = "the 3 columns released unchanged, including the sensitive ones,"
        yield f"{included} together single out {every:.1%} of the rows{who}"


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(120))
def test_refusals_and_warnings_are_those_of_counting(con: Connection, seed: int) -> None:
    draw = random.Random(seed)
    rows, counted, k = drawn(draw)
    sensitive, kept = draw.random() < 0.5, draw.random() < 0.4
    con.execute("CREATE TABLE t (person INTEGER, zip INTEGER, a INTEGER, b INTEGER, s INTEGER)")
    con.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows)
    places = [[row[0] if counted else number for number, row in enumerate(rows) if row[1] == zip_code] for zip_code in (0, 1)]
    k = min(k, *(len(set(whose)) for whose in places))  # nothing is suppressed, so nothing is given back
    refused, warnings = expected(rows, counted, k, sensitive, kept)
    shown = "SELECT * FROM t" if counted else "SELECT zip, a, b, s FROM t"
    keep = f"KEEP a, b{'' if sensitive else ', s'} " if kept else ""
    asked = f"GUARANTEE k >= {k} PER {'person' if counted else 'ROW'}{' AND l(s) >= 1' if sensitive else ''}"
    query = f"{shown} ANONYMIZE BY zip {keep}{asked}"
    if refused:
        with pytest.raises(UnlistedColumnError) as refusal:
            con.execute(query)
        for name, share in refused.items():
            does = "together single out" if name == "together" else f"{name} singles out"
            assert f"{does} {share:.1%} of the rows" in str(refusal.value)
        assert len(refusal.value.columns) == (len(refused) if "together" not in refused else 2 + (not sensitive))
    else:
        con.execute(query).fetchall()
        assert [each for each in warnings_of(con) if "single" in each] == warnings
