"""Tokens on the page: green while they single nobody out, amber if the policy lets them, red if it does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from test_report_cautions import first, verdict

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.report import report

PEOPLE = "CREATE TABLE people AS SELECT 'p' || i AS id, i % 4 AS zip, i // 4 % 5 AS age FROM range(100) AS t(i)"
"""Each zip and each age has 20 people or more, both together have 5."""


@pytest.fixture
def con() -> Iterator[Connection]:
    with kanon_sql.connect(secret="key") as con:
        con.execute(PEOPLE)
        yield con


def page(con: Connection, parts: str, columns: str, source: str = "people") -> tuple[str, dict[str, Any]]:
    """Return the page of a release under a policy, and what it was made of."""
    con.execute(f"CREATE OR REPLACE ANONYMIZATION POLICY p ON {source} ({parts})")
    query = f"SELECT {columns} FROM {source} ORDER BY ALL"
    released = con.sql(f"SELECT {columns} FROM {source} ANONYMIZE WITH POLICY p").to_arrow_table()
    made = {"source": con.raw.sql(query).to_arrow_table(), "released": released}
    made["certificate"] = kanon_sql.releases(con)[-1]
    return report(**made), made


@pytest.mark.everything
def test_tokens_of_one_row_each_are_green(con: Connection) -> None:
    html, _ = page(con, "IDENTIFIER id AS PSEUDONYM; BY zip, age; GUARANTEE k >= 6", "id, zip, age")
    assert verdict(html)[:2] == ("kept", "The guarantee is kept.")
    assert "tokens of id" in html
    assert "id singles out" not in html


def test_linkable_tokens_that_single_people_out_are_amber(con: Connection) -> None:
    con.execute("CREATE TABLE visits AS SELECT * REPLACE ('p' || CAST(substr(id, 2) AS INT) // 3 AS id) FROM people")
    html, _ = page(con, "IDENTIFIER id AS PSEUDONYM (LINKABLE); BY zip, age; GUARANTEE k >= 5", "id, zip, age", "visits")
    colour, headline, summary = verdict(html)
    assert colour == "caution"
    assert headline == "Caution: the guarantee is kept, but tokens link rows that single people out together."
    assert first(summary) == "The tokens of id link rows that together single people out."
    assert "The policy permits this: it marks them as linkable." in summary
    assert "The tokens of id link rows of this release. Together, these rows single out" in html


@pytest.mark.everything
def test_earlier_releases_count_as_the_certificate_says(con: Connection) -> None:
    html, _ = page(con, "IDENTIFIER id AS PSEUDONYM, age; BY zip; GUARANTEE k >= 6", "id, zip")
    assert "link rows" not in html
    html, made = page(con, "IDENTIFIER id AS PSEUDONYM (LINKABLE), zip; BY age; GUARANTEE k >= 6", "id, age")
    assert verdict(html)[0] == "caution"
    assert "link rows of this release and those of 1 earlier release. Together, these rows single out 0 of 100" in html
    assert "The smallest number of candidates is 5, but the guarantee requires 6." in html
    policy = made["certificate"].policy.replace('"linkable":["id"],', "")
    assert policy != made["certificate"].policy
    made["certificate"] = replace(made["certificate"], policy=policy)
    assert verdict(report(**made))[0] == "broken"


@pytest.mark.everything
def test_people_who_are_counted_by_their_tokens(con: Connection) -> None:
    html, _ = page(con, "IDENTIFIER id AS PSEUDONYM; BY zip, age; GUARANTEE k >= 6 PER id", "id, zip, age")
    assert verdict(html)[0] == "kept"


@pytest.mark.everything
def test_the_same_rows_but_for_tokens_are_a_caution(con: Connection) -> None:
    con.execute("CREATE TABLE few AS FROM people WHERE zip = 1 AND age = 2")
    html, _ = page(con, "IDENTIFIER id AS PSEUDONYM; BY zip, age; GUARANTEE k >= 5", "id, zip, age", "few")
    assert verdict(html)[:2] == ("caution", "Caution: the guarantee is kept, but the release has the same rows as the source.")
