"""Refusals of a policy for what the columns of its table are: identifiers, or columns that repeat people."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Literal, Self

from kanon_sql.errors import PolicyError, UnlistedColumnError, nearest
from kanon_sql.model.validation import as_identifier

Surface = Literal["clause", "function", "python", "command", "model"]
"""In whose language an error says what to do: the clause, a table function, Python, the command line, or a dbt model."""

_SHARED = 3
"""Most shared columns that an error lists."""


_LEFT_OUT: dict[Surface, str] = {
    "clause": "leave {it} out of the SELECT",
    "function": "drop := [{names}]",
    "python": "drop=[{names}]",
    "command": "--drop {plain}",
    "model": "leave {it} out of the model",
}

_KEPT: dict[Surface, str] = {
    "clause": "name {it} in KEEP",
    "function": "name {it} in keep",
    "python": "name {it} in keep",
    "command": "name {it} in --keep",
    "model": "name {it} in keep",
}


class IdentifierError(PolicyError):
    """A quasi-identifier looks like an identifier of people; nothing was released.

    Attributes
    ----------
    columns : tuple of str
        The columns.
    """

    columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, reasons: Mapping[str, str], surface: Surface) -> Self:
        """Name each column and why it looks like an identifier."""
        one = len(reasons) == 1
        subject = "a quasi-identifier looks like an identifier" if one else "quasi-identifiers look like identifiers"
        found = cls(f"{subject} of people: {_listed(reasons)}; nothing was released; hint: {_way(_LEFT_OUT, reasons, surface)}")
        found.columns = tuple(reasons)
        return found


def unlisted_identifiers(reasons: Mapping[str, str], surface: Surface) -> UnlistedColumnError:
    """Return the refusal of columns without a role that look like identifiers, each with the reason."""
    one = len(reasons) == 1
    subject = "a column has no role and looks like an identifier" if one else "columns have no role and look like identifiers"
    hint = f"{_way(_LEFT_OUT, reasons, surface)}, or {_way(_KEPT, reasons, surface)} to release {_it(reasons)} on purpose"
    found = UnlistedColumnError(f"{subject} of people: {_listed(reasons)}; nothing was released; hint: {hint}")
    found.columns = tuple(map(as_identifier, reasons))
    return found


def without_role(columns: Sequence[str], known: Collection[str], policy: str) -> PolicyError:
    """Return the refusal of columns to which a stored policy gives no role; ``known`` ones have one."""
    one = len(columns) == 1
    names = ", ".join(f'"{name}"' for name in columns)
    near = nearest(columns[0], known) if one else None
    meant = f'did you mean "{near}"? Else ' if near else ""
    subject = f"the column {names} has" if one else f"the columns {names} have"
    way = f"give {_it(columns)} one (IDENTIFIER, BY, KEEP or in GUARANTEE), or leave {_it(columns)} out of the query"
    return PolicyError(f"{subject} no role in {policy}; hint: {meant}{way}")


def _listed(reasons: Mapping[str, str]) -> str:
    return "; ".join(f"{as_identifier(name)} ({reason})" for name, reason in reasons.items())


def _it(names: Collection[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _way(ways: Mapping[Surface, str], names: Collection[str], surface: Surface) -> str:
    return ways[surface].format(it=_it(names), names=", ".join(map(repr, names)), plain=shlex.quote(",".join(names)))


class RepeatedPeopleError(PolicyError):
    """A column repeats people, and the guarantee would count rows; nothing was released.

    Attributes
    ----------
    column : str
        The column with the most rows, of those that repeat people.
    people, rows : int
        Its values, and the rows that have one.
    shared : tuple of str
        The columns on which rows with the same value agree.
    """

    column: str = ""
    people: int = 0
    rows: int = 0
    shared: tuple[str, ...] = ()

    _WAYS_OUT: ClassVar[dict[Surface, str]] = {
        "clause": "{added}write {guarantee} PER {name}, or {guarantee} PER ROW if each row is a person",
        "function": "per := {text}, or per_row := true if each row is a person",
        "python": "per={text}, or per_row=True if each row is a person",
        "command": "--per {word}, or --per-row if each row is a person",
        "model": "set per={text} in the config of the model, or per_row=true if each row is a person",
    }

    @classmethod
    def of(
        cls,
        column: str,
        people: int,
        rows: int,
        shared: Collection[str],
        counted: str,
        guarantee: str,
        surface: Surface,
        *,
        about: bool,
        returned: bool,
    ) -> Self:
        """Name the column, what its rows share, and the two ways out.

        Parameters
        ----------
        column, people, rows, shared
            As the attributes.
        counted, guarantee : str
            What would count rows, and the same without its PER.
        surface : Surface
            In whose words the ways out are.
        about : bool
            Whether people and rows were estimated.
        returned : bool
            Whether the query returns the column.
        """
        fact = repetition(column, people, rows, shared, counted, about=about)
        hint = cls._WAYS_OUT[surface].format(
            guarantee=guarantee,
            name=as_identifier(column),
            text=repr(column),
            word=shlex.quote(column),
            added="" if returned else f"add {as_identifier(column)} to the SELECT, which PER does not release, and ",
        )
        found = cls(f"{fact}; nothing was released; hint: {hint}")
        found.column, found.people, found.rows, found.shared = column, people, rows, tuple(shared)
        return found

    @classmethod
    def unsettled(cls, column: str, people: int, rows: int, shared: Collection[str], counted: str, surface: Surface) -> Self:
        """Say of a table that is only measured what its rows are taken for; see `of`."""
        fact = repetition(column, people, rows, shared, counted)
        found = cls(f"the unit was not settled: {fact}; hint: {cls.measured_by(column, surface)}")
        found.column, found.people, found.rows, found.shared = column, people, rows, tuple(shared)
        return found

    @classmethod
    def measured_by(cls, column: str, surface: Surface) -> str:
        """Return how a measurement of a table is told what a row is."""
        return cls._WAYS_OUT[surface].format(text=repr(column), word=shlex.quote(column))


def repetition(column: str, people: int, rows: int, shared: Collection[str], counted: str, *, about: bool = False) -> str:
    """Return the fact that a column repeats people; see `RepeatedPeopleError.of`."""
    names = list(map(as_identifier, shared))
    more = len(names) - _SHARED
    if more > 1:
        names = [*names[:_SHARED], f"{more} other columns"]
    agree = f"{', '.join(names[:-1])} and {names[-1]}"
    size = f"{'about ' * about}{people:,} people have {'about ' * about}{rows:,}"
    name = as_identifier(column)
    return f"{name} repeats people: rows that share its value agree on {agree}; {counted} would count rows, and {size}"
