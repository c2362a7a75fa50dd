"""The columns that the items of a SELECT list carry under another name, through a cast or over a window."""

from __future__ import annotations

import pytest

from kanon_sql.clause.origins import origins
from kanon_sql.clause.script import Script


def carried(query: str) -> dict[str, tuple[str, ...]]:
    script = Script.read(query)
    script.match_brackets()
    return origins(script, 0, len(script.tokens))


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("name", {"name": ("name",)}),
        ("p.name", {"name": ("name",)}),
        ("main.p.name AS n", {"n": ("name",)}),
        ("Name N", {"n": ("name",)}),
        ("n: name", {"n": ("name",)}),
        ('"odd name" AS "x, y"', {"x, y": ("odd name",)}),
        ("(name) AS n", {"n": ("name",)}),
        ("name::VARCHAR AS n", {"n": ("name",)}),
        ("name::DECIMAL(10, 2) n", {"n": ("name",)}),
        ("name::VARCHAR::INTEGER[] AS n", {"n": ("name",)}),
        ("CAST(p.name AS VARCHAR) AS n", {"n": ("name",)}),
        ("TRY_CAST(CAST(name AS VARCHAR) AS INTEGER) AS n", {"n": ("name",)}),
        ("list(name) OVER () AS n", {"n": ("name",)}),
        ("min(name) OVER (PARTITION BY zip, age) AS n", {"n": ("name",)}),
        ("min(upper(p.name)) OVER w AS n", {"n": ("name",)}),
        ("first_value(name IGNORE NULLS) OVER (ORDER BY zip) AS n", {"n": ("name",)}),
        ("lag(name, 1) OVER (ORDER BY zip)::VARCHAR AS n", {"n": ("name",)}),
        ("string_agg(DISTINCT name, ', ' ORDER BY zip) FILTER (age > 1) OVER () AS n", {"n": ("name",)}),
        ("arg_max(name, age) OVER () AS n", {"n": ("name", "age")}),
        ("min(CASE WHEN age > 1 THEN name END) OVER () AS n", {"n": ("age", "name")}),
        ("min(name) OVER ()", {"min(name) OVER ()": ("name",)}),
        ("name::VARCHAR", {"name::VARCHAR": ("name",)}),
    ],
)
def test_an_item_carries_columns(item: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert carried(f"SELECT zip, {item} FROM p") == {"zip": ("zip",), **expected}
    assert carried(f"FROM p SELECT {item}, zip") == {**expected, "zip": ("zip",)}


@pytest.mark.parametrize(
    "item",
    [
        "*",
        "p.*",
        "* EXCLUDE (name)",
        "'name' AS n",
        "1 AS n",
        "upper(name) AS n",
        "name || zip AS n",
        "(name || zip) AS n",
        "age // 10 AS n",
        "CAST(name || zip AS VARCHAR) AS n",
        "count(name) OVER () AS n",
        "row_number() OVER (ORDER BY name) AS n",
        "(SELECT name FROM q) AS n",
        "CASE WHEN age > 1 THEN name END AS n",
    ],
)
def test_other_expressions_carry_none(item: str) -> None:
    assert carried(f"SELECT {item} FROM p") == {}


def test_a_query_without_a_select_list_carries_none() -> None:
    assert carried("FROM p") == {}
    assert carried("TABLE p") == {}
