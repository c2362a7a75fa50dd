"""Columns that a release leaves out because its author says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import as_identifier, named, refuse_twice, same_name


def dropped_columns(drop: Iterable[str] | None, policy: Policy, columns: Sequence[str] | None = None) -> list[str]:
    """Return the columns that a release does not read. It reads the one that people are counted by, and leaves it out itself.

    Parameters
    ----------
    drop : iterable of str, optional
        The columns to leave out.
    columns : sequence of str, optional
        Those of the source, if they are known.

    Raises
    ------
    PolicyError
        When ``drop`` is not a list of names, or the policy gives one of them a role.
    UnknownColumnError
        When the source does not have one of them.
    """
    names = read_drop(drop, columns)
    per = None if policy.people is None else same_name(policy.people.per)
    roles = {same_name(name) for _, name in policy.named_columns} - {per}
    for name in names:
        if same_name(name) in roles:
            raise PolicyError(
                f"the column {as_identifier(name)} is dropped but has a role; hint: do not drop it, or remove its role"
            )
    return [name for name in names if same_name(name) != per]


def read_drop(drop: Iterable[str] | None, columns: Sequence[str] | None = None) -> list[str]:
    """Return the names of columns to leave out; arguments and errors as for `dropped_columns`."""
    if drop is None:
        return []
    if isinstance(drop, str) or not isinstance(drop, Iterable):
        raise PolicyError("drop must be a list of columns; hint: write ['name', 'email']")
    names = [named(name, "drop") for name in drop]
    refuse_twice(names, "the columns of drop")
    there = None if columns is None else set(map(same_name, columns))
    for name in names:
        if there is not None and same_name(name) not in there:
            raise UnknownColumnError.of(name, columns or (), "drop")
    return names


def remaining(columns: Iterable[str], dropped: Iterable[str]) -> list[str]:
    """Return the columns that are not dropped, in their order."""
    gone = set(map(same_name, dropped))
    return [name for name in columns if same_name(name) not in gone]
