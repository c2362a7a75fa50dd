"""The guarantee about histories: tokens link the rows of each person, and any known rows are those of at least k people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

from kanon_sql.errors import PolicyError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import KAnonymity, People
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.validation import as_identifier, named, parsed, same_name, whole

MOST_ROWS = 3
"""Rows of a person that an attacker may know; sets of more rows are too many to count."""


@dataclass(frozen=True, kw_only=True)
class LinkedHistories:
    """Any ``known_rows`` rows of a person are those of at least ``k`` people.

    Raises
    ------
    PolicyError
        When a number or a name is wrong, or a column has two roles.

    Examples
    --------
    >>> LinkedHistories(k=5, per="patient", known_rows=2, quasi_identifiers=["ward"]).describe()
    'k >= 5 PER patient LINKED FOR ANY 2 ROWS'
    """

    k: int  # the least number of people
    per: str  # the column that identifies people; it shows tokens
    known_rows: int  # how many rows of a person the attacker knows: 1, 2 or 3
    quasi_identifiers: Sequence[str] = ()  # the columns that the attacker may know
    keep: Sequence[str] = ()  # those that are released unchanged on purpose

    def __post_init__(self) -> None:
        whole(self.k, "k", 1)
        named(self.per, "the column that identifies people")
        if isinstance(self.known_rows, bool) or self.known_rows not in range(1, MOST_ROWS + 1):
            raise PolicyError(
                "known_rows must be 1, 2 or 3; hint: set it to the number of a person's rows that an attacker knows"
            )
        for part, names in (("a quasi-identifier", self.quasi_identifiers), ("kept", self.keep)):
            if same_name(self.per) in map(same_name, names):
                raise PolicyError(
                    f"the column {as_identifier(self.per)} is {part}, but it identifies people; hint: give it only one role"
                )

    @classmethod
    def of(cls, policy: Policy, known_rows: object, keep: Sequence[str], whose: str) -> LinkedHistories:
        """Return the guarantee that a policy and the number of known rows say together.

        Parameters
        ----------
        policy : Policy
            It counts people, names its quasi-identifiers, and says nothing else.
        known_rows : int
            How many rows of a person the attacker knows.
        keep : sequence of str
            The columns that are released unchanged on purpose.
        whose : str
            The policy, for errors.

        Raises
        ------
        PolicyError
            When the policy counts no people, says more, or a number or a name is wrong.
        """
        people = policy.people
        if people is None:
            raise PolicyError(
                f"{whose} uses known_rows but does not count people; hint: write k >= 5 PER patient LINKED FOR ANY 2 ROWS"
            )
        names = tuple(qi.column for qi in policy.quasi_identifiers)
        found = cls(k=people.k, per=people.per, known_rows=known_rows, quasi_identifiers=names, keep=tuple(keep))  # type: ignore[arg-type]
        if policy != replace(found.roles, keep=None):
            raise PolicyError(
                f"{whose}: linked histories cannot be combined with other guarantees, recodings, weights, masks, linked "
                "columns or solvers; hint: keep only the linked guarantee"
            )
        return found

    @property
    def requirements(self) -> tuple[KAnonymity, People]:
        """Return what is guaranteed of each row: it is of one person."""
        return KAnonymity(k=self.k), People(k=self.k, per=self.per)

    @property
    def roles(self) -> Policy:
        """Return the roles of the columns as a policy, which checks them."""
        identifiers = tuple(QuasiIdentifier(column=name) for name in self.quasi_identifiers)
        return Policy(quasi_identifiers=identifiers, requirements=self.requirements, keep=tuple(self.keep))

    def check_roles(self) -> None:
        """Raise an error where a column has two roles."""
        _ = self.roles

    def within(self, columns: Iterable[str], whose: str) -> LinkedHistories:
        """Return the same for a query that returns only some of the columns.

        Raises
        ------
        PolicyError
            When there is no quasi-identifier or no person.
        """
        names = list(columns)
        there = set(map(same_name, names))
        identifiers, keep = (
            tuple(each for each in part if same_name(each) in there) for part in (self.quasi_identifiers, self.keep)
        )
        if not identifiers or same_name(self.per) not in there:
            raise PolicyError(
                f"the query must return {as_identifier(self.per)} and a quasi-identifier of {whose}; hint: add "
                "them to the SELECT"
            )
        return replace(self, quasi_identifiers=identifiers, keep=keep).resolved(names)

    def resolved(self, columns: Iterable[str], surface: Surface = "clause") -> LinkedHistories:
        """Return the same in the spelling of a table.

        Raises
        ------
        PolicyError
            When the table has no such column, or another one.
        """
        names = list(columns)
        spelled = {same_name(name): name for name in names}
        self.roles.resolve(names, surface)
        return LinkedHistories(
            k=self.k,
            per=spelled[same_name(self.per)],
            known_rows=self.known_rows,
            quasi_identifiers=[spelled[same_name(name)] for name in self.quasi_identifiers],
            keep=[spelled[same_name(name)] for name in self.keep],
        )

    def describe(self) -> str:
        """Return the guarantee as the clause writes it."""
        return f"k >= {self.k} PER {as_identifier(self.per)} {self.scope}"

    @property
    def scope(self) -> str:
        """Return what the attacker knows, as the clause writes it."""
        return f"LINKED FOR ANY {self.known_rows} {'ROW' if self.known_rows == 1 else 'ROWS'}"

    def broken(self, fewest: int | None) -> str | None:
        """Return what is wrong if some rows of a person are those of too few people, None if they are not."""
        if fewest is None or fewest >= self.k:
            return None
        people = "only 1 person" if fewest == 1 else f"only {fewest:,} people"
        match = "matches" if self.known_rows == 1 else "match"
        return f"any {how_many(self.known_rows, 'row')} of a person {match} {people}, fewer than k = {self.k}"

    @property
    def signed(self) -> str:
        """Return a text that is one for guarantees that are one, however they are spelled."""
        parts = ([self.per], self.quasi_identifiers, self.keep)
        return json.dumps([self.k, self.known_rows, *(sorted(map(same_name, names)) for names in parts)])

    def to_json(self) -> str:
        """Return the text that `from_json` reads."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> LinkedHistories:
        """Return the guarantee that `to_json` wrote."""
        return cls(**parsed(text, "linked histories"))
