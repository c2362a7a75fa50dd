"""The columns of a table that look like identifiers of people, by their names and by the texts of some rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.recognition import recognized

_TEXTS = "SELECT {texts} FROM {table} LIMIT 200"


def identifiers_of(con: Any, table: str, names: Sequence[str], *, unread: Sequence[str] = ()) -> dict[str, str]:
    """Return the columns that look like identifiers, each with the reason.

    Parameters
    ----------
    table : str
        A table or view of it.
    names : sequence of str
        The columns to look at.
    unread : sequence of str
        Columns whose cells are not those of their owner: only their names say something.
    """
    if not names:
        return {}
    texts = ", ".join("NULL" if name in unread else f"CAST({quoted(name)} AS VARCHAR)" for name in names)
    rows = con.execute(_TEXTS.format(texts=texts, table=quoted(table))).fetchall()
    looked = zip(*rows, strict=True) if rows else [()] * len(names)
    found = {name: recognized(name, texts) for name, texts in zip(names, looked, strict=True)}
    return {name: each.reason for name, each in found.items() if each is not None and each.role == "identifier"}
