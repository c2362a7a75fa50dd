"""Statements about policies, where they are statements of their own.

::

    CREATE [OR REPLACE] ANONYMIZATION POLICY name ON table ( part {; part} [;] )
    CREATE [OR REPLACE] ANONYMIZATION POLICY name ON table ( PROTECT ... [;] )
    DROP ANONYMIZATION POLICY [IF EXISTS] name
    SHOW ANONYMIZATION POLICIES

    part := IDENTIFIER identifier {, identifier} | BY item {, item} {link} | KEEP column {, column}
          | GUARANTEE cond {AND cond} | USING name [( option = value {, option = value} )]
          | PERSON column FROM table [BY column {, column}] | OF PERSON
    identifier := column [AS PSEUDONYM [(LINKABLE)] | AS GROUP]

Every part stands once at most, in any order; BY and GUARANTEE are needed. Their grammar is that of the clause. A policy for
tables of counts is a PROTECT clause.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from kanon_sql.clause.columns import ColumnList
from kanon_sql.clause.conditions import conditions
from kanon_sql.clause.masks import costs, cross
from kanon_sql.clause.mistakes import no_on, no_part
from kanon_sql.clause.names import column_name, policy_name, table_name
from kanon_sql.clause.parse import algorithm
from kanon_sql.clause.reader import Reader
from kanon_sql.clause.script import Script
from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.model.person import DECLARED, Person
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_names import Stored
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.stored_protection import StoredProtection
from kanon_sql.model.validation import same_name

_HINT = "CREATE ANONYMIZATION POLICY research ON patients (IDENTIFIER name; BY zip, age; GUARANTEE k >= 5)"

_IDENTIFYING = "a quasi-identifier"

_PARTS = ("IDENTIFIER", "BY", "KEEP", "GUARANTEE", "USING", "PERSON", "OF")

_PERSON = "PERSON patient FROM patients BY zip, born"


class Database(Protocol):
    """What a database answers to statements about policies: each answer is SQL text that it runs."""

    def create(self, policy: Stored, *, replace: bool) -> str:
        """Return the statement that stores a policy."""

    def drop(self, name: str, *, if_exists: bool) -> str:
        """Return the statement that forgets a policy."""

    def show(self) -> str:
        """Return the query that lists the policies."""

    def policy(self, name: str) -> Policy:
        """Return what a stored policy guarantees."""

    def protection(self, name: str) -> StoredProtection:
        """Return a stored policy for tables of counts."""

    def release(self, body: str, name: str, wide: str | None) -> str:
        """Return a query that yields the released rows of the query ``body`` under a stored policy; uses ``body`` once.

        ``wide`` is a query of the same rows with the columns that ``body`` leaves out, if any.
        """

    def explain(self, body: str, policy: Policy | str, wide: str | None) -> str:
        """Return a query that explains a release without making it; the policy may be the name of a stored one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatePolicy:
    """Store a policy, instead of one of the same name if that is requested."""

    policy: Stored
    replace: bool

    def sql(self, database: Database) -> str:
        """Return the statement that does it."""
        return database.create(self.policy, replace=self.replace)


@dataclass(frozen=True, slots=True, kw_only=True)
class DropPolicy:
    """Forget a policy."""

    name: str
    if_exists: bool

    def sql(self, database: Database) -> str:
        """Return the statement that does it."""
        return database.drop(self.name, if_exists=self.if_exists)


@dataclass(frozen=True, slots=True)
class ShowPolicies:
    """List the policies."""

    def sql(self, database: Database) -> str:
        """Return the query that does it."""
        return database.show()


def begins_definition(script: Script, first: int) -> bool:
    """Return whether the statement that begins at ``first`` is one about policies; stock DuckDB refuses them all."""
    return (
        script.words(first, "CREATE", "ANONYMIZATION", "POLICY")
        or script.words(first, "CREATE", "OR", "REPLACE", "ANONYMIZATION", "POLICY")
        or script.words(first, "DROP", "ANONYMIZATION", "POLICY")
        or script.words(first, "SHOW", "ANONYMIZATION", "POLICIES")
    )


