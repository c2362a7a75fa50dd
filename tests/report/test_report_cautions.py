"""The page never calls a dangerous release safe: amber banner, first sentence, exact counts, with a certificate and without."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import given, settings
from page_reader import assert_sound

import kanon_sql
from kanon_sql.certificate import Certificate
from kanon_sql.report import report

CHANCE = "a chance of at most"
"""How a page without a caution states the risk."""


def people(rows: int = 1000) -> pa.Table:
    draw = random.Random(1)
    return pa.table(
        {
            "person_id": list(range(1, rows + 1)),
            "name": [f"N{n}" for n in range(1, rows + 1)],
            "zip": [draw.choice(["02130", "02138", "02139", "02141"]) for _ in range(rows)],
            "age": [draw.randint(18, 90) for _ in range(rows)],
            "sex": [draw.choice("fm") for _ in range(rows)],
        }
    )


def visits(people: int = 200, least: int = 1, most: int = 9) -> pa.Table:
    """Return the visits of people: each has a zip code, a year of birth and a sex, and several rows."""
    draw = random.Random(4)
    rows: list[tuple[str, str, int, str, str]] = []
    for person in range(people):
        who = (f"p{person}", draw.choice(["02138", "02139", "02141"]), draw.randint(1950, 1989), draw.choice("fm"))
        rows += [(*who, draw.choice(["flu", "ulcer"])) for _ in range(draw.randint(least, most))]
    return pa.table(dict(zip(("patient", "zip", "born", "sex", "disease"), map(list, zip(*rows, strict=True)), strict=True)))


def verdict(html: str) -> tuple[str, str, str]:
    """Return the colour of a page, its headline, and what follows: the caveats, and then the reasons."""
    assert_sound(html)
    ((colour, headline),) = re.findall(r'<div class="verdict (\w+)" role="status">\s*<strong>(.*?)</strong>', html)
    banner, _, _ = html[html.index('<div class="verdict') :].partition("</div>")
    caveats = re.findall(r"<li>(.*?)</li>", banner)
    (summary,) = re.findall(r'<p class="summary">(.*?)</p>', banner)
    assert all(banner.index(each) < banner.index(summary) for each in caveats)
    return colour, headline, " ".join([*caveats, summary]).replace("&#39;", "'")


def first(summary: str) -> str:
    return re.split(r"(?<=\.) ", summary)[0]


@pytest.mark.everything
@pytest.mark.parametrize("certified", [True, False])
def test_names_are_never_released_on_a_green_page(certified: bool) -> None:
    source = people()
    release = kanon_sql.anonymize(source, k=5, quasi_identifiers=["zip", "age", "sex"], keep=["person_id", "name"])
    bare: dict[str, Any] = {"quasi_identifiers": ["zip", "age", "sex"], "k": 5}
    html = report(source, release) if certified else report(source, release.table, **bare)
    colour, headline, summary = verdict(html)
    assert colour == "caution"
    purpose = " on purpose" if certified else ""
    assert headline == f"Caution: the guarantee is kept, but columns released unchanged{purpose} undo it."
    assert first(summary) == "person_id and name are released unchanged and single people out."
    assert ("This is permitted: KEEP lists the columns." in summary) == certified
    assert CHANCE not in html
    assert "From the quasi-identifiers alone, an attacker finds the right row with a probability of up to 20.00%" in summary
    assert "name alone singles out 1,000 of 1,000 rows (100.0%): values shared by fewer than 5 rows." in html
    if not certified:
        assert verdict(report(source, release.table, **bare, keep=["person_id", "name"])) == verdict(report(source, release))


@pytest.mark.everything
def test_a_permissive_policy_makes_no_green_page() -> None:
    source = people()
    source = source.rename_columns(["nr", "word", "zip", "age", "sex"])  # no names of identifiers, which no limit permits
    release = kanon_sql.anonymize(source, k=5, quasi_identifiers=["zip", "age", "sex"], unlisted_limit=1)
    colour, headline, summary = verdict(report(source, release))
    assert (colour, headline) == (
        "caution",
        "Caution: the guarantee is kept, but columns released unchanged undo it.",
    )
    assert first(summary) == "nr and word are released unchanged and single people out."
    assert "decided" not in summary


@pytest.mark.everything
def test_a_safe_release_is_green() -> None:
    source = people().drop_columns(["person_id", "name"])
    release = kanon_sql.anonymize(source, k=5)
    colour, headline, summary = verdict(report(source, release))
    assert (colour, headline) == ("kept", "The guarantee is kept.")
    least = release.certificate.smallest_class
    assert least is not None
    assert first(summary) == f"Every row of the release shares its quasi-identifiers with at least {least - 1} others."
    assert f"{CHANCE} {1 / least:.2%}" in summary
    assert "Columns released unchanged" not in report(source, release)


@pytest.mark.everything
def test_a_sensitive_column_of_few_values_is_green() -> None:
    source = visits().drop_columns(["patient"])
    release = kanon_sql.anonymize(source, k=5, quasi_identifiers=["zip", "born", "sex"], sensitive="disease", l="4/3")
    assert verdict(report(source, release))[0] == "kept"


@pytest.mark.everything
def test_a_sensitive_column_that_singles_people_out_is_a_caution() -> None:
    source = people().drop_columns(["person_id"])
    html = report(source, source, quasi_identifiers=["zip", "sex"], sensitive="name", keep=["age"], k=5)
    colour, _, summary = verdict(html)
    assert (colour, first(summary)) == ("caution", "name is released unchanged and singles people out.")
    assert "This is permitted: the policy lists the column." in summary
    assert "The policy permits this: it is a sensitive column." in html


@pytest.mark.everything
def test_the_source_itself_is_no_green_page() -> None:
    source = pa.table({"zip": ["98101"] * 6 + ["98102"] * 6, "sex": ["f"] * 6 + ["m"] * 6})
    mixed = source.take(random.Random(2).sample(range(12), 12))
    release = kanon_sql.anonymize(source, k=5)
    for html in (report(source, mixed, k=5), report(source, release)):
        colour, headline, summary = verdict(html)
        assert (colour, headline) == (
            "caution",
            "Caution: the guarantee is kept, but the release has the same rows as the source.",
        )
        assert first(summary) == "The release has the same rows as the source: no cell was suppressed or generalized."
        assert f"{CHANCE} 16.67%" in summary


def test_rows_are_the_same_as_often_as_they_are_there() -> None:
    source = pa.table({"zip": ["98101"] * 6 + ["98102"] * 6})
    other = pa.table({"zip": ["98101"] * 7 + ["98102"] * 5})
    assert verdict(report(source, other, k=5))[:2] == ("kept", "The guarantee is kept.")


@pytest.mark.everything
def test_a_source_with_people_is_compared_without_them() -> None:
    source = pa.table({"patient": list(range(12)), "zip": ["98101"] * 6 + ["98102"] * 6})
    release = kanon_sql.anonymize(source, k=5, quasi_identifiers=["zip"], per="patient")
    assert first(verdict(report(source, release))[2]).startswith("The release has the same rows as the source")


@pytest.mark.everything
def test_people_with_several_rows_are_no_green_page() -> None:
    """Nearly everyone has nine rows, so a class may hold the rows of one person, though few patients are singled out."""
    often = [(f"p{n}", f"0{n % 8}", 1950 + n, "flu" if n % 3 else "ulcer") for n in range(40) for _ in range(9)]
    once = [(f"q{n}", f"9{n}", 2000 + n, "flu") for n in range(12)]
    columns = zip(*often, *once, strict=True)
    source = pa.table(dict(zip(("patient", "zip", "born", "disease"), map(list, columns), strict=True)))
    hidden = {name: [*source[name].to_pylist()[:360], *[None] * 12] for name in ("zip", "born")}
    release = pa.table({"patient": source["patient"], **hidden, "disease": source["disease"]})
    html = report(source, release, quasi_identifiers=["zip", "born"], k=9)
    colour, headline, summary = verdict(html)
    assert (colour, headline) == ("broken", "The guarantee is broken: a class has rows from fewer than 9 people.")
    assert first(summary) == "k counts rows, not people, but patient suggests that people have several rows."
    assert "k &gt;= 9 counts rows, not people: 52 people have 372 rows. A class has rows from only 1 person." in html
    assert "Release again with k &gt;= 9 PER patient, or with PER ROW if each row is a person." in html
    without = report(source, release.drop_columns(["patient"]), quasi_identifiers=["zip", "born"], k=9)
    headline = "Caution: the guarantee is kept, but it counts rows, although people have several."
    assert verdict(without)[:2] == ("caution", headline)  # whose the rows are is not shown
    per_row = verdict(report(source, release, quasi_identifiers=["zip", "born"], k=9, per_row=True))
    assert per_row[0] == "caution"  # by the columns, not by the unit
    assert "k counts rows" not in per_row[2]


@pytest.mark.everything
def test_a_column_of_few_values_is_not_taken_for_people() -> None:
    rows = [("ab"[n % 2], "xy"[n % 2]) for n in range(40)]
    source = pa.table({"ward": [ward for ward, _ in rows], "zip": [code for _, code in rows]})
    release = source.set_column(1, "zip", pa.array(["x" if n % 4 == 0 else None for n in range(40)]))
    assert "k counts rows" not in report(source, release, quasi_identifiers=["zip"], k=5)


@pytest.mark.everything
def test_where_people_are_counted_nothing_is_said_of_rows() -> None:
    source = visits().drop_columns(["disease"])
    release = kanon_sql.anonymize(source, k=3, quasi_identifiers=["zip", "born", "sex"], per="patient")
    colour, _, summary = verdict(report(source, release))
    assert colour == "kept"
    assert "k counts rows" not in summary


@pytest.mark.everything
def test_a_guarantee_that_permits_unique_rows_is_a_caution() -> None:
    source = pa.table({"zip": ["1", "2", "3", "3"], "sex": ["f", "f", "m", "m"]})
    release = pa.table({"zip": ["1", "2", None, None], "sex": ["f", "f", "m", "m"]})
    colour, headline, summary = verdict(report(source, release, k=1))
    assert (colour, headline) == ("caution", "Caution: the guarantee is kept, but rows of the release are unique.")
    assert first(summary) == "2 rows of the release are unique in the quasi-identifiers."


@pytest.mark.everything
def test_rows_unique_in_the_release_are_safe_where_a_population_is_counted() -> None:
    source = pa.table({"zip": ["1", "1", "2", "3"], "age": [30, 31, 30, 31]})
    census = pa.table({"zip": ["1", "1", "1", "2", "2", "3"], "age": [30, 30, 31, 30, 30, 30]})
    release = kanon_sql.anonymize(source, k_map=2, population="census", tables={"census": census})
    assert verdict(report(source, release, tables={"census": census}))[0] == "kept"


@pytest.mark.everything
def test_several_columns_that_single_people_out_together_are_a_caution() -> None:
    draw = random.Random(7)
    rows = 1000
    others = {name: [draw.randint(1, 30) for _ in range(rows)] for name in ("a", "b", "c")}
    source = pa.table({"zip": [draw.choice(["1", "2"]) for _ in range(rows)], **others})
    source = source.set_column(0, "zip", pa.array(["9", "9", *source["zip"].to_pylist()[2:]]))
    release = kanon_sql.anonymize(source, k=5, quasi_identifiers=["zip"], keep=["a", "b", "c"])
    html = report(source, release)
    colour, _, summary = verdict(html)
    assert (colour, first(summary)) == ("caution", "3 columns released unchanged together single people out.")
    alone = sum(n == 1 for n in Counter(zip(*others.values(), strict=True)).values())
    assert f"The 3 columns a, b and c together single out {alone} of 1,000 rows ({alone / rows:.1%})." in html
    assert assert_sound(html).table("What columns released unchanged").pairs["these 3 columns together"][1:3] == [
        str(alone),
        f"{alone / rows:.2%}",
    ]


@pytest.mark.everything
@pytest.mark.parametrize(("single", "rows", "amber"), [(200, 1000, False), (201, 1000, True), (6, 12, False), (7, 12, True)])
def test_the_limits_are_those_of_unlisted_columns(single: int, rows: int, amber: bool) -> None:
    values = [f"v{n}" for n in range(single)] + ["rest"] * (rows - single)
    source = pa.table({"zip": ["1"] * rows, "code": values})
    release = source.set_column(0, "zip", pa.array(["2"] * rows))
    html = report(source, release, quasi_identifiers=["zip"], k=2)
    assert verdict(html)[0] == ("caution" if amber else "kept")
    found = f"{single} of {rows:,} rows ({single / rows:.1%})."
    assert (f"code alone singles out {found}" if amber else f"Warning: code singles out {found}") in html


@pytest.mark.everything
def test_what_a_page_says_in_colour_is_in_its_figures() -> None:
    from kanon_sql.report.claims import counted_claims
    from kanon_sql.report.figures import figures
    from kanon_sql.report.measured import measured
    from kanon_sql.report.release_report import measured_policy

    source = people(100)
    release = kanon_sql.anonymize(source, k=5, quasi_identifiers=["zip", "sex"], keep=["person_id", "name", "age"])
    with kanon_sql.register(duckdb.connect()) as con:
        con.register("source", source)
        con.register("released", release.table)
        facts = measured(con, measured_policy(source.column_names, release.certificate))
    told = figures(facts, counted_claims(release.certificate, facts))
    assert (told["verdict"], told["holds"], told["same_rows"]) == ("caution", True, True)
    assert len(told["cautions"]) == 3
    assert told["singled_out_together"] == 100


@pytest.mark.everything
@pytest.mark.parametrize(
    ("changed", "claim"),
    [
        ({"unchanged": ("name",)}, "columns released unchanged"),
        ({"unchanged": ("person_id", "name", "secret")}, "columns released unchanged"),
        ({"requirements": ("k >= 100",)}, "guarantee"),
    ],
)
def test_a_certificate_that_does_not_know_the_columns_is_that_of_another_release(changed: dict[str, Any], claim: str) -> None:
    source = people(100)
    release = kanon_sql.anonymize(source, k=5, quasi_identifiers=["zip", "age", "sex"], keep=["person_id", "name"])
    other: Certificate = replace(release.certificate, **changed)
    html = report(source, release.table, certificate=other)
    assert verdict(html)[:2] == ("broken", "The guarantee is broken.")
    assert "The certificate does not belong to this release" in html
    assert assert_sound(html).table("Claims that were counted again").pairs[claim][-1] == "✗ no"


@pytest.mark.everything
def test_a_broken_guarantee_names_the_columns_too() -> None:
    source = people(100)
    colour, headline, summary = verdict(report(source, source, quasi_identifiers=["zip", "age", "sex"], k=5))
    assert (colour, headline) == ("broken", "The guarantee is broken.")
    assert "Do not hand it out." in summary
    assert "person_id and name are released unchanged and single people out." in summary
    assert "the guarantee permits it" not in summary


@pytest.mark.everything
def test_names_of_columns_are_escaped_and_cut_to_a_few() -> None:
    names = [f"<b>{n}</b>" for n in range(6)]
    source = pa.table({"zip": ["1"] * 60, **{name: [f"{name}{n}" for n in range(60)] for name in names}})
    html = report(source, source, quasi_identifiers=["zip"], k=5)
    shown = ", ".join(f"&lt;b&gt;{n}&lt;/b&gt;" for n in range(3))
    assert first(verdict(html)[2]) == f"{shown} and 3 others are released unchanged and single people out."
    assert "<b>" not in html


ODD = ["value", "n", "x", "i", "j", "v", "hidden", "cells", "top", "shown", "names", 'a "b"', "c.d", "kanon", "released"]


@pytest.mark.everything
def test_columns_may_have_any_name() -> None:
    draw = random.Random(9)
    for turn in range(3):
        names = [*ODD[turn * 5 :], *ODD[: turn * 5]]
        chosen, repeated = names[:4], [n // 3 for n in range(90)]
        cells: dict[str, list[Any]] = {name: [f"{name}{group % 7}" for group in repeated] for name in chosen}
        cells |= {name: [draw.choice([*"abcdefgh"]) for _ in repeated] for name in names[4:]}
        source = pa.table({**cells, names[-1]: repeated, names[-2]: list(range(90))})
        hidden = {chosen[0]: [*cells[chosen[0]][:60], *[None] * 30]}
        release = pa.table({**{name: source[name] for name in source.column_names}, **hidden})
        html = report(source, release, quasi_identifiers=chosen, k=2)
        assert f"{names[-2]} is released unchanged and singles people out".replace('"', "&#34;") in html
        assert (
            assert_sound(html).table("What columns released unchanged").pairs[names[-1]][-1].startswith(f"{chosen[0]} 100.0%")
        )


TYPES = {
    "list": "[i, NULL]",
    "struct": "{'a': i}",
    "map": "MAP {'a': i}",
    "huge": "i::HUGEINT - 1",
    "float": "i::DOUBLE / 0.7",
    "when": "TIMESTAMPTZ '2026-01-01' + i * INTERVAL 1 minute",
    "span": "i * INTERVAL 1 hour",
    "blob": "i::VARCHAR::BLOB",
    "nocase": "(CASE WHEN i % 2 = 0 THEN 'a' ELSE 'A' END || i // 2) COLLATE nocase",
    "nothing": "NULL::INTEGER",
}


@pytest.mark.everything
def test_columns_may_have_any_type() -> None:
    cells = ", ".join(f'{cell} AS "{name}"' for name, cell in TYPES.items())
    with kanon_sql.register(duckdb.connect()) as con:
        source = con.sql(f"SELECT {cells}, i // 10 AS zip FROM range(100) AS t(i)")
        html = report(source, source, quasi_identifiers=["zip"], k=10)
    rows = assert_sound(html).table("What columns released unchanged").pairs
    assert {name: rows[name][1] for name in TYPES} == {name: "0" if name == "nothing" else "100" for name in TYPES}


@pytest.mark.everything
@settings(max_examples=15)
@given(
    rows=st.lists(st.tuples(*[st.integers(0, 3)] * 2, st.integers(0, 5), st.integers(0, 30)), min_size=12, max_size=60),
    k=st.integers(2, 4),
)
def test_the_page_and_the_certificate_count_the_same(rows: list[tuple[int, ...]], k: int) -> None:
    source = pa.table(dict(zip(("a", "b", "c", "d"), map(list, zip(*rows, strict=True)), strict=True)))
    release = kanon_sql.anonymize(source, k=k, quasi_identifiers=["a", "b"], keep=["c", "d"])
    told = assert_sound(report(source, release)).table("What columns released unchanged").pairs
    found, most = [], 0.0
    for name in ("c", "d"):
        alone = sum(n == 1 for n in Counter(source[name].to_pylist()).values())
        assert told[name][1] == str(alone)
        if alone / len(rows) >= 0.01:
            found.append(f"{name} is released unchanged and singles out {alone / len(rows):.1%} of the rows")
            most = max(most, alone / len(rows))
    together = sum(n == 1 for n in Counter(row[2:] for row in rows).values())
    assert told["these 2 columns together"][1] == str(together)
    if together / len(rows) >= most + 0.01:
        found.append(f"the 2 columns released unchanged together single out {together / len(rows):.1%} of the rows")
    for name in ("c", "d"):
        for other, share in re.findall(r"(\w) ([\d.]+%)", told[name][3]):
            found.append(f"{name} is released unchanged and gives back {share} of the suppressed cells of {other}")
    assert list(release.certificate.warnings) == found


QUASI_IDENTIFIERS = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]


@pytest.mark.everything
def test_adult_with_what_it_keeps(data: Path) -> None:
    with duckdb.connect() as con:
        whole = con.sql(f"SELECT * FROM read_csv('{data / 'adult_full.csv.gz'}')").to_arrow_table()
    source = whole.select([*QUASI_IDENTIFIERS, "fnlwgt", "education-num"])
    release = kanon_sql.anonymize(
        source, k=5, quasi_identifiers=QUASI_IDENTIFIERS, keep=["fnlwgt", "education-num"], algorithm="greedy"
    )
    html = report(source, release)
    colour, headline, summary = verdict(html)
    assert (colour, headline) == (
        "caution",
        "Caution: the guarantee is kept, but columns released unchanged on purpose undo it.",
    )
    assert first(summary) == "fnlwgt is released unchanged and singles people out; education-num gives suppressed cells back."
    assert CHANCE not in html
    alone = sum(n for n in Counter(source["fnlwgt"].to_pylist()).values() if n < 5)
    rows = assert_sound(html).table("What columns released unchanged").pairs
    assert rows["fnlwgt"][:3] == ["KEEP", f"{alone:,}", f"{alone / 32561:.2%}"]
    assert rows["education-num"] == ["KEEP", "0", "0.00%", "education 100.0%"]
    bare = report(source, release.table, quasi_identifiers=QUASI_IDENTIFIERS, k=5)
    assert verdict(bare)[0] == "caution"
    assert first(verdict(bare)[2]) == first(summary)
    assert "This is permitted" not in verdict(bare)[2]
