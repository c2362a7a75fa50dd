"""What a protected table counts, and which of its keys may show people."""

from __future__ import annotations

import re

from kanon_sql.engines.cells.counting import Counting
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import level_of
from kanon_sql.model.unit import Unit

_NAME = r'(?:"(?:[^"]|"")+"|`(?:[^`]|``)+`|\w+)'
_COLUMN = re.compile(rf"(?:{_NAME}\s*\.\s*)*({_NAME})")


def unit_of(counting: Counting, protection: Protection) -> Unit:
    """Return what a table counts.

    Notes
    -----
    A key that the table shows under another name goes by that name: the author says what it is.
    """
    shape = counting.tabulation
    keys = key_places(counting)
    texts = (counting.keys[place] for each in shape.items if each.kind == "key" for place in each.places)
    return Unit(
        guarantee=f"{shape.count} >= {protection.k}",
        least=protection.k,
        by=tuple(dict.fromkeys((*keys, *(name for text in texts if (name := _column(text)) is not None)))),
        per=protection.per,
        per_row=protection.per_row,
        recoded=tuple(name for name, place in keys.items() if level_of(shape.keys[place]) is not None),
        keys=True,
    )


def key_places(counting: Counting) -> dict[str, int]:
    """Return for each column of the table with a key which key that is; of levels the finest."""
    return {each.name: each.places[0] for each in counting.tabulation.items if each.kind == "key"}


def _column(text: str) -> str | None:
    """Return the column that the SQL of a key is; None if it is an expression."""
    found = _COLUMN.fullmatch(text)
    if found is None:
        return None
    name, quote = found[1], found[1][0]
    return name[1:-1].replace(quote * 2, quote) if quote in '"`' else name