def parse_definition(script: Script, first: int, end: int) -> CreatePolicy | DropPolicy | ShowPolicies:
    """Read the statement about policies from ``first`` to before ``end``.

    Raises
    ------
    ClauseError
        When it cannot be read, or contradicts itself.
    """
    reader = Reader(script, first + 1)
    found: CreatePolicy | DropPolicy | ShowPolicies
    if reader.skip("ANONYMIZATION", "POLICIES"):
        found = ShowPolicies()
    elif script.word(first) == "DROP":
        reader.place += 2
        if_exists = reader.skip("IF", "EXISTS")
        found = DropPolicy(name=policy_name(reader, "DROP ANONYMIZATION POLICY research"), if_exists=if_exists)
    else:
        replace = reader.skip("OR", "REPLACE")
        reader.place += 2
        found = CreatePolicy(policy=_policy(reader), replace=replace)
    if reader.place < end:
        raise reader.error(f"unexpected {reader.spelled} after the statement; hint: end the statement with a semicolon")
    return found


def _policy(reader: Reader) -> Stored:
    start = reader.place
    name = policy_name(reader, _HINT)
    if not reader.skip("ON"):
        raise no_on(reader, f"expected ON after the name; hint: write {_HINT}")
    table = table_name(reader, _HINT)
    reader.expect("(", f"after the table; hint: write {_HINT}")
    if reader.skip("PROTECT"):
        return _protection(reader, start, name, table)
    parts = _Parts(reader)
    parts.read()
    while reader.skip(";") and not reader.ahead(")"):
        parts.read()
    if not reader.skip(")"):
        problem = "expected a semicolon or ) after this part; hint: separate parts by semicolons, and columns by commas"
        before = reader.script.spelled(reader.place - 1)
        if reader.word in _PARTS:
            raise reader.mistake(problem, f"{before}; {reader.spelled}", first=reader.place - 1)
        raise reader.error(problem)
    for part, hint in (("BY", "BY zip, age"), ("GUARANTEE", "GUARANTEE k >= 5")):
        if part not in parts.found:
            raise reader.script.error(f"the policy has no {part}; hint: add {hint}", start, reader.place - 1)

    def build() -> StoredPolicy:
        return StoredPolicy(name=name, table=table, policy=Policy(**parts.policy), **parts.roles)

    return reader.checked(build, start)


def _protection(reader: Reader, start: int, name: str, table: str) -> StoredProtection:
    """Read a policy for tables of counts behind the word PROTECT."""
    from kanon_sql.clause.cells.parse import parse_stored

    requested = parse_stored(reader)
    if reader.skip(";") and not reader.ahead(")"):
        raise reader.error("PROTECT must be the only part of its policy; hint: create a separate policy for rows")
    reader.expect(")", "after PROTECT")
    return reader.checked(lambda: StoredProtection(name=name, table=table, protection=requested), start)


