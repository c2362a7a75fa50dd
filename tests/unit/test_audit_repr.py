"""What an audit shows of itself: a few lines of rounded figures, and no value of a cell."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa

import kanon_sql
from kanon_sql.engines.audit_figures import Audit


def test_an_audit_shows_what_it_counted() -> None:
    table = pa.table({"zip": ["98101", "98101", "98102"], "disease": ["flu", "cold", "flu"]})
    assert repr(kanon_sql.audit(table, quasi_identifiers=["zip"], sensitive="disease")).splitlines() == [
        "rows              3",
        "classes           2, the smallest of 1 row, 1 of a single row",
        "risk              100.0% of the worst row, 66.7% of the average row",
        "l-diversity       1 distinct, frequency 1, entropy 1",
        "t-closeness       0.3333",
    ]


def test_an_audit_shows_what_was_asked_for() -> None:
    counted = {"rows": 2000, "classes": 2, "uniques": 0, "highest_risk": 0.001, "average_risk": 0.001}
    assert repr(Audit(k=1000, **counted, beta=Fraction(5, 2), delta=float("inf"))).splitlines() == [  # type: ignore[arg-type]
        "rows              2,000",
        "classes           2, the smallest of 1,000 rows, 0 of a single row",
        "risk              0.1% of the worst row, 0.1% of the average row",
        "beta-likeness     2.5",
        "delta-disclosure  inf",
    ]


def test_an_audit_of_no_rows() -> None:
    empty = pa.table({"zip": pa.array([], pa.string())})
    assert repr(kanon_sql.audit(empty, quasi_identifiers=["zip"])).splitlines() == [
        "rows              0",
        "classes           0",
    ]
