"""`suppression_certificate` against every partition of small tables."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

Row = tuple[str | None, ...]

CASES = 60


def partitions(rows: list[int], k: int) -> Iterator[list[list[int]]]:
    """Yield each way to put rows into classes of at least k."""
    if not rows:
        yield []
        return
    first, others = rows[0], rows[1:]
    for chosen in range(1 << len(others)):
        block = [first, *(row for place, row in enumerate(others) if chosen >> place & 1)]
        if len(block) >= k:
            for rest in partitions([row for row in others if row not in block], k):
                yield [block, *rest]


def shown(rows: list[Row], blocks: list[list[int]]) -> list[Row]:
    """Return the release of a partition: each class shows what all of its rows agree on."""
    found: list[Row] = [()] * len(rows)
    for block in blocks:
        seen = tuple(each[0] if len(set(each)) == 1 else None for each in zip(*(rows[row] for row in block), strict=True))
        for row in block:
            found[row] = seen
    return found


def hidden(rows: list[Row], released: list[Row]) -> int:
    """Return the cells that a release hides, not counting those that hid nothing."""
    nulls = [sum(cell is None for row in table for cell in row) for table in (released, rows)]
    return nulls[0] - nulls[1]


def place(con: Any, name: str, rows: list[Row]) -> None:
    columns = ", ".join(f"c{number} VARCHAR" for number in range(len(rows[0])))
    con.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
    con.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)


def certificate(con: Any, k: int, width: int) -> dict[str, Any]:
    found = con.execute(f"FROM suppression_certificate('r', 'p', {k}, {[f'c{number}' for number in range(width)]})")
    return dict(zip([each[0] for each in found.description], found.fetchall()[0], strict=True))


@pytest.mark.everything
def test_no_release_of_a_small_table_hides_fewer_cells(shared: Any) -> None:
    rng, proven = random.Random(5), 0
    for case in range(CASES):
        width, k = rng.randint(1, 3), rng.randint(2, 3)
        values = ["a", "b", "*", None] if case % 3 else ["a", "b", "c"]
        rows = [tuple(rng.choice(values) for _ in range(width)) for _ in range(rng.randint(k, 6))]
        rows = [tuple(None if cell == "*" else cell for cell in row) for row in rows]
        releases = [shown(rows, blocks) for blocks in partitions(list(range(len(rows))), k)]
        costs = [hidden(rows, each) for each in releases]
        released = rng.choice(releases)
        place(shared, "p", rows)
        place(shared, "r", released)
        found = certificate(shared, k, width)
        classes = [released.count(each) for each in {*released}]
        assert found["suppressed_cells"] == hidden(rows, released), (rows, released)
        assert found["lower_bound"] <= min(costs), (rows, k)
        assert (found["smallest_class"], found["classes"]) == (min(classes), len(classes))
        assert (found["rows"], found["cells"]) == (len(rows), len(rows) * width)
        assert found["status"] == ("OPTIMAL" if found["suppressed_cells"] == found["lower_bound"] else "FEASIBLE")
        if found["suppressed_cells"]:
            assert found["gap"] == pytest.approx(1 - found["lower_bound"] / found["suppressed_cells"])
        proven += found["status"] == "OPTIMAL"
    assert CASES > proven > 0


def test_two_cells_are_proven_of_rows_that_are_alone_in_all_columns_but_one(shared: Any) -> None:
    place(shared, "p", [("a", "b", "c"), ("d", "e", "f"), ("a", "x", "y"), ("d", "x", "f")])
    place(shared, "r", [("a", None, None), ("d", None, "f"), ("a", None, None), ("d", None, "f")])
    found = certificate(shared, 2, 3)
    assert (found["suppressed_cells"], found["lower_bound"], found["status"]) == (6, 6, "OPTIMAL")


def test_a_release_with_a_small_class_is_broken_whatever_it_costs(shared: Any) -> None:
    place(shared, "p", [("a",), ("a",), ("b",)])
    place(shared, "r", [("a",), ("a",), (None,)])
    assert certificate(shared, 2, 1)["status"] == "BROKEN"


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("release", "k", "message"),
    [
        ([("a",), ("a",)], 2, "number of rows"),
        ([("a",), ("a",), ("c",)], 2, "not by suppression alone"),
        ([("a",), ("a",), ("a",)], 2, "more often"),
        ([(None,), (None,), (None,)], 4, "fewer than k rows"),
    ],
)
def test_what_is_no_release_by_suppression_is_refused(shared: Any, release: list[Row], k: int, message: str) -> None:
    place(shared, "p", [("a",), ("a",), ("b",)])
    place(shared, "r", release)
    with pytest.raises(duckdb.Error, match=message):
        certificate(shared, k, 1)


def test_cells_that_were_empty_must_stay_so(shared: Any) -> None:
    place(shared, "p", [("a",), (None,), ("a",)])
    place(shared, "r", [("a",), ("a",), ("a",)])
    with pytest.raises(duckdb.Error, match="shows more cells"):
        certificate(shared, 2, 1)


def test_odd_names_an_enum_and_an_empty_table(shared: Any) -> None:
    shared.execute("""CREATE OR REPLACE TABLE p AS FROM (VALUES
        ('x', 1, NULL), ('x', 1, 2), ('y', 2, 3), ('y', 3, 3)) AS t("select", "a""b", c)""")
    shared.execute("""CREATE OR REPLACE TABLE r AS
        SELECT CAST("select" AS ENUM ('x', 'y')) AS "select", NULL AS "a""b", NULL AS c FROM p""")
    found = shared.execute("FROM suppression_certificate('r', 'p', 2, ['select', 'a\"b', 'c'])").fetchall()
    assert found == [("FEASIBLE", 2, 2, 4, 12, 7, 3, 4 / 7)]
    shared.execute("CREATE OR REPLACE TABLE nobody AS FROM p LIMIT 0")
    nothing = shared.execute("FROM suppression_certificate('nobody', 'nobody', 2, ['select'])").fetchall()
    assert nothing == [("OPTIMAL", None, 0, 0, 0, 0, 0, 0.0)]
