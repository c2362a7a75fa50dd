"""The golden pairs: what becomes of a text, that it runs, and that stock DuckDB refuses the text itself."""

from __future__ import annotations

import duckdb
import pytest
from clause_golden import GOLDEN, Pair, read

from kanon_sql.clause import rewrite
from kanon_sql.errors import ClauseError
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_names import of_name
from kanon_sql.model.requirements import KAnonymity
from kanon_sql.model.stored_policy import StoredPolicy

PAIRS = [pair for file in sorted(GOLDEN.glob("clause_*.sql")) for pair in read(file, "becomes")]
FAILURES = read(GOLDEN / "clause_fail.sql", "error")


def name(pair: Pair) -> str:
    return pair.name


def fake_release(body: str, policy: Policy, wide: str | None) -> str:
    kinds = [requirement.to_json()["type"] for requirement in policy.requirements[1:]]
    return f"SELECT * FROM ({body}) AS {'_'.join([f'k{policy.least_class_size}', *kinds])}"


class FakeDatabase:
    """Answers what it was asked; it knows the policies research, Inner, regions, which counts rows, and what is created."""

    def __init__(self):
        self.known = [
            StoredPolicy(name=name, table="patients", policy=Policy.of(quasi_identifiers=["zip"]))
            for name in ("research", "Inner")
        ]
        rows = Policy.of(quasi_identifiers=["zip"], k=1, requirements=[KAnonymity(k=2, per_row=True)])
        self.known.append(StoredPolicy(name="regions", table="patients", policy=rows))

    def create(self, policy, *, replace):
        self.known.append(policy)
        return f"SELECT '{'replace' if replace else 'create'} {policy.name} on {policy.table}'"

    def drop(self, name, *, if_exists):
        if not if_exists:
            of_name(name, self.known)
        return f"SELECT 'drop {name}{' if it exists' if if_exists else ''}'"

    def show(self):
        return "SELECT 'show'"

    def policy(self, name):
        return of_name(name, self.known).policy

    def release(self, body, name, wide):
        return f"SELECT * FROM ({body}) AS policy_{of_name(name, self.known).name}"

    def explain(self, body, policy, wide):
        name = policy if isinstance(policy, str) else f"k{policy.least_class_size}"
        return f"SELECT * FROM ({body}) AS explain_{name}"


@pytest.fixture
def con():
    with duckdb.connect() as con:
        con.execute("""
            CREATE TABLE patients (zip VARCHAR, age INTEGER, disease VARCHAR);
            INSERT INTO patients VALUES ('a', 30, 'flu'), ('b', 40, 'flu'), ('b', 60, 'cold');
            CREATE TABLE target AS FROM patients;
            CREATE TABLE keyed (zip VARCHAR PRIMARY KEY, age INTEGER, disease VARCHAR);
            CREATE TABLE anonymize AS SELECT 'a' AS anonymize
        """)
        yield con


def test_golden_files_are_read_whole():
    for file in GOLDEN.glob("clause_*.sql"):
        outcome = "error" if file == GOLDEN / "clause_fail.sql" else "becomes"
        assert len(read(file, outcome)) == file.read_text(encoding="utf-8").count("-- name: ")
        assert len({pair.name for pair in read(file, outcome)}) == len(read(file, outcome))


@pytest.mark.parametrize("pair", PAIRS, ids=name)
def test_becomes(pair):
    assert rewrite(pair.statement, fake_release, FakeDatabase()) == pair.outcome


@pytest.mark.sweep
@pytest.mark.parametrize("pair", PAIRS, ids=name)
def test_outcome_runs(pair, con):
    if "`" in pair.outcome and duckdb.__version__ < "2":
        pytest.skip("DuckDB 1 knows no names in backticks")
    for statement in con.extract_statements(pair.outcome):
        con.execute(statement)


@pytest.mark.parametrize("pair", PAIRS, ids=name)
def test_stock_duckdb_refuses_the_clause(pair):
    with pytest.raises(duckdb.ParserException):
        duckdb.extract_statements(pair.statement)


@pytest.mark.sweep
@pytest.mark.parametrize("pair", FAILURES, ids=name)
def test_refused(pair):
    released = []
    with pytest.raises(ClauseError) as caught:
        rewrite(pair.statement, lambda body, policy, _: released.append(body) or body, FakeDatabase())
    assert pair.outcome in str(caught.value)
    assert caught.value.text
    assert caught.value.text in pair.statement
    line = pair.statement.split("\n")[caught.value.line - 1]
    assert line[caught.value.column - 1 :].startswith(caught.value.text.split("\n")[0])
