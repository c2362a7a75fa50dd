"""Every kind of table x type x per x suppress x recoding: what is no quasi-identifier comes back equal, in an equal type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from python_kinds import AGES, KINDS, PEOPLE, ZIPS, told

import kanon_sql

QI = ["zip", "age"]


def others(names: Iterable[str], *given: str | None) -> list[str]:
    """Return the columns that are no quasi-identifiers and have no other role."""
    return [str(name) for name in names if name not in ("Zip", "age", *given)]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("recodings", [None, {"zip": "DIGITS", "age": "INTERVALS (10, 50)"}], ids=["plain", "recoded"])
@pytest.mark.parametrize("suppress", [None, "*"], ids=["null", "star"])
@pytest.mark.parametrize("per", [None, "team"], ids=["rows", "people"])
@pytest.mark.parametrize("kind", KINDS)
def test_all_other_columns_are_equal(
    kind: str, per: str | None, suppress: str | None, recodings: dict[str, str] | None
) -> None:
    with duckdb.connect() as con:
        source = KINDS[kind](con)
        before = told(source)
        options = {"per": per, "suppress": suppress, "recodings": recodings, "weights": {"zip": 2}}
        release = kanon_sql.anonymize(source, k=2, quasi_identifiers=QI, keep=others(before, per), **options)
        assert type(release.table) is type(source)
        after = told(release.table)
    assert list(after) == [name for name in before if name != per]
    for name in after:
        if name not in ("Zip", "age"):
            assert after[name] == before[name], name
    assert release.certificate.smallest_class >= 2
    zips, ages = (list(map(_cell, after[name][1])) for name in ("Zip", "age"))
    people = PEOPLE if per else range(len(zips))
    people_of = Counter((z, a) for z, a, _ in set(zip(zips, ages, people, strict=True)))
    assert min(people_of.values()) >= 2
    if recodings is None:
        hidden = {"None", "*"}
        for shown, cells in ((zips, ZIPS), (ages, AGES)):
            for cell, origin in zip(shown, cells, strict=True):
                assert cell in hidden or cell == str(origin)
        assert any(cell in hidden for cell in ages)


def _cell(text: str) -> str:
    plain = text.removeprefix("np.int64(").rstrip(")").strip("'")
    return "None" if plain in ("nan", "<NA>") else plain


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("masks", [[["zip"], []], [["zip", "age"], []]], ids=["zip", "both"])
@pytest.mark.parametrize("kind", KINDS)
def test_masks_and_a_sensitive_column(kind: str, masks: list[list[str]]) -> None:
    with duckdb.connect() as con:
        source = KINDS[kind](con)
        before = told(source)
        options = {"masks": masks, "sensitive": "team", "l": 2, "suppress": "?"}
        release = kanon_sql.anonymize(source, k=2, quasi_identifiers=QI, keep=others(before, "team"), **options)
        after = told(release.table)
    for name in before:
        if name not in ("Zip", "age"):
            assert after[name] == before[name], name


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["table", "pandas", "polars", "relation"])
def test_the_order_of_the_rows_changes_nothing(kind: str) -> None:
    """One row of a type that is split between classes is hidden: which one follows from its contents."""

    def released(rows: Any, con: duckdb.DuckDBPyConnection) -> Any:
        frame = KINDS[kind](con)
        match kind:
            case "table":
                frame = pa.concat_tables([frame.slice(row, 1) for row in rows])
            case "pandas":
                frame = frame.iloc[rows]
            case "polars":
                frame = frame[rows]
            case _:
                frame = frame.order(f"list_position({rows}, id)")
        return told(kanon_sql.anonymize(frame, k=4, quasi_identifiers=["zip"], keep=[*others(told(frame)), "age"]).table)

    with duckdb.connect() as con:
        assert released(list(range(12)), con) == released([7, 3, 11, 0, 5, 1, 10, 2, 9, 4, 8, 6], con)
