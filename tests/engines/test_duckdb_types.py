"""Every type of DuckDB as a quasi-identifier: a release with the type kept and exact cells, or a clear error."""

from __future__ import annotations

import duckdb
import pytest
from asking import ask, types

import kanon_sql

# type, then three different values as SQL: the first is shared by three rows, the others are alone
VALUES = [
    ("BOOLEAN", "true", "false", "NULL"),
    ("TINYINT", "-128", "127", "0"),
    ("SMALLINT", "-32768", "1", "2"),
    ("INTEGER", "1", "2", "3"),
    ("BIGINT", "-9223372036854775808", "9223372036854775807", "9223372036854775806"),
    ("HUGEINT", "170141183460469231731687303715884105727", "170141183460469231731687303715884105726", "-1"),
    ("HUGEINT", "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999", "0"),
    ("UHUGEINT", "340282366920938463463374607431768211455", "340282366920938463463374607431768211454", "0"),
    ("UTINYINT", "255", "0", "1"),
    ("USMALLINT", "65535", "0", "1"),
    ("UINTEGER", "4294967295", "0", "1"),
    ("UBIGINT", "18446744073709551615", "18446744073709551614", "0"),
    ("DECIMAL(4,1)", "1.1", "1.2", "-1.1"),
    ("DECIMAL(18,3)", "1.001", "1.002", "0"),
    ("DECIMAL(38,10)", "1234567890123456789012345678.0000000001", "1234567890123456789012345678.0000000002", "0"),
    ("FLOAT", "'nan'::FLOAT", "'inf'::FLOAT", "0.1"),
    ("DOUBLE", "'nan'::DOUBLE", "'-inf'::DOUBLE", "0.1"),
    ("DOUBLE", "0.1", "0.1 + 1e-17", "0.10000000000000002"),
    ("VARCHAR", "'a'", "'A'", "''"),
    ("VARCHAR", "'é'", "'e' || chr(769)", "chr(0) || 'x'"),
    ("VARCHAR COLLATE NOCASE", "'a'", "'b'", "'c'"),
    ("VARCHAR COLLATE de", "'a'", "'b'", "'c'"),
    ("BLOB", "'\\x00'::BLOB", "'\\x00\\x00'::BLOB", "''::BLOB"),
    ("BIT", "'0'::BIT", "'00'::BIT", "'1'::BIT"),
    ("UUID", "'00000000-0000-0000-0000-000000000001'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'", "NULL"),
    ("ENUM ('low', 'mid', 'unused', 'high')", "'high'", "'low'", "'mid'"),
    ("DATE", "DATE '2020-01-01'", "DATE 'infinity'", "DATE '290000-12-31 (BC)'"),
    ("TIME", "TIME '01:02:03.000004'", "TIME '01:02:03.000005'", "TIME '24:00:00'"),
    ("TIME_NS", "'01:02:03.000000004'", "'01:02:03.000000005'", "NULL"),
    ("TIMETZ", "TIMETZ '01:00:00+01'", "TIMETZ '00:00:00+02'", "TIMETZ '05:00:00+00'"),
    ("TIMESTAMP", "TIMESTAMP '2020-01-01 00:00:00.000001'", "TIMESTAMP 'infinity'", "TIMESTAMP '-infinity'"),
    ("TIMESTAMP_S", "'2020-01-01'", "'2020-01-02'", "NULL"),
    ("TIMESTAMP_MS", "'2020-01-01 00:00:00.001'", "'2020-01-01 00:00:00.002'", "NULL"),
    ("TIMESTAMP_NS", "'2020-01-01 00:00:00.000000001'", "'2020-01-01 00:00:00.000000002'", "NULL"),
    ("TIMESTAMPTZ", "TIMESTAMPTZ '2020-01-01 00:00:00+00'", "TIMESTAMPTZ '2020-01-01 00:00:00+01'", "NULL"),
    ("INTERVAL", "INTERVAL 1 MONTH", "INTERVAL 29 DAY", "INTERVAL 1 SECOND"),
    ("INTEGER[]", "[1, NULL]", "[1]", "[]"),
    ("VARCHAR[][]", "[['a'], []]", "[['a']]", "[[NULL]]"),
    ("INTEGER[2]", "[1, 2]", "[2, 1]", "[1, NULL]"),
    ("STRUCT(x INTEGER, y VARCHAR)", "{'x': 1, 'y': 'a'}", "{'x': 1, 'y': NULL}", "{'x': NULL, 'y': 'a'}"),
    (
        "STRUCT(x DOUBLE[], y STRUCT(z DATE))",
        "{'x': [0.5], 'y': {'z': DATE '2020-01-01'}}",
        "{'x': [], 'y': {'z': NULL}}",
        "NULL",
    ),
    ("MAP(VARCHAR, INTEGER)", "MAP {'a': 1}", "MAP {'a': 2}", "MAP {}"),
    ("UNION(n INTEGER, s VARCHAR)", "union_value(n := 1)", "union_value(s := '1')", "union_value(n := 2)"),
    ("JSON", "'{\"a\": 1}'", "'{\"a\":1}'", "'null'"),
    ("BIGNUM", "1", "2", "3"),
    ("VARIANT", "1::VARIANT", "'x'::VARIANT", "NULL"),
    ("GEOMETRY", "'POINT (1 2)'::GEOMETRY", "'POINT (2 1)'::GEOMETRY", "NULL"),
]

