"""Tables in FROM: those next to the source, as the policy names them, and whether a table is stored."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.names import literal, name_parts, quoted, table_name
from kanon_sql.model.validation import named_file, same_name

if TYPE_CHECKING:
    from kanon_sql.model.policy import Policy

# A guess may turn the zip code 00501 into 501; only the separator is left to DuckDB.
_CSV = (
    "system.main.read_csv({}, all_varchar := true, header := {}, quote := '\"', comment := '', skip := 0, "
    "hive_partitioning := false)"
)

_LEVELS = r"""(SELECT COLUMNS('^column0*(\d+)$') AS 'level\1' FROM {} WHERE COLUMNS('^column0+$') IS DISTINCT FROM 'level0')"""
"""The first column holds the values, the others their ancestors; a line of names is none of them."""

_STORED = """SELECT database_name, schema_name, table_name, 'table' FROM system.main.duckdb_tables()
    WHERE database_name IN (SELECT database_name FROM system.main.duckdb_databases() WHERE type = 'duckdb')
    UNION ALL
    SELECT database_name, schema_name, view_name, 'view' FROM system.main.duckdb_views()"""


def from_item(name: object) -> str:
    """Return what stands behind FROM for a table that a policy names; a CSV file is read as texts, with a line of names.

    Raises
    ------
    SourceError
        When it is no name of a table.
    """
    file = named_file(name) if isinstance(name, str) else None
    if file is None:
        return table_name(name)
    return f"(FROM {_CSV.format(literal(file), 'true')})" if _is_csv(file) else quoted(file)


def hierarchy(name: object) -> str:
    """Return the same for a hierarchy; a CSV file is one as ARX writes them: ``;`` or ``,`` between levels, no line of names.

    Notes
    -----
    A line ``level0, level1, ...`` may stand in front of the levels. A file ``(value, parent)`` is loaded as a table first.
    """
    file = named_file(name) if isinstance(name, str) else None
    return levels_of_file(file) if file is not None and _is_csv(file) else from_item(name)


def levels_of_file(file: str) -> str:
    """Return what stands behind FROM for the levels of a hierarchy in a CSV file."""
    return _LEVELS.format(_CSV.format(literal(file), "false"))


def from_item_of(policy: Policy, name: str) -> str:
    """Return what stands behind FROM for one of `Policy.tables`."""
    from kanon_sql.model.recodings import Levels  # late: the command line reads this module before it knows what to do

    trees = {qi.recoding.table for qi in policy.quasi_identifiers if isinstance(qi.recoding, Levels)}
    trees |= {each.hierarchy for each in policy.closeness if each.hierarchy is not None}
    return hierarchy(name) if name in trees else from_item(name)


def _is_csv(file: str) -> bool:
    return file.lower().removesuffix(".gz").endswith((".csv", ".tsv", ".txt"))


def is_stored(connect: Callable[[], Any], table: str) -> bool:
    """Return whether a name can only be that of a table of a DuckDB database.

    Parameters
    ----------
    connect : callable
        Opens a connection to the instance.
    table : str
        A possibly qualified name.
    """
    import duckdb

    parts = [same_name(part) for part in name_parts(table)]
    with suppress(duckdb.Error), connect() as cursor:
        rows = cursor.execute(_STORED).fetchall()
        return {kind for *place, kind in rows if _names(parts, [same_name(part) for part in place])} == {"table"}
    return False


def _names(parts: list[str], place: list[str]) -> bool:
    """Return whether a name of one to three parts may stand for the table at a place: database, schema, name."""
    database, schema, table = place
    match parts:
        case [one]:
            return one == table
        case [one, other]:
            return other == table and one in (schema, database)
        case _:
            return parts == place
