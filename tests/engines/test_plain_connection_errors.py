"""What goes wrong on a plain DuckDB connection is told in our words, without words about Python."""

from __future__ import annotations

import duckdb
import pytest

CALLS = {
    "FROM k_anonymize('t', 0)": "PolicyError: k must be a whole number of at least 1, got 0",
    "FROM k_anonymize('t', 5, qi := ['zip'])": 'UnknownColumnError: unknown column "zip" in the policy',
    "FROM k_anonymize('t', 50)": "InfeasibleError: the table has 10 rows, fewer than k = 50",
    "FROM k_anonymize('t', 2, algorithm := 'nope')": "UnknownAlgorithmError: there is no algorithm 'nope'",
    "FROM k_anonymize('a.b.c.d', 2)": "SourceError: the table name cannot be read",
    "FROM l_diversify('t', 'd', 20)": "InfeasibleError: l(d) >= 20 cannot hold in any release",
    "FROM t_close('t', 'd', 2)": "PolicyError: ",
    "FROM beta_like('t', 'd', 0)": "PolicyError: beta must be above 0",
    "FROM delta_private('t', 'd', 0)": "PolicyError: delta must be above 0",
    "FROM k_map('t', 0, 't')": "PolicyError: k in k-map must be",
    "FROM k_map('t', 2, 5)": (
        "PolicyError: the population must be the name of a table, got int; hint: set population = 'census'"
    ),
    "FROM delta_present('t', 2, 't')": "PolicyError: ",
    "FROM pattern_guided('t', [['x']])": "Error: ",
    "FROM anonymize('t', '{}')": "PolicyError: a policy needs at least one quasi-identifier",
    "FROM bin_labels('t', 'a', 0)": "PolicyError: k must be",
    "FROM k_anonymize('t', 2, qi := ['a'], keep := ['d'], recodings := MAP {'a': 'DIGIT'})": "PolicyError: the recoding of ",
    "FROM k_anonymize('t', 2, qi := ['a'], keep := ['d'], hierarchies := MAP {'a': 'h'})": "PolicyError: ",
}


@pytest.mark.sweep
@pytest.mark.parametrize("call", CALLS)
def test_an_error_of_a_function_is_ours(con: duckdb.DuckDBPyConnection, call: str) -> None:
    con.execute("CREATE TABLE t AS SELECT i % 4 AS a, i AS d FROM range(10) AS r(i)")
    con.execute("CREATE TABLE h AS SELECT 0 AS level0, 'x' AS level1")
    with pytest.raises(duckdb.Error) as told:
        con.execute(call).fetchall()
    message = str(told.value)
    assert CALLS[call] in message
    assert "Python" not in message
    assert "UDF" not in message
    with pytest.raises(duckdb.Error, match="Error: "):
        con.execute(f"CREATE TABLE released AS {call}")
    assert con.execute("FROM kanon_releases()").fetchall() == []
