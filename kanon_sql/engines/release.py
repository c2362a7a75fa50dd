"""The release as one SQL statement: histogram -> kanon_fit -> rows -> audit gate -> released rows.

Only integers and sensitive values travel with the rows until the very end: every row carries the number of its piece, pieces
carry the shown values. So the rows are stored once, narrow, and what the audit counts is exactly what is handed out.
"""

from __future__ import annotations

from kanon_sql.engines.cover import cover
from kanon_sql.engines.gate import gate
from kanon_sql.engines.names import literal, quoted, table_name
from kanon_sql.engines.shadowing import unshadowed
from kanon_sql.engines.texts import text
from kanon_sql.errors import PolicyError
from kanon_sql.ground import labelled
from kanon_sql.policy import Policy

__all__ = ["literal", "quoted", "release_query", "table_name"]

_NAMES = """-- this branch is empty; it gives the columns their own spelling, whatever that of the policy
SELECT *{texts} FROM {source} WHERE false
UNION ALL
"""
_VALUE = 'COLUMNS(* EXCLUDE ("kanon#piece", "kanon#hidden"))'
_KEY = "system.main.create_sort_key(system.main.row({}), 'ASC NULLS LAST')"
"""Sensitive values are told apart by their bytes: a collation must not put one in the place of another."""

_PAIRS = '"kanon#rows" AS "kanon#r" JOIN "kanon#values" AS "kanon#v" ON "kanon#r"."kanon#piece" = "kanon#v"."kanon#piece"'
_TABLE = '(SELECT system.main.list("kanon#t") FROM (SELECT CAST(COLUMNS(*) AS VARCHAR) FROM {}) AS "kanon#t")'


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

    Raises
    ------
    SourceError
        When the policy names a table by what is no name.
    PolicyError
        When a threshold has too many digits.

    Notes
    -----
    A table is read twice (three times where the rows of one row type are split between classes). If the two readings
    differ, the release fails.
    """
    if policy.people is not None and policy.every_column:  # rows would be made of what is released of them, without people
        raise PolicyError("people are counted where the quasi-identifiers are named; hint: qi := ['zip', 'age']")
    relation = '"kanon#source"' if query else source
    slots = {
        "reads": f'"kanon#source" AS MATERIALIZED (\n{source}\n), ' if query else "",
        "source": relation,
        "policy": literal(policy.to_json()),
        "tables": tables_of(policy),
        "hidden": "NULL" if policy.suppress is None else literal(policy.suppress),
        "shown": _VALUE if policy.suppress is None else f"CAST({_VALUE} AS VARCHAR)",
        "least": str(policy.least_class_size),
        "unshadowed": unshadowed(),
    }
    shape = _every_column if policy.every_column else _named_columns
    return text("release", **slots, labels=_labels(policy), **grouped(policy), **cover(policy), **shape(relation, policy))


def _labels(policy: Policy) -> str:
    """Return what puts the labels of generalized columns in the place of their values."""
    columns = (f'"kanon#labels"[{number}] AS {quoted(name)}' for number, name in enumerate(policy.generalized, 1))
    return f" REPLACE ({', '.join(columns)})" if policy.generalized else ""


def _names(source: str, policy: Policy) -> str:
    """Return the branch that names the columns; only those that become texts are spelled as in the policy."""
    columns = ", ".join(f"CAST({quoted(name)} AS VARCHAR) AS {quoted(name)}" for name in policy.generalized)
    dropped = ", ".join(_dropped(policy))
    texts = f" EXCLUDE ({dropped})" if dropped else ""
    return _NAMES.format(source=source, texts=f"{texts} REPLACE ({columns})" if columns else texts)


def _dropped(policy: Policy) -> list[str]:
    """Return the columns that are not released: what tells people apart."""
    return [] if policy.people is None else [quoted(policy.people.per)]


def tables_of(policy: Policy) -> str:
    """Return the tables that the policy names as further arguments of a function, each a list of its rows as texts."""
    return "".join(f", {_TABLE.format(table_name(name))}" for name in policy.tables)


def grouped(policy: Policy) -> dict[str, str]:
    """Return the slots of the histogram: the columns, then what is known of sensitive values; the solver gets no ``keys``."""
    sensitive = [quoted(name) for name in policy.measured]
    keys = {f'"kanon#key{number}"': _KEY.format(name) for number, name in enumerate(sensitive, 1)}
    texts = {
        f'"kanon#label{number}"': f"system.main.min(CAST({quoted(name)} AS VARCHAR))"
        for number, name in enumerate(labelled(policy), 1)
    }
    columns = ["*"] if policy.every_column else [*(quoted(qi.column) for qi in policy.quasi_identifiers), *sensitive]
    columns += [f"{value} AS {name}" for name, value in (keys | texts).items()]
    return {
        "columns": ", ".join(columns),
        "grouped": f"* EXCLUDE ({', '.join(keys)})" if keys else "*",
        "counted": ", ".join([*texts, '"kanon#n"']),
    }


def _every_column(source: str, policy: Policy) -> dict[str, str]:
    """Return the slots of a release whose rows are their pieces; there, the sensitive values are beside what is shown."""
    beside = {quoted(name): f'"kanon#sensitive{number}"' for number, name in enumerate(policy.measured, 1)}
    hidden = ", ".join(['"kanon#piece"', *beside.values()])
    kept = ", ".join(f'"kanon#v".{value} AS {name}' for name, value in beside.items())
    unclassed = ", ".join(['"kanon#piece"', *beside, *beside.values()])
    return {
        "rows": text("rows_of_every_column"),
        "undone": "",
        "beside": "".join(f", {name} AS {value}" for name, value in beside.items()),
        "unclassed": unclassed,
        "names": _names(source, policy) if beside and policy.suppress is None else "",
        "result": f'"kanon#v".* EXCLUDE ({hidden})' + (f" REPLACE ({kept})" if kept else ""),
        **gate(policy, _PAIRS, [f'"kanon#v".{value}' for value in beside.values()], unclassed),
    }


def _named_columns(source: str, policy: Policy) -> dict[str, str]:
    """Return the slots of a release whose rows are read again: all columns stay with them but the quasi-identifiers."""
    columns = [quoted(qi.column) for qi in policy.quasi_identifiers]
    sensitive = [quoted(name) for name in policy.measured]
    match = [f'"kanon#s".{column} IS NOT DISTINCT FROM "kanon#p".qi.{column}' for column in columns]
    match += [" = ".join(_KEY.format(f"{row}.{column}") for row in ('"kanon#s"', '"kanon#p".qi')) for column in sensitive]
    emptied = ", ".join(f"true AS {column}" for column in columns)
    dropped = ", ".join(['"kanon#piece"', *_dropped(policy)])
    rows = text("rows_of_named_columns", source=source, match=" AND ".join(match), emptied=emptied)
    shown = ", ".join(f'"kanon#v".{column} AS {column}' for column in columns)
    return {
        "rows": rows,
        "undone": "".join(f", {column}" for column in sensitive),
        "beside": "",
        "unclassed": '"kanon#piece"',
        "names": "" if policy.suppress is not None else _names(source, policy),
        "result": f'"kanon#r".* EXCLUDE ({dropped}) REPLACE ({shown})',
        **gate(policy, '"kanon#rows" AS "kanon#r"', [f'"kanon#r".{column}' for column in sensitive], '"kanon#piece"'),
    }
