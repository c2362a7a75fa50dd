"""Which rows of a row type are suppressed: nobody can tell, and the same secret tells the same again."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import duckdb
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import PolicyError

FIRST, OTHER = "twelve of zip A, one of zip B", "another secret"

QUERY = "SELECT * FROM k_anonymize('t', 4, qi := ['zip'], keep := ['d', 'b'])"


def thirteen(seed: int) -> pa.Table:
    """Twelve rows of zip A and one of zip B, in random order, with a number each."""
    rows = [("A", 0)] * 12 + [("B", 1)]
    draw = random.Random(seed)
    draw.shuffle(rows)
    return pa.table({"zip": [zip_ for zip_, _ in rows], "d": [draw.random() for _ in rows], "b": [b for _, b in rows]})


def released(table: pa.Table, secret: str) -> list[tuple[str | None, float, int]]:
    """Return zip, d and b of a release; b tells who is of zip B, which no reader sees."""
    release = kanon_sql.anonymize(table, k=4, quasi_identifiers=["zip"], keep=["d", "b"], secret=secret)
    return [tuple(row.values()) for row in release.table.to_pylist()]


@pytest.mark.everything
def test_rows_of_a_split_row_type_are_drawn_whatever_they_hold() -> None:
    # Three of the twelve are suppressed with the one of zip B. By the order of d, as of old, the hidden rows of A would be an
    # end of A. Drawn by chance, each of the four hidden rows is that of B as often as another, whatever its rank.
    ranks = Counter()
    certain = 0
    with kanon_sql.connect(secret=FIRST) as con:  # every surface draws the same rows under a secret
        releases = [con.register("t", thirteen(seed)).execute(QUERY).fetchall() for seed in range(100)]
    for rows in releases:
        shown = [d for zip_, d, _ in rows if zip_ == "A"]
        hidden = sorted((d, b) for zip_, d, b in rows if zip_ is None)
        assert len(hidden) == 4
        assert len(shown) == 9
        ranks[[b for _, b in hidden].index(1)] += 1
        certain += sum(min(shown) < d < max(shown) for d, b in hidden if not b)
    # 300 hidden rows of A, exchangeable with the nine shown: each lies between the ends of the nine with a chance of 4/5
    assert 205 < certain < 275
    assert all(10 < ranks[rank] < 40 for rank in range(4)), ranks


@pytest.mark.everything
def test_rows_that_hold_the_same_are_drawn_one_by_one() -> None:
    # d has two values: were the rows of one value drawn together, a hidden row with the value that is shown could not be of A.
    table = pa.table({"zip": ["A"] * 40 + ["B"], "d": [0, 1] * 20 + [0]})
    mixed = 0
    for number in range(20):
        release = kanon_sql.anonymize(table, k=8, quasi_identifiers=["zip"], keep=["d"], secret=f"{number}")
        hidden = [row["d"] for row in release.table.to_pylist() if row["zip"] is None]
        assert len(hidden) == 8
        mixed += 0 < sum(hidden) < 7
    assert mixed >= 17


@pytest.mark.everything
def test_the_same_secret_draws_the_same_rows_in_any_order() -> None:
    table = thirteen(1)
    rows = sorted(released(table, FIRST), key=str)
    turned = table.take(pa.array(list(reversed(range(13)))))
    assert sorted(released(turned, FIRST), key=str) == rows
    assert any(sorted(released(thirteen(1), f"{OTHER} {n}"), key=str) != rows for n in range(3))


@pytest.mark.everything
def test_every_surface_takes_the_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    table = thirteen(2)
    monkeypatch.setenv("KANON_SECRET", OTHER)
    with kanon_sql.connect(secret=FIRST) as con:
        con.register("t", table)
        expected = sorted(con.sql(QUERY).fetchall(), key=str)
    with kanon_sql.register(duckdb.connect(), secret=FIRST) as con:
        con.register("t", table)
        assert sorted(con.sql(QUERY).fetchall(), key=str) == expected
        with pytest.raises(PolicyError, match="open with a different secret"):
            kanon_sql.register(con.cursor(), secret=OTHER)
    monkeypatch.setenv("KANON_SECRET", FIRST)
    with kanon_sql.connect() as con:
        con.register("t", table)
        assert sorted(con.sql("SELECT * FROM t ANONYMIZE BY zip KEEP d, b GUARANTEE k >= 4").fetchall(), key=str) == expected
    assert sorted(released(table, FIRST), key=str) == sorted(released(table, FIRST), key=str)


def test_no_text_tells_the_secret() -> None:
    with kanon_sql.connect(secret="CANARY") as con:
        con.register("t", thirteen(3))
        plans = con.execute(f"EXPLAIN ANALYZE {QUERY}").fetchall() + con.execute(f"EXPLAIN {QUERY}").fetchall()
        told = f"{plans} {kanon_sql.releases(con)} {con!r} {con.session!r} {con.sql('FROM kanon_releases()')}"
        assert "CANARY" not in told
        assert "CANARY" not in kanon_sql.releases(con)[-1].to_json()


@pytest.mark.everything
def test_a_certificate_says_whether_the_release_can_be_repeated(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.delenv("KANON_SECRET")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/dev/null")
    monkeypatch.setenv("HOME", "/dev/null")
    release = kanon_sql.anonymize(thirteen(4), k=4, quasi_identifiers=["zip"], keep=["d", "b"])
    assert not release.certificate.repeatable
    assert release.certificate.cost == Fraction(4)
    assert kanon_sql.anonymize(thirteen(4), k=4, quasi_identifiers=["zip"], keep=["d", "b"], secret="s").certificate.repeatable
