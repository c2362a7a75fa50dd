"""A policy written as a clause is read back as the same policy."""

from __future__ import annotations

from dataclasses import replace

import pytest
from clause.clause_golden import GOLDEN, read
from clause.test_clause_property import policies
from hypothesis import given

import kanon_sql
from kanon_sql.clause import clause_of, definition_of, recoding_of, recodings_of, rewrite
from kanon_sql.engines.duckdb.policies.stored_policies import Policies
from kanon_sql.errors import ClauseError, PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.validation import as_identifier

CLAUSES = (
    "BY zip, age GUARANTEE k >= 5",
    "BY zip IN DIGITS, age IN INTERVALS (5, 10) LOSS (0.1, 0.45) WEIGHT 7/3 GUARANTEE k >= 5",
    'BY born IN INTERVALS (month, year), job IN HIERARCHY jobs (1, 2) KEEP cost, "a b" GUARANTEE k >= 5 PER patient',
    "BY age IN HIERARCHY 'data/age.csv' GUARANTEE k >= 5 AND l(disease, 'entropy') >= 2 AND alpha(disease, 'it''s') <= 1/3",
    "BY age IN RANGES, job IN SETS, pay IN MEANS, rent IN MEDIANS GUARANTEE k >= 2 AND t(disease, 'ordered') <= 0.3",
    "BY surname IN BINS (fold(sorted)) GUARANTEE k >= 500",
    "BY (lat, lon) IN RECTANGLES (guillotine) WEIGHT 2, age GUARANTEE k >= 50",
    "BY zip IN REGIONS neighbours (regions, 'merge') GUARANTEE k >= 10",
    "BY zip IN REGIONS neighbours ('merge') GUARANTEE k >= 10",
    "BY age IN INTERVALS ('sum') GUARANTEE k >= 50",
    "BY city, zip, age LINKED (city, zip) GUARANTEE k >= 5 FOR ANY 2 COLUMNS AND k >= 3 FOR (zip, age), (city)",
    "BY GROUPING SETS ((zip IN DIGITS (3), age WEIGHT 2), (zip IN DIGITS (5)), ()) GUARANTEE k >= 5",
    "BY GROUPING SETS ((zip, age) COST 0, (age) COST 1/3, () COST 5) GUARANTEE k >= 5",
    "BY ROLLUP (country, city), age GUARANTEE k >= 5",
    "BY zip GUARANTEE k >= 5 IN census AND presence('people.csv') <= 0.25",
    "BY zip GUARANTEE beta(disease) <= 1.5 AND delta(disease) <= 2 USING greedy (seed = 3, suppress = '*')",
    "BY zip GUARANTEE k >= 5 PER ROW USING auto (effort = 'fast', row_order = 'source', unlisted_limit = 0.05)",
    "BY age IN INTERVALS (5, 10) TOP 90 LOSS (0.1, 0.2, 0.3), pay TOP 200000 BOTTOM -12.5 WEIGHT 2 GUARANTEE k >= 5",
    "BY age IN CUTS ONLY (0, 18, 65) TOP 90, pay IN CUTS (-5, 0) BOTTOM -10, born IN INTERVALS ONLY (year) GUARANTEE k >= 5",
    "BY a, b, c GUARANTEE k >= 5 PER patient FOR ANY 2 COLUMNS AND l(disease) >= 2 FOR ANY 2 COLUMNS",
    "BY zip IN INTERVALS (0.000001) GUARANTEE k >= 2 USING full_domain (max_suppressed = 0.01, time_limit = 2.5)",
)


def policy_of(clause: str) -> Policy:
    found: list[Policy] = []
    rewrite(f"FROM t {clause}", lambda body, policy, _: found.append(policy) or body)
    return found[0]


@pytest.mark.parametrize("clause", CLAUSES)
def test_a_clause_is_written_as_one_that_means_the_same(clause):
    policy = policy_of(f"ANONYMIZE {clause}")
    assert policy_of(clause_of(policy)) == policy


@given(policies())
def test_any_policy_is_read_back(policy):
    assert policy_of(clause_of(policy)) == policy


def test_golden_clauses_are_read_back():
    seen: list[Policy | str] = []
    for file in sorted(GOLDEN.glob("*.sql")):
        for pair in read(file, "becomes"):
            try:
                rewrite(pair.statement, lambda body, policy, _: seen.append(policy) or body)
            except ClauseError:
                continue
    written = [policy for policy in seen if isinstance(policy, Policy)]
    assert len(written) > 20
    assert [policy_of(clause_of(each)) for each in written] == written


@pytest.mark.parametrize("clause", CLAUSES)
def test_recodings_are_read_back(clause):
    for each in policy_of(f"ANONYMIZE {clause}").quasi_identifiers:
        if each.recoding is not None:
            assert recodings_of({each.column: recoding_of(each.recoding)}) == {each.column: each.recoding}


@pytest.mark.sweep
@pytest.mark.parametrize("clause", CLAUSES)
def test_a_stored_policy_is_read_back(clause, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    for file in ("people.csv", "data/age.csv"):  # an allowed file exists
        (tmp_path / file).touch()
    policy = policy_of(f"ANONYMIZE {clause}")
    stored = StoredPolicy(
        name="a b",
        table="my.patients",
        policy=replace(policy, keep=None),
        identifiers=("ssn",),
        pseudonyms=("the id", "visit"),
        linkable=("visit",),
        kept=policy.keep or (),
    )
    with kanon_sql.connect(allowed_files=["people.csv", "data/age.csv"]) as con:
        named = dict.fromkeys(["ssn", "the id", "visit", *(name for _, name in policy.named_columns)])
        con.execute(f"CREATE SCHEMA my; CREATE TABLE my.patients ({', '.join(f'{as_identifier(name)} INT' for name in named)})")
        con.execute(definition_of(stored))
        (found,) = Policies(lambda query: con.sql(query).fetchall()).all
    assert found == stored


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (Policy.of(k=5), "every column"),
        (Policy.of(k=5, quasi_identifiers=["zip", "age"], masks=[["zip"]]), "cannot contain columns that no mask shows: age"),
        (Policy.of(k=5, quasi_identifiers=["zip"], keep=[]), "KEEP cannot be empty"),
    ],
)
def test_what_a_clause_cannot_say_is_refused(policy, said):
    with pytest.raises(PolicyError, match=said):
        clause_of(policy)
