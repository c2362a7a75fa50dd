"""A policy with a name: it belongs to a table and gives every column of it a role."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.model.linked_columns import unsplit
from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.model.mask_costs import cheapest_of
from kanon_sql.model.masks import Mask, column_of
from kanon_sql.model.person import DECLARED, Person, read_person
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Rectangles
from kanon_sql.model.refusals import without_role
from kanon_sql.model.requirements import SensitiveRequirement
from kanon_sql.model.validation import as_identifier, encodable, known_keys, listed, named, parsed, same_name

ROLES = ("identifiers", "pseudonyms", "linkable", "groups", "kept")
"""Further columns than those of the policy itself, by what becomes of them; ``linkable`` ones are pseudonyms."""

_SOMETIMES = ("linkable", "groups")
"""Roles that the JSON text names only if a column has them."""

OF_DATABASE = ("query", "release", "person", "known_rows")
"""What a policy says about the release of a whole database, apart from its roles; and how many rows of a person are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPolicy:
    """A policy as it is stored in a database.

    Parameters
    ----------
    name : str
        Its name; case does not count.
    table : str
        The table that it belongs to, as SQL spells it; an empty text if it has a ``query``.
    policy : Policy
        The guarantee; its columns are the quasi-identifiers and the sensitive attributes.
    identifiers : tuple of str
        Columns that are never released.
    pseudonyms : tuple of str
        Identifiers of which tokens are released, equal for equal values under one secret. The column by which people are
        counted may be one.
    linkable : tuple of str
        Pseudonyms whose tokens may link rows that single people out together.
    groups : tuple of str
        Identifiers of people. The release shows the class of the person in the table of people instead.
    kept : tuple of str
        Columns that are released as they are, though nothing is guaranteed about them.
    query : str, optional
        In place of a table: the rows that are released.
    release : str, optional
        The name of the release in the released database; by default that of the table, or of the policy if it has a query.
    person : Person or True, optional
        Who the rows are about, or True for the person that another policy declares.
    known_rows : int, optional
        Tokens link the rows of each person, and any so many known rows are those of at least k people.

    Raises
    ------
    PolicyError
        When a column has two roles, or the policy leaves roles open.
    """

    name: str
    table: str
    policy: Policy
    identifiers: tuple[str, ...] = ()
    pseudonyms: tuple[str, ...] = ()
    linkable: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    query: str | None = None
    release: str | None = None
    person: Person | Literal[True] | None = None
    known_rows: int | None = None

    def __post_init__(self) -> None:
        rows = ("table", self.table) if self.query is None else ("query", self.query)
        for what, value in (("name", self.name), rows, *([] if self.release is None else [("release", self.release)])):
            if not isinstance(value, str) or not value:
                raise PolicyError(f"the {what} of a policy must be non-empty text; hint: write research ON patients")
            encodable(value, f"the {what} of a policy")
        if self.query is not None and self.table:
            raise PolicyError(f"{self} has both table and query; hint: remove table, because the query selects the rows")
        if self.policy.keep is not None:
            raise PolicyError(f"{self}: a stored policy has no key keep; hint: use kept")
        if self.policy.every_column:
            raise PolicyError(f"{self}: a stored policy cannot use every_column; hint: list the quasi-identifiers")
        roles: dict[str, str] = {}
        for role, columns in self._roles:
            for column in columns:
                known = roles.setdefault(same_name(named(column, f"{self}: {role}")), role)
                if known != role:
                    raise PolicyError(f'{self}: the column "{column}" is both {known} and {role}; hint: give it only one role')
        for role, columns in (*self._roles[:4], ("linkable", self.linkable)):
            if len({same_name(column) for column in columns}) < len(columns):
                raise PolicyError(f"{self}: a column is listed twice as {role}; hint: list it once")
        if self.known_rows is not None and self.histories and (self.pseudonyms or self.groups):
            raise PolicyError(
                f"{self}: linked histories cannot be combined with pseudonyms or groups; hint: remove the pseudonyms and groups"
            )
        for column in self.linkable:
            if same_name(named(column, f"{self}: linkable")) not in set(map(same_name, self.pseudonyms)):
                raise PolicyError(f'{self}: the column "{column}" is linkable but not a pseudonym; hint: add it to pseudonyms')

    def __str__(self) -> str:
        return f'the policy "{self.name}"'

    @property
    def histories(self) -> LinkedHistories:
        """Return the guarantee of a policy with ``known_rows``."""
        return LinkedHistories.of(self.policy, self.known_rows, self.kept, str(self))

    @property
    def guarantee(self) -> str:
        """Return what is guaranteed, as the statement writes it."""
        said = self.policy.requirements if self.known_rows is None else (self.histories,)
        return " AND ".join(each.describe() for each in said)

    @property
    def _roles(self) -> tuple[tuple[str, Sequence[str]], ...]:
        return (
            ("an identifier", self._dropped),
            ("a pseudonym", self.pseudonyms),
            ("a group", self.groups),
            ("kept", self.kept),
            ("a quasi-identifier", [qi.column for qi in self.policy.quasi_identifiers]),
            ("sensitive", self.policy.sensitive),
            ("used to count people", [] if self.policy.people is None or self._shows_people else [self.policy.people.per]),
        )

    @property
    def _shows_people(self) -> bool:
        """Return whether the column by which people are counted is released as tokens, of people or of their classes."""
        people = self.policy.people
        return people is not None and same_name(people.per) in set(map(same_name, (*self.pseudonyms, *self.groups)))

    @property
    def _dropped(self) -> list[str]:
        """Return the identifiers that a release never sees; the one by which people are counted it leaves out itself."""
        people = self.policy.people
        counted = None if people is None or self._shows_people else same_name(people.per)
        return [each for each in self.identifiers if counted is None or same_name(each) != counted]

    @property
    def columns(self) -> tuple[str, ...]:
        """Return all columns that have a role."""
        return tuple(column for _, columns in self._roles for column in columns)

    def check_columns(self, columns: Sequence[str]) -> None:
        """Check that the policy fits a table: it knows every column, and names none that is not there.

        Raises
        ------
        PolicyError
            When a column of the table has no role.
        UnknownColumnError
            When the policy names a column that the table does not have.
        """
        there = set(map(same_name, columns))
        for column in self.columns:
            if same_name(column) not in there:
                raise UnknownColumnError.of(column, columns, str(self))
        self.released(columns)

    def released(self, columns: Iterable[str]) -> list[str]:
        """Return those of the columns that may be released, in their order.

        Raises
        ------
        PolicyError
            When columns have no role.
        """
        known, dropped = set(map(same_name, self.columns)), set(map(same_name, self._dropped))
        found = list(columns)
        if without := [column for column in found if same_name(column) not in known]:
            raise without_role(without, known, str(self))
        return [column for column in found if same_name(column) not in dropped]

    def policy_for(self, columns: Iterable[str]) -> Policy:
        """Return what is guaranteed of a query that returns only some of the columns.

        Notes
        -----
        What is not there cannot be recognized: its quasi-identifiers leave the masks and linked groups. What is guaranteed of a
        sensitive attribute that is not there is left out too.

        Raises
        ------
        PolicyError
            When there is no quasi-identifier, nothing is left to guarantee, or the policy needs other tables.
        """
        if self.known_rows is not None:
            raise PolicyError(
                f"{self} links the rows of each person, which is not supported here; hint: use kanon release, kanon anonymize "
                f"--policy, or FROM ... ANONYMIZE WITH POLICY {as_identifier(self.name)}"
            )
        self.require_alone()
        there, policy = set(map(same_name, columns)), self.policy
        identifiers = tuple(qi for qi in policy.quasi_identifiers if same_name(qi.column) in there)
        if not identifiers:
            known = ", ".join(f'"{qi.column}"' for qi in policy.quasi_identifiers)
            raise PolicyError(f"the query returns no quasi-identifier of {self}; hint: return at least one of {known}")
        for qi in identifiers:
            if isinstance(qi.recoding, Rectangles) and same_name(qi.recoding.beside) not in there:
                raise PolicyError(
                    f'the query returns "{qi.column}" without "{qi.recoding.beside}", but {self} generalizes them together; '
                    "hint: return both columns or neither"
                )
        if policy.people is not None and same_name(policy.people.per) not in there:
            raise PolicyError(
                f'the query does not return "{policy.people.per}", but {self} counts people by it; hint: '
                "return this column; the release omits it"
            )
        requirements = tuple(
            each
            for each in policy.requirements
            if not isinstance(each, SensitiveRequirement) or same_name(each.sensitive) in there
        )
        if not requirements:
            raise PolicyError(f"{self} guarantees nothing for the columns in the query; hint: add k >= 2 to its GUARANTEE")

        def cut(mask: Mask) -> Mask:
            return tuple(each for each in mask if same_name(column_of(each)) in there)

        # A mask that splits a group must not become permitted because a part of the group is not there.
        masks = None if policy.masks is None else tuple(dict.fromkeys(map(cut, self._masks)))
        costed = policy.costed_masks
        costs = None if costed is None else cheapest_of(map(cut, costed), costed.values())
        linked = (tuple(name for name in group if same_name(name) in there) for group in policy.linked)
        return replace(
            policy,
            quasi_identifiers=identifiers,
            requirements=requirements,
            masks=masks if costs is None else tuple(costs),
            mask_costs=None if costs is None else tuple(costs.values()),
            linked=tuple(group for group in linked if len(group) > 1),
            keep=tuple(name for name in (*self.pseudonyms, *self.kept) if same_name(name) in there),
            pseudonyms=tuple(name for name in self.pseudonyms if same_name(name) in there),
            linkable=tuple(name for name in self.linkable if same_name(name) in there),
        )

    def require_alone(self) -> None:
        """Raise an error where the policy needs the release of another table."""
        if self.groups or self.person is DECLARED:
            raise PolicyError(f"{self} needs the table of people; hint: use kanon release to release the whole database")

    @property
    def _masks(self) -> tuple[Mask, ...]:
        masks = self.policy.masks or ()
        return unsplit(masks, self.policy.linked) if self.policy.linked else masks

    def to_json(self) -> str:
        """Return the canonical JSON text: that of the policy, with the roles."""
        roles = {role: list(getattr(self, role)) for role in ROLES if role not in _SOMETIMES or getattr(self, role)}
        data = json.loads(self.policy.to_json()) | roles
        person = self.person.to_json() if isinstance(self.person, Person) else self.person
        said = zip(OF_DATABASE, (self.query, self.release, person, self.known_rows), strict=True)
        data |= {name: value for name, value in said if value is not None}
        del data["keep"]  # what is kept is a role here
        return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, name: str, table: str, text: str) -> StoredPolicy:
        """Read a policy back from the JSON of its columns.

        Raises
        ------
        PolicyError
            When it is none.
        """
        known, whose = {*Policy.__dataclass_fields__, *ROLES, *OF_DATABASE} - {"keep"}, f'the policy "{name}"'
        data = known_keys(parsed(text, whose), known, whose, ["quasi_identifiers", "requirements"])
        roles = {role: tuple(listed(data.pop(role, []), role)) for role in ROLES}
        query, release, person, known_rows = (data.pop(each, None) for each in OF_DATABASE)
        return cls(
            name=name,
            table=table,
            policy=Policy.from_json(json.dumps(data)),
            query=query,
            release=release,
            person=read_person(person),
            known_rows=known_rows,
            **roles,
        )