ERRORS = ("cast it to VARCHAR", "hint", "not supported", "Unsupported", "Not implemented")


def fill(con: duckdb.DuckDBPyConnection, kind: str, values: tuple[str, ...]) -> None:
    try:
        con.execute(f"CREATE TABLE t (id INTEGER, q {kind}, r INTEGER)")
        rows = ", ".join(f"({i}, {values[min(max(i - 2, 0), 2)]}, {i // 3})" for i in range(5))
        con.execute(f"INSERT INTO t VALUES {rows}")
    except duckdb.Error as error:
        pytest.skip(f"this DuckDB has no such value: {type(error).__name__}")


def unlisted(columns: list[tuple[str, str]], names: str = "['q', 'r']") -> list[tuple[str, str]]:
    """The labels of an ENUM would tell what was suppressed: as a quasi-identifier it becomes VARCHAR."""
    return [(name, "VARCHAR" if kind.startswith("ENUM") and repr(name) in names else kind) for name, kind in columns]


def check_release(con: duckdb.DuckDBPyConnection, k: int, names: str) -> None:
    others = [name for name in ("id", "q", "r") if repr(name) not in names]
    try:
        con.execute(f"CREATE OR REPLACE TABLE released AS FROM k_anonymize('t', {k}, qi := {names}, keep := {others})")
    except duckdb.Error as error:
        assert any(text in str(error) for text in ERRORS), str(error)  # noqa: PT017 - an error is one of two good ends
        assert "q" in names, "a column that is no quasi-identifier must pass"
        return
    assert types(con, "FROM released") == unlisted(types(con, "FROM t"), names)
    assert ask(con, "SELECT count(*), count(DISTINCT id) FROM released") == [(5, 5)]
    for column in "qr":
        listed = dict(types(con, "FROM t"))[column].startswith("ENUM")
        cells = [f"CAST({side}.{column} AS VARCHAR)" if listed else f"{side}.{column}" for side in "rt"]
        changed = " <> ".join(f"create_sort_key({cell}, 'ASC NULLS FIRST')" for cell in cells)
        query = f"SELECT count(*) FROM released r JOIN t USING (id) WHERE r.{column} IS NOT NULL AND {changed}"
        assert ask(con, query) == [(0,)]
    assert ask(con, f"SELECT k >= {k} FROM k_anonymity('released', {names})") == [(True,)]
    if k == 1:
        assert ask(con, "SELECT count(*) FROM released r JOIN t USING (id) WHERE r.q IS NOT DISTINCT FROM t.q") == [(5,)]
    if k == 5:
        assert ask(con, "SELECT count(q) FROM released") == [(0,)]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("values", VALUES, ids=lambda values: values[0])
def test_every_type(con: duckdb.DuckDBPyConnection, values: tuple[str, ...]) -> None:
    kind, *cells = values
    fill(con, kind, tuple(cells))
    check_release(con, 2, "['q', 'r']")
    check_release(con, 5, "['q']")
    check_release(con, 2, "['r']")
    check_release(con, 1, "['q', 'r']")


@pytest.mark.sweep
@pytest.mark.parametrize("values", VALUES, ids=lambda values: values[0])
def test_every_type_where_every_column_counts(con: duckdb.DuckDBPyConnection, values: tuple[str, ...]) -> None:
    kind, *cells = values
    fill(con, kind, tuple(cells))
    con.execute("CREATE TABLE u AS SELECT q, r FROM t")
    try:
        con.execute("CREATE TABLE released AS FROM k_anonymize('u', 2)")
    except duckdb.Error as error:
        assert any(text in str(error) for text in ERRORS), str(error)  # noqa: PT017 - an error is one of two good ends
        return
    assert types(con, "FROM released") == unlisted(types(con, "FROM u"))
    assert ask(con, "SELECT count(*), k >= 2 FROM released, k_anonymity('released') GROUP BY ALL") == [(5, True)]