@dataclass(slots=True)
class _Parts:
    """The parts of a policy as they are read, and the columns that have a role already."""

    reader: Reader
    found: set[str] = field(default_factory=set)
    policy: dict[str, Any] = field(default_factory=dict)
    roles: dict[str, Any] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)

    def read(self) -> None:
        reader, start, part = self.reader, self.reader.place, self.reader.word
        if part == "PROTECT":
            raise reader.error(
                "PROTECT needs its own policy; hint: write CREATE ANONYMIZATION POLICY weekly ON t (PROTECT n >= 5)"
            )
        if part not in _PARTS:
            raise no_part(reader, _PARTS)
        if part in self.found:
            raise reader.error(f"{part} is given twice; hint: write it once, with all columns")
        self.found.add(part)
        reader.place += 1
        match part:
            case "IDENTIFIER":
                self._identifiers()
            case "KEEP":
                self.roles["kept"] = self._columns("kept")
            case "BY":
                self._quasi_identifiers(start)
            case "PERSON" | "OF":
                self._person(part)
            case "GUARANTEE":
                identifying = {key for key, role in self.taken.items() if role == _IDENTIFYING}
                requested = conditions(reader, identifying)
                if isinstance(requested, LinkedHistories):
                    self.roles["known_rows"], requested = requested.known_rows, requested.requirements
                self.policy["requirements"] = requested
            case _:
                self.policy |= algorithm(reader)

    def _identifiers(self) -> None:
        """Read identifiers: those that are dropped, and those of which tokens are released, which may be linkable."""
        found: dict[str, list[str]] = {"identifiers": [], "pseudonyms": [], "linkable": [], "groups": []}
        reader = self.reader

        def read() -> None:
            name = self._column("an identifier")
            if reader.skip("AS", "GROUP"):
                found["groups"].append(name)
                return
            if reader.word == "AS" and not reader.ahead("AS", "PSEUDONYM"):
                raise reader.error(
                    "an identifier can only be released AS PSEUDONYM or AS GROUP; hint: write IDENTIFIER id AS PSEUDONYM"
                )
            found["pseudonyms" if reader.skip("AS", "PSEUDONYM") else "identifiers"].append(name)
            if reader.ahead("("):
                if name not in found["pseudonyms"] or not reader.skip("(", "LINKABLE", ")"):
                    raise reader.error("unknown option of an identifier; hint: write IDENTIFIER id AS PSEUDONYM (LINKABLE)")
                found["linkable"].append(name)

        reader.separated(read)
        self.roles |= {role: tuple(names) for role, names in found.items()}

    def _person(self, part: str) -> None:
        """Read who the rows are about: a person declared here, or the one that another policy declares."""
        reader, start = self.reader, self.reader.place - 1
        if {"PERSON", "OF"} <= self.found:
            raise reader.script.error(
                "a policy can have only one person; hint: use PERSON to declare it, or OF PERSON to reuse it", start
            )
        if part == "OF":
            if not reader.skip("PERSON"):
                raise reader.error(
                    "expected PERSON after OF; hint: write OF PERSON to use the person declared in a different policy"
                )
            self.roles["person"] = DECLARED
            return
        column = column_name(reader, _PERSON)
        if not reader.skip("FROM"):
            raise reader.error(f"expected FROM and the table of people; hint: write {_PERSON}")
        table = table_name(reader, _PERSON)
        by = reader.separated(lambda: column_name(reader, _PERSON)) if reader.skip("BY") else []
        self.roles["person"] = reader.checked(lambda: Person(column=column, table=table, columns=tuple(by)), start)

    def _columns(self, role: str) -> tuple[str, ...]:
        return tuple(self.reader.separated(lambda: self._column(role)))

    def _column(self, role: str) -> str:
        reader, start = self.reader, self.reader.place
        name = column_name(reader, "IDENTIFIER name, ssn")
        if same_name(name) in self.taken:
            raise reader.script.error(
                f"the column is already {self.taken[same_name(name)]}; hint: give it only one role", start
            )
        self.taken[same_name(name)] = role
        return name

    def _quasi_identifiers(self, start: int) -> None:
        reader = self.reader
        columns = ColumnList(reader)
        items = reader.separated(columns.item)
        linked = columns.links()
        for key, qi in columns.identifiers.items():
            if key in self.taken:
                problem = f'the column "{qi.column}" is already {self.taken[key]}; hint: give it only one role'
                raise reader.script.error(problem, start, reader.place - 1)
            self.taken[key] = _IDENTIFYING
        masks = reader.checked(lambda: cross(items), start)
        self.policy |= {"quasi_identifiers": tuple(columns.identifiers.values()), "masks": masks, "linked": linked}
        self.policy |= {"mask_costs": costs(items)}
