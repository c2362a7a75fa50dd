"""`kanon_sql.protect`: every library, the same table as the clause, and a certificate that is a file."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import duckdb
import pandas
import polars
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.registration import session_of
from kanon_sql.errors import CertificateError, PolicyError, SourceError

PEOPLE = pa.table(
    {
        "region": [f"r{n * 7 % 11 % 4}" for n in range(60)],
        "sex": ["fm"[n * 31 % 7 % 2] for n in range(60)],
        "age": [n * 37 % 5 for n in range(60)],
        "income": pa.array([Decimal(n % 50) / 4 for n in range(60)], pa.decimal128(10, 2)),
        "id": list(range(60)),
    }
)

KINDS = {
    "arrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(),
    "polars": polars.from_arrow,
    "lazy": lambda table: polars.from_arrow(table).lazy(),
    "relation": lambda table: duckdb.connect().from_arrow(table),
}


def rows_of(table: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a table of any library as Python objects."""
    match table:
        case pandas.DataFrame():
            table = pa.Table.from_pandas(table, preserve_index=False)
        case polars.DataFrame():
            table = table.to_arrow()
        case duckdb.DuckDBPyRelation():
            return table.fetchall()
    return [tuple(row.values()) for row in table.to_pylist()]


def by_clause() -> list[tuple[Any, ...]]:
    con = kanon_sql.connect()
    con.register("people", PEOPLE)
    return con.execute(
        "SELECT region, sex, count(*) AS n, sum(income) AS total FROM people GROUP BY CUBE (region, sex) "
        "PROTECT n >= 5 AND p(total) >= 10"
    ).fetchall()


@pytest.mark.everything
@pytest.mark.parametrize("kind", KINDS)
def test_every_library_gets_the_rows_of_the_clause(kind: str) -> None:
    released = kanon_sql.protect(KINDS[kind](PEOPLE), by=["region", "sex"], measures={"total": "income"}, k=5, p={"total": 10})
    rows = rows_of(released.table)
    assert sorted(rows, key=str) == sorted(by_clause(), key=str)
    assert sum(row[2] is None for row in rows) == released.certificate.primary + released.certificate.secondary
    kinds = {"arrow": pa.Table, "pandas": pandas.DataFrame, "relation": duckdb.DuckDBPyRelation}
    assert isinstance(released.table, kinds.get(kind, polars.DataFrame))


def test_counts_in_pandas_stay_whole_beside_null() -> None:
    released = kanon_sql.protect(PEOPLE.to_pandas(), ["region", "sex", "age"], k=5)
    assert str(released.table["n"].dtype) == "Int64"
    assert released.table["n"].isna().any()


def test_options_of_the_clause() -> None:
    released = kanon_sql.protect(
        PEOPLE, ["region", "sex"], measures={"s": "age"}, dominance={"s": (1, "0.5")}, grouping="rollup", rows="absent",
        suppressed=True, cost="n", per="id",
    )  # fmt: skip
    assert released.table.column_names == ["region", "sex", "n", "s", "suppressed"]
    assert released.certificate.requirements == ("n >= 5 PER id", "dominance(s, 1) <= 0.5")


