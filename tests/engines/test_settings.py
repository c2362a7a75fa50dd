"""Settings of DuckDB that change what SQL means: a release and an audit are the same, or there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import every_statement
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.release.sensitive_gate import gate
from kanon_sql.errors import AuditError, InfeasibleError, KanonError, SourceError
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import LDiversity

CHANGING = [
    "default_order = 'DESC'",
    "integer_division = true",
    "ieee_floating_point_ops = false",
    "arrow_output_version = '1.4'",
]
"""What once changed or broke a statement."""

TOGETHER = [
    "default_null_order = 'NULLS_FIRST'",
    "error_on_division_by_zero = false",
    "default_collation = 'NOCASE'",
    "preserve_insertion_order = false",
    "preserve_identifier_case = 'lowercase'",
    "legacy_disable_null_type = true",
    "regex_match_operator_semantics = 'full'",
    "scalar_subquery_error_on_multiple_rows = false",
    "order_by_non_integer_literal = true",
    "disable_timestamptz_casts = true",
    "table_function_identifier_conversion = 'DISABLE_IMPLICIT_STRING'",
    "arrow_large_buffer_size = true",
    "arrow_output_list_view = true",
    "arrow_lossless_conversion = true",
    "TimeZone = 'Pacific/Kiritimati'",
    "max_expression_depth = 60",
    "enable_optimizer = false",
    "errors_as_json = true",
    "search_path = 'information_schema,main'",
]
"""What changed nothing: all of it is set at once."""

RELEASES = every_statement.RELEASES

STATEMENTS = [
    *RELEASES[:2],  # named columns, every column
    *RELEASES[8:14],  # t by every metric, digits, intervals, periods
    *RELEASES[15:17],  # rectangles, sets, ranges
    *RELEASES[-3:],  # a stored policy, the clause with l, t and alpha
    "FROM t_close('one', 'd', 0.3, 'ordered', qi := ['zip'], k := 1)",  # all of the table has one value
    every_statement.EXPLANATIONS[0],
    *every_statement.AUDITS,
]


def rows(con: Any, statement: str) -> Counter[str]:
    """Return the rows as text; the last digits of a float depend on the order in which it was summed."""
    found = con.execute(statement).fetchall()
    return Counter(repr([f"{round(cell, 12) + 0:.12g}" if isinstance(cell, float) else cell for cell in row]) for row in found)


@pytest.fixture(scope="module")
def clinic() -> Iterator[Any]:
    with kanon_sql.connect() as con:
        con.execute(every_statement.SETUP)
        con.execute(every_statement.POLICY)
        con.execute("CREATE TABLE one AS SELECT 1 AS zip, 'x' AS d FROM range(4)")
        yield con


@pytest.fixture(scope="module")
def right(clinic: Any) -> dict[str, Counter[str]]:
    return {statement: rows(clinic, statement) for statement in STATEMENTS}


@contextmanager
def under(con: Any, settings: Iterable[str]) -> Iterator[Any]:
    """Set them, and forget them afterwards."""
    try:
        for setting in settings:
            con.execute(f"SET {setting}")
        yield con
    finally:
        for setting in settings:
            con.execute(f"RESET {setting.split()[0]}")


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("settings", [*([each] for each in CHANGING), TOGETHER], ids=lambda settings: settings[-1])
def test_settings_change_no_result(settings: list[str], clinic: Any, right: dict[str, Counter[str]]) -> None:
    with under(clinic, settings):
        for statement in STATEMENTS:
            assert rows(clinic, statement) == right[statement], statement


@pytest.mark.everything
def test_a_profile_changes_no_result(clinic: Any, right: dict[str, Counter[str]], tmp_path: Path) -> None:
    with under(clinic, ["enable_profiling = 'json'", f"profiling_output = '{tmp_path / 'profile.json'}'"]):
        for statement in STATEMENTS[-16::4]:
            assert rows(clinic, statement) == right[statement]


@pytest.mark.everything
def test_the_ordered_distance_does_not_follow_the_default_order() -> None:
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE p AS FROM (VALUES (1, 1), (2, 3)) AS t(zip, d); SET default_order = 'DESC'")
        found = con.execute("FROM t_close('p', 'd', 0.3, 'ordered', qi := ['zip'], k := 1)").fetchall()
    assert Counter(found) == {(None, 1): 1, (None, 3): 1}


def test_the_entropy_that_the_audit_asks_for_is_no_whole_number() -> None:
    """5/2 was read as 2 under integer division: the audit lets pass what the solver may not release."""
    guarantee = LDiversity(sensitive="d", l=Fraction(5, 2), variant="entropy")
    policy = Policy.of(k=1, quasi_identifiers=["zip"], requirements=(guarantee,))
    audits = gate(policy, ['"kanon#r".d'], "system.main.count(*)")["audits"]
    rows = 'SELECT 1 AS "kanon#class", unnest([0, 0, 0, 0, 0, 1, 1, 2]) AS d'  # as diverse as 2.46 values
    audited = f'WITH "kanon#rows" AS ({rows}){audits}'
    with kanon_sql.connect() as con:
        for divided in ("false", "true"):
            con.raw.execute(f"SET integer_division = {divided}")
            assert con.raw.execute(f'{audited} SELECT failing FROM "kanon#check1"').fetchall() == [(1,)]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("quoted", ["z", 'a"b', "a\\b", "ä\tb"])
def test_errors_as_json_are_our_errors(quoted: str) -> None:
    name = '"' + quoted.replace('"', '""') + '"'
    with kanon_sql.connect() as con:
        con.execute(f"CREATE TABLE t AS SELECT i AS {name}, i AS d FROM range(4) AS t(i); SET errors_as_json = true")
        with pytest.raises(InfeasibleError, match="fewer than k = 9"):
            con.execute(f"SELECT {name} FROM t ANONYMIZE BY {name} GUARANTEE k >= 9").fetchall()
        with pytest.raises(KanonError) as caught:
            con.execute("FROM k_anonymize('t', 2, qi := [?])", [quoted + "no"]).fetchall()
        assert "exception_type" not in str(caught.value)
        con.execute('CREATE MACRO "-"(a, b) AS system.main.subtract(a, b)')
        with pytest.raises(AuditError, match=r"^the macro - takes the place of a built-in function; nothing was .*rename it$"):
            con.execute("FROM k_anonymize('t', 2, qi := ['d'])").fetchall()


def test_errors_as_json_tell_the_same_words() -> None:
    told = []
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE t AS SELECT i AS zip FROM range(4) AS t(i)")
        for on in ("false", "true"):
            con.execute(f"SET errors_as_json = {on}")
            with pytest.raises(SourceError) as caught:
                con.execute("SELECT zip, nosuch FROM k_anonymize('t', 2)").fetchall()
            told.append(str(caught.value).replace(" at line 1, column 13", ""))
    assert "nosuch" in told[0]
    assert told[0] == told[1]


@pytest.mark.everything
def test_places_from_0_are_refused_by_the_audit(clinic: Any, right: dict[str, Counter[str]]) -> None:
    """Under this setting, a lambda hears of the first place as of 0: the audit would measure other distances."""
    if not clinic.execute("SELECT 1 FROM duckdb_settings() WHERE name = 'dialect_compatibility_mode'").fetchall():
        pytest.skip("this version of DuckDB has no such setting")
    with under(clinic, ["dialect_compatibility_mode = 'spark'"]):
        for statement in STATEMENTS:
            if statement in every_statement.AUDITS and ("'far'" in statement or "'tree'" in statement):
                with pytest.raises(
                    duckdb.Error, match="kanon: dialect_compatibility_mode counts the places of a lambda from 0"
                ):
                    clinic.execute(statement).fetchall()
            else:
                assert rows(clinic, statement) == right[statement]


def test_people_are_told_apart_where_booleans_are_an_extension_type() -> None:
    with kanon_sql.connect() as con:
        con.execute("SET arrow_lossless_conversion = true")
        con.execute(
            "CREATE TABLE t AS SELECT i % 4 AS ward, i % 3 = 0 AS member, i // 3 % 20 AS person FROM range(120) AS r(i)"
        )
        released = "SELECT ward, member, person FROM t ANONYMIZE BY ward, member GUARANTEE k >= 3 PER person"
        assert len(con.execute(released).fetchall()) == 120
