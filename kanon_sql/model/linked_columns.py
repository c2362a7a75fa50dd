"""Linked columns: in every row they are suppressed together or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.model.masks import Mask, columns_of
from kanon_sql.model.validation import named, refuse_twice, same_name

Group = tuple[str, ...]
"""Two or more columns that are linked."""


def check_links(linked: Iterable[Group], columns: Sequence[str] | None) -> None:
    """Check that every group links two or more columns, and no column is in two groups.

    Parameters
    ----------
    linked : iterable of Group
        The groups.
    columns : sequence of str, optional
        The quasi-identifiers; None where they are not known yet.

    Raises
    ------
    PolicyError
        When a group is too small, or a column is named twice.
    UnknownColumnError
        When a group names a column that is no quasi-identifier.
    """
    known = None if columns is None else {same_name(column) for column in columns}
    taken: set[str] = set()
    for number, group in enumerate(linked, 1):
        for name in group:
            if same_name(named(name, f"linked group {number}")) in taken:
                raise PolicyError(f'the column "{name}" is in two linked groups; hint: merge the two groups')
            if known is not None and same_name(name) not in known:
                raise UnknownColumnError.of(name, columns or (), f"linked group {number}")
        refuse_twice(group, f"the columns of linked group {number}")
        if len(group) < 2:
            raise PolicyError(f"linked group {number} needs at least two columns; hint: write [['city', 'zip']]")
        taken.update(map(same_name, group))


def unsplit(masks: Iterable[Mask], linked: Sequence[Group]) -> tuple[Mask, ...]:
    """Return the masks that show each linked group whole or not at all.

    Examples
    --------
    >>> unsplit([("city", "zip", "age"), ("city",), ("age",), ()], [("city", "zip")])
    (('city', 'zip', 'age'), ('age',), ())
    """
    groups = [{same_name(name) for name in group} for group in linked]
    shown = ((mask, {same_name(name) for name in columns_of(mask)}) for mask in masks)
    return tuple(mask for mask, names in shown if all(group <= names or group.isdisjoint(names) for group in groups))


def units(columns: Iterable[str], linked: Iterable[Group]) -> list[list[str]]:
    """Return the columns by what a mask shows or hides at once: a linked group, or a column alone.

    Examples
    --------
    >>> units(["city", "age", "zip"], [("ZIP", "city")])
    [['city', 'zip'], ['age']]
    """
    group_of = {same_name(name): group for group in linked for name in group}
    found: dict[Group, list[str]] = {}
    for column in columns:
        found.setdefault(group_of.get(same_name(column), (column,)), []).append(column)
    return list(found.values())
