"""Names, types, empty tables, collations, errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

One = Callable[..., dict[str, object]]
NAMES = [
    "k",
    "rows",
    "class_size",
    "select",
    'a"b',
    "x;y",
    "größe",
    "a b",
    "it's",
    "source",
    "classes",
    "{0}",
    "<tbl>",
    "名",
    "-- x",
]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.sweep
@pytest.mark.parametrize("name", [*NAMES, "size", "class", "cells", "symbol", "equivalence class", "position"])
def test_any_column_name(con: duckdb.DuckDBPyConnection, one: One, name: str) -> None:
    con.execute(f"CREATE TABLE t AS SELECT (i % 3)::VARCHAR AS {quoted(name)}, i AS other FROM range(9) r(i)")
    for call in ("'t', $1", "'t', qi := $1"):
        assert one(f"FROM k_anonymity({call})", [[name]])["k"] == 3
        assert one(f"FROM reidentification_risk({call})", [[name]])["uniques"] == 0
    assert one("FROM utility('t', 't', $1)", [[name]])["discernibility"] == 27
    con.execute("FROM equivalence_classes('t', $1)", [[name]])
    assert [column[0] for column in con.description] == [
        name if name != "equivalence class" else "equivalence class_1",
        "class_size" if name != "class_size" else "class_size_1",
    ]
    assert sorted(con.fetchall()) == [("0", 3), ("1", 3), ("2", 3)]
    assert one("FROM k_anonymity('t')")["k"] == 1
    assert one("FROM utility('t', 't')")["cells"] == 18


def test_every_odd_name_at_once(con: duckdb.DuckDBPyConnection, one: One) -> None:
    con.execute(f"CREATE TABLE t AS SELECT {', '.join(f'{j} AS {quoted(name)}' for j, name in enumerate(NAMES))}")
    assert one("FROM k_anonymity('t', $1)", [NAMES])["k"] == 1
    assert one("FROM utility('t', 't', $1)", [NAMES])["cells"] == len(NAMES)
    con.execute("FROM equivalence_classes('t')")
    assert con.fetchall() == [(*range(len(NAMES)), 1)]


def test_case_of_a_column_name_does_not_matter(con: duckdb.DuckDBPyConnection) -> None:
    con.execute('CREATE TABLE t AS SELECT 1 AS "Zip"')
    con.execute("FROM equivalence_classes('T', ['zIP'])")
    assert [column[0] for column in con.description] == ["Zip", "class_size"]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    "name",
    [
        "t",
        "T",
        "main.t",
        "memory.main.t",
        '"t"',
        'main."t"',
        '"memory"."main"."t"',
        '"odd ""name"',
        '"a.b"',
        '"x;y"',
        "select",
        "größe",
    ],
)
@pytest.mark.own_connection
def test_any_table_name(con: duckdb.DuckDBPyConnection, one: One, name: str) -> None:
    for table in ("t", '"odd ""name"', '"a.b"', '"x;y"', '"select"', "größe"):
        con.execute(f"CREATE TABLE {table} AS SELECT 1 AS a FROM range(4)")
    assert one("FROM k_anonymity($1, ['a'])", [name])["k"] == 4
    assert one("FROM utility($1, $1, ['a'])", [name])["rows"] == 4


@pytest.mark.sweep
@pytest.mark.parametrize(
    "text",
    [
        "t; DROP TABLE t",
        "(SELECT 1)",
        "t t2",
        "t--",
        "t, t",
        "",
        " ",
        ".t",
        "t.",
        "a..t",
        "a.b.c.t",
        '"t',
        't"',
        '"t"x',
        '""',
        "'t'",
        "t\n",
        "range(3)",
        '"t" "u"',
        "t\x00",
    ],
)
def test_what_is_not_a_table_name_is_refused(con: duckdb.DuckDBPyConnection, text: str) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS a")
    for call in ("k_anonymity($1)", "equivalence_classes($1)", "reidentification_risk($1)"):
        with pytest.raises(duckdb.InvalidInputException, match="kanon: tbl is not the name of a table"):
            con.execute(f"FROM {call}", [text])
    with pytest.raises(duckdb.InvalidInputException, match="kanon: released is not the name of a table"):
        con.execute("FROM utility($1, 't')", [text])
    with pytest.raises(duckdb.InvalidInputException, match="kanon: original is not the name of a table"):
        con.execute("FROM utility('t', $1)", [text])
    assert con.execute("SELECT count(*) FROM t").fetchall() == [(1,)]


def test_null_is_not_a_table_name(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.InvalidInputException, match="not the name of a table: NULL"):
        con.execute("FROM k_anonymity(NULL)")


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("qi", "error", "text"),
    [
        ("[]", duckdb.InvalidInputException, "kanon: qi is an empty list"),
        ("['a', NULL]", duckdb.InvalidInputException, "kanon: qi holds NULL"),
        ("['a', 'A']", duckdb.InvalidInputException, "kanon: qi names a column twice"),
        ("['nope']", duckdb.BinderException, '"nope"'),
        ("['t']", duckdb.BinderException, '"t"'),
        ("['*']", duckdb.BinderException, '"\\*"'),
        ("['a\", source.\"b']", duckdb.BinderException, "does not have a column"),
        ("['a) FROM t; DROP TABLE t; --']", duckdb.BinderException, "does not have a column"),
        ("'a'", duckdb.ConversionException, "VARCHAR\\[\\]"),
    ],
)
def test_wrong_quasi_identifiers(con: duckdb.DuckDBPyConnection, qi: str, error: type[Exception], text: str) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS a, 2 AS b")
    for call in ("k_anonymity('t', ", "equivalence_classes('t', ", "reidentification_risk('t', ", "utility('t', 't', "):
        with pytest.raises(error, match=text):
            con.execute(f"FROM {call}{qi})")


def test_a_missing_table_is_the_error_of_duckdb(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.CatalogException, match="Table with name nope does not exist"):
        con.execute("FROM k_anonymity('nope')")


@pytest.mark.own_connection
def test_where_a_table_may_live(con: duckdb.DuckDBPyConnection, one: One, tmp_path: Path) -> None:
    con.execute("CREATE TEMP TABLE tt AS SELECT 1 AS a FROM range(2)")
    con.execute("CREATE VIEW v AS SELECT 1 AS a FROM range(3)")
    con.execute("ATTACH ':memory:' AS other; CREATE SCHEMA other.s; CREATE TABLE other.s.t AS SELECT 1 AS a FROM range(4)")
    con.execute(f"COPY (FROM v) TO '{tmp_path}/v.parquet'")
    assert one("FROM k_anonymity('tt')")["k"] == 2
    assert one("FROM k_anonymity('v')")["k"] == 3
    assert one("FROM k_anonymity('other.s.t')")["k"] == 4
    assert one("FROM k_anonymity($1)", [f'"{tmp_path}/v.parquet"'])["k"] == 3
    assert one("WITH c AS (SELECT 1 AS a FROM range(5)) SELECT k FROM k_anonymity('c') LIMIT 1") == {"k": 5}
    query = "WITH c AS (SELECT i % 2 AS a FROM range(6) r(i)), d AS (FROM c) SELECT * FROM utility('c', 'd') LIMIT 1"
    assert one(query)["classes"] == 2
    con.execute("CREATE VIEW audit AS FROM k_anonymity('v')")
    assert one("FROM audit")["k"] == 3


@pytest.mark.sweep
@pytest.mark.parametrize("qi", ["", ", ['a']", ", ['a', 'b']"])
def test_empty_tables_and_single_rows(con: duckdb.DuckDBPyConnection, one: One, qi: str) -> None:
    con.execute("CREATE TABLE t (a INTEGER, b VARCHAR)")
    assert one(f"FROM k_anonymity('t'{qi})") == {
        "k": None,
        "classes": 0,
        "rows": 0,
        "average_class_size": None,
        "largest_class": None,
        "uniques": 0,
    }
    assert con.execute(f"FROM equivalence_classes('t'{qi})").fetchall() == []
    assert one(f"FROM reidentification_risk('t'{qi})")["prosecutor_risk"] is None
    empty = one(f"FROM utility('t', 't'{qi})")
    assert {name: value for name, value in empty.items() if value is not None} == {
        "rows": 0,
        "cells": 0,
        "suppressed_cells": 0,
        "generalized_cells": 0,
        "unread_cells": 0,
        "classes": 0,
        "discernibility": 0,
    }
    con.execute("INSERT INTO t VALUES (NULL, NULL)")
    assert one(f"FROM k_anonymity('t'{qi})")["k"] == 1
    assert one(f"FROM reidentification_risk('t'{qi})")["prosecutor_risk"] == 1.0
    assert one(f"FROM utility('t', 't'{qi})")["suppressed_cells"] == 0


def test_the_types_of_the_result(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS a")
    for call in ("k_anonymity('t')", "reidentification_risk('t')", "utility('t', 't')", "equivalence_classes('t')"):
        types = {str(row[1]) for row in con.execute(f"DESCRIBE FROM {call}").fetchall()}
        assert types <= {"BIGINT", "DOUBLE", "INTEGER", "MAP(VARCHAR, DOUBLE)"}


@pytest.mark.everything
def test_all_types(con: duckdb.DuckDBPyConnection, one: One) -> None:
    con.execute("CREATE TABLE t AS FROM test_all_types() UNION ALL FROM test_all_types()")
    columns = [row[0] for row in con.execute("DESCRIBE t").fetchall()]
    assert one("FROM k_anonymity('t')")["k"] == 2
    assert one("FROM utility('t', 't')")["cells"] == 6 * len(columns)
    before = con.execute("DESCRIBE t").fetchall()
    after = con.execute("DESCRIBE FROM equivalence_classes('t')").fetchall()
    assert [row[:2] for row in after] == [*(row[:2] for row in before), ("class_size", "BIGINT")]
    for column in columns:
        expected = con.execute(f'SELECT count(*) FROM (SELECT 1 FROM t GROUP BY "{column}")').fetchall()[0][0]
        assert one("FROM k_anonymity('t', $1)", [[column]])["classes"] == expected, column
        assert one("FROM utility('t', 't', $1)", [[column]])["suppressed_cells"] == 0, column


def test_sixty_columns(con: duckdb.DuckDBPyConnection, one: One) -> None:
    con.execute(f"CREATE TABLE t AS SELECT {', '.join(f'i % {j % 3 + 1} AS c{j}' for j in range(60))} FROM range(60) r(i)")
    for qi in (None, [f"c{j}" for j in range(60)]):
        assert one("FROM k_anonymity('t', $1)", [qi])["k"] == 10
        assert one("FROM utility('t', 't', $1)", [qi])["cells"] == 3600


@pytest.mark.sweep
@pytest.mark.parametrize("collation", ["NOCASE", "NOACCENT", "NOCASE.NOACCENT"])
def test_text_is_compared_byte_by_byte(con: duckdb.DuckDBPyConnection, one: One, collation: str) -> None:
    con.execute(f"CREATE TABLE t (a VARCHAR COLLATE {collation}, l VARCHAR[])")
    con.execute("INSERT INTO t VALUES ('e', ['e']), ('E', ['E']), ('é', ['é']), ('É', ['É']), (NULL, NULL)")
    assert one("FROM k_anonymity('t', ['a'])")["classes"] == 5
    assert one("FROM k_anonymity('t')")["classes"] == 5
    figures = "SELECT * EXCLUDE (loss) FROM utility"
    assert one(f"{figures}('t', 't', ['a'])") == one(f"{figures}('t', 't', ['l'])")
    assert len(con.execute("FROM equivalence_classes('t', ['a'])").fetchall()) == 5


@pytest.mark.own_connection
def test_default_collation_changes_nothing(con: duckdb.DuckDBPyConnection, one: One) -> None:
    con.execute("SET default_collation = 'NOCASE'")
    con.execute("CREATE TABLE t AS SELECT unnest(['a', 'A']) AS a")
    assert one("FROM k_anonymity('t')")["k"] == 1
    assert one("FROM utility('t', 't')")["usefulness"] == 0.5


def test_tuples_do_not_run_together(one: One, con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t (a VARCHAR, b VARCHAR)")
    con.execute("INSERT INTO t VALUES ('ab', 'c'), ('a', 'bc'), ('abc', ''), ('abc', NULL), ('', 'abc'), (NULL, 'abc')")
    con.execute("INSERT INTO t VALUES ('a' || chr(0), 'b'), ('a', chr(0) || 'b'), (chr(1), chr(0)), (chr(1) || chr(0), '')")
    assert one("FROM k_anonymity('t')")["classes"] == 10
    assert one("FROM utility('t', 't')")["classes"] == 10


def test_a_star_in_the_original_is_not_counted(con: duckdb.DuckDBPyConnection, one: One) -> None:
    con.execute("CREATE TABLE o AS FROM (VALUES ('*', 1), ('a', 2), (NULL, 3)) t(a, b)")
    con.execute("CREATE TABLE r AS FROM (VALUES ('*', '1'), ('*', '*'), (NULL, '3')) t(a, b)")
    assert one("FROM utility('r', 'o')")["suppressed_cells"] == 2
    assert one("FROM utility('o', 'o')")["suppressed_cells"] == 0


@pytest.mark.everything
def test_a_release_of_other_size_is_refused(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE o AS SELECT i AS a, i % 2 AS b FROM range(4) r(i)")
    con.execute(
        "CREATE TABLE fewer AS FROM o LIMIT 3; CREATE TABLE none AS FROM o LIMIT 0; CREATE TABLE narrow AS SELECT a FROM o"
    )
    con.execute("CREATE TABLE hidden AS SELECT a, CASE WHEN a < 2 THEN b END AS b FROM o")
    for columns in ("*", "usefulness", "count(*)"):
        with pytest.raises(duckdb.InvalidInputException, match="kanon: the release has 3 rows and the original 4"):
            con.execute(f"SELECT {columns} FROM utility('fewer', 'o', ['a'])").fetchall()
        with pytest.raises(duckdb.InvalidInputException, match="kanon: the release has 0 rows and the original 4"):
            con.execute(f"SELECT {columns} FROM utility('none', 'o')").fetchall()
        with pytest.raises(duckdb.InvalidInputException, match="kanon: the release has 4 rows and the original 0"):
            con.execute(f"SELECT {columns} FROM utility('o', 'none')").fetchall()
        with pytest.raises(duckdb.InvalidInputException, match="kanon: the release has 1 columns and the original 2"):
            con.execute(f"SELECT {columns} FROM utility('narrow', 'o')").fetchall()
        with pytest.raises(duckdb.InvalidInputException, match="kanon: the release has 2 columns and the original 1"):
            con.execute(f"SELECT {columns} FROM utility('o', 'narrow')").fetchall()
        with pytest.raises(duckdb.InvalidInputException, match="kanon: a column shows more cells in the release"):
            con.execute(f"SELECT {columns} FROM utility('o', 'hidden')").fetchall()


@pytest.mark.own_connection
def test_with_external_access_off(con: duckdb.DuckDBPyConnection, one: One) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS a")
    con.execute("SET enable_external_access = false; SET lock_configuration = true")
    assert one("FROM k_anonymity('t')")["k"] == 1
    assert one("FROM utility('t', 't')")["rows"] == 1


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("kind", "value", "diversity"),
    [
        ("INTEGER", "1", 0.0),
        ("UBIGINT", "1", 0.0),
        ("HUGEINT", "1", 0.0),
        ("DECIMAL(9, 2)", "1", 0.0),
        ("DOUBLE", "1", 0.0),
        ("DATE", "'2020-01-01'", 0.0),
        ("TIMESTAMP", "'2020-01-01'", 0.0),
        ("TIMESTAMPTZ", "'2020-01-01'", 0.0),
        ("VARCHAR", "'x'", 0.5),
        ("BOOLEAN", "true", 0.5),
        ("ENUM ('x', 'y')", "'x'", 0.5),
        ("INTEGER[]", "[1]", 0.5),
        ("DECIMAL(9, 2)[]", "[1]", 0.5),
    ],
)
def test_which_types_are_numbers_for_usefulness(
    con: duckdb.DuckDBPyConnection, one: One, kind: str, value: str, diversity: float
) -> None:
    con.execute(f"CREATE TABLE t (a {kind}); INSERT INTO t VALUES ({value}), (NULL)")
    assert one("FROM utility('t', 't')")["usefulness"] == (diversity + 1) / 2


def test_the_original_decides_what_is_a_number(con: duckdb.DuckDBPyConnection, one: One) -> None:
    con.execute("CREATE TABLE t AS SELECT unnest(['1', '2']) AS a; CREATE TABLE n AS SELECT a::INTEGER AS a FROM t")
    assert one("FROM utility('n', 't')")["usefulness"] == 0.5
    assert one("FROM utility('t', 'n')")["usefulness"] == 0.0
