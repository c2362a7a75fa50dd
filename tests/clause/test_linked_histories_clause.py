"""PER ... LINKED FOR ANY m ROWS: how it is read, and what it cannot be combined with."""

from __future__ import annotations

import pytest

from kanon_sql.clause import guarantee_of, rewrite, single_release
from kanon_sql.clause.unreleased_tables import unreleased_tables
from kanon_sql.errors import ClauseError, PolicyError
from kanon_sql.model.linked_histories import LinkedHistories

BY = "FROM visits ANONYMIZE BY ward, month"

LINKED = "k >= 5 PER patient LINKED FOR ANY 2 ROWS"


def read(text: str) -> LinkedHistories:
    found: list[LinkedHistories] = []
    rewrite(text, lambda body, *_: body, link=lambda body, asked, _: found.append(asked) or body)
    [asked] = found
    return asked


def refused(text: str) -> str:
    with pytest.raises(ClauseError) as refusal:
        read(text)
    return str(refusal.value)


@pytest.mark.parametrize(
    ("written", "known_rows"),
    [
        (LINKED, 2),
        ("k > 4 per patient linked for any 1 row", 1),
        ("5 <= k PER patient LINKED FOR ANY 3 ROWS", 3),
        ('k >= 5 PER "patient" LINKED FOR ANY 2 ROW', 2),
    ],
)
def test_it_is_read(written: str, known_rows: int) -> None:
    asked = read(f"{BY} KEEP cost GUARANTEE {written} ORDER BY ward")
    assert (asked.k, asked.per, asked.known_rows) == (5, "patient", known_rows)
    assert (list(asked.quasi_identifiers), list(asked.keep)) == (["ward", "month"], ["cost"])
    assert read(f"{BY} GUARANTEE {asked.describe()}").describe() == asked.describe()
    assert LinkedHistories.from_json(asked.to_json()).to_json() == asked.to_json()


def test_every_set_of_columns_may_be_shown() -> None:
    assert read(f"FROM visits ANONYMIZE BY CUBE (ward, month) GUARANTEE {LINKED}").quasi_identifiers == ("ward", "month")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{BY} GUARANTEE {LINKED} AND l(disease) >= 2", f"{LINKED} cannot be combined with other guarantees"),
        (f"{BY} GUARANTEE k >= 5 AND {LINKED}", f"{LINKED} cannot be combined with other guarantees"),
        (f"FROM visits ANONYMIZE BY ward IN DIGITS GUARANTEE {LINKED}", "does not support IN, TOP or BOTTOM for ward"),
        (f"FROM visits ANONYMIZE BY ward WEIGHT 2 GUARANTEE {LINKED}", "does not support WEIGHT for ward"),
        (f"FROM visits ANONYMIZE BY ROLLUP (ward, month) GUARANTEE {LINKED}", "does not support sets of columns"),
        (f"{BY} LINKED (ward, month) GUARANTEE {LINKED}", "does not support LINKED columns"),
        (f"{BY} GUARANTEE {LINKED} USING auto (time_limit = 3)", "does not support USING"),
        (f"EXPLAIN ANONYMIZE {BY} GUARANTEE {LINKED}", "EXPLAIN ANONYMIZE does not support linked histories"),
        (
            f"FROM visits ANONYMIZE BY ward, Patient GUARANTEE {LINKED}",
            "the column patient is a quasi-identifier, but it identifies",
        ),
        (f"{BY} KEEP patient GUARANTEE {LINKED}", "the column patient is kept, but it identifies people"),
        (f"{BY} GUARANTEE k >= 5 PER patient LINKED", "expected FOR ANY 2 ROWS after LINKED"),
        (f"{BY} GUARANTEE k >= 5 PER patient LINKED FOR ANY 2 COLUMNS", "expected a whole number of ROWS"),
        (f"{BY} GUARANTEE k >= 5 PER patient LINKED FOR ANY 1.5 ROWS", "expected a whole number of ROWS"),
        (f"{BY} GUARANTEE k >= 5 PER patient LINKED FOR (ward)", "expected FOR ANY 2 ROWS after LINKED"),
        (f"{BY} GUARANTEE k >= 5 PER patient LINKED FOR ANY 4 ROWS", "known_rows must be 1, 2 or 3"),
        (f"{BY} GUARANTEE k >= 5 PER patient LINKED FOR ANY 0 ROWS", "known_rows must be 1, 2 or 3"),
        (f"{BY} GUARANTEE k >= 0 PER patient LINKED FOR ANY 2 ROWS", "k must be"),
        (f"{BY} GUARANTEE k >= 5 PER patient FOR ANY 2 ROWS", "ROWS needs LINKED"),
        (f"{BY} GUARANTEE k >= 5 FOR ANY 2 ROWS", "ROWS needs LINKED"),
        (f"SELECT DISTINCT ward FROM visits ANONYMIZE BY ward GUARANTEE {LINKED}", "DISTINCT can merge several people"),
    ],
)
def test_what_it_cannot_be_combined_with(text: str, told: str) -> None:
    assert told in refused(text)


def test_entrances_that_do_not_link_say_so() -> None:
    told = "linked histories are not supported here; hint: use kanon_sql.connect"
    with pytest.raises(ClauseError, match=told):
        rewrite(f"{BY} GUARANTEE {LINKED}", lambda body, *_: body)
    with pytest.raises(ClauseError, match=told):
        single_release(f"{BY} GUARANTEE {LINKED}")
    with pytest.raises(ClauseError, match="linked histories cannot be combined with other guarantees"):
        guarantee_of(LINKED)


def test_only_what_is_beside_the_release_is_unreleased() -> None:
    released = f"FROM visits ANONYMIZE BY ward GUARANTEE {LINKED}"
    assert unreleased_tables(f"SELECT * FROM wards JOIN ({released}) USING (ward)") == ["wards"]


def test_a_request_in_python_is_checked_alike() -> None:
    with pytest.raises(PolicyError, match="known_rows must be 1, 2 or 3"):
        LinkedHistories(k=5, per="patient", known_rows=True)
    with pytest.raises(PolicyError, match="the column that identifies people"):
        LinkedHistories(k=5, per="", known_rows=2)
