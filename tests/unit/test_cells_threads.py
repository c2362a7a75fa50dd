"""The same source gives the same protected table: with any number of threads, in any order of its rows."""

from __future__ import annotations

import pytest

import kanon_sql

CREATE = """CREATE TABLE people AS
    SELECT hash(i) % 5 AS a, hash(i, 1) % hash(i, 2) % 4 AS b, hash(i, 3) % 3 AS c, i
    FROM range(250) AS t(i)
    ORDER BY {order}"""


def released(threads: int, order: str) -> list[tuple[int | None, ...]]:
    with kanon_sql.connect(config={"threads": threads}) as con:
        con.execute(CREATE.format(order=order))
        found = con.execute("SELECT a, b, c, count(*) AS n FROM people GROUP BY CUBE (a, b, c) PROTECT n >= 5")
        rows: list[tuple[int | None, ...]] = found.fetchall()
    return rows


@pytest.mark.everything
def test_the_same_source_gives_the_same_table() -> None:
    first = released(1, "i")
    hidden = sum(row[-1] is None for row in first)
    assert 20 < hidden < len(first)
    for threads, order in ((2, "i"), (4, "hash(i, 9)")):
        assert released(threads, order) == first
