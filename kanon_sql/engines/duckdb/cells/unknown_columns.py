"""A protected table names only columns that its source has."""

from __future__ import annotations

from collections.abc import Iterable

from kanon_sql.errors import PolicyError, hint_of
from kanon_sql.model.validation import same_name


def check_columns(named: Iterable[str], columns: list[str]) -> None:
    """Refuse columns that the source does not have.

    Raises
    ------
    PolicyError
        When there is one.
    """
    known = {same_name(name) for name in columns}
    for each in named:
        if isinstance(each, str) and same_name(each) not in known:
            raise PolicyError(f"unknown column {each!r}; hint: {hint_of(each, columns, 'name a column of the table')}")
