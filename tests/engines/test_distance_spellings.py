"""A table of distances in any natural spelling and scale: the solver, the gate and the macro read the same exact numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanon_sql
from kanon_sql.engines.duckdb.texts import guarantee_text
from kanon_sql.errors import PolicyError
from kanon_sql.model.distance_texts import distance_of

THIRDS = {
    "whole numbers": ("INTEGER", ["1", "2", "3"]),
    "quotients": ("VARCHAR", ["'1/3'", "'2/3'", "'1'"]),
    "doubles": ("DOUBLE", ["1::DOUBLE / 3", "2::DOUBLE / 3", "1"]),
    "percent": ("DOUBLE", ["100::DOUBLE / 3", "200::DOUBLE / 3", "100"]),
    "decimals": ("DECIMAL(9, 3)", ["0.333", "0.666", "0.999"]),
    "wide decimals": ("DECIMAL(38, 18)", ["0.25", "0.5", "0.75"]),
    "small doubles": ("DOUBLE", ["1e-9", "2e-9", "3e-9"]),
    "texts": ("VARCHAR", ["'.5'", "'1.0'", "'15e-1'"]),
}
"""Four values on a line, a third of its length apart."""


@pytest.fixture
def line(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return a connection with a table in which the values 0 to 3 are spread unevenly over three zip codes."""
    con.execute("CREATE TABLE t AS SELECT i % 3 AS zip, (i * i // 5) % 4 AS place FROM range(40) AS t(i)")
    return con


@pytest.mark.everything
@pytest.mark.own_connection
@pytest.mark.parametrize("spelling", THIRDS)
def test_thirds_in_any_spelling(line: duckdb.DuckDBPyConnection, spelling: str) -> None:
    """Distances on a line are those of the numbers themselves, which are read and solved in another way."""
    kind, texts = THIRDS[spelling]
    line.execute(f"CREATE TABLE apart (a INTEGER, b INTEGER, distance {kind})")
    for a in range(4):
        for b in range(a + 1, 4):
            line.execute(f"INSERT INTO apart VALUES ({a}, {b}, {texts[b - a - 1]})")
    exact = "SELECT t_numerator, t_denominator FROM t_closeness('t', ['zip'], 'place', '{}')"
    numbers = line.sql(exact.format("numeric")).fetchall()
    assert numbers[0][0] > 0
    assert line.sql(exact.format("apart")).fetchall() == numbers
    t = Fraction(*numbers[0])
    suppressed = "SELECT count(*) - count(zip) FROM t_close('t', 'place', {}::DOUBLE / {}, '{}', k := 1)"
    for above in (t.numerator, t.numerator - 1):
        found = [line.sql(suppressed.format(above, t.denominator, metric)).fetchall() for metric in ("numeric", "apart")]
        assert found[0] == found[1]
        assert (found[1] == [(0,)]) == (above == t.numerator)


@pytest.mark.everything
def test_a_table_from_python() -> None:
    source = pd.DataFrame({"zip": ["a", "b"] * 8, "place": list("abcd") * 4})
    pairs = [(one, other) for one in "abcd" for other in "abcd" if one < other]
    apart = pd.DataFrame({"a": [one for one, _ in pairs], "b": [other for _, other in pairs]})
    steps = [ord(other) - ord(one) for one, other in pairs]
    for distance in (steps, [step / 3 for step in steps], [Decimal(step) for step in steps], [f"{step}/3" for step in steps]):
        closeness = kanon_sql.TCloseness(sensitive="place", t="1/3", metric="apart")
        tables = {"apart": apart.assign(distance=distance)}
        release = kanon_sql.anonymize(source, 2, quasi_identifiers=["zip"], requirements=[closeness], tables=tables)
        assert release.certificate.cost == 0


def read_by_gate(con: Any, texts: list[str]) -> list[Fraction | None]:
    """Return the numbers that the gate reads, or None."""
    query = guarantee_text("t_closeness_distances", table="given", a='"kanon#t".a::VARCHAR', b='"kanon#t".b::VARCHAR')
    con.execute("CREATE OR REPLACE TEMP TABLE given (a INTEGER, b INTEGER, distance VARCHAR)")
    con.executemany("INSERT INTO given VALUES (?, 0, ?)", list(enumerate(texts)))
    rows = con.sql(f"SELECT a::INTEGER AS a, above, below FROM ({query}) ORDER BY a").fetchall()
    con.execute("DROP TABLE given")
    return [None if above is None else Fraction(above, below) for _, above, below in rows]


SIMPLE = st.fractions(0, 1, max_denominator=10**6) | st.fractions(0, 4000, max_denominator=10**4)


@settings(max_examples=30)
@given(numbers=st.lists(SIMPLE, min_size=1, max_size=20))
def test_the_double_of_a_fraction_is_the_fraction(shared: Any, numbers: list[Fraction]) -> None:
    texts = [repr(float(number)) for number in numbers]
    assert [distance_of(text) for text in texts] == numbers
    assert read_by_gate(shared, texts) == numbers


ANY = st.one_of(
    st.floats(0, 1e30, allow_nan=False).map(repr),
    st.decimals(0, 10**6, places=9).map(str),
    st.from_regex(r"[0-9]{1,18}/[0-9]{1,18}", fullmatch=True),
    st.from_regex(r"-?[0-9]{0,20}\.?[0-9]{0,20}(e[+-]?[0-9]{1,2})?", fullmatch=True),
)


@settings(max_examples=30)
@given(texts=st.lists(ANY, min_size=1, max_size=20))
def test_the_gate_reads_what_the_solver_reads(shared: Any, texts: list[str]) -> None:
    expected = [distance_of(text.encode("ascii", "ignore").decode()) for text in texts]
    assert read_by_gate(shared, [text.encode("ascii", "ignore").decode() for text in texts]) == expected


@pytest.mark.parametrize("text", ["", ".", "e5", "1/0", "-1", "nan", "inf", "1e", "0x1", "1/3/4", "1e99", "1 2", "\u0661"])
def test_what_is_no_distance(shared: Any, text: str) -> None:
    assert distance_of(text) is None
    assert read_by_gate(shared, [text]) == [None]


@pytest.mark.everything
def test_distances_without_a_common_measure(con: duckdb.DuckDBPyConnection) -> None:
    """The diagonal of a square is no fraction of its side: the release is refused, and the macro counts to 18 decimals."""
    con.execute("CREATE TABLE t AS SELECT i % 2 AS zip, i AS corner FROM range(4) AS t(i)")
    con.execute("""CREATE TABLE apart AS SELECT x.i AS a, y.i AS b, sqrt((x.i % 2 - y.i % 2) ** 2 + (x.i // 2 - y.i // 2) ** 2)
        AS distance FROM range(4) AS x(i), range(4) AS y(i) WHERE a < b""")
    with pytest.raises(
        PolicyError,
        match=r"too many digits, to be added exactly; hint: round to fewer digits, "
        "and write a third as",
    ):
        kanon_sql.anonymize(
            con.sql("FROM t").to_arrow_table(),
            2,
            quasi_identifiers=["zip"],
            requirements=[kanon_sql.TCloseness(sensitive="corner", t=1, metric="apart")],
            tables={"apart": con.sql("FROM apart").to_arrow_table()},
        )
    [(t,)] = con.sql("SELECT t FROM t_closeness('t', ['zip'], 'corner', 'apart')").fetchall()
    assert t == pytest.approx(0.5 / 2**0.5)
