"""The statement that the studio edits: form and text say the same."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kanon_sql.errors import ClauseError, PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KAnonymity, LDiversity, People
from kanon_sql.studio.draft import (
    IDENTIFIER,
    KEPT,
    LINKABLE,
    NONE,
    PERSON,
    PSEUDONYM,
    QUASI_IDENTIFIER,
    ROLES,
    SENSITIVE,
    Draft,
)

COLUMNS = ("name", "zip", "age", "a b", "disease", "cost")

FIRST = Draft.of(
    "patients",
    COLUMNS,
    Policy.of(k=5, quasi_identifiers=["zip", "age"], sensitive="disease", l=2, keep=["cost"]),
    dropped=["NAME", "a b"],
)

STATEMENT = """SELECT * EXCLUDE (name, "a b")
FROM patients
ANONYMIZE BY zip, age
KEEP cost
GUARANTEE k >= 5 AND l(disease) >= 2"""


def test_the_statement():
    assert FIRST.statement == STATEMENT
    assert [FIRST.role(name) for name in COLUMNS] == [
        IDENTIFIER,
        QUASI_IDENTIFIER,
        QUASI_IDENTIFIER,
        IDENTIFIER,
        SENSITIVE,
        KEPT,
    ]


@pytest.mark.parametrize("text", [STATEMENT, f"{STATEMENT};", STATEMENT.replace("\n", "   ")])
def test_it_is_read_back(text):
    assert FIRST.read(text) == FIRST


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("role", ROLES)
def test_every_column_can_have_every_role(column, role):
    draft = FIRST.with_role(column, role)
    assert draft.role(column) == role
    assert draft.read(draft.statement) == draft
    others = [name for name in COLUMNS if name != column]
    assert [draft.role(name) for name in others] == [FIRST.role(name) for name in others]


def test_the_last_quasi_identifier_stays():
    draft = FIRST.with_role("zip", KEPT)
    with pytest.raises(PolicyError):
        draft.with_role("age", KEPT)


def test_no_column_is_released_on_purpose_unless_somebody_says_so():
    """With KEEP nothing is refused: columns that nobody has looked at must not come under it."""
    draft = FIRST.read("SELECT * FROM patients ANONYMIZE BY zip GUARANTEE k >= 2")
    assert draft.role("cost") == NONE
    assert draft.with_role("age", QUASI_IDENTIFIER).policy.keep is None
    assert draft.with_role("cost", KEPT).policy.keep == ("cost",)
    assert draft.with_role("cost", KEPT).with_role("cost", NONE).policy.keep is None


def test_a_query_that_cannot_be_parsed_is_left_to_duckdb():
    draft = FIRST.read("SELECT zip FROM patients WHERE zip ~~ ~~ ANONYMIZE BY zip GUARANTEE k >= 2")
    assert draft.dropped is None


def test_a_list_of_columns_tells_who_is_left_out():
    draft = FIRST.read('SELECT zip, "a b", AGE FROM patients ANONYMIZE BY zip, age KEEP "a b" GUARANTEE k >= 2')
    assert draft.dropped == ("name", "disease", "cost")
    assert draft.with_role("cost", KEPT).query == "SELECT * EXCLUDE (name, disease)\nFROM patients"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT zip, age FROM patients WHERE age > 17",
        "SELECT zip, age + 1 AS age FROM patients",
        "SELECT p.zip, age FROM patients AS p",
        "SELECT zip, age FROM others",
        "SELECT zip, age FROM patients JOIN visits USING (name)",
        "SELECT DISTINCT zip, age FROM patients",
    ],
)
def test_any_other_query_stays_as_it_is(query):
    draft = FIRST.read(f"{query} ANONYMIZE BY zip, age GUARANTEE k >= 3")
    assert draft.dropped is None
    assert draft.query == query
    assert draft.with_requirement(0, KAnonymity(k=7)).statement == f"{query}\nANONYMIZE BY zip, age\nGUARANTEE k >= 7"
    with pytest.raises(PolicyError, match="change the role in the statement"):
        draft.with_role("cost", KEPT)


def test_masks_are_left_to_the_text():
    draft = FIRST.read("FROM patients ANONYMIZE BY GROUPING SETS ((zip, age), ()) GUARANTEE k >= 3")
    assert "GROUPING SETS" in draft.with_requirement(0, KAnonymity(k=4)).statement
    with pytest.raises(PolicyError, match="masks"):
        draft.with_role("cost", QUASI_IDENTIFIER)


@pytest.mark.parametrize(
    "text",
    ["FROM patients", "CREATE TABLE r AS FROM patients ANONYMIZE BY zip GUARANTEE k >= 2", "FROM patients ANONYMIZE BY",
     "FROM patients ANONYMIZE WITH POLICY research", "FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 ORDER BY zip", ""],
)  # fmt: skip
def test_what_it_cannot_edit_is_refused(text):
    with pytest.raises((PolicyError, ClauseError)):
        FIRST.read(text)


def test_the_form():
    draft = FIRST.with_requirement(0, KAnonymity(k=10)).with_column("age", weight=Fraction(3), recoding="intervals (5, 10)")
    draft = draft.with_requirement(1, None).with_requirement(9, LDiversity(sensitive="disease", l=3))
    assert draft.statement.splitlines()[2:] == [
        "ANONYMIZE BY zip, age IN INTERVALS (5, 10) WEIGHT 3",
        "KEEP cost",
        "GUARANTEE k >= 10 AND l(disease) >= 3",
    ]
    with pytest.raises(PolicyError):
        draft.with_column("age", weight=Fraction(0), recoding="")
    with pytest.raises(PolicyError):
        draft.with_column("age", weight=Fraction(1), recoding="INTERVAL")


def test_k_counts_people_where_a_column_tells_them_apart():
    draft = FIRST.with_role("name", PERSON)
    assert [each.k for each in draft.policy.requirements if isinstance(each, People)] == [5]
    assert draft.with_role("name", IDENTIFIER).policy.people is None


KNOWN = "k >= 5{} FOR ANY 1 COLUMN AND l(disease) >= 2"


@pytest.mark.parametrize(
    ("rows", "people", "per_row"),
    [
        ("k >= 5 AND l(disease) >= 2", "k >= 5 PER name AND l(disease) >= 2", "k >= 5 PER ROW AND l(disease) >= 2"),
        (KNOWN.format(""), KNOWN.format(" PER name"), "k >= 1 PER ROW AND " + KNOWN.format("")),
    ],
)
def test_k_stays_whatever_is_counted(rows, people, per_row):
    """By all columns or by known ones: no role and no button takes k away, or lets rows count for people."""
    draft = FIRST.read(f"{FIRST.query} ANONYMIZE BY zip, age KEEP cost GUARANTEE {rows}")
    counted = draft.with_role("name", PERSON)
    assert counted.statement.endswith(f"GUARANTEE {people}")
    for role in (IDENTIFIER, QUASI_IDENTIFIER, KEPT, NONE):
        assert counted.with_role("name", role).statement.endswith(f"GUARANTEE {rows}")
        assert counted.with_role("name", role).with_role("name", PERSON) == counted
    assert draft.with_rows().statement.endswith(f"GUARANTEE {per_row}")
    assert draft.with_role("age", PERSON).with_role("name", PERSON).policy.people.per == "name"


def test_a_guarantee_without_k_gets_the_least_that_it_implies():
    draft = FIRST.read(f"{FIRST.query} ANONYMIZE BY zip, age KEEP cost GUARANTEE l(disease) >= 3")
    assert draft.with_role("name", PERSON).statement.endswith("GUARANTEE k >= 3 PER name AND l(disease) >= 3")
    assert draft.with_rows().statement.endswith("GUARANTEE k >= 3 PER ROW AND l(disease) >= 3")


GUARANTEE = "k >= 5 AND l(disease) >= 2"

TOKENS = """CREATE ANONYMIZATION POLICY studio ON patients (
    IDENTIFIER "a b", name AS PSEUDONYM;
    BY zip, age;
    KEEP cost;
    GUARANTEE k >= 5 AND l(disease) >= 2
);

