"""Tables next to the source, as the policy names them: in the database, or in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.names import literal, quoted, table_name
from kanon_sql.model.validation import named_file

if TYPE_CHECKING:
    from kanon_sql.model.policy import Policy

# A guess may turn the zip code 00501 into 501; only the separator is left to DuckDB.
_CSV = (
    "system.main.read_csv({}, all_varchar := true, header := {}, quote := '\"', comment := '', skip := 0, "
    "hive_partitioning := false)"
)

_LEVELS = r"""(SELECT COLUMNS('^column0*(\d+)$') AS 'level\1' FROM {} WHERE COLUMNS('^column0+$') IS DISTINCT FROM 'level0')"""
"""The first column holds the values, the others their ancestors; a line of names is none of them."""


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
