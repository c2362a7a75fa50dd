"""`reidentification_risk` of a sample: its population as a table, and three models of how many of it are unique."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import comb, exp, inf, lgamma, log
from typing import Any

import duckdb
import pytest

Row = tuple[int | str | None, ...]

NAMES = [f"population_uniques{model}" for model in ("", "_zayatz", "_pitman", "_snb")]


def drawn(seed: int, rows: int = 3000) -> list[Row]:
    """A population with a few frequent combinations and many rare ones."""
    rng = random.Random(seed)
    return [(int(rng.random() ** 3 * 30), int(rng.random() ** 2 * 20), int(rng.random() ** 4 * 12)) for _ in range(rows)]


@pytest.fixture
def filled(shared: Any) -> Iterator[Callable[..., dict[str, Any]]]:
    """Return a function from a sample to its risk, beside its population."""

    def risk(sample: Sequence[Row], population: Sequence[Row] = (), more: str = "") -> dict[str, Any]:
        for name, rows in (("sample", sample), ("census", population)):
            shared.execute(f"CREATE OR REPLACE TABLE {name} (a INTEGER, b VARCHAR, c INTEGER)")
            if rows:
                values = ", ".join(f"({', '.join('NULL' if x is None else repr(x) for x in row)})" for row in rows)
                shared.execute(f"INSERT INTO {name} VALUES {values}")
        found = shared.execute(f"FROM reidentification_risk('sample', ['a', 'B', 'c']{more})")
        names = [column[0] for column in found.description]
        return dict(zip(names, found.fetchall()[0], strict=True))

    yield risk
    shared.execute("DROP TABLE IF EXISTS sample; DROP TABLE IF EXISTS census")


def zayatz(sizes: Counter[int], n: int, everybody: int) -> float:
    """The definition with binomial coefficients: uniques times the chance that they are unique in the population."""

    def alone(size: int) -> Fraction:
        return Fraction(size * comb(everybody - size, n - 1), comb(everybody, n))

    total = sum(many * alone(size) for size, many in sizes.items())
    return float(sizes[1] * (sizes[1] * alone(1) / total) / Fraction(n, everybody))


def pitman(sizes: Counter[int], n: int, everybody: int) -> float:
    """The maximum of the likelihood by nested golden sections, and what it says of the population."""
    u = sum(sizes.values())

    def likelihood(t: float, a: float) -> float:
        """Hoshino's, up to a constant; the products are quotients of gamma functions."""
        found = (u - 1) * log(a) + lgamma(t / a + u) - lgamma(t / a + 1) - lgamma(t + n) + lgamma(t + 1)
        return found + sum(many * (lgamma(size - a) - lgamma(1 - a)) for size, many in sizes.items())

    def best(function: Callable[[float], float], low: float, high: float) -> float:
        for _ in range(100):
            one, other = low + (high - low) * 0.382, low + (high - low) * 0.618
            low, high = (low, other) if function(one) > function(other) else (one, high)
        return (low + high) / 2

    def theta(a: float) -> float:
        return exp(best(lambda x: likelihood(exp(x), a), -5, 15))

    a = best(lambda x: likelihood(theta(x), x), 1e-3, 1 - 1e-6)
    return exp(lgamma(theta(a) + 1) - lgamma(theta(a) + a) + a * log(everybody))


def snb_misses(sizes: Counter[int], f: float, uniques: float) -> float:
    """How far the classes of one and two rows that the model expects are from those of the sample, at best."""
    ones = sum(many * (1 - f) ** size for size, many in sizes.items())
    once = sum(many * size * f * (1 - f) ** (size - 1) for size, many in sizes.items())
    above = sum(many * size * f * f * (1 - f * f) ** (size - 1) for size, many in sizes.items())
    below = sum(many * (1 - f) ** size * ((1 + f) ** size - 1) for size, many in sizes.items())
    k = sum(sizes.values()) + sizes[1] * above / below * (ones / once) ** 2
    best = inf
    for step in range(1, 1500):
        b = step / 1500
        a = log(uniques / k) / log(b)  # k b^a uniques
        # The sizes of the population are 1 plus a negative binomial number; each row is in the sample with probability f.
        expected = [0.0, 0.0]
        weight = b**a
        for size in range(1, 250):
            expected[0] += k * weight * size * f * (1 - f) ** (size - 1)
            expected[1] += k * weight * size * (size - 1) / 2 * f * f * (1 - f) ** (size - 2) if size > 1 else 0
            weight *= (a + size - 1) / size * (1 - b)
        best = min(best, abs(expected[0] / sizes[1] - 1) + abs(expected[1] / sizes[2] - 1))
    return best


