"""Top and bottom coding, and cuts: against every partition of small tables, on each surface, and with clear errors."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest
from naive import class_sizes, optimum

import kanon_sql
from kanon_sql.errors import AuditError, KanonError, PolicyError

Shown = Callable[[int], list[str]]

K = 2


def coded(value: int) -> list[str]:
    """TOP 15 BOTTOM 3."""
    return ["15+" if value >= 15 else "<=3" if value <= 3 else str(value)]


def widths(value: int) -> list[str]:
    """INTERVALS (4, 8) TOP 15 BOTTOM 3; an interval that begins below 4 begins above 3."""
    if value >= 15 or value <= 3:
        return coded(value) * 3
    found = [str(value)]
    for width in (4, 8):
        low, high = value // width * width, min(15, value // width * width + width)
        found.append(f"[{low}, {high})" if low > 3 else f"(3, {high})")
    return found


def cuts(value: int) -> list[str]:
    """CUTS (5, 12)."""
    return [str(value), "<5" if value < 5 else "[5, 12)" if value < 12 else "12+"]


def cuts_and_top(value: int) -> list[str]:
    """CUTS (5, 12) TOP 17."""
    if value >= 17:
        return ["17+", "17+"]
    return [str(value), "<5" if value < 5 else "[5, 12)" if value < 12 else "[12, 17)"]


def only_widths(value: int) -> list[str]:
    """INTERVALS ONLY (4, 8) TOP 15 BOTTOM 3."""
    return widths(value)[1:]


WAYS: dict[str, Shown] = {
    "TOP 15 BOTTOM 3": coded,
    "INTERVALS (4, 8) TOP 15 BOTTOM 3": widths,
    "CUTS (5, 12)": cuts,
    "CUTS (5, 12) TOP 17": cuts_and_top,
    "INTERVALS ONLY (4, 8) TOP 15 BOTTOM 3": only_widths,
}


def people(seed: int, rows: int) -> pa.Table:
    rng = random.Random(seed)
    ages = [rng.randint(0, 20) for _ in range(rows)]
    return pa.table({"age": ages, "sex": [rng.choice("fm") for _ in range(rows)], "id": range(rows)})


def release_of(source: pa.Table, way: str, **options: object) -> kanon_sql.Release:
    """Release a table; its rows come back in the order of the source."""
    given = {"k": K, "quasi_identifiers": ["age", "sex"], "keep": ["id"], "unlisted_limit": 1, **options}
    release = kanon_sql.anonymize(source, recodings={"age": way}, **given)
    return replace(release, table=release.table.sort_by("id"))


def levels_of(shown: Shown, values: Sequence[int]) -> tuple[list[list[str]], list[Fraction]]:
    """The labels of each row at each level that shows less than the finer ones, and what it loses."""
    known = sorted({*values})
    levels: list[dict[int, str]] = []
    losses: list[Fraction] = []
    for level in range(len(shown(0))):
        labels = {value: shown(value)[level] for value in known}
        shared = Counter(labels.values())
        if levels and len(shared) == len({*levels[-1].values()}):
            continue
        share = Fraction(sum(shared[labels[value]] - 1 for value in values), len(values) * max(1, len(known) - 1))
        least = losses[-1] + Fraction(1, 1000) if losses else Fraction(0)
        levels.append(labels)
        losses.append(max(Fraction(round(share * 1000), 1000), least))
    for above in range(1, len(losses) + 1):
        if losses[-above] or above < len(losses):
            losses[-above] = min(losses[-above], 1 - Fraction(above, 1000))
    return [[labels[value] for labels in levels] for value in values], losses


@pytest.mark.sweep
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(6))
def test_small_tables_lose_as_little_as_any_partition(way: str, seed: int) -> None:
    source = people(seed, 7)
    ages, sexes = source.column("age").to_pylist(), source.column("sex").to_pylist()
    labels, losses = levels_of(WAYS[way], ages)
    release = release_of(source, way, algorithm="optimal")
    after = release.table.column("age").to_pylist()
    assert all(each is None or each in own for each, own in zip(after, labels, strict=True))
    assert min(class_sizes(release.table, ["age", "sex"]).values()) >= K
    paid = sum(losses[own.index(each)] if each is not None else Fraction(1) for each, own in zip(after, labels, strict=True))
    paid += release.table.column("sex").null_count
    steps = [high - low for low, high in zip(losses, [*losses[1:], Fraction(1)], strict=True)]
    rows = [(sex, *own) for sex, own in zip(sexes, labels, strict=True)]
    least = optimum(rows, K, None, [Fraction(1), *steps]) + len(rows) * losses[0]
    assert paid == release.certificate.cost == release.certificate.lower_bound == least


@pytest.mark.everything
@pytest.mark.parametrize("way", [way for way in WAYS if "TOP" in way])
def test_no_release_shows_a_number_beyond_an_end_finer(way: str) -> None:
    source = people(11, 200)
    top = 17 if "17" in way else 15
    for options in ({"k": 1}, {"k": 3}, {"k": 3, "algorithm": "greedy"}, {"k": 3, "algorithm": "full_domain"}):
        shown = release_of(source, way, **options).table.column("age").to_pylist()
        for before, after in zip(source.column("age").to_pylist(), shown, strict=True):
            if before >= top:
                assert after in (f"{top}+", None)
            elif before <= 3 and "BOTTOM" in way:
                assert after in ("<=3", None)


@pytest.mark.everything
def test_every_surface_takes_ends() -> None:
    with kanon_sql.connect(secret=b"0" * 32) as con:
        con.register("source", people(5, 80))
        ends = {"type": "intervals", "steps": [4, 8], "top": 15, "bottom": 3}
        policy: dict[str, object] = {"quasi_identifiers": [{"column": "age", "recoding": ends}, {"column": "sex"}]}
        policy |= {"keep": ["id"], "requirements": [{"type": "k", "k": 3}], "unlisted_limit": 1}
        queries = (
            "FROM source ANONYMIZE BY age IN INTERVALS (4, 8) TOP 15 BOTTOM 3, sex KEEP id GUARANTEE k >= 3 "
            "USING auto (unlisted_limit = 1)",
            "FROM k_anonymize('source', 3, qi := ['age', 'sex'], keep := ['id'], unlisted_limit := 1, "
            "recodings := MAP {'age': 'INTERVALS (4, 8) BOTTOM 3 TOP 15'})",
            f"FROM anonymize('source', '{json.dumps(policy)}')",
        )
        found = [con.sql(f"SELECT * FROM ({query}) ORDER BY id").fetchall() for query in queries]
        explained = con.sql("EXPLAIN " + "ANONYMIZE SELECT age, sex FROM source ANONYMIZE BY age TOP 15, sex GUARANTEE k >= 3")
        assert explained.fetchall()
    assert found[0] == found[1] == found[2]


def test_masks_may_name_the_numbers_between_the_ends() -> None:
    source = people(6, 60)
    masks = [["age TOP 15", "sex"], ["age IN INTERVALS (8) TOP 15"], []]
    way = "INTERVALS (8) TOP 15"
    table = release_of(source, way, masks=masks).table
    for age, sex in zip(table.column("age").to_pylist(), table.column("sex").to_pylist(), strict=True):
        assert sex is None or age is None or not age.startswith("[")
    with pytest.raises(PolicyError, match="write the same TOP and BOTTOM in every set"):
        release_of(source, way, masks=[["age TOP 14", "sex"], []])


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("way", "column", "told"),
    [
        ("TOP 90", "sex", "60 of the 60|2 of the 2 distinct values are not numbers"),
        ("TOP 90", "born", "values are not numbers; hint: use INTERVALS"),
        ("CUTS (3)", "sex", "values are not numbers"),
        ("TOP 1 BOTTOM 2", "age", "TOP must be above BOTTOM"),
        ("TOP ninety", "age", "expected a number; hint: write age TOP 90"),
        ("INTERVALS ONLY (4) TOP 15 LOSS (0.1, 0.5)", "age", "there are 2 losses for 1 levels"),
        ("INTERVALS (4) TOP 15 LOSS (0.5)", "age", "there are 1 losses for 2 levels"),
    ],
)
def test_what_has_no_ends_is_refused(way: str, column: str, told: str) -> None:
    source = people(5, 60).append_column("born", pa.array([f"2020-01-{day % 28 + 1:02}" for day in range(60)]))
    with pytest.raises(KanonError, match=told):
        kanon_sql.anonymize(source, k=2, quasi_identifiers=["age", "sex", "born"], keep=["id"], recodings={column: way})


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("by", "label", "instead"),
    [
        ("age TOP 15", "15+", "16"),
        ("age TOP 15", "15+", "15"),
        ("age IN INTERVALS (4) BOTTOM 7", "<=7", "[4, 8)"),
        ("age IN CUTS (9)", "9+", "<9"),
        ("age IN INTERVALS (5) TOP 19", "[15, 19)", "[14, 15)"),
        ("age IN CUTS ONLY (9)", "9+", "9"),
    ],
)
def test_a_label_that_shows_more_than_an_end_permits_is_not_released(
    monkeypatch: pytest.MonkeyPatch, by: str, label: str, instead: str
) -> None:
    """The audit reads labels as texts: what the ladder made is changed behind the search."""
    from kanon_sql.table import ladder

    made = ladder.Ladder.of.__func__  # type: ignore[attr-defined]

    def wrong(cls: type, *given: object, **named: object) -> ladder.Ladder:
        found: ladder.Ladder = made(cls, *given, **named)
        return replace(found, labels=tuple([instead if each == label else each for each in level] for level in found.labels))

    monkeypatch.setattr(ladder.Ladder, "of", classmethod(wrong))
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE t AS SELECT i % 20 AS age, i % 2 AS sex FROM range(200) r(i)")
        with pytest.raises(AuditError, match="labels of the column age do not cover"):
            con.sql(f"FROM t ANONYMIZE BY {by}, sex GUARANTEE k >= 12").fetchall()


@pytest.mark.everything
def test_the_loss_macro_reads_the_labels() -> None:
    with kanon_sql.connect() as con:
        con.register("source", people(9, 300))
        ways = {"TOP 15 BOTTOM 3": coded, "IN INTERVALS (4, 8) TOP 15 BOTTOM 3": widths, "IN CUTS (5, 12)": cuts}
        for way, shown in ways.items():
            con.execute(f"CREATE OR REPLACE TABLE r AS SELECT age FROM source ANONYMIZE BY age {way} GUARANTEE k >= 15")
            unread, loss = con.sql("SELECT unread_cells, loss['age'] FROM utility('r', 'source', qi := ['age'])").fetchall()[0]
            held: dict[str, set[int]] = {}
            for value in range(21):
                for label in shown(value):
                    held.setdefault(label, set()).add(value)
            labels = [label for (label,) in con.sql("FROM r").fetchall()]
            assert any(label is not None and not label.isdigit() for label in labels)
            lost = sum(Fraction(1) if label is None else Fraction(len(held[label]) - 1, 20) for label in labels)
            assert unread == 0
            assert loss == pytest.approx(float(lost / len(labels)))


@pytest.mark.everything
def test_the_loss_macro_reads_the_years_of_ends() -> None:
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE o AS SELECT DATE '2010-06-15' + (i * 91)::INT AS d FROM range(60) r(i)")
        con.execute("CREATE TABLE r AS FROM o ANONYMIZE BY d IN INTERVALS ONLY (year) BOTTOM 2012 TOP 2022 GUARANTEE k >= 1")
        unread, loss = con.sql("SELECT unread_cells, loss['d'] FROM utility('r', 'o')").fetchall()[0]
        years = [row[0] for row in con.sql("SELECT greatest(2012, least(2022, year(d))) FROM o").fetchall()]
        assert {label for (label,) in con.sql("FROM r").fetchall()} == {"<=2012", "2022+", *map(str, range(2013, 2022))}
        assert unread == 0
        assert loss == pytest.approx(sum(years.count(year) - 1 for year in years) / (59 * 60))
