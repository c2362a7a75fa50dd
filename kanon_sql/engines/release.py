"""The release as one SQL statement: histogram -> kanon_fit -> rows -> audit gate -> released rows.

Only integers travel with the rows until the very end: every row carries the number of its piece, pieces carry the shown
values. So the rows are stored once, narrow, and what the audit counts is exactly what is handed out.
"""

from __future__ import annotations

import re
from importlib.resources import files
from string import Template

from kanon_sql.errors import SourceError
from kanon_sql.policy import Policy

_NAMES = """-- this branch is empty; it gives the columns their own spelling, whatever that of the policy
SELECT * FROM {source} WHERE false
UNION ALL
"""
_VALUE = 'COLUMNS(* EXCLUDE ("kanon#piece", "kanon#hidden"))'
_PART = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^".]+?))\s*(?:\.|$)')


def quoted(name: str) -> str:
    """Return a name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as a SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def table_name(text: object) -> str:
    """Read a possibly qualified table name as identifiers and return it quoted; nothing of it is ever run as SQL.

    Raises
    ------
    SourceError
        When the text is no name of one to three parts.
    """
    if not isinstance(text, str):
        raise SourceError("the table must be named by a text; hint: k_anonymize('patients', 5)")
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
    return ".".join(quoted(part) for part in parts)


def release_query(source: str, policy: Policy, *, query: bool = False) -> str:
    """Return the SQL of a query that yields the released rows of ``source``, or fails.

    Parameters
    ----------
    source : str
        A quoted table name, or with ``query`` the text of a query, which is run once.
    policy : Policy
        The promise. With ``every_column`` the columns need not be known here.
    query : bool
        Whether ``source`` is a query.

    Notes
    -----
    A table is read twice (three times where the rows of one row type are split between classes). If the two readings
    differ, the release fails.
    """
    columns = [quoted(qi.column) for qi in policy.quasi_identifiers]
    relation = '"kanon#source"' if query else source
    slots = {
        "reads": f'"kanon#source" AS MATERIALIZED (\n{source}\n), ' if query else "",
        "source": relation,
        "policy": literal(policy.to_json()),
        "hidden": "NULL" if policy.suppress is None else literal(policy.suppress),
        "shown": _VALUE if policy.suppress is None else f"CAST({_VALUE} AS VARCHAR)",
        "least": str(policy.least_class_size),
    }
    if policy.every_column:
        slots |= {
            "columns": "*",
            "rows": _text("rows_of_every_column"),
            "names": "",
            "result": '"kanon#v".* EXCLUDE ("kanon#piece")',
        }
    else:
        slots |= {
            "columns": ", ".join(columns),
            "rows": Template(_text("rows_of_named_columns")).substitute(
                source=relation,
                match=" AND ".join(f'"kanon#s".{column} IS NOT DISTINCT FROM "kanon#p".qi.{column}' for column in columns),
                emptied=", ".join(f"true AS {column}" for column in columns),
            ),
            "names": "" if policy.suppress is not None else _NAMES.format(source=relation),
            "result": '"kanon#r".* EXCLUDE ("kanon#piece") REPLACE ('
            + ", ".join(f'"kanon#v".{column} AS {column}' for column in columns)
            + ")",
        }
    return Template(_text("release")).substitute(slots)


def _text(name: str) -> str:
    """Return the SQL text beside this module."""
    return files("kanon_sql.engines").joinpath(f"{name}.sql").read_text(encoding="utf-8")
