"""The report: what it counts is right, what is rare is not in it, and it stands alone."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import hypothesis.strategies as st
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from page_reader import Page, assert_sound

import kanon_sql
from kanon_sql.certificate import Release
from kanon_sql.cli import main as kanon
from kanon_sql.cli.commands import Kanon
from kanon_sql.cli.reports import report as report_command
from kanon_sql.errors import AuditError, KanonError, PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.report.columns import MAX_BARS
from kanon_sql.report.fingerprints import rows_hash
from kanon_sql.report.measured import Measured, measured
from kanon_sql.report.release_report import measured_policy, report

HIDDEN = "suppressed or empty"

Facts = Callable[..., Measured]


def people(rows: int = 60) -> pa.Table:
    draw = random.Random(5)
    return pa.table(
        {
            "lot": [f"lot {n}" for n in range(rows)],
            "zip": [draw.choice(["02138", "02139", "02141"]) for _ in range(rows)],
            "age": [draw.choice([31, 31, 45, 45, 52, None]) for _ in range(rows)],
            "disease": [draw.choice(["flu", "asthma", "ulcer"]) for _ in range(rows)],
        }
    )


@pytest.fixture(scope="module")
def released() -> tuple[pa.Table, Release]:
    source = people()
    release = kanon_sql.anonymize(source, k=4, quasi_identifiers=["lot", "zip", "age"], sensitive="disease", t=0.5)
    return source, release


@pytest.fixture(scope="module")
def page(released: tuple[pa.Table, Release]) -> str:
    return report(*released)


@pytest.fixture(scope="module")
def facts() -> Iterator[Facts]:
    """Measure two tables."""
    with kanon_sql.register(duckdb.connect()) as con:

        def measure(
            source: pa.Table, release: pa.Table, certificate: kanon_sql.Certificate | None = None, **about: Any
        ) -> Measured:
            con.register("source", source)
            con.register("released", release)
            return measured(con, measured_policy(source.column_names, certificate, **about))

        yield measure


def class_sizes(table: pa.Table, names: list[str]) -> Counter[tuple[object, ...]]:
    return Counter(zip(*(table[name].to_pylist() for name in names), strict=True))


@pytest.mark.everything
def test_the_structure_is_sound(page: str) -> None:
    found = assert_sound(page)
    assert [text for level, text in found.headings if level == 2] == [
        "The guarantee",
        "The certificate",
        "Columns released unchanged",
        "Risk of re-identification",
        "Sizes of the classes",
        "Suppressed cells",
        "Each column before and after",
        "Sensitive columns",
        "Which tables this page describes",
        "What this page does not show",
        "What this release guarantees, and what it does not",
        "Sign-off",
    ]
    assert "The guarantee is kept." in found.text
    kinds = Counter(plot["class"] for plot in found.all("svg"))
    assert kinds == {"on-wide": 2, "on-narrow": 2, "": 4}  # classes and hidden cells; three columns, distances
    assert all(attributes["scope"] for attributes in found.all("th"))


@pytest.mark.everything
def test_three_plain_sentences_come_first(page: str, released: tuple[pa.Table, Release]) -> None:
    source, release = released
    sizes = [class_sizes(table, ["lot", "zip", "age"]) for table in (source, release.table)]
    least = min(sizes[1].values())
    (summary,) = re.findall(r'<p class="summary">(.*)</p>', page)
    first, second, third = re.split(r"(?<=\.) ", summary)
    assert first == f"Every row of the release shares its quasi-identifiers with at least {least - 1} others."
    assert second.startswith("An attacker who knows only a person&#39;s quasi-identifiers finds the right row")
    assert f"a chance of at most {1 / least:.2%} (100.00% in the source)" in second
    (counted,) = Page(page).table("The whole release").pairs["suppressed cells"]
    assert third == f"The release suppresses {counted.partition(': ')[2]} of the quasi-identifier cells."
    assert page.index("The guarantee is kept.") < page.index(summary) < page.index("The certificate")


@pytest.mark.everything
def test_the_statement_has_the_figures_of_the_release(page: str, released: tuple[pa.Table, Release]) -> None:
    _, release = released
    least = min(class_sizes(release.table, ["lot", "zip", "age"]).values())
    text = " ".join(Page(page).text.split())
    assert f"Each of the 60 rows shares its values in lot, zip, age with at least {least - 1} other rows." in text
    assert "Every class meets k >= 4, t(disease) <= 1/2." in text
    assert f"picks the right row with a probability of at most {1 / least:.1%}. In the source, it was 100.0%." in text
    tests = Page(page).table("The three tests of the Article 29 Working Party").pairs
    assert tests["inference"] == ["Bounded for sensitive columns: t(disease) <= 1/2."]
    assert tests["singling out"] == [f"At least {least} rows share each combination of quasi-identifiers."]


@pytest.mark.everything
def test_the_statement_says_what_is_not_bounded() -> None:
    source = pa.table({"zip": ["1", "1", "2", "2"], "job": ["a", "b", "a", "b"]})
    text = report(source, source, quasi_identifiers=["zip"], k=2)
    assert "Not bounded: no sensitive column has a guarantee." in text
    assert "Someone who knows a value of a column released unchanged: job." in text
    assert "There is no certificate" in text


@pytest.mark.everything
def test_a_broken_release_has_no_statement() -> None:
    source = pa.table({"zip": ["1", "1", "2"]})
    assert "What this release guarantees" not in report(source, source, quasi_identifiers=["zip"], k=2)


@pytest.mark.everything
def test_the_plots_have_axis_titles_with_units(page: str) -> None:
    titles = re.findall(r"role-axis-title.*?<text[^>]*>([^<]*)</text>", page, re.DOTALL)
    assert Counter(titles) == {
        "share of the rows (%)": 6,
        "rows of the class": 2,
        "suppressed cells (%)": 2,
        "column": 2,
        "lot": 1,
        "zip": 1,
        "age": 1,
        "distance of the class": 1,
    }


@pytest.mark.everything
def test_what_the_author_says_and_what_is_left_to_sign() -> None:
    source = people()
    about = {"title": "Patients <2026>", "purpose": "a study"}
    found = assert_sound(report(source, source, k=1, quasi_identifiers=["zip", "age"], **about))
    assert found.headings[0] == (1, "Patients <2026>")
    told = found.table("Key facts for the decision").pairs
    assert told["purpose"] == ["a study"]
    assert "released unchanged without a role: lot, disease" in told["released"][0]
    blanks = [each["aria-label"] for each in found.all("input")]
    assert blanks == [
        "recipient",
        *(f"{role} by: {what}" for role in ("prepared", "approved") for what in ("name", "date", "signature")),
    ]
    assert "Nothing is guaranteed about the columns released unchanged: lot, disease." in found.text


def test_the_risk_is_that_of_the_rows(page: str, released: tuple[pa.Table, Release]) -> None:
    source, release = released
    risk = Page(page).table("Risk before and after").pairs
    sizes = [class_sizes(table, ["lot", "zip", "age"]) for table in (source, release.table)]
    rows = source.num_rows
    assert risk["prosecutor: the worst row"] == [f"{1 / min(each.values()):.2%}" for each in sizes]
    assert risk["journalist: the worst row"] == risk["prosecutor: the worst row"]
    assert risk["marketer: rows linked correctly"] == [f"{len(each) / rows:.2%}" for each in sizes]
    assert risk["unique rows"] == [str(sum(n == 1 for n in each.values())) for each in sizes]
    bars = Page(page).table("Rows by the size of their class").pairs
    assert [sum(int(row[place]) for row in list(bars.values())[1:]) for place in (0, 1)] == [rows, rows]
    assert bars["1"] == [str(rows), "0"]
    assert bars["2 to 3"][1] == "0"
    in_sizes = sum(n for n in sizes[1].values() if 4 <= n < 8)
    assert bars["4 to 7"] == ["0", str(in_sizes)]


def test_what_is_hidden_is_counted(page: str, released: tuple[pa.Table, Release]) -> None:
    source, release = released
    names = ["lot", "zip", "age"]
    cells = Page(page).table("Cells of each quasi-identifier").pairs
    for name in names:
        hidden = release.table[name].null_count - source[name].null_count
        assert cells[name] == [str(hidden), f"{hidden / source.num_rows:.2%}", "0", str(source[name].null_count)]
    masks = Counter(
        ", ".join(name for name, cell in zip(names, row, strict=True) if cell is None) or "none"
        for row in zip(*(release.table[name].to_pylist() for name in names), strict=True)
    )
    told = {name: int(row[0]) for name, row in list(Page(page).table("Columns without a value").pairs.items())[1:]}
    assert told == dict(masks)
    claims = Page(page).table("Claims that were counted again").pairs
    assert claims["rows of the smallest class"][:2] == [str(release.certificate.smallest_class)] * 2
    assert all(row[-1] == "✓ yes" for row in list(claims.values())[1:])


def test_the_certificate_is_told(page: str, released: tuple[pa.Table, Release]) -> None:
    certificate = released[1].certificate
    told = Page(page).table("Other certificate fields").pairs
    assert told["status"][0].startswith(certificate.status.value)
    assert told["lower bound"] == [f"{float(certificate.lower_bound):,.12g}, by {certificate.bound_method}"]
    assert told["SHA-256"] == [json.loads(certificate.to_json())["sha256"]]
    assert told["seed"] == ["0"]
    assert "without limit" in told["time"][0]


def test_no_rare_value_is_told(page: str, released: tuple[pa.Table, Release]) -> None:
    shown = Counter(released[1].table["lot"].to_pylist())
    for name in released[0]["lot"].to_pylist():
        assert shown[name] < 4
        assert name not in page
    assert "02138" in page
    told = Page(page).table("Rows by value of lot").pairs
    assert list(told) == ["value", "other values", HIDDEN]


@pytest.mark.everything
def test_the_order_of_the_rows_does_not_count(page: str, released: tuple[pa.Table, Release]) -> None:
    source, release = released
    mixed = [table.take(random.Random(seed).sample(range(60), 60)) for seed, table in enumerate((source, release.table))]
    assert report(*mixed, certificate=release.certificate, sensitive="disease") == page


CELLS = st.sampled_from(["<ä>", "<b>", "<c>", "*", None])


@pytest.mark.everything
@settings(max_examples=15)
@given(
    cells=st.lists(st.tuples(CELLS, CELLS, st.integers(0, 9)), min_size=1, max_size=24),
    hide=st.lists(st.sampled_from([(False, False, False), (True, False, False), (True, True, True)]), min_size=24, max_size=24),
    k=st.integers(1, 4),
)
def test_only_what_many_rows_show_is_named(
    facts: Facts, cells: list[tuple[str | None, str | None, int]], hide: list[tuple[bool, bool, bool]], k: int
) -> None:
    after = [
        tuple(None if gone else cell for cell, gone in zip(row, mask, strict=True))
        for row, mask in zip(cells, hide, strict=False)
    ]
    tables = [
        pa.table({name: pa.array([row[place] for row in rows], kind) for place, (name, kind) in enumerate(COLUMNS.items())})
        for rows in (cells, after)
    ]
    found = facts(*tables, k=k)
    sizes = Counter(after)
    assert found.requirements[0].kept == (min(sizes.values()) >= k)
    assert sum(bar.after for bar in found.class_sizes) == len(cells)
    for place, column in enumerate(found.columns):
        before, shown = (Counter(str(row[place]) for row in rows if row[place] not in (None, "*")) for rows in (cells, after))
        named = {bar.label: (bar.before, bar.after) for bar in column.bars[:-2]}
        assert named == {value: (before[value], count) for value, count in shown.items() if count >= k}
        others, hidden = column.bars[-2:]
        assert (hidden.before, hidden.after) == (len(cells) - before.total(), len(cells) - shown.total())
        for side, counted in ((0, before), (1, shown)):
            known = sum(pair[side] or 0 for pair in named.values())
            assert (others.before, others.after)[side] == counted.total() - known
        assert column.suppressed == before.total() - shown.total()
    assert sum(mask.rows for mask in found.masks) + (found.other_masks.rows if found.other_masks else 0) == len(cells)
    assert all(mask.rows >= k for mask in found.masks)


COLUMNS = {"a": pa.string(), "b": pa.string(), "n": pa.int64()}


@pytest.mark.everything
@settings(max_examples=10)
@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["x", "y", "z", None])), min_size=1, max_size=14))
def test_the_distances_of_the_classes(facts: Facts, rows: list[tuple[int, str | None]]) -> None:
    table = pa.table({"q": [q for q, _ in rows], "s": pa.array([s for _, s in rows], pa.string())})
    (about,) = facts(table, table, k=1, sensitive="s").sensitive
    whole, expected, farthest = Counter(s for _, s in rows), Counter[int](), Fraction(0)
    for q in {q for q, _ in rows}:
        inside = Counter(s for other, s in rows if other == q)
        distance = sum(max(Fraction(0), Fraction(n, inside.total()) - Fraction(whole[s], len(rows))) for s, n in inside.items())
        expected[min(19, int(20 * distance))] += inside.total()
        farthest = max(farthest, distance)
    assert [bar.after for bar in about.distances] == [expected[place] for place in range(max(expected) + 1)]
    told = dict(about.figures)
    assert told["distance of the farthest class from the whole table (equal)"] == f"{float(farthest):.6f}"


@pytest.mark.everything
def test_numbers_become_intervals(facts: Facts) -> None:
    ages = [n % 40 + 20 for n in range(400)]
    table = pa.table({"age": [*ages, 97]})
    release = pa.table({"age": [*ages, None]})
    (column,) = facts(table, release, k=10).columns
    assert column.binned
    assert len(column.bars) <= MAX_BARS + 3
    assert {bar.label: bar.after for bar in column.bars[:2]} == {"[20, 25)": 50, "[25, 30)": 50}
    assert [(bar.before, bar.after) for bar in column.bars[-2:]] == [(1, 0), (0, 1)]


def test_codes_with_leading_zeros_are_no_numbers(facts: Facts) -> None:
    table = pa.table({"zip": [f"0{2100 + n % 20}" for n in range(100)]})
    (column,) = facts(table, table, k=5).columns
    assert not column.binned
    assert column.bars[0].label == "02100"


@pytest.mark.everything
def test_a_guarantee_that_is_broken_is_told() -> None:
    source = people()
    about: dict[str, Any] = {"quasi_identifiers": ["zip", "age"], "sensitive": "disease"}
    recursive = assert_sound(report(source, source, **about, k=1, l=2, variant="recursive", c="0.1"))
    assert "largest c of recursive 2-diversity in a class" in recursive.text
    html = report(source, source, **about, k=9, l=3, t=0.1)
    found = assert_sound(html)
    assert "The guarantee is broken." in found.text
    guarantees = found.table("Guarantees, and the figures").pairs
    assert guarantees["k >= 9"][0] == "✗ no"
    assert guarantees["l(disease) >= 3"][0] == "✗ no"
    assert guarantees["t(disease) <= 1/10"][0] == "✗ no"


@pytest.mark.everything
def test_what_matches_in_the_population_is_counted() -> None:
    source = pa.table({"zip": ["1", "1", "2", "3"], "age": [30, 31, 30, 31]})
    census = pa.table({"zip": ["1", "1", "1", "2", "2", "3"], "age": [30, 30, 31, 30, 30, 30]})
    release = kanon_sql.anonymize(
        source, k_map=2, population="census", quasi_identifiers=["zip", "age"], tables={"census": census}
    )
    found = assert_sound(report(source, release, tables={"census": census}))
    kept, told = found.table("Guarantees, and the figures").pairs["k >= 2 IN census"]
    assert kept == "✓ yes"
    assert told == "each class matches at least 2 of 6 rows of the population"
    fewer = assert_sound(report(source, release, tables={"census": census.slice(0, 4)}))
    assert fewer.table("Guarantees, and the figures").pairs["k >= 2 IN census"][0] == "✗ no"
    with pytest.raises(PolicyError, match="the policy uses the table 'census', which is missing"):
        report(source, release)
    coarse = kanon_sql.anonymize(
        source,
        k_map=2,
        population="census",
        quasi_identifiers=["zip", "age"],
        tables={"census": census},
        recodings={"zip": "DIGITS"},
    )
    page = assert_sound(report(source, coarse, tables={"census": census}))
    assert "✗ no" not in page.table("Guarantees, and the figures").pairs["k >= 2 IN census"]


@pytest.mark.everything
def test_a_certificate_of_another_release_is_told(released: tuple[pa.Table, Release]) -> None:
    source, release = released
    other = kanon_sql.anonymize(source, k=6, quasi_identifiers=["lot", "zip", "age"])
    found = assert_sound(report(source, release.table, certificate=other.certificate))
    assert "The certificate does not belong to this release" in found.text
    assert found.table("Claims that were counted again").pairs["rows of the smallest class"][-1] == "✗ no"


SCRIPT = "<script>alert(1)</script>"


@pytest.mark.everything
def test_names_and_values_are_escaped() -> None:
    odd = {
        SCRIPT: [SCRIPT] * 6,
        'a"b': ["'\"><img src=x>"] * 6,
        "{{ 7 * 7 }}": ["{% for %}"] * 6,
        "t\x1b[31m\u202e": ["\x1b[31m\u202e"] * 6,
    }
    table = pa.table({**odd, "s\\": ["</svg>"] * 6})
    html = report(table, table, k=3, sensitive="s\\")
    found = assert_sound(html)
    assert SCRIPT in found.text
    assert "{{ 7 * 7 }}" in found.text
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert "<img" not in html


@pytest.mark.everything
def test_unicode_stays() -> None:
    table = pa.table({"Straße": ["Łódź 🏥", "東京"] * 5, "empty": [""] * 10})
    html = report(table, table, k=5)
    found = assert_sound(html)
    for text in ("Straße", "Łódź 🏥", "東京", "(empty text)"):
        assert text in found.text


@pytest.mark.everything
def test_long_values_are_cut_and_stay_apart(facts: Facts) -> None:
    table = pa.table({"a": ["x" * 500 + end for end in "yz" for _ in range(5)]})
    (column,) = facts(table, table, k=5).columns
    assert [bar.after for bar in column.bars] == [5, 5, 0, 0]
    html = report(table, table, k=5)
    assert "x" * 70 not in html
    assert_sound(html)


@pytest.mark.everything
def test_an_empty_table() -> None:
    table = pa.table({"a": pa.array([], pa.string()), "s": pa.array([], pa.string())})
    found = assert_sound(report(table, table, sensitive="s", l=2))
    assert "The guarantee is kept." in found.text
    assert found.table("Risk before and after").pairs["prosecutor: the worst row"] == ["-", "-"]
    assert found.all("svg") == []
    release = kanon_sql.anonymize(table, k=3)
    assert "The guarantee is kept." in assert_sound(report(table, release)).text


@pytest.mark.everything
def test_one_class_and_nothing_but_null() -> None:
    table = pa.table({"a": pa.array([None] * 7, pa.int64()), "b": ["x"] * 7})
    found = assert_sound(report(table, table, k=7))
    assert found.table("Columns without a value").pairs["a"] == ["7", "100.00%"]
    assert found.table("Cells of each quasi-identifier").pairs["a"] == ["0", "0.00%", "0", "7"]


@pytest.mark.everything
def test_sixty_columns() -> None:
    draw = random.Random(1)
    table = pa.table({f"column {n} with a long name": [draw.choice("abcde") for _ in range(50)] for n in range(60)})
    html = report(table, table, k=2)
    found = assert_sound(html)
    assert len(found.all("svg")) == 64
    assert len(html) < 3_000_000


def test_a_column_with_the_name_of_a_figure(facts: Facts) -> None:
    table = pa.table({"class_size": ["x", "y"] * 4, "s": ["p", "q", "q", "p"] * 2})
    (about,) = facts(table, table, k=2, sensitive="s").sensitive
    assert [bar.after for bar in about.distances] == [8]


@pytest.mark.everything
def test_coarser_cells_are_told() -> None:
    source = pa.table({"zip": [f"98{n % 10}0{n % 3}" for n in range(60)]})
    release = kanon_sql.anonymize(source, k=5, quasi_identifiers=["zip"], recodings={"zip": "DIGITS"})
    found = assert_sound(report(source, release))
    coarser = sum("*" in (value or "") for value in release.table["zip"].to_pylist())
    assert coarser
    assert found.table("Cells of each quasi-identifier").pairs["zip"][2] == str(coarser)
    label = next(value for value in release.table["zip"].to_pylist() if value and "*" in value)
    assert found.table("Rows by value of zip").pairs[label][0] == "-"


@pytest.mark.everything
def test_labels_may_stand_for_empty_cells() -> None:
    source = pa.table({"age": [20, None, 21, None, 40, None, 41, None, 60, 61], "sex": ["f", "m"] * 5})
    release = kanon_sql.anonymize(source, k=4, quasi_identifiers=["age", "sex"], recodings={"age": "RANGES"})
    assert any("or NULL" in (label or "") for label in release.table["age"].to_pylist())
    found = assert_sound(report(source, release))
    assert "The guarantee is kept." in found.text
    assert found.table("Rows by value of age").pairs[HIDDEN][0] == "4"


@pytest.mark.everything
def test_a_text_for_suppressed_cells_is_no_value() -> None:
    source = people()
    release = kanon_sql.anonymize(source, k=4, quasi_identifiers=["zip", "age"], suppress="-", keep=["lot", "disease"])
    found = assert_sound(report(source, release))
    assert "Caution: the guarantee is kept, but columns released unchanged on purpose undo it." in found.text
    cells = found.table("Cells of each quasi-identifier").pairs
    assert int(cells["zip"][0]) == pc.sum(pc.equal(release.table["zip"], "-")).as_py()
    assert "-" not in found.table("Rows by value of zip").pairs


@pytest.mark.everything
@pytest.mark.parametrize("suppress", [None, "-"])
def test_a_star_is_a_value_where_something_else_stands_for_suppressed_cells(facts: Facts, suppress: str | None) -> None:
    cells = ["*"] * 6 + ["a"] * 4 + ["b"]
    source = pa.table({"mark": cells, "zip": ["98101", "98102", *["98103"] * 9]})
    release = kanon_sql.anonymize(source, k=4, quasi_identifiers=["mark", "zip"], suppress=suppress)
    hidden = {name: sum(cell == suppress for cell in release.table[name].to_pylist()) for name in ("mark", "zip")}
    assert 0 < hidden["mark"] < 11
    found = facts(source, release.table, certificate=release.certificate)
    assert {each.name: (each.suppressed, each.empty) for each in found.columns} == {name: (n, 0) for name, n in hidden.items()}
    assert found.utility["suppressed_cells"] == release.certificate.suppressed_cells == sum(hidden.values())
    assert "*" in {bar.label for bar in found.columns[0].bars}


def test_classes_are_those_that_a_reader_sees(facts: Facts) -> None:
    """A suppressed text and an empty cell are two values: taken for one, the classes would look larger."""
    source = pa.table({"a": ["x", "x", None, None]})
    seen = pa.table({"a": ["*", "x", None, None]})
    found = facts(source, seen, k=2)
    assert not found.requirements[0].kept


@pytest.mark.everything
def test_every_guarantee_of_a_certificate_is_checked() -> None:
    source = people()
    drawn = Policy.from_json(
        json.dumps(
            {
                "quasi_identifiers": [{"column": "zip"}, {"column": "age"}],
                "requirements": [
                    {"type": "k", "k": 3},
                    {"type": "alpha", "sensitive": "disease", "value": "flu", "alpha": "3/5"},
                ],
            }
        )
    )
    release = kanon_sql.anonymize(
        source, quasi_identifiers=["zip", "age"], k=3, requirements=drawn.requirements[1:], keep=["lot"]
    )
    guarantees = assert_sound(report(source, release)).table("Guarantees, and the figures").pairs
    assert [row[0] for row in list(guarantees.values())[1:]] == ["✓ yes", "✓ yes"]


@pytest.mark.everything
def test_a_tree_and_the_order_of_values() -> None:
    source = people()
    tree = pa.table({"value": ["flu", "asthma", "ulcer", "lung", "belly"], "parent": ["lung", "lung", "belly", "any", "any"]})
    html = report(
        source,
        source,
        quasi_identifiers=["zip"],
        sensitive="disease",
        metric="hierarchical",
        hierarchy="tree",
        tables={"tree": tree},
    )
    assert "(hierarchical)" in assert_sound(html).text
    with pytest.raises(PolicyError, match="cannot be called"):
        report(source, source, sensitive="disease", metric="source", tables={"source": tree})


@pytest.mark.everything
def test_errors_name_counts_and_no_values() -> None:
    source = people()
    with pytest.raises(AuditError, match="the release has 59 rows, but the source has 60"):
        report(source, source.slice(1))
    with pytest.raises(AuditError, match="columns of the release differ"):
        report(source.drop_columns(["lot"]), source)
    hidden = source.set_column(1, "zip", pa.array([None] * 9 + source["zip"].to_pylist()[9:], pa.string()))
    with pytest.raises(AuditError, match='"zip" shows 9 cells more'):
        report(hidden, source)
    release = kanon_sql.anonymize(source, k=2, quasi_identifiers=["zip"], keep=["lot", "age", "disease"])
    with pytest.raises(PolicyError, match="differ from those in the certificate"):
        report(source, release, quasi_identifiers=["age"])
    with pytest.raises(PolicyError, match="the certificate already lists the kept columns"):
        report(source, release, keep=["lot"])


def test_without_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("kanon_sql.report.page", "kanon_sql.report.charts"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(KanonError, match=re.escape("needs the package jinja2; hint: run pip install 'kanon-sql[report]'")):
        report(people(), people())


def test_the_hash_of_rows_can_be_computed_elsewhere() -> None:
    rows = [["1", "ä\n"], [None, '"x"'], ["2.5", ""]]
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t (a DOUBLE, b TEXT)")
        con.executemany("INSERT INTO t VALUES (?, ?)", [["1", "ä\n"], [None, '"x"'], ["2.5", ""]])
        rows[0][0] = "1.0"
        texts = [json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in rows]
        one = sorted(hashlib.sha256(text.encode()).hexdigest() for text in texts)
        assert rows_hash(con, "t") == hashlib.sha256("".join(one).encode()).hexdigest()


def test_in_a_notebook(released: tuple[pa.Table, Release]) -> None:
    html = released[1].certificate._repr_html_()
    found = Page(html)
    assert found.table("certificate").pairs["guarantee"] == ["k >= 4, t(disease) <= 1/2"]
    assert "t(disease) &lt;= 1/2" in html
    assert len(html) < 2500


Run = Callable[..., Result]

NAMED = "warning: lot alone singles out 24 of 24 rows (100.0%). Anyone who knows a person's value finds the row."
DECIDED = "The policy permits this: KEEP lists it."
UNDECIDED = "Remove it, make it a quasi-identifier, or release it on purpose by listing it in KEEP."
SAME = "warning: Source and release have the same rows, so both reveal the same."


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    rows = [f"{'02138' if n % 3 else '02139'},{30 + n % 2},p{n},{'flu' if n % 2 else 'ulcer'}" for n in range(24)]
    Path("in.csv").write_text("\n".join(["zip,age,lot,disease", *rows]) + "\n")
    made = ("--qi", "zip,age", "--k", "4", "--keep", "lot,disease", "--certificate", "cert.json")
    done = CliRunner().invoke(kanon, ["anonymize", "in.csv", "-o", "out.csv", *made])
    assert done.exit_code == 0, done.output
    group = Kanon("kanon", commands=[report_command])
    return lambda *arguments: CliRunner().invoke(group, ["report", *arguments])


@pytest.mark.everything
def test_the_command_writes_a_page(run: Run, tmp_path: Path) -> None:
    about = ("--title", "Patients", "--purpose", "a study", "--recipient", "the university")
    done = run("in.csv", "out.csv", "-o", "page.html", "--certificate", "cert.json", "--sensitive", "disease", *about)
    assert (done.exit_code, done.stderr) == (0, f"{NAMED} {DECIDED}\n{SAME}\n")
    found = assert_sound(Path("page.html").read_text())
    told = found.table("Key facts for the decision").pairs
    assert (found.headings[0][1], told["purpose"], told["recipient"]) == ("Patients", ["a study"], ["the university"])
    origins = found.table("SHA-256").pairs
    assert origins["source file in.csv"] == [hashlib.sha256(Path("in.csv").read_bytes()).hexdigest()]
    assert origins["release file out.csv"] == [hashlib.sha256(Path("out.csv").read_bytes()).hexdigest()]
    assert "Sensitive columns" in found.text
    assert {path.name for path in tmp_path.iterdir()} == {"in.csv", "out.csv", "cert.json", "page.html"}


@pytest.mark.everything
def test_the_command_without_a_certificate(run: Run) -> None:
    done = run("in.csv", "out.csv", "-o", "page.html", "--qi", "zip,age", "--k", "4", "-q")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", f"{NAMED} {UNDECIDED}\n{SAME}\n")
    kept = ("--keep", "lot,disease", "--force")
    done = run("in.csv", "out.csv", "-o", "page.html", "--qi", "zip,age", "--k", "4", "-q", *kept)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", f"{NAMED} {DECIDED}\n{SAME}\n")
    done = run("in.csv", "out.csv", "-o", "page.html", "--qi", "zip,age", "--k", "4", "--keep", "lot", "--force")
    said = 'error: the column "disease" has no role, and --keep requires one for every column'
    assert (done.exit_code, done.stderr.partition(";")[0]) == (1, said)
    done = run("in.csv", "in.csv", "-o", "two.html", "--qi", "lot", "--k", "2")
    assert done.exit_code == 1
    assert "error: the release breaks its guarantee" in done.stderr
    assert "The guarantee is broken." in Path("two.html").read_text()


@pytest.mark.everything
def test_the_command_prints_its_figures(run: Run) -> None:
    made = ("--qi", "zip,age", "--k", "5", "--keep", "lot,disease", "--certificate", "cert.json", "--force")
    assert CliRunner().invoke(kanon, ["anonymize", "in.csv", "-o", "out.csv", *made]).exit_code == 0
    done = run("in.csv", "out.csv", "-o", "page.html", "--certificate", "cert.json", "--sensitive", "disease", "--json")
    told = json.loads(done.stdout)
    assert (done.exit_code, done.stderr.splitlines()) == (0, [f"warning: {each}" for each in told["cautions"]])
    assert told["cautions"][0] == f"{NAMED} {DECIDED}".removeprefix("warning: ")
    assert (told["written"], told["holds"], told["broken"]) == (os.path.realpath("page.html"), True, [])
    assert (told["verdict"], told["same_rows"], told["singled_out_together"]) == ("caution", False, None)
    assert [(each["column"], each["role"], each["singled_out"]) for each in told["exposed"]] == [
        ("lot", "kept", 24),
        ("disease", "sensitive", 0),
    ]
    rows = list(csv.DictReader(Path("out.csv").read_text().splitlines()))
    sizes = Counter((row["zip"], row["age"]) for row in rows)
    assert (told["release"]["k"], told["release"]["classes"]) == (min(sizes.values()), len(sizes))
    assert told["release"]["prosecutor_risk"] == pytest.approx(1 / min(sizes.values()))
    assert told["source"]["rows"] == len(rows)
    hidden = {name: sum(not row[name] for row in rows) for name in ("zip", "age")}
    assert {each["column"]: each["suppressed"] for each in told["columns"]} == hidden
    assert told["utility"]["suppressed_cells"] == sum(hidden.values()) > 0
    assert told["unchanged"] == ["lot"]
    claims = {each["claim"]: each for each in told["certificate"]}
    assert claims["rows"] == {"claim": "rows", "claimed": "24", "counted": "24", "holds": True}
    assert [(each["requirement"], each["holds"]) for each in told["guarantee"]] == [("k >= 5", True)]
    assert not any(value in done.stdout for value in ("02138", "02139", "flu", "ulcer", "p17"))


@pytest.mark.everything
def test_the_figures_of_a_broken_release(run: Run) -> None:
    done = run("in.csv", "in.csv", "-o", "page.html", "--qi", "lot", "--k", "2", "--json")
    assert done.exit_code == 1
    assert "error: the release breaks its guarantee" in done.stderr
    told = json.loads(done.stdout)
    assert (told["holds"], told["certificate"]) == (False, [])
    assert told["broken"] == ["k >= 2: the smallest of 24 classes has 1 row"]
    Path("other.csv").write_text(Path("out.csv").read_text().replace("02139,30", ",30"))
    done = run("in.csv", "other.csv", "-o", "other.html", "--certificate", "cert.json", "--json")
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert [each["claim"] for each in told["certificate"] if not each["holds"]] == ["suppressed cells"]
    assert told["broken"] == ["suppressed cells: the certificate states 0, but 4 was found"]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("in.csv", "out.csv", "-o", "page.pdf"), "has no known extension; hint: use .html"),
        (("in.csv", "out.csv", "-o", "old.html"), "exists; hint: pass --force to replace the file"),
        (("in.csv", "out.csv", "-o", "none/page.html"), "there is no folder"),
        (("in.csv", "gone.csv", "-o", "page.html"), "there is no file"),
        (("in.csv", "out.csv", "-o", "page.html", "--qi", "zap"), 'unknown column "zap"'),
        (("in.csv", "out.csv", "-o", "page.html", "--certificate", "gone.json"), "there is no file gone.json"),
        (
            ("in.csv", "out.csv", "-o", "page.html", "--qi", "lot", "--certificate", "cert.json"),
            "differ from those in the certificate",
        ),
        (("in.csv", "out.csv", "-o", "page.html", "--l", "2"), "sensitive"),
        (("in.csv", "out.csv", "-o", "page.html", "--metric", "numeric", "--certificate", "cert.json"), "metric has no effect"),
        (
            ("in.csv", "out.csv", "-o", "page.html", "--hierarchy", "tree.csv", "--certificate", "cert.json"),
            "the guarantee does not use",
        ),
    ],
)
def test_the_command_refuses(run: Run, arguments: tuple[str, ...], says: str) -> None:
    Path("old.html").write_text("old")
    Path("tree.csv").write_text("value,parent\nflu,any\nulcer,any\n")
    done = run(*arguments)
    assert done.exit_code == 1, done.output
    assert done.stderr.startswith("error: ")
    assert says in done.stderr
    assert not Path("page.html").exists()
    assert Path("old.html").read_text() == "old"


@pytest.mark.everything
def test_the_command_with_a_tree(run: Run) -> None:
    Path("tree.csv").write_text("value,parent\nflu,any\nulcer,any\n")
    guarantee = ("--sensitive", "disease", "--t", "0.5", "--metric", "hierarchical", "--hierarchy", "tree.csv")
    kept = ("--keep", "lot,age")
    made = CliRunner().invoke(
        kanon,
        ["anonymize", "in.csv", "-o", "two.csv", "--qi", "zip", "--k", "4", *guarantee, *kept, "--certificate", "two.json"],
    )
    assert made.exit_code == 0, made.output
    done = run("in.csv", "two.csv", "-o", "page.html", "--certificate", "two.json", "--hierarchy", "tree.csv")
    assert done.exit_code == 0, done.output
    assert "(hierarchical)" in Path("page.html").read_text()
    done = run("in.csv", "two.csv", "-o", "two.html", "--certificate", "two.json")
    assert "the guarantee uses the table tree, which is missing" in done.stderr


@pytest.mark.everything
def test_a_changed_certificate_is_refused(run: Run) -> None:
    Path("cert.json").write_text(Path("cert.json").read_text().replace('"seed":0', '"seed":1'))
    done = run("in.csv", "out.csv", "-o", "page.html", "--certificate", "cert.json")
    assert done.exit_code == 1
    assert "does not match the text" in done.stderr


@pytest.mark.everything
def test_adult(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with duckdb.connect() as con:
        source = con.sql(f"SELECT * FROM read_csv('{data / 'adult_full.csv.gz'}')").to_arrow_table()
    names = [name for name in source.column_names if name not in ("fnlwgt", "salary-class")]
    about = {"sensitive": "salary-class", "t": 0.5, "algorithm": "greedy", "keep": ["fnlwgt"]}
    release = kanon_sql.anonymize(source, k=5, quasi_identifiers=names, **about)
    started = time.process_time()
    html = report(source, release)
    with capsys.disabled():
        sys.stdout.write(f"report of Adult, 32,561 x 15: {time.process_time() - started:.1f} s, {len(html):,} characters ")
    found = assert_sound(html)
    assert "Caution: the guarantee is kept, but columns released unchanged on purpose undo it." in found.text
    assert len(html) < 3_000_000
    assert len(found.all("svg")) == len(names) + 5  # two of them in two widths, and the distances
