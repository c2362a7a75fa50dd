"""`kanon_protected_tables()`: the protected tables of this DuckDB instance with their figures, oldest first."""

from __future__ import annotations

from typing import Any

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

_COLUMNS = {
    "number": "BIGINT",
    "requirements": "VARCHAR[]",
    "rows": "BIGINT",
    "primary_rows": "BIGINT",
    "secondary_rows": "BIGINT",
    "empty_rows": "BIGINT",
    "cost": "BIGINT",
    "lower_bound": "BIGINT",
    "status": "VARCHAR",
    "base_cells": "BIGINT",
    "witnesses": "BIGINT",
    "seconds": "DOUBLE",
    "bound_method": "VARCHAR",
    "warnings": "VARCHAR[]",
    "tabulation": "VARCHAR",
    "protection": "VARCHAR",
}


def protected(session: Session) -> list[dict[str, Any]]:
    """Return one struct per table that passed the gate."""
    found = []
    for certificate in session.protected_tables.certificates:
        data = certificate.to_dict()
        data |= {"primary_rows": data["primary"], "secondary_rows": data["secondary"], "seconds": round(data["seconds"], 3)}
        found.append({name: data[name] for name in _COLUMNS})
    return found


FUNCTION = Function(
    name="kanon_protected",
    returns=f"STRUCT({', '.join(f'{name} {kind}' for name, kind in _COLUMNS.items())})[]",
    call=protected,
    parameters=(),
    side_effects=True,
)

MACRO = "kanon_protected_tables() AS TABLE SELECT system.main.unnest(system.main.kanon_protected(), recursive := true)"
