"""Masks: which columns a permitted pattern shows, and at which of their levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kanon_sql.errors import PolicyError
from kanon_sql.model.recoding_levels import within
from kanon_sql.model.recodings import Generalization, recoding_from_json, recoding_to_json
from kanon_sql.model.validation import known_keys, listed, named, same_name


@dataclass(frozen=True, slots=True, kw_only=True)
class AtLevels:
    """A column that a mask shows at some of its levels only."""

    column: str  # a quasi-identifier that is generalized
    recoding: Generalization  # The levels, each one of those that the quasi-identifier has. Also read from plain JSON data.

    def __post_init__(self) -> None:
        named(self.column, "a column of a mask")
        recoding = recoding_from_json(self.recoding)
        if recoding is None:
            raise PolicyError(f'the mask lists no levels of "{self.column}"; hint: write only the column name')
        object.__setattr__(self, "recoding", recoding)


Mask = tuple[str | AtLevels, ...]
"""The *shown* columns of a permitted pattern, each at all of its levels or at some; all others are suppressed."""


def column_of(shown: str | AtLevels) -> str:
    """Return the name of a column that a mask shows."""
    return shown.column if isinstance(shown, AtLevels) else shown


def columns_of(mask: Mask) -> tuple[str, ...]:
    """Return the names of the columns that a mask shows."""
    return tuple(map(column_of, mask))


def renamed(mask: Mask, spelled: Mapping[str, str]) -> Mask:
    """Return a mask with each column as ``spelled``, by the form that :func:`same_name` compares."""
    return tuple(
        AtLevels(column=spelled[same_name(each.column)], recoding=each.recoding)
        if isinstance(each, AtLevels)
        else spelled[same_name(each)]
        for each in mask
    )


def simplified(mask: Mask, recodings: Mapping[str, Generalization]) -> Mask:
    """Return a mask in which a column at all of its levels is its name alone.

    Parameters
    ----------
    recodings : mapping of Generalization
        Those of the quasi-identifiers, by the form that :func:`same_name` compares.

    Raises
    ------
    PolicyError
        When the mask names a level that the column has not.
    """
    found: list[str | AtLevels] = []
    for each in mask:
        if isinstance(each, AtLevels):
            whole = recodings.get(same_name(each.column))
            if whole == each.recoding:
                found.append(each.column)
                continue
            if whole is None or not within(each.recoding, whole):
                raise PolicyError(
                    f'a mask shows "{each.column}" at levels that do not exist; hint: add these levels to the '
                    "column's recoding"
                )
        found.append(each)
    return tuple(found)


def to_json(mask: Mask) -> list[Any]:
    """Return a mask as plain JSON data."""
    return [
        {"column": each.column, "recoding": recoding_to_json(each.recoding)} if isinstance(each, AtLevels) else each
        for each in mask
    ]


def from_json(item: Any) -> Mask:
    """Read a mask from plain JSON data."""
    keys = {"column", "recoding"}
    return tuple(
        AtLevels(**known_keys(each, keys, "a column of a mask", sorted(keys))) if isinstance(each, dict) else each
        for each in listed(item, "a mask")
    )
