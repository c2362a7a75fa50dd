"""Whom the rows of a protected table describe: what its statement settles before anything is counted."""

from __future__ import annotations

import re

from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.unit import settled_unit
from kanon_sql.model.protection import Protection
from kanon_sql.model.refusals import Surface
from kanon_sql.model.tabulation import level_of
from kanon_sql.model.unit import Unit

_KEYS = '(SELECT {keys} FROM "kanon#source")'

_NO_KEY = '"kanon#key0"'
"""What is selected if no key is shown: names of ours are not looked at."""

_COLUMN = re.compile(r'(?:(?:"(?:[^"]|"")+"|\w+)\s*\.\s*)*(?:"((?:[^"]|"")+)"|(\w+))')
"""A column by its name, perhaps that of its table before it."""


def settled_people(counting: Counting, protection: Protection, surface: Surface) -> str:
    """Return the SQL of a value, a list of warnings; the statement fails unless it is settled whom a row describes.

    Parameters
    ----------
    counting, protection
        The table, and what is asked of it.
    surface : Surface
        In whose words a refusal says what to do.

    Notes
    -----
    A key that the table shows under another name is looked at under that name: the author says what it is.
    """
    shape = counting.tabulation
    keys = {each.name: each.places for each in shape.items if each.kind == "key"}
    plain = [name for places in keys.values() for place in places if (name := _column(counting.keys[place])) is not None]
    unit = Unit(
        guarantee=f"{shape.count} >= {protection.k}",
        least=protection.k,
        by=tuple(dict.fromkeys((*keys, *plain))),
        per=protection.per,
        per_row=protection.per_row,
        recoded=tuple(name for name, places in keys.items() if level_of(shape.keys[places[0]]) is not None),
        keys=True,
    )
    shown = ", ".join(f'"kanon#key{places[0]}" AS {quoted(name)}' for name, places in keys.items())
    return settled_unit(_KEYS.format(keys=shown or _NO_KEY), unit, surface, '"kanon#source"')


def _column(text: str) -> str | None:
    """Return the column that the SQL of a key is; None if it is an expression."""
    found = _COLUMN.fullmatch(text)
    return found and (found[1].replace('""', '"') if found[1] else found[2])
