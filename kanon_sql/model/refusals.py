"""Refusals of a policy for what the columns of its table are: identifiers, or columns without a role."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Self

from kanon_sql.errors import PolicyError, UnlistedColumnError, nearest
from kanon_sql.model.surfaces import Surface, kept, left_out, quasi_identifiers
from kanon_sql.model.validation import as_identifier


class IdentifierError(PolicyError):
    """A quasi-identifier, or a key of a table of counts, looks like an identifier of people; nothing was released.

    Attributes
    ----------
    columns : tuple of str
        The columns.

    Examples
    --------
    >>> import kanon_sql, pyarrow as pa
    >>> people = pa.table({"name": ["Ann", "Bob"] * 20, "zip": ["98101", "98102"] * 20})
    >>> try:
    ...     kanon_sql.anonymize(people, k=5, quasi_identifiers=["zip", "name"])
    ... except IdentifierError as error:
    ...     print(error.columns)
    ('name',)
    """

    columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, reasons: Mapping[str, str], surface: Surface, *, chosen: bool = True, keys: bool = False) -> Self:
        """Name each column and why it looks like an identifier.

        Parameters
        ----------
        reasons : mapping
            The columns, each with the reason.
        surface : Surface
            The surface. Errors name its options.
        chosen : bool
            Whether the policy names the columns.
        keys : bool
            Whether they are the keys of a table.
        """
        what = "key" if keys else "quasi-identifier"
        subject = f"a {what} looks like an identifier" if len(reasons) == 1 else f"{what}s look like identifiers"
        hint = left_out(list(reasons), surface, chosen=chosen, keys=keys)
        found = cls(f"{subject} of people: {_reasons(reasons)}; nothing was released; hint: {hint}")
        found.columns = tuple(reasons)
        return found

    @classmethod
    def of_sensitive(cls, reasons: Mapping[str, str]) -> Self:
        """Name each sensitive column and why it looks like an identifier: its values are released unchanged."""
        subject = (
            "a sensitive column looks like an identifier" if len(reasons) == 1 else "sensitive columns look like identifiers"
        )
        hint = f"remove {_it(list(reasons))} from the guarantee and the release"
        found = cls(f"{subject} of people: {_reasons(reasons)}; nothing was released; hint: {hint}")
        found.columns = tuple(reasons)
        return found


def unlisted_identifiers(reasons: Mapping[str, str], unlisted: Sequence[str], surface: Surface) -> UnlistedColumnError:
    """Return the refusal of columns without a role that look like identifiers, each with the reason.

    Parameters
    ----------
    reasons : mapping
        The columns that are refused, each with the reason.
    unlisted : sequence of str
        All columns without a role.
    """
    one, names = len(reasons) == 1, list(reasons)
    subject = "a column has no role and looks like an identifier" if one else "columns have no role and look like identifiers"
    ways = f"{left_out(names, surface)}, or {kept(names, unlisted, surface)} to release {_it(names)} on purpose"
    return _unlisted(f"{subject} of people: {_reasons(reasons)}", names, ways)


def unlisted_columns(reveals: Mapping[str, str], unlisted: Sequence[str], surface: Surface) -> UnlistedColumnError:
    """Return the refusal of columns without a role that identify people, each with what it reveals.

    Parameters
    ----------
    reveals : mapping
        The columns that are refused, each with what it reveals.
    unlisted, surface
        As for `unlisted_identifiers`.
    """
    one, names = len(reveals) == 1, list(reveals)
    subject = "a column has no role and identifies" if one else f"{len(reveals)} columns have no role and identify"
    found = "; ".join(f"{as_identifier(name)} {words}" for name, words in reveals.items())
    ways = (
        f"{left_out(names, surface)}, {quasi_identifiers(_it(names), surface)}, or {kept(names, unlisted, surface)} to release "
        f"{_it(names)} on purpose"
    )
    return _unlisted(f"{subject} people: {found}", names, ways)


def unlisted_together(unlisted: Sequence[str], words: str, surface: Surface) -> UnlistedColumnError:
    """Return the refusal of columns without a role that identify people only together."""
    all_of_them = listed(list(map(as_identifier, unlisted)))
    some = "some of them"
    ways = (
        f"{left_out(unlisted, surface)} (or only some of them), {quasi_identifiers(some, surface)}, or "
        f"{kept(unlisted, (), surface)} to release them on purpose"
    )
    return _unlisted(f"{len(unlisted)} columns have no role and identify people: {all_of_them} {words}", unlisted, ways)


def _unlisted(problem: str, names: Sequence[str], ways: str) -> UnlistedColumnError:
    found = UnlistedColumnError(f"{problem}; nothing was released; hint: {ways}")
    found.columns = tuple(map(as_identifier, names))
    return found


def without_role(columns: Sequence[str], known: Collection[str], policy: str) -> PolicyError:
    """Return the refusal of columns to which a stored policy gives no role; ``known`` ones have one."""
    one = len(columns) == 1
    names = ", ".join(f'"{name}"' for name in columns)
    near = nearest(columns[0], known) if one else None
    meant = f'did you mean "{near}"? Otherwise, ' if near else ""
    subject = f"the column {names} has" if one else f"the columns {names} have"
    way = f"give {_it(columns)} a role (IDENTIFIER, BY, KEEP or in GUARANTEE), or remove {_it(columns)} from the query"
    keys = f"add {_it(columns)} to identifiers, quasi_identifiers or kept in the policy file"
    return PolicyError(f"{subject} no role in {policy}; hint: {meant}{way}").command(f"{meant}{keys}")


def _reasons(reasons: Mapping[str, str]) -> str:
    return "; ".join(f"{as_identifier(name)} ({reason})" for name, reason in reasons.items())


def _it(names: Collection[str]) -> str:
    return "it" if len(names) == 1 else "them"


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
