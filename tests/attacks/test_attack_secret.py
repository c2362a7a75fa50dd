"""What those can compute who have the connection that made a release, or can guess its secret."""

from __future__ import annotations

import hmac
import random
from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import pytest

import kanon_sql
from benchmarks.attacks import split_rows
from benchmarks.attacks.victim import Rows, Victim

LOWEST = split_rows.K - 1
TABLES = 10

SORT_KEY = f"""
    create_sort_key(row(
        row('A', {split_rows.ROWS_OF_A}::BIGINT),
        create_sort_key(row(row(d, true), NULL::VARCHAR), 'ASC NULLS LAST'), 1::BIGINT
    ), 'ASC NULLS LAST')
"""
"""What is hashed of a row of A: its row type with its size, the columns that are released unchanged, the number of the copy."""


@pytest.fixture(scope="module")
def victim() -> Iterator[Victim]:
    with Victim() as victim:
        yield victim


@pytest.fixture(scope="module")
def sources() -> list[dict[str, list[Any]]]:
    chance = random.Random(50)
    return [split_rows.table(chance, 2**40) for _ in range(TABLES)]


def candidates(rows: Rows) -> list[int]:
    """Return the released values beside every row: all that a reader of the release sees of them."""
    return [d for _, d in rows]


def suppressed_of_a(columns: dict[str, list[Any]], rows: Rows) -> set[int]:
    return {d for zipcode, d in rows if zipcode is None} - {split_rows.value_of_b(columns)}


def hashed(victim: Victim, values: Sequence[int]) -> list[int]:
    """Order values as SQL on a connection of the victim can."""
    query = f"SELECT d FROM (SELECT unnest(?::BIGINT[]) AS d) ORDER BY kanon_keyed_hash({SORT_KEY})"
    return [d for (d,) in victim.con.raw.execute(query, [list(values)]).fetchall()]


@pytest.mark.everything
def test_sql_on_the_connection_recomputes_the_suppressed_rows(victim: Victim, sources: list[dict[str, list[Any]]]) -> None:
    with Victim("attacker") as attacker:
        found = dict.fromkeys((victim, attacker), 0)
        for source in sources:
            rows = split_rows.released(victim, source)
            hidden, of_b = suppressed_of_a(source, rows), split_rows.value_of_b(source)
            for each in found:
                found[each] += set(hashed(each, [d for d in candidates(rows) if d != of_b])[:LOWEST]) == hidden
    assert found[victim] == TABLES
    assert found[attacker] < TABLES / 2


def test_the_hash_of_rows_is_under_a_key_of_its_own() -> None:
    with kanon_sql.connect(secret=b"secret") as con:
        (told,) = con.raw.execute("SELECT kanon_keyed_hash('abc'::BLOB)").fetchone()

    def number(key: bytes) -> int:
        return int.from_bytes(hmac.digest(key, b"abc", "sha256")[:8], "big")

    def derived(purpose: str) -> bytes:
        return hmac.digest(b"secret", f"kanon-sql 1: {purpose}".encode(), "sha256")

    assert told == number(derived("rows of split row types"))
    assert told not in (number(b"secret"), number(derived("people")))


@pytest.mark.everything
def test_a_short_secret_is_guessed_from_releases(sources: list[dict[str, list[Any]]]) -> None:
    # The reader has the releases and no function of ours. The 3 lowest of 13 rows are among the 4 suppressed ones under every
    # right secret, and under 4 wrong ones of 286.
    with Victim(secret=b"4071") as victim:
        releases = [split_rows.released(victim, source) for source in sources[:5]]
    left = [f"{pin:04}".encode() for pin in range(10_000)]
    for rows in releases:
        keys = dict(
            duckdb.execute(f"SELECT d, {SORT_KEY} FROM (SELECT unnest(?::BIGINT[]) AS d)", [candidates(rows)]).fetchall()
        )
        hidden = {d for zipcode, d in rows if zipcode is None}
        left = [secret for secret in left if lowest(secret, keys) <= hidden]
    assert left == [b"4071"]


def lowest(secret: bytes, keys: dict[int, bytes]) -> set[int]:
    """Return the rows that a program with this secret suppresses, by HMAC alone."""
    key = hmac.digest(secret, b"kanon-sql 1: rows of split row types", "sha256")
    return set(sorted(keys, key=lambda d: hmac.digest(key, keys[d], "sha256")[:8])[:LOWEST])
