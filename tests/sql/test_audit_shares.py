"""`beta_likeness` and `delta_disclosure` against their definitions, on random tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from math import inf, log
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanon_sql

ROWS = st.lists(st.tuples(st.sampled_from([None, "", "a", "b"]), st.sampled_from([None, "x", "y", "z"])), max_size=25)

Row = tuple[str | None, str | None]


def row_of(con: Any, macro: str) -> dict[str, Any]:
    found = con.execute(f"FROM {macro}('shares', ['q'], 's')")
    names = [column[0] for column in found.description]
    return dict(zip(names, found.fetchall()[0], strict=True))


def ratios(rows: list[Row]) -> dict[str | None, dict[str | None, Fraction]]:
    """The share of each value in each class over its share in the table."""
    classes: defaultdict[str | None, Counter[str | None]] = defaultdict(Counter)
    for q, s in rows:
        classes[q][s] += 1
    whole = Counter(s for _, s in rows)
    return {q: {s: Fraction(n * len(rows), one.total() * whole[s]) for s, n in one.items()} for q, one in classes.items()}


@pytest.mark.everything
@settings(max_examples=60, deadline=None)
@given(rows=ROWS)
def test_both_figures(shared: Any, rows: list[Row]) -> None:
    shared.execute("CREATE OR REPLACE TEMP TABLE shares (q VARCHAR, s VARCHAR)")
    if rows:
        shared.executemany("INSERT INTO shares VALUES (?, ?)", rows)
    likeness, disclosure = row_of(shared, "beta_likeness"), row_of(shared, "delta_disclosure")
    shared.execute("DROP TABLE shares")
    found, whole = ratios(rows), Counter(s for _, s in rows)
    assert (likeness["rows"], likeness["classes"]) == (disclosure["rows"], disclosure["classes"]) == (len(rows), len(found))
    if not rows:
        assert {*likeness.values(), *disclosure.values()} == {None, 0}
        return
    every = [ratio for one in found.values() for ratio in one.values()]
    assert likeness["beta"] == pytest.approx(float(max(every) - 1))
    worst = Fraction(likeness["worst_count"] * len(rows), likeness["worst_size"] * likeness["worst_total"])
    assert worst == max(every)
    beyond = sum(any(r > 1 and float(r - 1) > -log(whole[s] / len(rows)) for s, r in one.items()) for one in found.values())
    assert likeness["beyond_log"] == beyond
    farthest = max(max(each, 1 / each) for each in every)
    assert Fraction(disclosure["ratio_numerator"], disclosure["ratio_denominator"]) == farthest
    assert disclosure["incomplete"] == sum(one.keys() != whole.keys() for one in found.values())
    assert disclosure["delta"] == (inf if disclosure["incomplete"] else pytest.approx(log(farthest)))


def test_an_example_by_hand() -> None:
    """4 of 10 rows have flu, 3 of 4 in a class, which is a gain of 7/8 and below -ln 0.4 = 0.92."""
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE shares AS SELECT i < 4 AS q, (i < 3 OR i = 9)::INTEGER AS s FROM range(10) r(i)")
        found = row_of(con, "beta_likeness")
        assert (found["beta"], found["worst_count"], found["worst_size"], found["worst_total"]) == (0.875, 3, 4, 4)
        assert found["beyond_log"] == 0
        con.execute("UPDATE shares SET s = 1 WHERE q")
        assert row_of(con, "beta_likeness")["beyond_log"] == 1  # all of a class: a gain of 1, above -ln 0.5


@pytest.mark.everything
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"beta": "1/2"}, "beta.* does not hold: the greatest gain is 0.600000, and in 0 classes"),
        ({"delta": "1/2"}, "delta.* does not hold: the greatest disclosure is 0.916291"),
    ],
)
def test_the_audit_refuses_what_breaks_them(asked: dict[str, str], message: str) -> None:
    import pyarrow as pa

    table = pa.table({"q": [1] * 5 + [2] * 5, "s": ["a", "b", "b", "b", "b", "a", "a", "a", "a", "b"]})
    about = {"quasi_identifiers": ["q"], "sensitive": "s"}
    with pytest.raises(kanon_sql.errors.AuditError, match=message):
        kanon_sql.audit(table, **about, **asked)
    found = kanon_sql.audit(table, **about, beta="3/5", delta=1)
    assert (found.beta, found.t) == (Fraction(3, 5), Fraction(3, 10))
    assert found.delta == pytest.approx(log(5 / 2))