SELECT * EXCLUDE ("a b")
FROM patients
ANONYMIZE WITH POLICY studio"""


def test_tokens_need_a_stored_policy():
    draft = FIRST.with_role("name", PSEUDONYM)
    assert draft.statement == TOKENS
    assert FIRST.read(TOKENS) == draft
    assert FIRST.read(TOKENS.replace('SELECT * EXCLUDE ("a b")\n', "").replace("studio", "Mine")) == draft
    linkable = FIRST.read(TOKENS.replace("PSEUDONYM", "PSEUDONYM (LINKABLE)"))
    assert (linkable.role("name"), linkable) == (LINKABLE, FIRST.with_role("name", LINKABLE))
    assert linkable.with_role("name", IDENTIFIER) == FIRST.with_role("name", KEPT).with_role("name", IDENTIFIER)


@pytest.mark.parametrize("column", COLUMNS[:1] + COLUMNS[3:])
@pytest.mark.parametrize("role", [role for role in ROLES if role != NONE])
def test_beside_tokens_every_column_can_have_every_role_but_none(column, role):
    first = FIRST.with_role("zip", LINKABLE)
    draft = first.with_role(column, role)
    assert (draft.role(column), draft.role("zip")) == (role, LINKABLE)
    assert draft.read(draft.statement) == draft


def test_people_are_counted_by_their_tokens():
    draft = FIRST.with_role("name", PERSON).with_role("name", PSEUDONYM)
    assert "k >= 5 PER name" in draft.statement
    assert draft.role("name") == PSEUDONYM
    assert draft.read(draft.statement) == draft
    assert "PER" not in draft.with_role("name", KEPT).statement


def test_a_query_with_tokens_can_be_more_than_a_list_of_columns():
    text = TOKENS.replace('SELECT * EXCLUDE ("a b")', "SELECT name, zip, age, disease, cost").replace(
        "FROM patients", "FROM patients WHERE age > 17"
    )
    draft = FIRST.read(text)
    assert draft.dropped is None
    assert draft.statement == text
    assert draft.read(text) == draft


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (TOKENS.replace("KEEP cost;", ""), 'the column "cost" has no role in the policy "studio"'),
        (TOKENS.replace("ON patients", "ON people"), "is not a policy for this table alone"),
        (TOKENS.replace("AS PSEUDONYM", "AS GROUP"), "is not a policy for this table alone"),
        (
            TOKENS.replace("name AS PSEUDONYM", "disease").replace(
                "k >= 5 AND l(disease) >= 2", "k >= 5 PER name LINKED FOR ANY 2 ROWS"
            ),
            "the studio does not link the rows of people",
        ),
        (TOKENS.replace("WITH POLICY studio", "WITH POLICY other"), "expected a policy, then a release that uses it"),
        (TOKENS.partition(";\n\n")[0], "expected a policy, then a release that uses it"),
        (TOKENS.partition(";\n\n")[2], "the statement uses a stored policy"),
        (f"{TOKENS} ORDER BY zip", "creates or sorts a table"),
    ],
)
def test_texts_with_policies_that_are_refused(text, told):
    with pytest.raises(PolicyError, match=told):
        FIRST.read(text)
