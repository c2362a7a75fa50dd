"""The effort of a search: an option of every surface, and steps that a release gains by."""

from __future__ import annotations

import json
from typing import Any

import pytest

import kanon_sql
from kanon_sql.errors import KanonError
from kanon_sql.model.policy import Policy

EFFORTS = ("thorough", "default", "fast")

SOURCE = (
    "CREATE TABLE t AS SELECT hash(i) % 7 AS a, hash(i, 1) % 9 AS b, hash(i, 2) % 5 AS c, hash(i, 3) % 11 AS d, "
    "hash(i, 4) % 4 AS s, hash(i, 5) % 997 AS x, hash(i, 6) % 991 AS y FROM range(1500) AS t(i)"
)


@pytest.fixture(scope="module")
def con() -> Any:
    con = kanon_sql.connect()
    con.execute(SOURCE)
    return con


def cost(con: Any, statement: str) -> float:
    con.execute(statement).fetchall()
    return float(kanon_sql.releases(con)[-1].cost)


@pytest.mark.everything
@pytest.mark.parametrize(
    "clause",
    [
        "ANONYMIZE BY a, b, c, d KEEP s, x, y GUARANTEE k >= 6",
        pytest.param("ANONYMIZE BY a, b, c, d KEEP x, y GUARANTEE k >= 4 AND l(s) >= 2", marks=pytest.mark.everything),
        "ANONYMIZE BY a IN RANGES, b IN RANGES, c IN SETS, d IN RANGES KEEP s, x, y GUARANTEE k >= 20",
        pytest.param("ANONYMIZE BY a, x IN MEANS, y IN MEANS KEEP b, c, d, s GUARANTEE k >= 5", marks=pytest.mark.everything),
    ],
)
def test_more_steps_find_less_loss(con: Any, clause: str) -> None:
    found = [cost(con, f"FROM t {clause} USING auto (effort = '{effort}')") for effort in EFFORTS]
    assert found == sorted(found)
    assert found[0] < found[-1]
    assert found[1] == cost(con, f"FROM t {clause}")


@pytest.mark.everything
def test_every_surface_takes_it(con: Any) -> None:
    fast = cost(con, "FROM t ANONYMIZE BY a, b, c, d KEEP s, x, y GUARANTEE k >= 6 USING auto (effort = 'fast')")
    assert cost(con, "FROM k_anonymize('t', 6, qi := ['a', 'b', 'c', 'd'], keep := ['s', 'x', 'y'], effort := 'fast')") == fast
    table = con.sql("FROM t").to_arrow_table()
    release = kanon_sql.anonymize(table, 6, quasi_identifiers=["a", "b", "c", "d"], keep=["s", "x", "y"], effort="fast")
    assert float(release.certificate.cost) == fast
    assert json.loads(release.certificate.policy)["effort"] == "fast"


def test_a_policy_without_it_has_the_text_that_it_had() -> None:
    policy = Policy.of(k=2, quasi_identifiers=["a"])
    assert "effort" not in policy.to_json()
    assert Policy.from_json(policy.to_json()) == policy
    thorough = Policy.of(k=2, quasi_identifiers=["a"], effort="thorough")
    assert Policy.from_json(thorough.to_json()) == thorough != policy


@pytest.mark.parametrize("effort", ["'fats'", "3", "NULL"])
def test_another_effort_is_refused(con: Any, effort: str) -> None:
    with pytest.raises(KanonError, match=r"effort.*(did you mean|'fast')"):
        con.execute(f"FROM t ANONYMIZE BY a GUARANTEE k >= 2 USING auto (effort = {effort})")