def test_a_column_that_is_summed_twice_is_one_sum() -> None:
    table = kanon_sql.protect(PEOPLE, ["region"], measures={"a": "income", "b": "INCOME"}, p={"b": 10}, k=3).table
    assert table["a"] == table["b"]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"by": ["regio"]}, PolicyError, "did you mean"),
        ({"by": "region"}, PolicyError, "list of columns"),
        ({"by": ["region"], "measures": {"s": "nowhere"}}, PolicyError, "unknown column"),
        ({"by": ["region"], "per": "nobody"}, PolicyError, "unknown column"),
        ({"by": ["region"], "k": 1}, PolicyError, "at least 2"),
        ({"by": ["region"], "show": [["regio"]]}, PolicyError, 'unknown column "regio" in show; hint: did you mean'),
        ({"by": ["region"], "contributors": "no"}, PolicyError, "contributors must be true, false"),
        ({"by": ["region"], "grouping": "cubes"}, PolicyError, "unknown grouping"),
        ({"by": ["region"], "row": "absent"}, TypeError, "no option"),
        ({"by": ["id"]}, SourceError, "singles out"),
    ],
)
def test_what_is_wrong_is_said(arguments: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        kanon_sql.protect(PEOPLE, **arguments)


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(SourceError, match="no rows"):
        kanon_sql.protect(PEOPLE.slice(0, 0), ["region"])


@pytest.mark.everything
def test_a_certificate_is_a_file_that_comes_back() -> None:
    certificate = kanon_sql.protect(PEOPLE, ["region", "sex", "age"], measures={"s": "income"}).certificate
    text = certificate.to_json()
    assert kanon_sql.TableCertificate.from_json(text) == certificate
    assert len(certificate.evidence.witnesses) == certificate.witnesses > 0
    with pytest.raises(CertificateError, match="sha256"):
        kanon_sql.TableCertificate.from_json(text.replace('"scale": ', '"scale": 1'))


@pytest.mark.everything
def test_the_file_of_a_table_that_respects_earlier_ones_lists_them() -> None:
    con = kanon_sql.connect()
    con.register("people", PEOPLE)
    for grouping in ("CUBE", "ROLLUP"):
        con.execute(
            f"SELECT region, sex, count(*) AS n FROM people GROUP BY {grouping} (region, sex) PROTECT n >= 5"
        ).fetchall()
    certificate = session_of(con.raw).protected_tables.certificates[-1]
    assert json.loads(certificate.together)["earlier"] == 1
    assert kanon_sql.TableCertificate.from_json(certificate.to_json()) == certificate


TABLES = [
    {"by": ["region", "sex"], "measures": {"total": "income"}, "k": 5, "p": {"total": 10}},
    {"by": ["age", "region"], "k": 5},
]


@pytest.mark.everything
@pytest.mark.parametrize("kind", KINDS)
def test_several_tables_are_those_of_one_transaction(kind: str) -> None:
    con = kanon_sql.connect()
    con.register("people", PEOPLE)
    con.execute(
        "BEGIN PROTECTED; CREATE TABLE a AS SELECT region, sex, count(*) AS n, sum(income) AS total FROM people "
        "GROUP BY CUBE (region, sex) PROTECT n >= 5 AND p(total) >= 10; "
        "CREATE TABLE b AS SELECT age, region, count(*) AS n FROM people GROUP BY CUBE (age, region) PROTECT n >= 5; COMMIT"
    )
    one, two = kanon_sql.protect_together(KINDS[kind](PEOPLE), TABLES)
    for name, released in (("a", one), ("b", two)):
        assert sorted(rows_of(released.table), key=str) == sorted(con.execute(f"FROM {name}").fetchall(), key=str)
        hidden = sum(row[2] is None for row in rows_of(released.table))
        assert hidden == released.certificate.primary + released.certificate.secondary
    assert type(one.table) is type(two.table)
    assert one.certificate.cost == two.certificate.cost
    assert one.certificate.together == two.certificate.together is not None
    assert one.certificate.evidence == two.certificate.evidence


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("tables", "error", "text"),
    [
        ([], PolicyError, "there are no tables"),
        ([*TABLES, {"by": ["sex"], "cost": "n"}], PolicyError, "a different COST"),
        ([*TABLES, {"by": ["sexx"]}], PolicyError, "did you mean"),
        ([*TABLES, {"by": ["sex"], "row": "absent"}], TypeError, "no option"),
        ([*TABLES, {"by": ["id"]}], SourceError, "singles out"),
        ([*TABLES, {"keys": ["sex"]}], TypeError, "by"),
    ],
)
def test_what_is_wrong_with_several_tables_is_said(tables: list[Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        kanon_sql.protect_together(PEOPLE, tables)
    with pytest.raises(SourceError, match="no rows"):
        kanon_sql.protect_together(PEOPLE.slice(0, 0), TABLES)