@pytest.mark.everything
@pytest.mark.parametrize(("seed", "fraction"), [(1, 0.1), (2, 0.25)])
def test_the_models_are_their_definitions(filled: Callable[..., dict[str, Any]], seed: int, fraction: float) -> None:
    population = drawn(seed)
    sample = random.Random(seed).sample(population, int(len(population) * fraction))
    sizes = Counter(Counter(sample).values())
    found = filled(sample, more=f", fraction := {fraction}")
    by_rule, by_zayatz, by_pitman, by_snb = (found[name] for name in NAMES)
    assert by_zayatz == pytest.approx(zayatz(sizes, len(sample), len(population)), rel=1e-6)
    assert by_pitman == pytest.approx(pitman(sizes, len(sample), len(population)), rel=1e-4)
    assert snb_misses(sizes, fraction, by_snb) < 0.01 < snb_misses(sizes, fraction, by_snb * 1.2)
    assert by_rule == (by_pitman if fraction <= 0.1 else min(by_zayatz, by_snb))
    truly = list(Counter(population).values()).count(1)
    assert truly / 2 < by_rule < truly * 2


@pytest.mark.everything
def test_what_no_model_can_tell_is_null(filled: Callable[..., dict[str, Any]]) -> None:
    pairs = [(i // 2, "x", 0) for i in range(40)]
    assert [filled(pairs, more=", fraction := 0.1")[name] for name in NAMES] == [0, 0, 0, 0]
    assert [filled([], more=", fraction := 0.1")[name] for name in NAMES] == [None] * 4
    assert [filled(pairs)[name] for name in NAMES] == [None] * 4
    alone = [(i, "x", 0) for i in range(40)]  # no pair: the equations of the slide negative binomial have no solution
    found = filled(alone, more=", fraction := 0.5")
    assert found["population_uniques_snb"] is None
    assert found["population_uniques"] == found["population_uniques_zayatz"] == pytest.approx(80)


@pytest.mark.parametrize("seed", range(4))
def test_the_journalist_looks_among_the_population(filled: Callable[..., dict[str, Any]], seed: int) -> None:
    rng = random.Random(seed)
    population: list[Row] = [(rng.randrange(3), rng.choice(["x", "y", "Y"]), rng.choice([None, 1])) for _ in range(60)]
    sample = [
        (row[0] if rng.random() < 0.7 else None, row[1] if rng.random() < 0.7 else "*", row[2]) for row in population[:20]
    ]

    def matching(shown: Row) -> int:
        return sum(all(x in (None, "*") or x == y for x, y in zip(shown, row, strict=True)) for row in population)

    found = filled(sample, population, ", population := 'census'")
    assert found["journalist_risk"] == pytest.approx(1 / min(map(matching, sample)))
    assert found["prosecutor_risk"] == pytest.approx(1 / min(Counter(sample).values()))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (", fraction := 1", "fraction is not a number between 0 and 1"),
        (", fraction := 'half'", "fraction is not a number between 0 and 1"),
        (", population := 'a; b'", "population is not the name of a table"),
        (", population := 'census'", "1 classes match no row of the population"),
    ],
)
def test_what_says_nothing_is_an_error(filled: Callable[..., dict[str, Any]], more: str, says: str) -> None:
    with pytest.raises(duckdb.Error, match=says) as caught:
        filled([(7, "secret", 1)], [(1, "x", 1)], more)
    assert "secret" not in str(caught.value)


def test_a_population_without_a_column_or_a_list_is_an_error(shared: Any) -> None:
    with shared.cursor() as con:
        con.execute("CREATE TEMP TABLE narrow AS SELECT 1 AS a; CREATE TEMP TABLE wide AS SELECT 1 AS a, 2 AS b")
        with pytest.raises(duckdb.Error, match="b"):
            con.execute("FROM reidentification_risk('wide', ['a', 'b'], population := 'narrow')")
        with pytest.raises(duckdb.Error, match="a population needs qi"):
            con.execute("FROM reidentification_risk('wide', population := 'narrow')")
