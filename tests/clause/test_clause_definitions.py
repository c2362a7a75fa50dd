"""Statements about policies: how they are told from others, and what is read of them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_clause_property import NAMES, parts_of, policies, quoted

from kanon_sql.clause import rewrite
from kanon_sql.clause.statements import is_complete, statements
from kanon_sql.errors import ClauseError
from kanon_sql.model.person import Person
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KAnonymity
from kanon_sql.model.stored_policy import StoredPolicy


class Recorder:
    def __init__(self):
        self.created = []

    def create(self, policy, *, replace):
        self.created.append((policy, replace))
        return "SELECT 1"


def created(text: str) -> StoredPolicy:
    database = Recorder()
    rewrite(text, lambda body, *_: body, database)
    ((policy, _),) = database.created
    return policy


def test_every_part():
    found = created(
        'CREATE ANONYMIZATION POLICY "My policy" ON clinic."pa;tients" (IDENTIFIER name, ssn; BY zip IN DIGITS (3), age;'
        " KEEP notes; GUARANTEE 5 <= k AND l(disease) >= 2; USING greedy (seed = 3))"
    )
    assert (found.name, found.table) == ("My policy", 'clinic."pa;tients"')
    assert (found.identifiers, found.kept) == (("name", "ssn"), ("notes",))
    assert found.columns == ("name", "ssn", "notes", "zip", "age", "disease")
    clause = "FROM t ANONYMIZE BY zip IN DIGITS (3), age GUARANTEE 5 <= k AND l(disease) >= 2 USING greedy (seed = 3)"
    seen = []
    rewrite(clause, lambda body, policy, _: seen.append(policy) or body)
    assert found.policy == seen[0]


def test_persons_and_groups():
    people = created(
        'CREATE ANONYMIZATION POLICY p ON people (IDENTIFIER name, id AS GROUP; PERSON id FROM main.people BY zip, "born in";'
        ' BY zip, "born in"; GUARANTEE k >= 5)'
    )
    assert people.person == Person(column="id", table="main.people", columns=("zip", "born in"))
    assert (people.identifiers, people.groups) == (("name",), ("id",))
    facts = created("CREATE ANONYMIZATION POLICY p ON facts (of person; IDENTIFIER id AS GROUP; BY a; GUARANTEE k >= 5 PER id)")
    assert facts.person is True
    for each in (people, facts):
        assert StoredPolicy.from_json(each.name, each.table, each.to_json()) == each


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ("PERSON id people", "expected FROM and the table of people; hint: write PERSON patient FROM"),
        ("PERSON id FROM people BY zip, ZIP", 'the column "ZIP" occurs twice in the columns of a person'),
        ("OF id", "expected PERSON after OF"),
        ("OF PERSON; PERSON id FROM people", "a policy can have only one person"),
        ("OF PERSON; OF PERSON", "OF is given twice"),
        ("IDENTIFIER id AS GROUP (LINKABLE)", "expected a semicolon"),
        ("IDENTIFIER id AS CLASS", "AS PSEUDONYM or AS GROUP"),
    ],
)
def test_wrong_persons_and_groups(parts: str, words: str) -> None:
    with pytest.raises(ClauseError, match=re.escape(words)):
        created(f"CREATE ANONYMIZATION POLICY p ON facts ({parts}; BY a; GUARANTEE k >= 5)")


def test_without_a_k_two_rows_are_guaranteed():
    assert created("CREATE ANONYMIZATION POLICY p ON t (BY a; GUARANTEE l(b) >= 2)").policy.requirements[0] == KAnonymity(k=2)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("CREATE ANONYMIZATION POLICY p ON t (BY a; GUARANTEE k >= 2); SELECT 1", 2),
        ("create or replace anonymization policy p on t (BY a;;); SELECT 1;", 2),
        ("CREATE /* ; */ ANONYMIZATION -- ;\nPOLICY p ON t (BY a; KEEP b;); SELECT (1); SELECT 2", 3),
        ("SELECT 1; CREATE ANONYMIZATION POLICY p ON t (BY a; GUARANTEE k >= 2)", 2),
        ("CREATE ANONYMIZATION POLICY p ON t; SELECT 1", 2),
        # An open bracket swallows what follows, and nothing of it runs.
        ("CREATE ANONYMIZATION POLICY p ON t (BY a; SELECT 1", 1),
        ('CREATE "ANONYMIZATION" POLICY p (a; b)', 2),
        ("CREATE TABLE anonymization (policy; b)", 2),
        ("SELECT (1; 2)", 2),
        ("SELECT 'CREATE ANONYMIZATION POLICY p (' ; SELECT 2", 2),
        (";;", 0),
    ],
)
def test_semicolons_of_a_policy_end_no_statement(text, parts):
    assert len(statements(text)) == parts


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("CREATE ANONYMIZATION POLICY p ON t (BY a;", False),
        ("CREATE ANONYMIZATION POLICY p ON t (BY a; GUARANTEE k >= 2)", False),
        ("CREATE ANONYMIZATION POLICY p ON t (BY a; GUARANTEE k >= 2);", True),
        ("CREATE TABLE t (a;", True),
    ],
)
def test_a_person_may_go_on_behind_a_semicolon_of_a_policy(text, complete):
    assert is_complete(text) == complete


@pytest.mark.everything
@given(policies(), NAMES, NAMES, st.lists(NAMES, max_size=3, unique_by=str.casefold), st.booleans())
def test_a_policy_written_as_a_statement_is_read_back(policy: Policy, name, table, others, replace):
    known = {each.casefold() for each in [*(qi.column for qi in policy.quasi_identifiers), *policy.sensitive]}
    others = [each for each in others if each.casefold() not in known]
    identifiers, kept = tuple(others[:1]), tuple(others[1:])
    items, guarantee, using = parts_of(policy)
    parts = [f"BY {items}", f"GUARANTEE {guarantee}", f"USING {using}"]
    parts += [f"IDENTIFIER {', '.join(map(quoted, identifiers))}"] if identifiers else []
    parts += [f"KEEP {', '.join(map(quoted, kept))}"] if kept else []
    head = f"CREATE {'OR REPLACE ' if replace else ''}ANONYMIZATION POLICY"
    text = f"{head} {quoted(name)} ON {quoted(table)} ({'; '.join(parts)})"
    database = Recorder()
    assert rewrite(f"SELECT 1; {text}; SELECT 2", lambda body, *_: body, database) == "SELECT 1; SELECT 1; SELECT 2"
    ((found, replaced),) = database.created
    assert (found.name, found.identifiers, found.kept, found.policy, replaced) == (name, identifiers, kept, policy, replace)
    assert StoredPolicy.from_json(found.name, found.table, found.to_json()) == found
    assert len(statements(f"SELECT 1; {text}; SELECT 2")) == 3


@pytest.mark.parametrize(
    "text", ["SHOW ANONYMIZATION POLICIES", "DROP ANONYMIZATION POLICY p", "EXPLAIN ANONYMIZE FROM t ANONYMIZE WITH POLICY p"]
)
def test_without_a_database_there_are_no_policies(text):
    with pytest.raises(ClauseError, match=r"need a database connection; hint: use kanon_sql\.connect"):
        rewrite(text, lambda body, *_: body)


POLICY = StoredPolicy(
    name="p",
    table="t",
    policy=Policy.of(
        k=3,
        quasi_identifiers=["a", "b", "c"],
        masks=[["a", "b", "c"], ["a", "b"], ["a", "c"], ["a"], []],
        linked=[["b", "c"]],
        sensitive="s",
        l=2,
    ),
)


def test_a_part_of_the_columns():
    whole = POLICY.policy_for(["A", "b", "c", "s"])
    assert whole.masks == (("a", "b", "c"), ("a",), ())
    # ("a", "b") was not permitted because it splits b from c; without c it is what is left of ("a", "b", "c").
    part = POLICY.policy_for(["a", "b"])
    assert (part.masks, part.linked, part.sensitive) == ((("a", "b"), ("a",), ()), (), ())
    assert part.least_class_size == 3


def test_a_mask_that_splits_a_group_does_not_come_back():
    policy = Policy.of(quasi_identifiers=["a", "b", "c"], masks=[["b"], ["a"]], linked=[["b", "c"]])
    assert StoredPolicy(name="p", table="t", policy=policy).policy_for(["a", "b"]).masks == (("a",),)
