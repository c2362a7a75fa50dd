"""`audit` in Python of a sample: beside its population of every kind, and with the share of it that the sample is."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import KanonError, PolicyError, SourceError, UnknownColumnError

QI = ["zip", "age"]

FIGURES = [
    "journalist_risk",
    "population_uniques",
    "population_uniques_zayatz",
    "population_uniques_pitman",
    "population_uniques_snb",
]


def people(seed: int, rows: int) -> pa.Table:
    """Draw frequent and rare combinations of a text and a number."""
    draw = random.Random(seed)
    return pa.table(
        {
            "ZIP": [f"9810{int(draw.random() ** 3 * 9)}" for _ in range(rows)],
            "name": [f"n{i}" for i in range(rows)],
            "age": [int(draw.random() ** 2 * 40) for _ in range(rows)],
        }
    )


CENSUS = people(1, 600)
SAMPLE = pa.table(
    {
        "zip": [cell if i % 5 else None for i, cell in enumerate(CENSUS["ZIP"].to_pylist()[:150])],
        "age": CENSUS["age"].to_pylist()[:150],
    }
)


def by_macro(shared: Any, more: str) -> dict[str, Any]:
    shared.register("sampled", SAMPLE)
    shared.register("everybody", CENSUS)
    try:
        found = shared.execute(f"FROM reidentification_risk('sampled', ['zip', 'age'], {more})")
        return dict(zip([column[0] for column in found.description], found.fetchall()[0], strict=True))
    finally:
        shared.unregister("sampled")
        shared.unregister("everybody")


@pytest.mark.everything
@pytest.mark.parametrize("fraction", [0.05, "1/4"])
def test_the_figures_are_those_of_the_macro(shared: Any, fraction: Any) -> None:
    expected = by_macro(shared, f"population := 'everybody', fraction := {float(Fraction(fraction))}")
    found = kanon_sql.audit(SAMPLE, quasi_identifiers=QI, population=CENSUS, fraction=fraction)
    assert expected["population_uniques"] > 0
    for name in FIGURES:
        assert getattr(found, name) == pytest.approx(expected[name], rel=1e-12), name  # sums of floats, on several threads
    assert (found.highest_risk, found.average_risk) == (expected["prosecutor_risk"], expected["prosecutor_risk_average"])


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars", "relation"])
def test_a_population_of_every_kind(kind: str) -> None:
    rows = list(zip(CENSUS["ZIP"].to_pylist(), CENSUS["age"].to_pylist(), strict=True))
    matching = [
        sum(where in (None, there) and old == age for there, age in rows)
        for where, old in zip(SAMPLE["zip"].to_pylist(), SAMPLE["age"].to_pylist(), strict=True)
    ]
    with duckdb.connect() as con:
        population = {
            "arrow": lambda: CENSUS,
            "pandas": CENSUS.to_pandas,
            "polars": lambda: pl.from_arrow(CENSUS),
            "relation": lambda: con.from_arrow(CENSUS),
        }[kind]()
        found = kanon_sql.audit(SAMPLE, quasi_identifiers=QI, population=population)
        again = kanon_sql.audit(con.from_arrow(SAMPLE), population=population)  # every column of the sample, whatever its kind
    assert found.journalist_risk == again.journalist_risk == 1 / min(matching)
    assert (found.rows, found.population_uniques) == (150, None)


def test_a_category_is_the_text_that_it_shows() -> None:
    category = pl.Enum(["high", "low"])
    sample = pl.DataFrame({"q": ["low", "high"]}, schema={"q": category})
    population = pl.DataFrame({"q": ["low", "low", "high", "high", "high"]}, schema={"q": pl.Enum(["low", "mid", "high"])})
    found = kanon_sql.audit(sample, population=population)
    assert (found.k, found.highest_risk, found.journalist_risk) == (1, 1, 0.5)


@pytest.mark.everything
def test_only_what_is_asked_for_is_told() -> None:
    assert [getattr(kanon_sql.audit(SAMPLE, quasi_identifiers=QI), name) for name in FIGURES] == [None] * 5
    found = kanon_sql.audit(SAMPLE, quasi_identifiers=QI, fraction=0.25)
    assert found.journalist_risk is None
    assert found.population_uniques is not None


def test_an_empty_table_has_no_figures() -> None:
    found = kanon_sql.audit(SAMPLE.slice(0, 0), quasi_identifiers=QI, population=CENSUS, fraction=0.5)
    assert [getattr(found, name) for name in FIGURES] == [None] * 5


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        ({"fraction": 0}, PolicyError, "fraction must be above 0 and below 1; hint: "),
        ({"fraction": 1}, PolicyError, "fraction must be above 0 and below 1; hint: "),
        ({"fraction": -0.5}, PolicyError, "fraction must be above 0 and below 1; hint: "),
        ({"fraction": float("nan")}, PolicyError, "fraction must be a number, got float; hint: "),
        ({"fraction": True}, PolicyError, "fraction must be a number, got bool; hint: "),
        ({"fraction": "half"}, PolicyError, "fraction must be a number, got str; hint: "),
        ({"fraction": "1e-400"}, SourceError, "fraction is not a number between 0 and 1"),
        ({"population": [1, 2]}, SourceError, "a list is not a table; hint: "),
        ({"population": "census"}, SourceError, "a str is not a table; hint: "),
        (
            {"population": CENSUS.select(["age"])},
            UnknownColumnError,
            'unknown column "zip" in the audit of the population; hint: the columns are "age"',
        ),
        ({"population": CENSUS.slice(0, 0)}, SourceError, "classes match no row of the population (take the coarser"),
        ({"population": CENSUS.append_column("AGE", CENSUS["age"])}, SourceError, "hint: "),
        (
            {"population": pa.table({"zip": pa.array([Decimal(1)], pa.decimal256(60, 0)), "age": [1]})},
            SourceError,
            'column "zip"',
        ),
    ],
)
def test_what_says_nothing_is_refused(names: dict[str, Any], error: type[KanonError], message: str) -> None:
    with pytest.raises(error) as caught:
        kanon_sql.audit(SAMPLE, quasi_identifiers=QI, **names)
    assert message in str(caught.value)
    assert "9810" not in str(caught.value)


def test_a_population_that_cannot_be_read_is_not_quoted() -> None:
    with duckdb.connect() as con:
        broken = con.sql("SELECT CAST(x AS INTEGER) AS age, '1' AS zip FROM (VALUES ('1'), ('CANARYflu')) AS t(x)")
        with pytest.raises(SourceError, match="relation cannot be read") as caught:
            kanon_sql.audit(SAMPLE, quasi_identifiers=QI, population=broken)
    assert "CANARY" not in str(caught.value)
