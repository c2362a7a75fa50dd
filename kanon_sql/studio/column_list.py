"""The columns of the open table as the page Columns lists them: what each looks like, its role, and what is counted of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kanon_sql.recognition import recognized_name
from kanon_sql.studio.draft import (
    IDENTIFIER,
    KEPT,
    LINKABLE,
    NONE,
    PERSON,
    PSEUDONYM,
    QUASI_IDENTIFIER,
    SENSITIVE,
    Draft,
)
from kanon_sql.studio.recoding_choices import text_of, words_of
from kanon_sql.studio.source import Source

ROLE_WORDS = {
    QUASI_IDENTIFIER: "Others may know it: protect",
    SENSITIVE: "Private: nobody should learn it",
    KEPT: "Harmless: keep",
    IDENTIFIER: "Identifies a person: leave out",
    PSEUDONYM: "Identifies a person: replace with a code",
    LINKABLE: "Identifies a person: replace with a code that may link rows",
    PERSON: "Identifies the person: count people by it",
    NONE: "Not decided yet",
}
"""The roles in the words of a data steward."""

ROLE_OPTIONS = {role: words if role == NONE else f"{words} ({role})" for role, words in ROLE_WORDS.items()}
"""The same, each with its term in the statement and the documentation."""


_KINDS = {
    "[]": "list",
    "STRUCT": "nested",
    "MAP": "nested",
    "CHAR": "text",
    "ENUM": "text",
    "TIMESTAMP": "date and time",
    "DATE": "date",
    "INTERVAL": "duration",
    **dict.fromkeys(("INT", "DEC", "DOUBLE", "FLOAT"), "number"),
    "BOOL": "yes or no",
}
"""Parts of the types of SQL, and what they hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A column in the list."""

    name: str
    kind: str  # its type, in words
    looks: str  # why it got the suggested role, in words
    role: str
    values: int
    empty: int
    alone: int  # people, or rows, with a value of their own
    of: int  # all of them
    shown: str  # how a quasi-identifier is generalized, in words; empty for other roles
    left_open: bool  # whether it is left out only because nothing could be suggested

    @property
    def share(self) -> float:
        """Return the share of people, or rows, with a value of their own."""
        return self.alone / self.of if self.of else 0.0


def listed(source: Source, draft: Draft, alone: dict[str, int], people: int, *, confirmed: bool) -> list[Listed]:
    """Return the columns, those without a role first.

    Parameters
    ----------
    alone : dict of int
        As `Source.alone`.
    people : int
        People of the table; rows if nothing tells people apart.
    confirmed : bool
        Whether the person has left the page before: columns that are left out are then left out on purpose.
    """
    suggested = {} if source.suggested is None else {each.column: each for each in source.suggested.roles}
    recodings = {each.column: each.recoding for each in draft.policy.quasi_identifiers}
    found = []
    for each in source.profile:
        role, seems = draft.role(each.name), suggested.get(each.name)
        unknown = each.role == "kept" if seems is None else seems.role == "undecided"
        found.append(
            Listed(
                name=each.name,
                kind=_kind(each.type),
                looks=_reason(each.name, each.reason if seems is None else seems.reason),
                role=role,
                values=each.distinct,
                empty=each.nulls,
                alone=alone[each.name],
                of=people,
                shown=words_of(recodings.get(each.name)) if role == QUASI_IDENTIFIER else "",
                left_open=not confirmed and role == IDENTIFIER and unknown,
            )
        )
    return sorted(found, key=lambda each: (each.role != NONE, not each.left_open))


def matching(columns: Iterable[Listed], text: str, role: str) -> list[Listed]:
    """Return the columns with a text in their name and a role; an empty text or role matches every column."""
    return [each for each in columns if text.casefold() in each.name.casefold() and role in ("", each.role)]


def harmless(source: Source, names: Sequence[str]) -> list[str]:
    """Return those of some columns that are suggested to be released unchanged."""
    suggestions = () if source.suggested is None else source.suggested.roles
    return [each.column for each in suggestions if each.role == "kept" and each.column in names]


def given(source: Source, draft: Draft, names: Sequence[str], role: str) -> Draft:
    """Return the draft in which columns have another role; quasi-identifiers get the recodings that are suggested for them.

    Raises
    ------
    PolicyError
        As `Draft.with_roles`.
    """
    changed = draft.with_roles(names, role)
    if role != QUASI_IDENTIFIER:
        return changed
    before = {each.column: each for each in draft.policy.quasi_identifiers}
    for each in () if source.suggested is None else source.suggested.policy.policy.quasi_identifiers:
        if each.column in names:
            kept = before.get(each.column, each)
            changed = changed.with_column(each.column, weight=Fraction(kept.weight), recoding=text_of(kept.recoding))
    return changed


def _kind(type_name: str) -> str:
    """Return a type of SQL in words."""
    return next((words for part, words in _KINDS.items() if part in type_name), type_name.lower())


def _reason(name: str, reason: str) -> str:
    """Return a reason as a phrase of its own; a column that is recognized by its name gets the kind."""
    recognized = recognized_name(name)
    if reason == "by its name" and recognized is not None:
        return f"{recognized.kind[:1].upper()}{recognized.kind[1:]}, by its name"
    return "Not recognized" if reason == "nothing recognized" else f"{reason[:1].upper()}{reason[1:]}"
