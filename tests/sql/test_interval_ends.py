"""`interval_ends` reads what generalized columns show."""

from __future__ import annotations

import duckdb
import pytest


@pytest.mark.parametrize(
    ("label", "ends"),
    [
        ("[35, 40)", ("35", "40")),
        ("[-1.5, -0.25]", ("-1.5", "-0.25")),
        ("[17, 23] or NULL", ("17", "23")),
        ("[2026-01-01 00:00:00, 2026-02-01 00:00:00]", ("2026-01-01 00:00:00", "2026-02-01 00:00:00")),
        ("17 or NULL", ("17", "17")),
        ("17", ("17", "17")),
        ("2026-Q4", ("2026-Q4", "2026-Q4")),
        ("{flu, gout}", ("{flu, gout}", "{flu, gout}")),
        ("[a\nb, c]", ("a\nb", "c")),
        ("", ("", "")),
        ("[a, b, c]", None),
        ("[a]", None),
        ('["Smith, A", Zorn]', ("Smith, A", "Zorn")),
        ('[a, "b ""c"", d"] or NULL', ("a", 'b "c", d')),
        ('["a, b]', None),
        ('["a" b, c]', None),
        ("[a,, b]", ("a,", "b")),
        ("[, b]", ("", "b")),
        ('[, ", b"]', ("", ", b")),
        ("[a, b]]", ("a", "b]")),
        ("[a, b or NULL]", ("a", "b or NULL")),
        ("[a\x00b, c\u200b]", ("a\x00b", "c\u200b")),
        ('"[a, b]"', ("[a, b]", "[a, b]")),
        ('"""" or NULL', ('"', '"')),
        ("Smith, A", ("Smith, A", "Smith, A")),
        ("[-inf, nan]", ("-inf", "nan")),
        ("90+", ("90", None)),
        ("-2.5+", ("-2.5", None)),
        ("<=18", (None, "18")),
        ("<-18", (None, "-18")),
        ("(18, 20)", ("18", "20")),
        ("(18, 20, 25)", ("(18, 20, 25)", "(18, 20, 25)")),
        ("A+", ("A+", "A+")),
        (None, None),
    ],
)
def test_the_ends(con: duckdb.DuckDBPyConnection, label: str | None, ends: tuple[str | None, str | None] | None) -> None:
    found = con.execute("SELECT interval_ends($1)", [label]).fetchall()[0][0]
    assert found == (None if ends is None else {"low": ends[0], "high": ends[1]})


def test_one_column_becomes_two_numbers(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE released AS FROM (VALUES ('[35, 40)'), ('41'), (NULL)) AS t(age)")
    ends = "SELECT interval_ends(age).low::INT AS age_min, interval_ends(age).high::INT AS age_max FROM released"
    assert con.execute(ends).fetchall() == [(35, 40), (41, 41), (None, None)]
