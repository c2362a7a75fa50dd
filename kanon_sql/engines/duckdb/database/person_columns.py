"""The columns of a person in a table of facts: shown as in the table of people, or coarser, and never finer.

The facts are joined to what the release of the table of people shows of each person. What is suppressed or generalized there
has no other value here, so no table of facts can show more of a person than the table of people does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.model.person import Person
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import People
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.validation import as_identifier, same_name

KEY, GROUP = '"kanon#person"', '"kanon#group"'
"""Columns of `ShownPeople.table`: the key of a person, and the token of the person's class."""

_JOINED = """SELECT {columns}
FROM ({body}) AS "kanon#fact"
LEFT JOIN {people} AS "kanon#shown" ON "kanon#fact".{key} = "kanon#shown".{person}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPeople:
    """What the release of a table of people shows of each person."""

    # a temporary table with the key of each person, the token of the class, and the columns as the release shows them
    table: str
    # those of the table of people, with the labels that facts may show instead of these
    quasi_identifiers: tuple[QuasiIdentifier, ...]
    token: str  # SQL of the token of the class of a released row of people

    def columns_of(self, person: Person, whose: StoredPolicy) -> list[QuasiIdentifier]:
        """Return the columns of a person in a table of facts.

        Raises
        ------
        UnknownColumnError
            When one of them is not a quasi-identifier of the table of people.
        """
        known = {same_name(each.column): each for each in self.quasi_identifiers}
        for each in person.columns:
            if same_name(each) not in known:
                raise UnknownColumnError.of(each, [qi.column for qi in self.quasi_identifiers], f"the person of {whose}")
        return [known[same_name(each)] for each in person.columns] or list(self.quasi_identifiers)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsOfPeople:
    """A table of facts with the columns of its people."""

    query: str  # its rows
    policy: StoredPolicy  # what is guaranteed of them: all columns have a role

    @classmethod
    def of(cls, policy: StoredPolicy, person: Person, body: str, columns: Sequence[str], shown: ShownPeople) -> FactsOfPeople:
        """Join the facts to their people.

        Parameters
        ----------
        policy, person
            Of the facts.
        body : str
            The query of the facts alone.
        shown : ShownPeople
            What is shown of the people.

        Raises
        ------
        PolicyError
            When the facts have a column of the person already, or masks leave out where the person is shown.
        """
        there = {same_name(each): each for each in columns}
        if policy.policy.masks is not None:
            raise PolicyError(f"{policy} uses the columns of a person, so it cannot have masks; hint: remove the masks")
        added = shown.columns_of(person, policy)
        if policy.known_rows is not None:  # linked histories suppress cells, and generalize none
            added = [QuasiIdentifier(column=each.column) for each in added]
        for each in added:
            if same_name(each.column) in there:
                raise PolicyError(
                    f"{policy} and its person both have the column {as_identifier(each.column)}; hint: rename one of them in "
                    "a query"
                )
        key, grouped = there[same_name(person.column)], bool(policy.groups)
        counted = f"person of {key}" if grouped else key
        group = [QuasiIdentifier(column=key)] if grouped else []
        own = [
            f'"kanon#shown".{GROUP} AS {quoted(key)}' if grouped and each == key else f'"kanon#fact".{quoted(each)}'
            for each in columns
        ]
        own += [f'"kanon#shown".{quoted(each.column)}' for each in added]
        own += [f'"kanon#fact".{quoted(key)} AS {quoted(counted)}'] if grouped else []
        query = _JOINED.format(columns=", ".join(own), body=body, people=shown.table, key=quoted(key), person=KEY)
        requirements = tuple(
            replace(each, per=counted) if isinstance(each, People) else each for each in policy.policy.requirements
        )
        identifying = (*group, *policy.policy.quasi_identifiers, *added)
        guaranteed = replace(policy.policy, quasi_identifiers=identifying, requirements=requirements)
        return cls(query=query, policy=replace(policy, policy=guaranteed, groups=(), person=None))
