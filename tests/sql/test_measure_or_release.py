"""A function that measures, called as the one that releases, and the other way round, says which is which."""

from __future__ import annotations

import pytest

from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.engines.duckdb.connect.wrong_arguments import measuring_calls
from kanon_sql.errors import PolicyError


@pytest.fixture
def con(shared_clause: Connection) -> Connection:
    for name in ("patients", "census"):
        shared_clause.execute(
            f"CREATE TABLE {name} AS SELECT i % 3 AS zip, i % 2 AS age, 'flu' AS disease FROM range(12) AS t(i)"
        )
    return shared_clause


@pytest.mark.parametrize("name", measuring_calls())
def test_a_measure_called_as_a_release(con: Connection, name: str) -> None:
    measuring, releasing = measuring_calls()[name]
    arguments = releasing[releasing.index("(") :]
    with pytest.raises(PolicyError) as caught:
        con.execute(f"FROM {name}{arguments}")
    assert str(caught.value) == (
        f"{name} measures a table, so its second argument must be a list of quasi-identifiers; hint: write {measuring}, "
        f"or, to release a table, {releasing}"
    )


@pytest.mark.parametrize("name", measuring_calls())
def test_a_release_called_as_a_measure(con: Connection, name: str) -> None:
    measuring, release = measuring_calls()[name]
    releasing, arguments = release.partition("(")[0], measuring[len(name) :]
    with pytest.raises(PolicyError, match=rf"^{releasing} releases a table, .*or, to measure a table, {name}\("):
        con.execute(f"FROM {releasing}{arguments}")


@pytest.mark.parametrize("name", measuring_calls())
def test_the_hints_run(con: Connection, name: str) -> None:
    assert con.execute(f"FROM {measuring_calls()[name][0]}").fetchall()


def test_a_list_of_masks_is_no_list_of_quasi_identifiers(con: Connection) -> None:
    assert (
        len(con.execute("FROM pattern_guided('patients', [['zip'], []], qi := ['zip'], unlisted_limit := 1)").fetchall()) == 12
    )
