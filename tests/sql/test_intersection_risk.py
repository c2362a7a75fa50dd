"""What two releases give away together, against plain Python over sets."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scratch import scratch

import kanon_sql
from kanon_sql import errors

cell = st.one_of(st.none(), st.integers(0, 2))
rows = st.lists(st.tuples(st.one_of(st.none(), st.integers(0, 7)), cell, cell), min_size=0, max_size=14)

Release = list[tuple[int | None, int | None, int | None]]


def classes(release: Release) -> dict[tuple[object, ...], set[int]]:
    """Return the people of each class."""
    found: dict[tuple[object, ...], set[int]] = {}
    for person, *values in release:
        if person is not None:
            found.setdefault(tuple(values), set()).add(person)
    return found


def naive(first: Release, second: Release, k: int) -> dict[str, object]:
    """Intersect the classes of each person, two at a time."""
    one, two = classes(first), classes(second)
    both = set().union(*one.values()) & set().union(*two.values())
    left = {
        person: min(len(a & b) for a in one.values() for b in two.values() if person in a and person in b) for person in both
    }
    smallest = [min((len(members) for members in side.values() if members & both), default=None) for side in (one, two)]
    below = sum(number < k for number in left.values())
    return {
        "people": len(both),
        "smallest_in_first": smallest[0],
        "smallest_in_second": smallest[1],
        "smallest_candidates": min(left.values(), default=None),
        "average_candidates": sum(left.values()) / len(both) if both else None,
        "average_risk": sum(1 / number for number in left.values()) / len(both) if both else None,
        "alone": sum(number == 1 for number in left.values()),
        "below_k": below,
        "share_below_k": below / len(both) if both else None,
    }


@pytest.mark.everything
@settings(max_examples=80)
@given(first=rows, second=rows, k=st.integers(1, 4))
def test_candidates_are_those_in_both_classes(
    registered: duckdb.DuckDBPyConnection, first: Release, second: Release, k: int
) -> None:
    with scratch(registered) as con:
        for name, release in (("one", first), ("two", second)):
            con.execute(f"CREATE TABLE {name} (person INTEGER, zip INTEGER, age INTEGER)")
            con.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", release or [(None, None, None)])
        found = con.execute(f"FROM intersection_risk('one', 'two', 'person', ['zip', 'age'], k := {k})")
        names = [column[0] for column in found.description]
        assert dict(zip(names, found.fetchall()[0], strict=True)) == pytest.approx(naive(first, second, k), nan_ok=True)


def test_two_releases_that_are_2_anonymous_leave_everybody_alone() -> None:
    first = pa.table({"person": [1, 2, 3, 4], "zip": [1, 1, 2, 2]})
    second = pa.table({"person": ["1", "2", "3", "4"], "zip": [1, 2, 2, 1]})
    risk = kanon_sql.intersection_risk(first, second, "person", ["zip"], k=2)
    assert (risk.people, risk.alone, risk.smallest_in_first, risk.average_risk) == (4, 4, 2, 1.0)
    assert kanon_sql.intersection_risk(first, first, "person", ["zip"], k=2).below_k == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nobody", ["zip"]), 'unknown column "nobody"'),
        (("person", ["age"]), 'unknown column "age"'),
        (("person", []), "must be a list of names"),
        (("person", "zip"), "must be a list of names"),
        ((None, ["zip"]), "must be a column name"),
    ],
)
def test_wrong_calls(arguments: tuple[object, object], message: str) -> None:
    table = pa.table({"person": [1], "zip": [1]})
    with pytest.raises(errors.PolicyError, match=message):
        kanon_sql.intersection_risk(table, table, *arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("'p', 'p', 'zip', []", "qi is an empty list"),
        ("'p', 'p', 'zip', NULL", "qi is NULL"),
        ("'p', 'p', NULL, ['zip']", "key is not a column name"),
        ("'p; x', 'p', 'zip', ['zip']", "first is not the name of a table"),
        ("'p', 'p x', 'zip', ['zip']", "second is not the name of a table"),
        ("'p', 'p', 'zip', ['zip'], k := 0", "k must be a whole number"),
    ],
)
def test_the_macro_refuses_what_it_cannot_read(con: duckdb.DuckDBPyConnection, call: str, message: str) -> None:
    con.execute("CREATE TABLE p AS SELECT 1 AS zip")
    with pytest.raises(duckdb.InvalidInputException, match=message):
        con.execute(f"FROM intersection_risk({call})").fetchall()
