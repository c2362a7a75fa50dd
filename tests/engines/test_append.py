"""A release that grows: each row once, classes within their batch, rows that wait come later, and what is refused."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
from growing import BATCHES, LEDGER, added, check_batch, state
from hypothesis import given, settings
from hypothesis import strategies as st
from scratch import scratch

import kanon_sql
from kanon_sql import errors

K = 3
POLICY: dict[str, Any] = {"k": K, "quasi_identifiers": ["zip", "age"], "unlisted_limit": 1}


def grow(con: Any, start: int, stop: int, name: str = "visits") -> None:
    """Add visits; nobody is like every tenth."""
    con.execute(
        f"""CREATE TABLE IF NOT EXISTS {name} (visit INTEGER, zip VARCHAR, age INTEGER, cost INTEGER);
        INSERT INTO {name}
        SELECT i, CASE WHEN i % 10 = 0 THEN 'x' || i ELSE 'a' || i % 3 END, CASE WHEN i % 10 = 0 THEN i ELSE i % 2 END, 1000 + i
        FROM range({start}, {stop}) AS t(i)"""
    )


def append(con: Any, **options: Any) -> kanon_sql.Batch:
    return kanon_sql.append("visits", "released", key="visit", con=con, **{**POLICY, **options})


@pytest.mark.everything
def test_only_new_rows_are_released_and_without_their_key(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, 40)
    first = append(con)
    before = con.execute("FROM released").fetchall()
    grow(con, 40, 70)
    second = append(con)
    after = con.execute("FROM released").fetchall()
    assert (first.number, second.number) == (1, 2)
    assert second.rows == len(after) == first.released + second.released
    assert [name for name, *_ in con.execute("DESCRIBE released").fetchall()] == ["zip", "age", "cost"]
    assert {row[-1] for row in added(before, after)} <= set(range(1000, 1070)) - {row[-1] for row in before}
    assert second.certificate is not None
    assert second.certificate.smallest_class >= K
    assert second.certificate.rows == second.released


@pytest.mark.everything
def test_an_append_with_nothing_new_is_no_error_and_writes_nothing(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, 10)
    append(con)
    before = state(con)
    again = append(con)
    assert (again.number, again.released, again.certificate) == (None, 0, None)
    assert state(con) == before


def test_an_empty_source_is_no_error(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, 1)
    assert append(con).number is None
    assert state(con) == [None, None, None]


@pytest.mark.everything
def test_odd_names_and_an_enum(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        """CREATE TABLE "sel""ect" AS SELECT i AS "k'ey", (['x', 'y'][1 + i % 2])::ENUM('x', 'y', 'nobody') AS "select",
        CASE WHEN i % 4 > 0 THEN i % 3 END AS "a""b" FROM range(60) AS t(i)"""
    )
    options: dict[str, Any] = {"key": "k'ey", "con": con, "k": K, "quasi_identifiers": ["select", 'a"b']}
    assert kanon_sql.append('"sel""ect"', '"re\'leased"', **options).released == 60
    assert [row[:2] for row in con.execute("""DESCRIBE "re'leased" """).fetchall()] == [
        ("select", "VARCHAR"),
        ('a"b', "BIGINT"),
    ]
    con.execute("""INSERT INTO "sel""ect" SELECT "k'ey" + 60, "select", "a""b" FROM "sel""ect" """)
    assert kanon_sql.append('"sel""ect"', '"re\'leased"', **options).rows == 120


def test_the_sign_of_a_zero_stays(con: duckdb.DuckDBPyConnection) -> None:
    zero = "['0.0', '-0.0'][1 + i % 2]::DOUBLE"
    con.execute(f"CREATE TABLE visits AS SELECT i AS visit, i % 2 AS zip, 1 AS age, {zero} AS cost FROM range(8) AS t(i)")
    append(con)
    assert con.execute("SELECT count(*) FROM released WHERE cost::VARCHAR = '-0.0'").fetchall() == [(4,)]


@pytest.mark.everything
def test_one_row_waits(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, 2)
    assert (append(con).number, append(con).waiting) == (None, 1)
    assert state(con) == [None, None, None]


@pytest.mark.everything
def test_rows_that_find_no_class_wait_until_they_do(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE visits AS SELECT i AS visit, 'a' AS zip, 0 AS age, i AS cost FROM range(7) AS t(i)")
    con.execute("INSERT INTO visits VALUES (7, 'b', 1, 7)")
    assert (append(con).released, append(con).waiting) == (7, 1)
    assert con.execute("SELECT zip, age, count(*) FROM released GROUP BY ALL").fetchall() == [("a", 0, 7)]
    con.execute("INSERT INTO visits VALUES (8, 'b', 1, 8), (9, 'b', 1, 9)")
    batch = append(con)
    assert (batch.number, batch.released, batch.waiting, batch.rows) == (2, 3, 0, 10)
    assert con.execute("SELECT count(*) FROM released WHERE zip = 'b' AND age = 1").fetchall() == [(3,)]


@pytest.mark.everything
def test_a_batch_that_is_too_small_waits_as_a_whole(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, K)
    assert (append(con).number, append(con).waiting) == (None, K - 1)
    assert state(con) == [None, None, None]
    with pytest.raises(errors.InfeasibleError, match="fewer than k = 3"):
        append(con, leftover="suppress")
    grow(con, K, 9)
    assert append(con).released + append(con).waiting == 8


def test_leftover_rows_are_suppressed_where_that_is_asked_for(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, 100)
    batch = append(con, leftover="suppress")
    assert (batch.released, batch.waiting) == (99, 0)
    assert con.execute("SELECT count(*) >= 9 FROM released WHERE zip IS NULL").fetchall() == [(True,)]


@pytest.mark.everything
def test_rows_without_any_value_need_not_wait(con: duckdb.DuckDBPyConnection) -> None:
    """They are shown as they are; only what has been suppressed waits."""
    con.execute("CREATE TABLE visits AS SELECT i AS visit, NULL::VARCHAR AS zip, NULL::INTEGER AS age FROM range(4) AS t(i)")
    con.execute("INSERT INTO visits VALUES (4, 'b', 1)")
    assert (append(con).released, append(con).waiting) == (4, 1)


@pytest.mark.everything
def test_text_for_suppressed_cells(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, 60)
    batch = append(con, suppress="*")
    assert batch.waiting
    assert con.execute("SELECT count(*) FROM released WHERE zip = '*' AND age = '*'").fetchall() == [(0,)]


@pytest.mark.everything
@pytest.mark.parametrize("order", ["ASC", "DESC"])
def test_the_order_of_released_rows_follows_from_what_they_show(con: duckdb.DuckDBPyConnection, order: str) -> None:
    grow(con, 1, 50, "unsorted")
    con.execute(f"CREATE TABLE visits AS FROM unsorted ORDER BY hash(visit) {order}")
    append(con)
    rows = con.execute("FROM released").fetchall()
    assert rows == con.execute("FROM released ORDER BY ALL").fetchall()
    keys = con.execute(f"SELECT key FROM {LEDGER}").fetchall()
    assert keys == sorted(keys)


@pytest.mark.everything
def test_the_ledger_tells_no_value(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, 40)
    con.execute("INSERT INTO visits SELECT 100 + i, 'a1', 1, 77 FROM range(5) AS t(i)")
    append(con)
    rows = con.execute(f'SELECT key, "row", people FROM {LEDGER}').fetchall()
    assert len({key for key, *_ in rows}) == len({row for _, row, _ in rows}) == len(rows)  # equal rows have other hashes
    assert all(len(key) == len(row) == 32 and people == [] for key, row, people in rows)


@pytest.mark.everything
def test_one_secret_gives_one_ledger_and_another_is_refused(tmp_path: Path) -> None:
    tokens = []
    for secret in ("one", "one", "two"):
        with kanon_sql.connect(secret=secret) as con:
            grow(con, 1, 40)
            append(con)
            tokens.append(con.execute(f"SELECT key FROM {LEDGER}").fetchall())
    assert tokens[0] == tokens[1] != tokens[2]
    path = str(tmp_path / "clinic.duckdb")
    with kanon_sql.connect(path, secret="one") as con:
        grow(con, 1, 40)
        append(con)
    with pytest.raises(errors.SourceError, match="a different secret"):
        append(path, secret="two")
    assert append(path, secret="one").number is None


def test_a_secret_that_is_forgotten_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KANON_SECRET")
    monkeypatch.setattr("kanon_sql.model.secret._path", lambda: None)
    with kanon_sql.connect() as con:
        grow(con, 1, 40)
        with pytest.raises(errors.SourceError, match="lost when this process ends"):
            append(con)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("INSERT INTO visits VALUES (NULL, 'a1', 1, 5)", '1 row has no key: "visit" is NULL'),
        ("INSERT INTO visits VALUES (5, 'a1', 1, 5)", "1 row has the key of another row"),
        ("UPDATE visits SET cost = 5 WHERE visit IN (1, 2)", "2 rows were changed since they were released"),
        ("DELETE FROM visits WHERE visit IN (1, 2, 3)", "3 rows were deleted since they were released"),
        ("DELETE FROM visits", "rows were deleted"),
        ("UPDATE released SET age = 7 WHERE age = 1", "was altered since batch 1"),
        ("DELETE FROM released WHERE age = 1", "was altered since batch 1"),
        ("INSERT INTO released FROM released LIMIT 1", "was altered since batch 1"),
        ("ALTER TABLE released ADD COLUMN more INTEGER", "was altered since batch 1"),
        ("ALTER TABLE released RENAME cost TO costs", "was altered since batch 1"),
        ("DROP TABLE released", "no longer exists"),
        (f"DROP TABLE {LEDGER}", "are not ledger tables"),
        (f"DROP TABLE {BATCHES}", "are not ledger tables"),
        (f"DROP TABLE {LEDGER}; DROP TABLE {BATCHES}", "has no ledger"),
        (f"DELETE FROM {LEDGER}", "changed after batch 1"),
        (f"DELETE FROM {BATCHES}", "is empty"),
        (f"ALTER TABLE {LEDGER} RENAME people TO persons", "are not ledger tables"),
        ("ALTER TABLE visits ALTER cost TYPE VARCHAR", "a different policy: columns"),
        ("ALTER TABLE visits ALTER visit TYPE VARCHAR", "a different policy: key types"),
        ("ALTER TABLE visits ADD COLUMN more INTEGER", "a different policy: columns"),
        ("ALTER TABLE visits DROP cost", "a different policy: columns"),
        ("ALTER TABLE visits RENAME visit TO number", 'unknown column "visit" in the key'),
        ("ALTER TABLE visits RENAME zip TO postcode", 'unknown column "zip"'),
        ('ALTER TABLE visits ADD COLUMN "kanon#key" INTEGER', 'cannot begin with "kanon#"'),
    ],
)
def test_what_does_not_fit_the_ledger_is_refused_and_nothing_written(
    con: duckdb.DuckDBPyConnection, change: str, message: str
) -> None:
    grow(con, 1, 40)
    append(con)
    grow(con, 40, 60)
    con.execute(change)
    before = state(con)
    with pytest.raises(errors.KanonError, match=message) as refused:
        append(con)
    assert "hint: " in str(refused.value)
    assert "a1" not in str(refused.value)
    assert state(con) == before
    con.execute("BEGIN; ROLLBACK")  # no transaction is left open


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"k": 4}, "a different policy: requirements"),
        ({"quasi_identifiers": ["zip"]}, "a different policy: quasi_identifiers"),
        ({"keep": ["cost"]}, "a different policy: keep"),
        ({"suppress": "*"}, "a different policy: suppress"),
        ({"policy": "none"}, "cannot be combined"),
        ({"row_order": "source"}, "a growing release cannot keep the row order of the source"),
        ({"leftover": "drop"}, "leftover must be one of wait, suppress"),
        ({"changed": True}, "changed must be one of refuse, ignore"),
        ({"returning": ""}, "returning must be one of refuse, wait, release"),
    ],
)
def test_other_terms_are_refused(con: duckdb.DuckDBPyConnection, option: dict[str, Any], message: str) -> None:
    grow(con, 1, 40)
    append(con)
    grow(con, 40, 60)
    before = state(con)
    with pytest.raises(errors.KanonError, match=message):
        append(con, **option)
    assert state(con) == before


@pytest.mark.everything
def test_how_a_release_is_sought_may_differ_from_batch_to_batch(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, 40)
    append(con)
    grow(con, 40, 60)
    assert append(con, algorithm="greedy", seed=3, time_limit=5.0).number == 2


@pytest.mark.everything
def test_changed_and_deleted_rows_may_stay_as_they_were_released(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, 40)
    first = append(con)
    con.execute("UPDATE visits SET cost = -1 WHERE visit = 1; DELETE FROM visits WHERE visit IN (2, 3)")
    grow(con, 40, 60)
    batch = append(con, changed="ignore", deleted="ignore")
    assert (batch.changed, batch.deleted, batch.number) == (1, 2, 2)
    assert batch.rows == first.released + batch.released
    assert con.execute("SELECT count(*) FROM released WHERE cost IN (-1, 1001, 1002, 1003)").fetchall() == [(3,)]


def test_keys_of_another_type_release_no_row_again(con: duckdb.DuckDBPyConnection) -> None:
    """1 and 1.0 have other tokens, so every row would be deleted and new."""
    grow(con, 1, 40)
    append(con)
    con.execute("ALTER TABLE visits ALTER visit TYPE DOUBLE")
    with pytest.raises(errors.SourceError, match="a different policy: key types"):
        append(con, deleted="ignore")


@pytest.mark.everything
def test_a_waiting_row_may_change_or_vanish(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, 40)
    assert append(con).waiting == 3
    con.execute("DELETE FROM visits WHERE visit = 10; UPDATE visits SET zip = 'a1' WHERE visit = 20")
    batch = append(con)
    assert (batch.waiting, batch.changed, batch.deleted) == (2, 0, 0)


def test_wrong_calls(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, 40)
    con.execute("CREATE VIEW seen AS FROM visits; CREATE TABLE there AS FROM visits")
    cases: list[tuple[str, str, Any, str]] = [
        ("visits", "released", "patient", 'unknown column "patient"'),
        ("visits", "released", [], "the key has no column"),
        ("visits", "released", ["visit", "VISIT"], "twice"),
        ("visits", "released", 5, "must be a column or a list"),
        ("nothing", "released", "visit", "there is no table nothing"),
        ("visits", "visits", "visit", "the release and the source are the same table"),
        ("visits", "seen", "visit", "is a view"),
        ("visits", "there", "visit", "has no ledger"),
        ("visits", "memory.main.released", "visit", "are in different databases"),
        ("a b.c.d.e", "released", "visit", "cannot be read"),
    ]
    for source, release, key, message in cases:
        with pytest.raises(errors.KanonError, match=message):
            kanon_sql.append(source, release, key=key, con=con, **POLICY)
    with pytest.raises(TypeError, match="did you mean 'algorithm'"):
        append(con, algoritm="greedy")
    con.execute("BEGIN")
    with pytest.raises(errors.SourceError, match="a transaction is open"):
        append(con)
    con.execute("ROLLBACK")
    assert state(con) == [None, None, None]


@pytest.mark.everything
def test_a_view_of_another_schema_and_a_key_of_two_columns(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, 40)
    con.execute(
        "CREATE SCHEMA raw; CREATE VIEW raw.all_visits AS SELECT *, visit % 2 AS ward, visit // 2 AS number FROM visits"
    )
    given: dict[str, Any] = {"key": ["ward", "NUMBER"], "con": con, **POLICY}
    batch = kanon_sql.append("raw.all_visits", "main.out", **given)
    assert batch.number == 1
    assert [name for name, *_ in con.execute("DESCRIBE out").fetchall()] == ["visit", "zip", "age", "cost"]
    assert con.execute('SELECT count(*) FROM raw."kanon_ledger_out"').fetchall() == [(batch.released,)]
    with pytest.raises(errors.SourceError, match=r'ledger belongs to .*"main"."out"'):
        kanon_sql.append("raw.all_visits", "raw.out", **given)


@pytest.mark.everything
def test_a_database_file_may_be_moved(tmp_path: Path) -> None:
    with kanon_sql.connect(str(tmp_path / "clinic.duckdb")) as con:
        grow(con, 1, 40)
        append(con)
        grow(con, 40, 60)
    moved = str((tmp_path / "clinic.duckdb").rename(tmp_path / "archive.duckdb"))
    assert append(moved).number == 2


@pytest.mark.everything
def test_a_key_with_a_role_is_released(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, 40)
    kanon_sql.append("visits", "released", key="visit", con=con, keep=["visit", "cost"], **POLICY)
    assert [name for name, *_ in con.execute("DESCRIBE released").fetchall()] == ["visit", "zip", "age", "cost"]


def test_a_warning_is_an_error_where_that_is_asked_for(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, 40)
    known = len(kanon_sql.releases(con))
    with pytest.raises(errors.AuditError, match="strict: cost is released unchanged"):
        append(con, strict=True)
    assert state(con) == [None, None, None]
    assert len(kanon_sql.releases(con)) == known


def test_rounds_that_look_for_waiting_rows_leave_no_certificate(con: duckdb.DuckDBPyConnection) -> None:
    grow(con, 1, 60)
    known = len(kanon_sql.releases(con))
    batch = append(con)
    assert batch.waiting
    assert kanon_sql.releases(con)[known:] == [batch.certificate]


def test_settings_of_the_connection_do_not_change_what_a_row_is(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "CREATE TABLE visits AS SELECT i AS visit, 1 AS zip, 2 AS age, TIMESTAMPTZ '2026-01-01 12:00:00+00' AS seen, "
        "0.1::FLOAT AS x FROM range(5) AS t(i)"
    )
    append(con)
    con.execute("SET TimeZone = 'Asia/Tokyo'; SET default_null_order = 'nulls_first'; SET default_order = 'DESC'")
    try:
        assert append(con).changed == 0
    finally:
        con.execute("RESET TimeZone; RESET default_null_order; RESET default_order")


@pytest.mark.everything
def test_diversity_is_counted_within_the_batch(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE visits AS SELECT i AS visit, i % 2 AS zip, 'flu' AS d FROM range(8) AS t(i)")
    given: dict[str, Any] = {"key": "visit", "con": con, "k": 2, "quasi_identifiers": ["zip"], "sensitive": "d", "l": 2}
    assert kanon_sql.append("visits", "released", **given).waiting == 8  # all have one disease: no class could be diverse
    con.execute("INSERT INTO visits SELECT 8 + i, i % 2, 'gout' FROM range(8) AS t(i)")
    assert kanon_sql.append("visits", "released", **given).released == 16
    con.execute("INSERT INTO visits SELECT 16 + i, i % 2, 'gout' FROM range(8) AS t(i)")
    assert kanon_sql.append("visits", "released", **given).waiting == 8


@pytest.mark.everything
def test_two_appends_at_once_release_no_row_twice(tmp_path: Path) -> None:
    """The second begins while the first is about to commit: one of them fails."""
    with kanon_sql.connect(str(tmp_path / "clinic.duckdb")) as con:
        grow(con, 1, 40)
        append(con)
        grow(con, 40, 60)
        outcomes: list[Any] = []

        def meanwhile(_: object) -> None:
            if not outcomes:
                outcomes.append(None)
                with con.cursor() as other:
                    outcomes[0] = append(other)

        with pytest.raises(errors.SourceError, match="nothing was released"):
            append(con, progress=meanwhile)
        assert outcomes[0].number == 2
        keys = con.execute(f"SELECT key FROM {LEDGER}").fetchall()
        assert len(keys) == len(set(keys)) == con.execute("SELECT count(*) FROM released").fetchall()[0][0]
        assert append(con).number is None


sizes = st.lists(st.tuples(st.integers(0, 14), st.sampled_from(["wait", "wait", "suppress"])), min_size=1, max_size=4)


@pytest.mark.everything
@settings(max_examples=30)
@given(batches=sizes, spread=st.integers(1, 5), k=st.integers(2, 4), seed=st.integers(0, 999))
def test_every_row_once_every_class_of_k_within_its_batch(
    registered: duckdb.DuckDBPyConnection, batches: list[tuple[int, str]], spread: int, k: int, seed: int
) -> None:
    chance = random.Random(seed)
    source: list[tuple[Any, ...]] = []
    seen: list[tuple[Any, ...]] = []
    with scratch(registered) as con:
        con.execute("CREATE TABLE visits (visit INTEGER, zip INTEGER, age INTEGER, cost INTEGER)")
        for size, leftover in batches:
            new = [(chance.choice([None, *range(spread)]), chance.randrange(spread), len(source) + i) for i in range(size)]
            con.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", [(row[-1], *row) for row in new] or [(None,) * 4])
            con.execute("DELETE FROM visits WHERE visit IS NULL")
            source += new
            try:
                batch = append(con, k=k, leftover=leftover)
            except errors.InfeasibleError:
                assert leftover == "suppress"
                assert len(source) - len(seen) < k
                continue
            rows = con.execute("FROM released").fetchall() if batch.rows else []
            new_rows = added(seen, rows)
            check_batch(new_rows, Counter(source), 2, k)
            assert new_rows.total() == batch.released
            assert len(rows) + batch.waiting == len(source)
            seen = rows
        if len(source) - len(seen) >= k:  # what still waits can be released, if need be without its values
            assert append(con, k=k, leftover="suppress").waiting == 0


@pytest.mark.everything
def test_ends_and_cuts_hold_in_every_batch(con: duckdb.DuckDBPyConnection) -> None:
    """The ages of a later batch show the same ends, also those that no age of the batches before reached."""
    con.execute(
        "CREATE TABLE visits AS SELECT i AS visit, 20 + i % 50 AS age, i % 2 AS sex, i % 30 AS cost FROM range(300) AS t(i)"
    )
    ways = {"recodings": {"age": "INTERVALS (5, 10) TOP 60 BOTTOM 25", "cost": "CUTS ONLY (10, 20)"}}
    columns = {"quasi_identifiers": ["age", "sex", "cost"]}
    append(con, **ways, **columns)
    con.execute("INSERT INTO visits SELECT 300 + i, CASE WHEN i % 2 = 0 THEN 95 ELSE 3 END, i % 2, 40 FROM range(40) AS t(i)")
    second = append(con, **ways, **columns)
    assert second.number == 2
    shown = Counter(con.execute("SELECT age, cost FROM released").fetchall())
    ages = {age for age, _ in shown if age is not None}
    assert {"60+", "<=25"} <= ages
    assert not {age for age in ages if age.isdigit() and not 25 < int(age) < 60}
    assert {cost for _, cost in shown if cost is not None} <= {"<10", "[10, 20)", "20+"}
    assert min(shown["60+", "20+"], shown["<=25", "20+"]) >= 20