@pytest.mark.sweep
@pytest.mark.parametrize("values", VALUES, ids=lambda values: values[0])
def test_every_type_as_text(con: duckdb.DuckDBPyConnection, values: tuple[str, ...]) -> None:
    kind, *cells = values
    fill(con, kind, tuple(cells))
    try:
        con.execute("CREATE TABLE released AS FROM k_anonymize('t', 2, qi := ['q', 'r'], keep := ['id'], suppress := '*')")
    except duckdb.Error as error:
        assert any(text in str(error) for text in ERRORS), str(error)  # noqa: PT017 - an error is one of two good ends
        return
    assert [kind for _, kind in types(con, "FROM released")] == ["INTEGER", "VARCHAR", "VARCHAR"]
    query = "SELECT count(*) FROM released r JOIN t USING (id) WHERE r.q = '*' OR r.q IS NOT DISTINCT FROM t.q::VARCHAR"
    assert ask(con, query) == [(5,)]


def test_a_collation_that_merges_texts_is_refused_with_a_hint(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t (id INTEGER, word VARCHAR COLLATE NOCASE)")
    con.execute("INSERT INTO t VALUES (1, 'Ann'), (2, 'ANN'), (3, 'ann'), (4, 'bob'), (5, 'bob')")
    with pytest.raises(duckdb.Error, match=r"collation .* hint: .* cast such a column to plain VARCHAR"):
        ask(con, "FROM k_anonymize('t', 2, qi := ['word'], keep := ['id'])")
    con.execute('CREATE VIEW plain AS SELECT id, CAST(word AS VARCHAR) COLLATE "binary" AS word FROM t')
    rows = ask(con, "SELECT r.word, t.word FROM k_anonymize('plain', 2, qi := ['word'], keep := ['id']) r JOIN t USING (id)")
    assert sorted(shown or "" for shown, _ in rows) == ["", "", "", "bob", "bob"]


LOOKS = [
    ("0.0::DOUBLE", "-0.0::DOUBLE"),
    ("INTERVAL 1 MONTH", "INTERVAL 30 DAY"),
    ("[0.0::DOUBLE]", "[-0.0::DOUBLE]"),
    ("TIMETZ '01:00:00+01'", "TIMETZ '00:00:00+00'"),
]


@pytest.mark.sweep
@pytest.mark.parametrize(("one", "other"), LOOKS)
def test_values_that_are_equal_but_look_different(con: duckdb.DuckDBPyConnection, one: str, other: str) -> None:
    con.execute(f"CREATE TABLE t AS SELECT 1 AS id, {one} AS q UNION ALL SELECT 2, {other} UNION ALL SELECT 3, {one}")
    try:
        con.execute("CREATE TABLE released AS FROM k_anonymize('t', 2, qi := ['q'], keep := ['id'])")
    except duckdb.Error as error:
        assert any(text in str(error) for text in ERRORS), str(error)  # noqa: PT017 - an error is one of two good ends
        return
    same = ask(con, "SELECT bool_and(r.q IS NULL OR r.q = t.q) FROM released r JOIN t USING (id)")
    assert same == [(True,)], "a cell that is shown equals the source's"
    assert ask(con, "SELECT k >= 2 FROM k_anonymity('released', ['q'])") == [(True,)]


@pytest.mark.everything
def test_a_named_enum_keeps_its_name_where_it_is_released_unchanged(tmp_path: object) -> None:
    with kanon_sql.register(duckdb.connect(f"{tmp_path}/x.duckdb")) as con:
        con.execute("CREATE TYPE mood AS ENUM ('sad', 'happy')")
        con.execute(
            "CREATE TABLE t AS SELECT i AS id, (CASE WHEN i < 3 THEN 'sad' ELSE 'happy' END)::mood AS m FROM range(4) r(i)"
        )
        con.execute("CREATE TABLE released AS FROM k_anonymize('t', 3, qi := ['id'])")
        assert types(con, "FROM released") == types(con, "FROM t")
        con.execute("CREATE OR REPLACE TABLE released AS FROM k_anonymize('t', 3, qi := ['m'], keep := ['id'])")
        assert types(con, "FROM released") == [("id", "BIGINT"), ("m", "VARCHAR")]
