"""Where a source and the release that grows with it lie: two tables of one database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kanon_sql.engines.duckdb.names import name_parts
from kanon_sql.engines.duckdb.policies.stored_policies import Ask
from kanon_sql.errors import SourceError
from kanon_sql.model.validation import same_name

Place = tuple[str, str, str]
"""Database, schema and name."""

_PLACES = """SELECT database_name, schema_name, name, kind FROM (
        SELECT database_name, schema_name, table_name AS name, 'table' AS kind FROM system.main.duckdb_tables()
        UNION ALL
        SELECT database_name, schema_name, view_name, 'view' FROM system.main.duckdb_views()
    )"""

_CURRENT = "SELECT system.main.current_database(), system.main.current_schema(), system.main.current_schemas(false)"


def places(ask: Ask, source: str, release: str) -> tuple[Place, Place]:
    """Return database, schema and name of the source and of the release.

    Raises
    ------
    SourceError
        When there is no such source, or the release cannot be next to it.
    """
    known = {tuple(map(same_name, place)): (*place, kind) for *place, kind in ask(_PLACES)}
    database, schema, schemas = ask(_CURRENT)[0]
    origin = _found(known, name_parts(source), database, [schema, *schemas])
    if origin is None:
        raise SourceError(f"there is no table {source}; hint: name a table or a view of the database")
    parts = name_parts(release)
    there = _found(known, parts, database, [schema])
    place = there[:3] if there else (*(database, schema)[: 3 - len(parts)], *parts)
    if there and there[3] == "view":
        raise SourceError(f"{release} is a view; hint: a release is a table that append makes")
    if place[0] != origin[0]:
        raise SourceError(
            f"{source} and {release} are in two databases; hint: keep the release where the source is, and COPY it from there"
        )
    if tuple(map(same_name, place)) == tuple(map(same_name, origin[:3])):
        raise SourceError("the release is the source; hint: give it another name")
    return origin[:3], place


def _found(known: Mapping[tuple[str, ...], Any], parts: Sequence[str], database: str, schemas: Sequence[str]) -> Any:
    """Return the place and the kind of a table that a name stands for."""
    wanted = list(map(same_name, parts if len(parts) == 3 else [database, *parts]))
    if len(wanted) == 3:
        return known.get(tuple(wanted))
    found = (known.get((wanted[0], same_name(schema), wanted[1])) for schema in schemas)
    return next((each for each in found if each), None)
