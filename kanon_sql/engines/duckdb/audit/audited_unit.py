"""Whom the rows of an audited table of DuckDB describe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanon_sql.engines.audited_unit import AuditedUnit, unit_of_repeated
from kanon_sql.engines.duckdb.gather.sampled_rows import rows_of
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.unit import repeating
from kanon_sql.model.surfaces import Surface

_COUNTED = "SELECT system.main.count(DISTINCT {0}), system.main.count({0}) FROM {1}"


def audited_unit(
    con: Any, table: str, by: Sequence[str], per: str | None, per_row: bool, surface: Surface, *, raw: bool = False
) -> AuditedUnit:
    """Return what an audit of a table counts.

    Parameters
    ----------
    table : str
        A table or view of it.
    by : sequence of str
        The quasi-identifiers.
    raw : bool
        As for `unit_of_repeated`.
    """
    if per_row:
        return AuditedUnit()

    def counted(column: str) -> tuple[int, int]:
        found: tuple[int, int] = con.execute(_COUNTED.format(quoted(column), quoted(table))).fetchall()[0]
        return found

    return unit_of_repeated(repeating(rows_of(con, quoted(table)), by, per), by, per, counted, surface, raw=raw)
