"""Names and texts as SQL spells them; nothing that a user wrote is ever pasted as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kanon_sql.errors import SourceError
from kanon_sql.model.policy_checks import OWN
from kanon_sql.model.validation import same_name

_PART = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^".]+?))\s*(?:\.|$)')

_IDENTIFIER = """CASE WHEN {0} IS NULL THEN NULL WHEN system.main.contains(system.main.typeof({0}), 'TIME ZONE')
    THEN CAST(system.main.create_sort_key(system.main.row({0}), 'ASC NULLS LAST') AS VARCHAR) ELSE CAST({0} AS VARCHAR) END"""


def quoted(name: str) -> str:
    """Return a name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as a SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def qualified(parts: Iterable[str]) -> str:
    """Return the parts of a name as one SQL name."""
    return ".".join(map(quoted, parts))


def table_name(text: object) -> str:
    """Read a possibly qualified table name as identifiers and return it quoted; nothing of it is ever run as SQL.

    Raises
    ------
    SourceError
        When the text is no name of one to three parts, or the name alone could stand for a part of our own statements.
    """
    parts = name_parts(text)
    if len(parts) == 1 and same_name(parts[0]).startswith(OWN):
        raise SourceError(
            f'a table called "{parts[0]}" needs its schema before the name: such names are reserved; hint: '
            f"write "
            f'main."{parts[0]}", or rename it'
        )
    return qualified(parts)


def name_parts(text: object) -> list[str]:
    """Read a possibly qualified table name as its identifiers, without quotes.

    Raises
    ------
    SourceError
        When the text is no name of one to three parts.
    """
    if not isinstance(text, str):
        raise SourceError("the table name must be a string; hint: write k_anonymize('patients', 5)")
    parts: list[str] = []
    place = 0
    while place < len(text):
        part = _PART.match(text, place)
        if part is None:
            break
        parts.append(part[1].replace('""', '"') if part[1] else part[2])
        place = part.end()
    if place != len(text) or not 1 <= len(parts) <= 3 or text.rstrip().endswith("."):
        raise SourceError(f'the table name cannot be read: {text!r}; hint: write table, schema.table or "quoted name"')
    return parts


def identifier_text(column: str) -> str:
    """Return the SQL of the text of which an identifier's token is made: that of a moment tells no time zone of a session."""
    return _IDENTIFIER.format(column)
