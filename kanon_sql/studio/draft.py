"""The statement that the studio edits: a query and a policy, by form or by text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from kanon_sql.clause import (
    clause_of,
    definition_of,
    guarantee_of,
    recodings_of,
    release_with_policy,
    shown_columns,
    single_release,
)
from kanon_sql.errors import PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import People, Requirement, sensitive_ones
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.validation import as_identifier, same_name
from kanon_sql.studio.unit import of_people, of_rows

IDENTIFIER, PSEUDONYM, LINKABLE, QUASI_IDENTIFIER, SENSITIVE, KEPT, PERSON, NONE = ROLES = (
    "identifier",
    "pseudonym",
    "linkable pseudonym",
    "quasi-identifier",
    "sensitive",
    "released unchanged",
    "person",
    "no role",
)
"""What a column can be. One without a role is released if it identifies nobody; if any is released unchanged on purpose, or as
tokens, each needs a role."""

_NAME = "studio"
"""The stored policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A statement that releases a table."""

    table: str  # the source, as SQL spells it
    columns: tuple[str, ...]
    query: str  # the query before the clause
    policy: Policy  # what the clause says
    # the columns of the source that the query leaves out; None if the query is more than a list of columns
    dropped: tuple[str, ...] | None
    # identifiers of which tokens are released; a clause cannot say this, so the policy is stored first
    pseudonyms: tuple[str, ...] = ()
    linkable: tuple[str, ...] = ()  # those whose tokens may link rows that single people out together

    @classmethod
    def of(
        cls,
        table: str,
        columns: Sequence[str],
        policy: Policy,
        dropped: Sequence[str] = (),
        pseudonyms: Sequence[str] = (),
        linkable: Sequence[str] = (),
    ) -> Draft:
        """Return the draft that releases all columns except some."""
        gone = set(map(same_name, dropped))
        left_out = tuple(name for name in columns if same_name(name) in gone)
        shown = [name for name in columns if same_name(name) not in gone]
        query = f"SELECT * EXCLUDE ({', '.join(map(as_identifier, left_out))})" if left_out else "SELECT *"
        if 0 < len(shown) < len(left_out):
            query = f"SELECT {', '.join(map(as_identifier, shown))}"
        return cls(
            table=table,
            columns=tuple(columns),
            query=f"{query}\nFROM {table}",
            policy=policy,
            dropped=left_out,
            pseudonyms=tuple(pseudonyms),
            linkable=tuple(linkable),
        )

    @property
    def statement(self) -> str:
        """Return the statement, one part a line; behind the one that stores its policy, if there are tokens."""
        return ";\n\n".join(self.statements)

    @property
    def statements(self) -> tuple[str, ...]:
        """Return the statement, behind the one that stores its policy, if there are tokens."""
        if not self.pseudonyms:
            return (f"{self.query}\n{clause_of(self.policy)}",)
        return definition_of(self.stored), f"{self.query}\nANONYMIZE WITH POLICY {_NAME}"

    @property
    def stored(self) -> StoredPolicy:
        """Return the same as a stored policy; no role of a column is open."""
        # a query that is more than a list of columns does not tell what it leaves out: what has no other role
        shown = [*self.pseudonyms, *(name for _, name in self.policy.named_columns)]
        rest = _others(self.columns, shown) if self.dropped is None else self.dropped
        return StoredPolicy(
            name=_NAME,
            table=self.table,
            policy=replace(self.policy, keep=None),
            identifiers=tuple(rest),
            pseudonyms=self.pseudonyms,
            linkable=self.linkable,
            kept=self.policy.keep or (),
        )

    def read(self, text: str) -> Draft:
        """Return the draft of another text about the same table.

        Raises
        ------
        ClauseError, PolicyError
            When the text has no clause, or one that cannot be read.
        """
        text = text.strip().removesuffix(";")
        stored, parts = release_with_policy(text) or (None, single_release(text))
        if parts is None:
            raise PolicyError("the statement has no ANONYMIZE clause; hint: write ANONYMIZE BY zip, age GUARANTEE k >= 5")
        if parts.into is not None or parts.tail:
            raise PolicyError("the statement creates or sorts a table; hint: write only a query and its clause")
        if stored is not None:
            return self._under(stored, parts.query)
        if isinstance(parts.policy, str):
            raise PolicyError("the statement uses a stored policy; hint: create it before the query, or write a clause")
        return self._queried(parts.query, parts.policy, (), ())

    def _under(self, stored: StoredPolicy, query: str) -> Draft:
        """Return the draft of a query with a stored policy of this table.

        Raises
        ------
        PolicyError
            When the policy is of another table, says more than this page can show, or leaves a column without a role.
        """
        if same_name(stored.table) != same_name(self.table) or stored.groups or stored.person is not None:
            raise PolicyError(
                f"{stored} is not a policy for this table alone; hint: write ON {self.table}, without AS GROUP and PERSON"
            )
        if stored.known_rows is not None:
            raise PolicyError("the studio does not link the rows of people; hint: run kanon anonymize --known-rows 2")
        for name in _others(self.columns, stored.columns):
            raise PolicyError(f'the column "{name}" has no role in {stored}; hint: add it after IDENTIFIER, BY or KEEP')
        policy = replace(stored.policy, keep=stored.kept or None)
        found = self._queried(query, policy, stored.pseudonyms, stored.linkable)
        if found.dropped is None:
            return found
        return Draft.of(self.table, self.columns, policy, (*found.dropped, *stored.identifiers), *found.tokens)

    @property
    def tokens(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the pseudonyms, and those of them that are linkable."""
        return self.pseudonyms, self.linkable

    def _queried(self, query: str, policy: Policy, pseudonyms: tuple[str, ...], linkable: tuple[str, ...]) -> Draft:
        """Return the draft of another query, spelled as the form does it where it says the same."""
        again = Draft.of(self.table, self.columns, policy, self.dropped or (), pseudonyms, linkable)
        if " ".join(query.split()) == " ".join(again.query.split()):
            return again
        return replace(again, query=query, dropped=self._left_out(query))

    def _left_out(self, query: str) -> tuple[str, ...] | None:
        """Return the columns that a query leaves out; None if it is more than a list of columns."""
        shown = shown_columns(query, self.table, self.columns)
        return None if shown is None else tuple(name for name in self.columns if name not in shown)

    def role(self, column: str) -> str:
        """Return the role of a column."""
        name, policy = same_name(column), self.policy
        if name in set(map(same_name, self.pseudonyms)):
            return LINKABLE if name in set(map(same_name, self.linkable)) else PSEUDONYM
        if name in {same_name(each.column) for each in policy.quasi_identifiers}:
            return QUASI_IDENTIFIER
        if policy.people is not None and name == same_name(policy.people.per):
            return PERSON
        if name in set(map(same_name, policy.sensitive)):
            return SENSITIVE
        if name in set(map(same_name, policy.keep or ())):
            return KEPT
        return IDENTIFIER if name in set(map(same_name, self.dropped or ())) else NONE

    def with_role(self, column: str, role: str) -> Draft:
        """Return the draft in which a column has another role.

        Raises
        ------
        PolicyError
            When the query or the masks name the columns themselves, or no quasi-identifier is left.
        """
        if self.dropped is None:
            raise PolicyError("the query is more than a list of columns; hint: change the role in the statement")
        if self.policy.masks is not None and QUASI_IDENTIFIER in (role, self.role(column)):
            raise PolicyError("only some masks are permitted; hint: first permit any combination on the Protection page")
        name = same_name(column)
        policy = self.policy
        linked = [tuple(each for each in group if same_name(each) != name) for group in policy.linked]
        of_column = [each for each in sensitive_ones(policy.requirements) if same_name(each.sensitive) == name]
        people = policy.people is not None and same_name(policy.people.per) == name
        requirements = policy.requirements
        if role == PERSON:
            requirements = of_people(policy, column)
        elif people and role not in (PSEUDONYM, LINKABLE):  # people may be counted by their tokens
            requirements = of_rows(policy, per_row=False)
        requirements = tuple(each for each in requirements if isinstance(each, People) or each not in of_column)
        keep = tuple(each for each in policy.keep or () if same_name(each) != name)
        identifying = [each for each in policy.quasi_identifiers if same_name(each.column) != name]
        dropped = [each for each in self.dropped if same_name(each) != name]
        pseudonyms, linkable = ([each for each in group if same_name(each) != name] for group in self.tokens)
        match role:
            case "no role" | "person":
                pass
            case "identifier":
                dropped.append(column)
            case "pseudonym" | "linkable pseudonym":
                pseudonyms.append(column)
                linkable += [column] if role == LINKABLE else []
            case "quasi-identifier":
                identifying.append(QuasiIdentifier(column=column))
            case "sensitive":
                requirements = (*requirements, guarantee_of(f"l({as_identifier(column)}) >= 2"))
            case "released unchanged":
                keep = (*keep, column)
            case _:
                raise PolicyError(f"{role} is not a role; hint: use {', '.join(ROLES)}")
        place = {same_name(each): number for number, each in enumerate(self.columns)}
        identifying.sort(key=lambda each: place.get(same_name(each.column), len(place)))
        changed = replace(
            policy,
            quasi_identifiers=tuple(identifying),
            requirements=requirements,
            linked=tuple(group for group in linked if len(group) > 1),
            keep=keep or None,
        )
        return Draft.of(self.table, self.columns, changed, dropped, pseudonyms, linkable)

    def with_roles(self, columns: Iterable[str], role: str) -> Draft:
        """Return the draft in which several columns have another role.

        Raises
        ------
        PolicyError
            As `with_role`, or when more than one column shall tell people apart.
        """
        chosen = tuple(columns)
        if role == PERSON and len(chosen) > 1:
            raise PolicyError(
                f"people can be counted by only one column, but {len(chosen)} are chosen; hint: choose one column"
            )
        draft = self
        for column in chosen:
            draft = draft.with_role(column, role)
        return draft

    def with_column(self, column: str, *, weight: Fraction, recoding: str) -> Draft:
        """Return the draft in which a quasi-identifier has another weight or recoding; an empty text is none.

        Raises
        ------
        PolicyError
            When there is no such recoding, or the weight is not above 0.
        """
        read = recodings_of({column: recoding})[column] if recoding.strip() else None
        changed = tuple(
            replace(each, weight=weight, recoding=read) if same_name(each.column) == same_name(column) else each
            for each in self.policy.quasi_identifiers
        )
        return self.with_policy(replace(self.policy, quasi_identifiers=changed))

    def with_rows(self, *, per_row: bool = True) -> Draft:
        """Return the draft that counts rows: because each is a person, or else because nobody has said who is."""
        return self.with_policy(replace(self.policy, requirements=of_rows(self.policy, per_row=per_row)))

    def with_requirement(self, place: int, requirement: Requirement | None) -> Draft:
        """Return the draft with another requirement in a place; None removes it, a place behind the last adds it."""
        found = list(self.policy.requirements)
        found[place : place + 1] = [] if requirement is None else [requirement]
        return self.with_policy(replace(self.policy, requirements=tuple(found)))

    def with_policy(self, policy: Policy) -> Draft:
        """Return the draft with another policy; its query stays."""
        return replace(self, policy=policy)


def _others(columns: Sequence[str], named: Iterable[str]) -> list[str]:
    """Return the columns that are not among the named ones."""
    known = set(map(same_name, named))
    return [name for name in columns if same_name(name) not in known]
