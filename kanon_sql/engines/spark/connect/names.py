"""Names and texts as Spark spells them."""

from __future__ import annotations

import re
import secrets
from importlib.resources import files
from string import Template

from kanon_sql.errors import SourceError

_PART = re.compile(r"""\s*(?:`((?:[^`]|``)+)`|"((?:[^"]|"")+)"|([^`".]+?))\s*(?:\.|$)""")
"""A part of a name: in the quotes of Spark, in those of the clause, or in none."""


def quoted(name: str) -> str:
    """Return a name as a quoted identifier."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """Return a text as a SQL expression by its bytes: what a quoted text means depends on settings of the session."""
    return f"CAST(X'{text.encode().hex()}' AS STRING)"


def name_parts(text: object) -> list[str]:
    """Read a possibly qualified table name as its identifiers, without quotes.

    Raises
    ------
    SourceError
        When the text is no name of one to three parts.
    """
    parts: list[str] = []
    place = 0
    name = text if isinstance(text, str) else ""
    while place < len(name):
        part = _PART.match(name, place)
        if part is None:
            break
        parts.append((part[1] or "").replace("``", "`") or (part[2] or "").replace('""', '"') or part[3])
        place = part.end()
    if place != len(name) or not 1 <= len(parts) <= 3 or name.rstrip().endswith("."):
        raise SourceError(f"cannot parse the table name {text!r}; hint: write schema.table, or `quoted name`")
    return parts


def joined(parts: list[str]) -> str:
    """Return the quoted name of a table."""
    return ".".join(map(quoted, parts))


def fresh(purpose: str) -> str:
    """Return a name that nothing else has."""
    return f"kanon_{purpose}_{secrets.token_hex(8)}"


def text(name: str, **slots: str) -> str:
    """Return the SQL text of that name; each slot ``${name}`` takes what is given for it, and none may be left."""
    found = files("kanon_sql.engines.spark").joinpath("statements", f"{name}.sql").read_text(encoding="utf-8")
    return Template(found).substitute(slots)
