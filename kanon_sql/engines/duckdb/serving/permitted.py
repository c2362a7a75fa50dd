"""What a query may name: the tables of the released database and functions of values, never the server itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_TABLES = {"range", "generate_series", "unnest", "repeat", "json_each", "json_tree"}
"""Table functions that read only their arguments."""

_SERVER = {"current_setting", "getvariable", "getenv", "current_database", "current_catalog", "current_schemas"}
"""Functions whose values are those of the server."""

_NAMES = """SELECT system.main.lower(view_name) FROM system.main.duckdb_views() WHERE internal
    UNION ALL SELECT system.main.lower(table_name) FROM system.main.duckdb_tables() WHERE internal"""


def refused(con: Any, query: str) -> str | None:
    """Return why a query is not answered; None if it names nothing but releases and functions of values.

    Parameters
    ----------
    con : connection
        The released database.
    query : str
        One SELECT, as DuckDB has split it from other statements.

    Notes
    -----
    DuckDB's own parser says what is named, so no other spelling of a name passes.
    """
    parsed = json.loads(con.execute("SELECT system.main.json_serialize_sql(?::VARCHAR)", [query]).fetchall()[0][0])
    if parsed["error"]:
        return f"the query cannot be read: {parsed['error_message']}"
    nodes = list(_nodes(parsed))
    views = {name for (name,) in con.execute(_NAMES).fetchall()}
    common = {each["key"].lower() for node in nodes for each in (node.get("cte_map") or {}).get("map", ())}
    if taken := sorted(common & views):
        return f"{taken[0]} is a reserved name; hint: rename the WITH query"
    tables = {name.lower() for (name,) in con.execute("SELECT table_name FROM system.main.duckdb_tables()").fetchall()}
    known = tables | common
    return next((wrong for node in nodes if (wrong := _wrong(con, node, known)) is not None), None)


def _wrong(con: Any, node: dict[str, Any], known: set[str]) -> str | None:
    """Return why a part of a query is refused, if it is."""
    kind, name = node.get("type"), str(node.get("function_name") or node.get("table_name") or "").lower()
    if kind == "BASE_TABLE":
        if node.get("catalog_name") or str(node.get("schema_name")).lower() not in ("", "main"):
            return f"{name} has a database or schema before its name; hint: write only the release: {_releases(con)}"
        if name not in known:
            return f"there is no release {name}; hint: the releases are {_releases(con)}"
    elif kind == "SHOW_REF" and node.get("query") is None and name != '"tables"':
        return f"SHOW supports only TABLES; hint: use DESCRIBE with one of the releases {_releases(con)}"
    elif kind == "TABLE_FUNCTION":
        called = str(node["function"].get("function_name")).lower()
        if called not in _TABLES:
            return f"the function {called} is not available; hint: the releases are {_releases(con)}"
    elif name in _SERVER:
        return f"the function {name} is not available; hint: use only functions that compute values"
    return None


def _releases(con: Any) -> str:
    found = con.execute("SELECT table_name FROM system.main.duckdb_tables() ORDER BY ALL ASC NULLS LAST").fetchall()
    return ", ".join(name for (name,) in found if not name.startswith("kanon_"))


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    """Yield each object of the parsed query."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield each
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
