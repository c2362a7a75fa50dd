"""Rows of a table that SHOW and HIDE name by values of their keys: what must stay, and what must go."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.model.tabulation import Tabulation, condition_key
from kanon_sql.model.validation import as_identifier, as_text, named

NamedRow = tuple[tuple[str, tuple[str, ...]], ...]
"""Keys of a row and their values, as the table shows them; it adds up all other keys."""

_SHOWS = re.compile(condition_key(r"(.+) SHOWS \((.+)\)"), re.DOTALL)

_VALUE = re.compile(r"'((?:[^']|'')*)'")


def named_row(value: Any, option: str) -> NamedRow:
    """Read a row from a mapping of keys to a value, or to a list of values.

    Raises
    ------
    PolicyError
        When it is none.
    """
    if not isinstance(value, Mapping):
        raise PolicyError(f"{option} names rows by their keys; hint: {option}=[{{'sex': 'F'}}]")
    found = []
    for key, each in value.items():
        several = each if isinstance(each, list | tuple) else [each]
        if not several or any(isinstance(one, float) or not isinstance(one, str | int) for one in several):
            raise PolicyError(f"{option} takes values as the table shows them, as texts or whole numbers; hint: {{'sex': 'F'}}")
        texts = (str(one).lower() if isinstance(one, bool) else str(one) for one in several)
        found.append((named(key, f"a key of {option}"), tuple(texts)))
    return tuple(found)


def rows_from(data: Iterable[Sequence[Any]]) -> tuple[NamedRow, ...]:
    """Read plain data; texts stay as they are."""
    return tuple(tuple((str(key), tuple(map(str, values))) for key, values in row) for row in data)


def describe(word: str, rows: Sequence[NamedRow]) -> str:
    """Return rows as the clause writes them.

    Examples
    --------
    >>> describe("HIDE", [(("job", ("cook", "nurse")), ("sex", ("F",)))])
    "HIDE (job IN ('cook', 'nurse'), sex = 'F')"
    """
    written = (", ".join(f"{as_identifier(key)} {_compared(values)}" for key, values in row) for row in rows)
    return f"{word} {', '.join(f'({each})' for each in written)}"


def _compared(values: Sequence[str]) -> str:
    return f"= {_listed(values)}" if len(values) == 1 else f"IN ({_listed(values)})"


def shows_key(text: str, values: Sequence[str]) -> str:
    """Return the text of the key that says whether another key, with this text, shows one of some values."""
    return condition_key(f"{text} SHOWS ({_listed(values)})")


def shows_of(key: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the text of the key and the values that such a key is about; None if it is none.

    Examples
    --------
    >>> shows_of(shows_key("sex", ["F", "it's"]))
    ('sex', ('F', "it's"))
    """
    found = _SHOWS.fullmatch(key)
    return None if found is None else (found[1], tuple(each.replace("''", "'") for each in _VALUE.findall(found[2])))


def shows_sql(sql: str, values: Sequence[str]) -> str:
    """Return the SQL of the same."""
    return f"coalesce(CAST({sql} AS VARCHAR) IN ({_listed(values)}), false)"


def keys_of(row: NamedRow, table: Tabulation) -> dict[int, tuple[str, ...]]:
    """Return the keys that a row shows, of a key with levels the finest, and their values.

    Raises
    ------
    PolicyError
        When the table does not have such rows.
    """
    found = dict[int, tuple[str, ...]]()
    for name, values in row:
        item = table.named(name, "key")
        if item is None:
            raise UnknownColumnError.of(
                name, [each.name for each in table.items if each.kind == "key"], "a row of SHOW or HIDE"
            )
        found[item.places[0]] = values
    if tuple(sorted(found)) not in table.sets:
        raise PolicyError(f"the table has no rows by these keys: {describe('', [row]).strip()}; hint: add their grouping set")
    return found


def shows_keys(row: NamedRow, table: Tabulation) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Return the keys that say whether a row is named, each with the key that it is about and its values; errors as above."""
    return {shows_key(table.keys[place], values): (place, values) for place, values in keys_of(row, table).items()}


def _listed(values: Sequence[str]) -> str:
    return ", ".join(map(as_text, values))
