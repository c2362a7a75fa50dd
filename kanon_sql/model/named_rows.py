"""Rows of a table by values of their keys: SHOW names what must stay, HIDE what must go, IMPOSSIBLE what nobody can be in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.model.tabulation import Item, Tabulation, condition_key
from kanon_sql.model.validation import as_identifier, as_text, as_tuple, named, same_name

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
        raise PolicyError(f"{option} must list rows by their key values; hint: write {option}=[{{'sex': 'F'}}]")
    found = []
    for key, each in value.items():
        several = each if isinstance(each, list | tuple) else [each]
        if not several or any(isinstance(one, float) or not isinstance(one, str | int) for one in several):
            raise PolicyError(f"{option} needs text or whole numbers, as shown in the table; hint: write {{'sex': 'F'}}")
        texts = (str(one).lower() if isinstance(one, bool) else str(one) for one in several)
        found.append((named(key, f"a key of {option}"), tuple(texts)))
    row = tuple(found)
    check_names(row)
    return row


def named_rows(values: Any, option: str) -> tuple[NamedRow, ...]:
    """Read a list of rows, see `named_row`."""
    return tuple(named_row(each, option) for each in as_tuple(values, option))


def check_names(row: NamedRow) -> None:
    """Check that a row names each key once.

    Raises
    ------
    PolicyError
        When it names one twice.
    """
    names = [*map(same_name, names_of(row))]
    for name in names_of(row):
        if names.count(same_name(name)) > 1:
            raise PolicyError(
                f"a row has two values for {as_identifier(name)}; hint: for both rows, write {as_identifier(name)} "
                "IN ('F', 'M')"
            )


def names_of(row: NamedRow) -> tuple[str, ...]:
    """Return the keys that a row names."""
    return tuple(name for name, _ in row)


def as_data(row: NamedRow) -> dict[str, str | list[str]]:
    """Return a row as `named_row` reads it.

    Examples
    --------
    >>> as_data((("job", ("cook", "nurse")), ("sex", ("F",))))
    {'job': ['cook', 'nurse'], 'sex': 'F'}
    """
    return {name: values[0] if len(values) == 1 else list(values) for name, values in row}


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
    """Return the text of the key that says which of some values another key, with this text, shows; 0 for any other value."""
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
    """Return the SQL of the same: the place of the value in the list, from 1."""
    return f"coalesce(system.main.list_position([{_listed(values)}], CAST({sql} AS VARCHAR)), 0)"


def values_of(row: NamedRow, table: Tabulation) -> dict[int, tuple[str, ...]]:
    """Return the keys that a row names, of a key with levels the finest, and their values.

    Raises
    ------
    PolicyError
        When the table lacks one of them.
    """
    found = dict[int, tuple[str, ...]]()
    for name, values in row:
        found[named_key(name, table).places[0]] = values
    return found


def named_key(name: str, table: Tabulation) -> Item:
    """Return a key that a row names.

    Raises
    ------
    PolicyError
        When the table lacks it.
    """
    item = table.named(name, "key")
    if item is None:
        raise UnknownColumnError.of(
            name, [each.name for each in table.items if each.kind == "key"], "a row given by its values"
        )
    return item


def spelled_as(row: NamedRow, table: Tabulation) -> NamedRow:
    """Return a row with its keys as a table spells them.

    Raises
    ------
    PolicyError
        When the table lacks one of them.
    """
    return tuple((named_key(name, table).name, values) for name, values in row)


def check_rows(rows: Iterable[NamedRow], table: Tabulation) -> None:
    """Check that a table may have some rows.

    Raises
    ------
    PolicyError
        When it has no grouping set of their keys.
    """
    for row in rows:
        if tuple(sorted(values_of(row, table))) not in table.sets:
            shown = describe("", [row]).strip()
            raise PolicyError(f"the table has no rows for these keys: {shown}; hint: add their grouping set")


def shows_keys(rows: Iterable[NamedRow], table: Tabulation) -> dict[int, str]:
    """Return for each key that rows of a table name the text of the key that says which of the values a row shows."""
    found = dict[int, dict[str, None]]()
    for row in rows:
        for place, values in values_of(row, table).items():
            found.setdefault(place, {}).update(dict.fromkeys(values))
    return {place: shows_key(table.keys[place], tuple(values)) for place, values in found.items()}


def _listed(values: Sequence[str]) -> str:
    return ", ".join(map(as_text, values))
