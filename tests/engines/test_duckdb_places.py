"""Where a release may stand in SQL, and from which tables it may be made."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
from asking import ask, class_sizes, tables, types

import kanon_sql
from kanon_sql.engines.duckdb.files.places import readable

CALLS = [
    "k_anonymize('people', 2, qi := ['zip', 'age'], keep := ['id', 'disease'])",
    "k_anonymize(tbl := 'people', k := 2, qi := ['zip', 'age'], keep := ['id', 'disease'])",
    "pattern_guided('people', [['zip'], ['age'], []], k := 2, qi := ['zip', 'age'], keep := ['id', 'disease'])",
    """anonymize('people', '{"quasi_identifiers": [{"column": "zip"}, {"column": "age"}], "keep": ["id", "disease"]}')""",
]
CALL = CALLS[0]
TWO = "SELECT * FROM (VALUES (1, 'a', 1, 'x'), (2, 'a', 2, 'y')) t(id, zip, age, disease)"
SOURCE = "SELECT id, zip, age, disease FROM people"


def check(con: Any, query: str, k: int = 2) -> list[tuple[Any, ...]]:
    """Check a release of `people` against its source; return it by id."""
    rows = sorted(ask(con, query))
    before = sorted(ask(con, SOURCE))
    assert [(row[0], row[3]) for row in rows] == [(row[0], row[3]) for row in before]
    for row, original in zip(rows, before, strict=True):
        assert all(row[c] in (None, original[c]) for c in (1, 2))
    assert min(class_sizes(rows, (1, 2)).values()) >= k
    return rows


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("call", CALLS)
def test_plain(people: duckdb.DuckDBPyConnection, call: str) -> None:
    check(people, f"FROM {call}")
    check(people, f"SELECT * FROM {call}")
    assert types(people, f"FROM {call}") == types(people, "FROM people")


@pytest.mark.everything
@pytest.mark.own_connection
def test_the_same_rows_every_time(people: duckdb.DuckDBPyConnection) -> None:
    assert check(people, f"FROM {CALL}") == check(people, f"FROM {CALL}")


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.own_connection
@pytest.mark.parametrize("call", CALLS)
def test_through_a_cursor(people: duckdb.DuckDBPyConnection, call: str) -> None:
    with people.cursor() as cursor:
        check(cursor, f"FROM {call}")
        check(cursor, f"FROM kanon.{call}")
    check(people, f"FROM kanon.{call}")


@pytest.mark.sweep
@pytest.mark.parametrize("call", CALLS)
def test_create_table_as(people: duckdb.DuckDBPyConnection, call: str) -> None:
    ask(people, f"CREATE TABLE released AS FROM {call}")
    check(people, "FROM released")
    assert types(people, "FROM released") == types(people, "FROM people")


@pytest.mark.sweep
@pytest.mark.parametrize("call", CALLS)
def test_create_view_releases_when_it_is_read(people: duckdb.DuckDBPyConnection, call: str) -> None:
    ask(people, f"CREATE VIEW released AS FROM {call}")
    check(people, "FROM released")
    ask(people, "INSERT INTO people VALUES (9, '98101', 51, 'flu'), (10, '98101', 51, 'flu')")
    check(people, "FROM released")


def test_insert_into(people: duckdb.DuckDBPyConnection) -> None:
    ask(people, "CREATE TABLE released AS FROM people LIMIT 0")
    ask(people, f"INSERT INTO released FROM {CALL}")
    check(people, "FROM released")


def test_copy_to_parquet(people: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    path = str(tmp_path / "released.parquet")
    ask(people, f"COPY (FROM {CALL}) TO '{path}' (FORMAT parquet)")
    check(people, f"FROM '{path}'")


def test_from_a_quoted_file(people: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    path = str(tmp_path / "people; it's.parquet")
    people.execute(f"COPY people TO '{path.replace(chr(39), chr(39) * 2)}'")
    name = '"' + path + '"'
    rows = ask(people, "FROM k_anonymize($1, 2, qi := ['zip', 'age'], keep := ['id', 'disease'])", [name])
    assert sorted(rows) == check(people, f"FROM {CALL}")


@pytest.mark.everything
def test_a_cte_is_a_source(people: duckdb.DuckDBPyConnection) -> None:
    call = CALL.replace("people", "s")
    check(people, f"WITH s AS (SELECT * FROM people) SELECT * FROM {call}")
    check(people, f"WITH s AS MATERIALIZED (SELECT * FROM people) SELECT * FROM {call}")


@pytest.mark.everything
def test_inside_a_cte_and_a_subquery(people: duckdb.DuckDBPyConnection) -> None:
    check(people, f"WITH r AS (FROM {CALL}) SELECT * FROM r")
    check(people, f"WITH r AS MATERIALIZED (FROM {CALL}) SELECT * FROM r")
    check(people, f"SELECT * FROM (SELECT * FROM {CALL}) AS r")


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("limit", [0, 1, 3, 1000])
@pytest.mark.parametrize("call", CALLS)
def test_limit(people: duckdb.DuckDBPyConnection, call: str, limit: int) -> None:
    everything = Counter(ask(people, f"FROM {call}"))
    rows = ask(people, f"FROM {call} LIMIT {limit}")
    assert len(rows) == min(limit, 8)
    assert not Counter(rows) - everything
    assert len(ask(people, f"FROM (FROM {call} LIMIT {limit})")) == min(limit, 8)


@pytest.mark.everything
@pytest.mark.own_connection
def test_limit_on_a_large_table(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("SET threads = 2")
    con.execute("CREATE TABLE large AS SELECT i AS id, i % 7 AS a, i % 100 AS b, i % 13 AS c FROM range(200000) t(i)")
    call = "k_anonymize('large', 30, qi := ['a', 'b', 'c'], keep := ['id'])"
    for limit in (0, 1, 5000):
        assert len(ask(con, f"FROM {call} LIMIT {limit}")) == limit
    assert ask(con, f"SELECT EXISTS (FROM {call} WHERE a = 3)") == [(True,)]
    assert ask(con, f"SELECT count(*) FROM (FROM {call} AS r JOIN large USING (id) LIMIT 1000)") == [(1000,)]
    assert ask(con, f"SELECT count(*) FROM {call} AS r WHERE r.id IN (SELECT id FROM {call} LIMIT 10)") == [(10,)]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("call", CALLS)
def test_exists_joins_and_aggregates_on_top(people: duckdb.DuckDBPyConnection, call: str) -> None:
    assert ask(people, f"SELECT EXISTS (FROM {call})") == [(True,)]
    assert ask(people, f"SELECT NOT EXISTS (FROM {call} WHERE id = 99)") == [(True,)]
    assert ask(people, f"SELECT count(*) FROM {call} AS r JOIN people AS p ON r.id = p.id") == [(8,)]
    assert ask(people, f"SELECT count(*) FROM people AS p LEFT JOIN {call} AS r ON r.id = p.id AND r.id > 3") == [(8,)]
    assert ask(people, f"SELECT count(*), count(DISTINCT id) FROM {call}") == [(8, 8)]
    assert ask(people, f"SELECT sum(n) FROM (SELECT count(*) AS n FROM {call} GROUP BY zip, age)") == [(8,)]
    assert ask(people, f"SELECT (SELECT count(*) FROM {call})") == [(8,)]
    assert ask(people, f"SELECT id FROM {call} ORDER BY id DESC LIMIT 2") == [(8,), (7,)]
    assert ask(people, f"SELECT count(*) FROM (FROM {call} UNION ALL FROM {call})") == [(16,)]


@pytest.mark.everything
def test_one_column_of_a_release_is_still_of_the_whole_release(people: duckdb.DuckDBPyConnection) -> None:
    whole = sorted(repr(row[1]) for row in ask(people, f"FROM {CALL}"))
    assert sorted(repr(row[0]) for row in ask(people, f"SELECT zip FROM {CALL}")) == whole
    some = ask(people, f"SELECT id, zip, age FROM {CALL} WHERE disease = 'flu'")
    everything = {row[0]: row for row in ask(people, f"SELECT id, zip, age FROM {CALL}")}
    assert all(everything[row[0]] == row for row in some)


@pytest.mark.everything
@pytest.mark.own_connection
def test_prepared_statements(people: duckdb.DuckDBPyConnection) -> None:
    for k in (1, 2, 4, 8):
        rows = ask(people, "FROM k_anonymize('people', $1, qi := ['zip', 'age'], keep := ['id', 'disease'])", [k])
        assert min(class_sizes(rows, (1, 2)).values()) >= k
    others = ["id", "age", "disease"]
    named = {"t": "people", "k": 2, "q": ["zip"], "o": others}
    assert len(ask(people, "FROM k_anonymize($t, $k, qi := $q, keep := $o)", named)) == 8
    assert len(ask(people, "FROM k_anonymize(?, ?, qi := ?, keep := ?)", ["people", 2, ["zip"], others])) == 8
    people.execute("PREPARE p AS FROM k_anonymize('people', $1, qi := ['zip', 'age'], keep := ['id', 'disease'])")
    for k in (2, 8):
        rows = ask(people, f"EXECUTE p({k})")
        assert min(class_sizes(rows, (1, 2)).values()) >= k
    with pytest.raises(duckdb.Error):
        ask(people, "EXECUTE p(0)")


@pytest.mark.everything
@pytest.mark.own_connection
def test_a_temporary_table(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"CREATE TEMP TABLE people AS {TWO}")
    check(con, f"FROM {CALL}")


@pytest.mark.everything
@pytest.mark.own_connection
def test_uncommitted_rows_of_a_transaction(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("BEGIN")
    con.execute(f"CREATE TABLE people AS {TWO}")
    check(con, f"FROM {CALL}")
    con.execute("INSERT INTO people VALUES (3, 'a', 2, 'z'), (4, 'a', 2, 'z')")
    check(con, f"FROM {CALL}")
    ask(con, f"CREATE TABLE released AS FROM {CALL}")
    con.execute("ROLLBACK")
    assert tables(con) == set()


def test_a_view_is_a_source(people: duckdb.DuckDBPyConnection) -> None:
    people.execute("CREATE VIEW v AS SELECT * FROM people WHERE zip IS NOT NULL")
    rows = ask(people, "FROM k_anonymize('v', 3, qi := ['zip', 'age'], keep := ['id', 'disease'])")
    assert len(rows) == 7
    assert min(class_sizes(rows, (1, 2)).values()) >= 3


@pytest.mark.everything
@pytest.mark.own_connection
def test_a_registered_arrow_table_and_a_replacement_scan(con: duckdb.DuckDBPyConnection) -> None:
    import pyarrow as pa

    con.register("seen", pa.table({"a": ["x", "x", "y"]}))
    assert ask(con, "FROM k_anonymize('seen', 3)") == [(None,)] * 3


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    "name",
    ["select", "table", "a b", 'quo"te', "semi;colon", "ünï☂", "do.t", "it's", "--x", "SELECT 1", "$1", "{}", "%s"],
)
def test_odd_names_of_tables_and_columns(con: duckdb.DuckDBPyConnection, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    con.execute(f"CREATE TABLE {quoted} AS SELECT * FROM (VALUES (1, 'x', 3), (2, 'x', 4), (3, 'y', 4)) t(id, {quoted}, b)")
    rows = ask(con, "FROM k_anonymize($1, 2, qi := $2, keep := ['id'])", [quoted, [name, "b"]])
    assert sorted(row[0] for row in rows) == [1, 2, 3]
    assert min(class_sizes(rows, (1, 2)).values()) >= 2
    described = types(con, f"FROM k_anonymize({_literal(quoted)}, 2, qi := [{_literal(name)}], keep := ['id', 'b'])")
    assert [column for column, _ in described] == ["id", name, "b"]
    rows = ask(con, "FROM pattern_guided($1, $2, qi := $3, keep := ['id'])", [quoted, [[name], []], [name, "b"]])
    assert len(rows) == 3
    assert len(ask(con, "FROM k_anonymize($1, 2)", [quoted])) == 3


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@pytest.mark.parametrize(
    "name", ["kanon#rows", "kanon#source", "kanon#pieces", "kanon#piece", "kanon#hidden", "kanon#n", "kanon#s"]
)
def test_our_own_names_end_in_an_error_or_a_release(con: duckdb.DuckDBPyConnection, name: str) -> None:
    con.execute(f'CREATE TABLE "{name}" AS SELECT i AS id, i % 3 AS "{name}", i % 2 AS other FROM range(12) r(i)')
    for qi in ([name, "other"], ["other"]):
        try:
            rows = ask(con, "FROM k_anonymize($1, 5, qi := $2, keep := $3)", [f'"{name}"', qi, sorted({name, "id"} - {*qi})])
        except duckdb.Error:
            continue
        assert len(rows) == 12
        assert min(class_sizes(rows, [1, 2] if name in qi else [2]).values()) >= 5


@pytest.mark.everything
@pytest.mark.own_connection
def test_schemas_and_attached_databases(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    con.execute(f"ATTACH '{tmp_path / 'clinic.duckdb'}' AS clinic")
    con.execute("CREATE SCHEMA clinic.ward")
    con.execute("CREATE SCHEMA ward")
    for table in ("clinic.main.people", "clinic.ward.people", "ward.people", 'ward."odd . name"'):
        con.execute(f"CREATE TABLE {table} AS SELECT * FROM (VALUES (1, 'x'), (2, 'x'), (3, 'y')) t(id, zip)")
        assert len(ask(con, "FROM k_anonymize($1, 3, qi := ['zip'], keep := ['id'])", [table])) == 3
    call = "k_anonymize('clinic.ward.people', 3, qi := ['zip'], keep := ['id'])"
    ask(con, f"CREATE TABLE clinic.ward.released AS FROM {call}")
    assert ask(con, "SELECT zip FROM clinic.ward.released") == [(None,)] * 3
    con.execute("USE clinic.ward")
    assert len(ask(con, "FROM k_anonymize('people', 3, qi := ['zip'], keep := ['id'])")) == 3


@pytest.mark.everything
def test_a_database_file_keeps_nothing_of_ours(tmp_path: Path) -> None:
    path = str(tmp_path / "clinic.duckdb")
    with kanon_sql.register(duckdb.connect(path)) as con:
        con.execute(f"CREATE TABLE people AS {TWO}")
        check(con, f"FROM {CALL}")
        with con.cursor() as cursor:
            check(cursor, f"FROM kanon.{CALL}")
            kanon_sql.register(cursor)
            check(cursor, f"FROM {CALL}")
    with duckdb.connect(path) as plain:
        assert plain.execute("SELECT count(*) FROM duckdb_functions() WHERE function_name LIKE '%anon%'").fetchall() == [(0,)]
        assert tables(plain) == {"people"}


@pytest.mark.everything
def test_a_read_only_database_file(tmp_path: Path) -> None:
    path = str(tmp_path / "clinic.duckdb")
    with duckdb.connect(path) as plain:
        plain.execute(f"CREATE TABLE people AS {TWO}")
    with kanon_sql.register(duckdb.connect(path, read_only=True)) as con:
        check(con, f"FROM {CALL}")
        ask(con, f"CREATE TEMP TABLE released AS FROM {CALL}")
        check(con, "FROM released")


@pytest.mark.everything
def test_without_external_access_and_with_a_locked_configuration(tmp_path: Path) -> None:
    with kanon_sql.register(duckdb.connect(config={"enable_external_access": "false"})) as con:
        con.execute(f"CREATE TABLE people AS {TWO}")
        con.execute("SET lock_configuration = true")
        check(con, f"FROM {CALL}")


SETTINGS = [
    "SET preserve_insertion_order = false",
    "SET default_null_order = 'nulls_first'",
    "SET default_order = 'desc'",
    "SET preserve_identifier_case = false",
    "SET default_collation = 'nocase'",
    "SET arrow_large_buffer_size = true",
    "SET produce_arrow_string_view = true",
    "SET arrow_lossless_conversion = true",
    "SET arrow_output_version = '1.4'",
    "SET arrow_output_list_view = true",
    "SET integer_division = true",
    "SET TimeZone = 'Pacific/Kiritimati'",
    "SET old_implicit_casting = true",
    "SET python_enable_replacements = false",
    "SET enable_object_cache = true",
    "SET errors_as_json = true",
    "SET order_by_non_integer_literal = true",
    "SET scalar_subquery_error_on_multiple_rows = false",
    "SET ieee_floating_point_ops = false",
    "PRAGMA enable_verification",
    "PRAGMA disable_optimizer",
]


@pytest.mark.everything
@pytest.mark.own_connection
@pytest.mark.sweep
@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_of_the_user_change_nothing(people: duckdb.DuckDBPyConnection, setting: str) -> None:
    expected = check(people, f"FROM {CALL}")
    try:
        people.execute(setting)
    except duckdb.Error:
        pytest.skip("this DuckDB has no such setting")
    assert check(people, f"FROM {CALL}") == expected


@pytest.mark.everything
@pytest.mark.own_connection
def test_the_number_of_threads_changes_nothing(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "CREATE TABLE t AS SELECT i, hash(i) % 9 AS a, hash(i + 7) % 40 AS b, hash(i * 3) % 5 AS c FROM range(30000) r(i)"
    )
    found, call = [], "FROM k_anonymize('t', 12, qi := ['a', 'b', 'c'], keep := ['i'])"
    for threads in (1, 2, 1):
        con.execute(f"SET threads = {threads}")
        found.append(sorted(map(repr, ask(con, call))))
    assert found[0] == found[1] == found[2]


@pytest.mark.everything
def test_the_order_of_the_rows_changes_nothing_even_where_row_types_are_split(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT i AS id, 'x' AS a, CASE WHEN i % 50 = 0 THEN i ELSE 0 END AS b FROM range(1000) r(i)")
    con.execute("CREATE TABLE u AS FROM t ORDER BY hash(id)")
    call = "FROM k_anonymize('{}', 30, qi := ['a', 'b'], keep := ['id'])"
    one, other = (sorted(map(repr, ask(con, call.format(name)))) for name in "tu")
    assert one == other


@pytest.mark.everything
@pytest.mark.own_connection
def test_two_cursors_at_the_same_time(people: duckdb.DuckDBPyConnection) -> None:
    from concurrent.futures import ThreadPoolExecutor

    expected = check(people, f"FROM {CALL}")

    def work(number: int) -> list[tuple[Any, ...]]:
        with people.cursor() as cursor:
            return sorted(ask(cursor, f"FROM {CALL}"))

    with ThreadPoolExecutor(4) as executor:
        assert all(rows == expected for rows in executor.map(work, range(12)))
    numbers = [row[0] for row in ask(people, "SELECT number FROM kanon_releases()")]
    assert len(numbers) == len(set(numbers)) == 13


@pytest.mark.everything
@pytest.mark.own_connection
def test_releases_are_listed_with_their_certificates(people: duckdb.DuckDBPyConnection) -> None:
    assert ask(people, "FROM kanon_releases()") == []
    check(people, f"FROM {CALL}")
    with pytest.raises(duckdb.Error):
        ask(people, "FROM k_anonymize('people', 9, qi := ['zip', 'age'], keep := ['id', 'disease'])")
    columns = "number, requirements, status, cost, lower_bound, rows, cells, smallest_class"
    rows = ask(people, f"SELECT {columns} FROM kanon_releases()")
    assert len(rows) == 1
    number, requirements, status, cost, bound, n, cells, smallest = rows[0]
    assert (number, requirements, n, cells) == (1, ["k >= 2"], 8, 16)
    assert smallest >= 2
    assert bound <= cost
    assert (status == "OPTIMAL") == (bound == cost)
    with people.cursor() as cursor:
        assert len(ask(cursor, "FROM kanon_releases()")) == 1
    assert [each.number for each in kanon_sql.releases(people)] == [1]


@pytest.mark.everything
@pytest.mark.own_connection
def test_register_twice_is_harmless(people: duckdb.DuckDBPyConnection) -> None:
    expected = check(people, f"FROM {CALL}")
    kanon_sql.register(people)
    assert check(people, f"FROM {CALL}") == expected
    assert len(ask(people, "FROM kanon_releases()")) == 2


def test_files_of_a_folder_that_mean_tables(tmp_path: Path) -> None:
    for name in ("b.parquet", "a.CSV", "notes.txt", "c.csv.gz", "csv"):
        (tmp_path / name).touch()
    assert readable(tmp_path) == ["a.CSV", "b.parquet", "c.csv.gz"]
    assert readable(tmp_path / "none") == []
