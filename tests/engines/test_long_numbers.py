"""Numbers of thousands of digits, which Python refuses to write out: each surface says so in its own words."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import ClauseError, PolicyError

DIGITS = "9" * 5000
"""More digits than Python writes."""

LONG = 10**5000
TABLE = pa.table({"zip": [1, 1, 2, 2], "job": ["a", "b", "a", "b"]})


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"k": LONG}, "k has thousands of digits; hint: round it"),
        ({"k": 2, "seed": LONG}, "seed has thousands of digits; hint: round it"),
        ({"k": 2, "weights": {"zip": LONG}}, 'the weight of "zip" has thousands of digits; hint: round it'),
        ({"sensitive": "job", "l": LONG}, "l has thousands of digits; hint: round it"),
    ],
)
def test_in_python(given: dict[str, Any], told: str) -> None:
    with pytest.raises(PolicyError, match=told):
        kanon_sql.anonymize(TABLE, quasi_identifiers=["zip"], keep=["job"], **given)


def test_in_an_audit() -> None:
    with pytest.raises(PolicyError, match="k has thousands of digits; hint: round it"):
        kanon_sql.audit(TABLE, k=LONG, quasi_identifiers=["zip"])


def test_in_the_clause_the_error_is_short() -> None:
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE t AS SELECT i % 3 AS a FROM range(12) r(i)")
        for clause in (f"BY a GUARANTEE k >= {DIGITS}", f"BY a WEIGHT {DIGITS[:50]} GUARANTEE k >= 2"):
            with pytest.raises(ClauseError, match="a number has more than 40 digits; hint: round it") as caught:
                con.execute(f"FROM t ANONYMIZE {clause}")
            assert len(str(caught.value)) < 400


def test_in_a_function() -> None:
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE t AS SELECT i % 3 AS a FROM range(12) r(i)")
        with pytest.raises(PolicyError, match="k must be a whole number"):
            con.execute(f"FROM k_anonymize('t', {DIGITS})")
