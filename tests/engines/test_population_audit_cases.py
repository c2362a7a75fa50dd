"""The audit of k-map and delta-presence of arbitrary releases, against a reader in plain Python."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from population_cases import GONE, Case, Cell, arbitrary, drawn

from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import AuditError, KanonError

RELEASE = "FROM few ANONYMIZE BY {} GUARANTEE {} USING auto (suppress = '{}')"


def released(con: Connection, case: Case, guarantee: str, text: str = GONE) -> list[tuple[Cell, ...]] | str:
    """Return the rows of a release, or what the audit says of it."""
    try:
        return con.execute(RELEASE.format(case.by, guarantee, text)).fetchall()
    except AuditError as error:
        return str(error)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100))
def test_the_audit_counts_what_a_reader_counts(shared_clause: Connection, monkeypatch: Any, seed: int) -> None:
    case = drawn(seed)
    case.store(shared_clause)
    with arbitrary(monkeypatch, seed):
        try:
            rows = released(shared_clause, case, "k >= 1 IN own")
        except KanonError:  # a hierarchy that is no tree, or masks that show nothing
            return
        assert isinstance(rows, list), rows
        if not rows:
            assert not case.rows
            assert released(shared_clause, case, "k >= 9 IN pop") == released(shared_clause, case, "presence(pop) <= 1") == []
            return
        least = case.fewest(rows)
        if least:
            assert released(shared_clause, case, f"k >= {least} IN pop AND k >= 1 IN own") == rows
        refused = released(shared_clause, case, f"k >= {least + 1} IN pop")
        plural = "" if least == 1 else "s"
        assert isinstance(refused, str)
        assert f"k >= {least + 1} IN pop: the worst matches {least} row{plural} of the population" in refused
        greatest = case.presence(rows) if case.population else None
        if greatest is None:
            assert isinstance(released(shared_clause, case, "presence(pop) <= 1"), str)
        elif greatest <= 1:
            enough, few = (max(Fraction(round(greatest * 10**5) + more, 10**5), Fraction(1, 10**5)) for more in (2, -2))
            if enough <= 1:
                assert released(shared_clause, case, f"presence(pop) <= {enough} AND k >= 1 IN pop") == rows
            if few < greatest:
                assert isinstance(released(shared_clause, case, f"presence(pop) <= {few}"), str)
        else:
            assert isinstance(released(shared_clause, case, "presence(pop) <= 1"), str)
