"""The report on a release for known columns: its statement is about the attacker who knows them, and about no other."""

from __future__ import annotations

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.model.requirements import KnownColumns
from kanon_sql.report.release_report import report

COLUMNS = ["a", "b", "c", "d"]


@pytest.mark.everything
@pytest.mark.parametrize(
    ("known", "attacker"),
    [
        (KnownColumns(k=5, columns=2), "Someone who knows any 2 quasi-identifiers finds at least 5 rows that fit a person"),
        (KnownColumns(k=5, sets=[["a", "b"], ["c"]]), "Someone who knows a, b or c finds at least 5 rows that fit a person"),
    ],
)
def test_the_statement_is_about_known_columns(known: KnownColumns, attacker: str) -> None:
    source = pa.table(
        {name: [row * 7919 % size for row in range(400)] for name, size in zip(COLUMNS, (5, 7, 9, 11), strict=True)}
    )
    release = kanon_sql.anonymize(source, k=1, quasi_identifiers=COLUMNS, requirements=[known])
    assert release.certificate.smallest_class < 5
    page = " ".join(report(source, release).split())
    assert attacker in page
    assert "by all of them, the smallest class has" in page
    assert "Every one of the 400 rows shares" not in page
    assert "A value is listed only if at least 5 rows" in page
