"""A misspelled argument of a function in SQL is named, and corrected."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

import kanon_sql
from kanon_sql import errors
from kanon_sql.engines.duckdb.connect.connection import Connection


@pytest.fixture
def database() -> Iterator[Connection]:
    with kanon_sql.connect() as con:
        con.execute('CREATE TABLE people AS SELECT i % 3 AS zip, i AS "native-country" FROM range(12) t(i)')
        yield con


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        ("k_anonymize('people', 3, qii := ['zip'])", "k_anonymize has no argument qii; hint: did you mean qi?"),
        ("k_anonymize('people', 3, quasi_identifiers => ['zip'])", "no argument quasi_identifiers; hint: did you mean qi?"),
        ("K_Anonymize('people', 3, qi := ['zip'], timeout := 9)", "no argument timeout; hint: did you mean time_limit?"),
        (
            "l_diversify('people', 'zip', 2, varient := 'distinct')",
            "l_diversify has no argument varient; hint: did you mean variant?",
        ),
        ("anonymize('people', '{}', zzz := 1)", "anonymize has no argument zzz; hint: the arguments are tbl, policy"),
        ("k_anonymity('people', q := ['zip'])", "k_anonymity has no argument q; hint: did you mean qi?"),
    ],
)
def test_the_argument_that_was_meant(database: Connection, call: str, wrong: str) -> None:
    with pytest.raises(errors.PolicyError) as caught:
        database.execute(f"SELECT count(*) FROM {call}")
    assert wrong in str(caught.value)


def test_arguments_that_are_known_leave_duckdb_its_own_words(database: Connection) -> None:
    with pytest.raises(duckdb.BinderException, match="nothing"):
        database.execute("SELECT nothing FROM k_anonymity('people', qi := ['zip'])")
    # a macro of the user's own, called like ours: its arguments are not ours to know
    database.execute("CREATE SCHEMA own; CREATE MACRO own.profile(depth := 1) AS TABLE SELECT depth AS found")
    assert database.execute("FROM own.profile(depth := 7)").fetchall() == [(7,)]
    with pytest.raises(duckdb.BinderException, match="nothing"):
        database.execute("SELECT nothing FROM own.profile(depth := 7)")


@pytest.mark.sweep
@pytest.mark.parametrize(
    "statement",
    [
        "FROM k_anonymize('people', 3, qi := ['native-cuntry'])",
        'FROM people ANONYMIZE BY "native-cuntry" GUARANTEE k >= 3',
        "FROM people ANONYMIZE BY native_cuntry GUARANTEE k >= 3",
        'FROM people ANONYMIZE BY zip KEEP "native-cuntry" GUARANTEE k >= 3',
        'CREATE ANONYMIZATION POLICY p ON people (IDENTIFIER "native-cuntry"; BY zip; GUARANTEE k >= 3)',
    ],
)
def test_the_column_that_was_meant(database: Connection, statement: str) -> None:
    with pytest.raises(errors.KanonError, match=r'did you mean "native-country"\? The columns are "zip", "native-country"'):
        database.execute(statement)


def test_options_of_python() -> None:
    import pandas as pd

    with pytest.raises(
        TypeError, match=r"anonymize\(\) got an unexpected keyword argument 'qi'; hint: did you mean 'quasi_identifiers'\?$"
    ):
        kanon_sql.anonymize(pd.DataFrame({"zip": [1, 1]}), k=2, qi=["zip"])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"audit\(\) got an unexpected .* 'qi'; hint: did you mean 'quasi_identifiers'\?$"):
        kanon_sql.audit(pd.DataFrame({"zip": [1, 1]}), qi=["zip"])  # type: ignore[call-arg]
