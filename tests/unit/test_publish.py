"""What `kanon anonymize` compares between the audited rows and the written file."""

from __future__ import annotations

import duckdb
import pytest

from kanon_sql.cli.publish import metric_and_hierarchy
from kanon_sql.engines.duckdb.files.dialect import Dialect
from kanon_sql.engines.duckdb.guarantees import audit_macros
from kanon_sql.engines.duckdb.release import written_release
from kanon_sql.errors import SourceError
from kanon_sql.model.policy import Policy

ROWS = [("a", "flu"), ("a", "flu"), ("a", None), ("b", "flu"), ("b", ""), ("b", None), (None, "cold"), (None, "cold")]


def tallies(rows: list[tuple[str | None, str | None]], names: str = "zip, disease") -> list[str]:
    qi, sensitive = names.split(", ")
    with audit_macros(duckdb.connect()) as con:
        con.execute(f"CREATE TABLE released ({qi} VARCHAR, {sensitive} VARCHAR)")
        con.executemany("INSERT INTO released VALUES (?, ?)", rows)
        return written_release.tallies(con, Policy.of(quasi_identifiers=[qi], sensitive=sensitive, l=1))


@pytest.mark.everything
def test_the_order_of_rows_and_the_texts_of_values_do_not_count() -> None:
    assert tallies(ROWS) == tallies(ROWS[::-1])
    assert tallies(ROWS) == tallies([(zip_code, disease and disease.upper()) for zip_code, disease in ROWS])


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("place", "row"), [(2, ("a", "flu")), (4, ("b", None)), (3, ("a", "flu")), (6, (None, "flu")), (0, ("b", "flu"))]
)
def test_another_value_or_another_class_counts(place: int, row: tuple[str | None, str | None]) -> None:
    assert tallies(ROWS) != tallies([*ROWS[:place], row, *ROWS[place + 1 :]])


@pytest.mark.everything
@pytest.mark.parametrize("names", ["class_size, disease", "zip, Class_Size"])
def test_a_column_may_be_called_as_the_count_is(names: str) -> None:
    assert tallies(ROWS, names) == tallies(ROWS)
    assert tallies(ROWS[:-1], names) != tallies(ROWS)


def test_without_a_sensitive_column_there_is_nothing_to_compare() -> None:
    with duckdb.connect() as con:
        assert written_release.tallies(con, Policy.of(quasi_identifiers=["zip"])) == []


def test_a_metric_without_a_file_is_a_name() -> None:
    assert metric_and_hierarchy("ordered", None, Dialect()) == ({"metric": "ordered", "hierarchy": None}, {})
    assert metric_and_hierarchy(None, None, Dialect()) == ({"metric": None, "hierarchy": None}, {})
    with pytest.raises(SourceError, match="far is neither a metric nor a file"):
        metric_and_hierarchy("far", None, Dialect())
