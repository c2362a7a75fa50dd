"""`kanon_releases()`: the releases of this DuckDB instance with their certificates, oldest first."""

from __future__ import annotations

from typing import Any

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

_COLUMNS = {
    "number": "BIGINT",
    "requirements": "VARCHAR[]",
    "warnings": "VARCHAR[]",
    "smallest_class": "BIGINT",
    "suppressed_cells": "BIGINT",
    "smallest_class_people": "BIGINT",
    "cost": "DOUBLE",
    "lower_bound": "DOUBLE",
    "gap": "DOUBLE",
    "status": "VARCHAR",
    "classes": "BIGINT",
    "rows": "BIGINT",
    "cells": "BIGINT",
    "row_types": "BIGINT",
    "seconds": "DOUBLE",
    "algorithm": "VARCHAR",
    "reason": "VARCHAR",
    "bound_method": "VARCHAR",
    "policy": "VARCHAR",
    "unchanged": "VARCHAR[]",
    "histories": 'STRUCT("column" VARCHAR, people BIGINT, alone BIGINT, fewest BIGINT, average DOUBLE, releases BIGINT)[]',
    "connection": "BIGINT",
}
"""What most people look for comes first: a terminal of 80 columns shows the first four."""

_DIGITS = {"gap": 6, "seconds": 3}
"""Decimals of figures that are no exact ones anyway."""


def releases(session: Session) -> list[dict[str, Any]]:
    """Return one struct per release that passed its audit."""
    found = []
    for certificate in session.releases:
        data = certificate.to_dict() | {"connection": session.maker(certificate)}
        data["histories"] = [each.to_dict() | {"average": float(each.average)} for each in certificate.histories]
        data |= {"cost": float(certificate.cost), "lower_bound": float(certificate.lower_bound)}
        data |= {name: round(data[name], digits) for name, digits in _DIGITS.items()}
        found.append({name: data[name] for name in _COLUMNS})
    return found


FUNCTION = Function(
    name="kanon_certificates",
    returns=f"STRUCT({', '.join(f'{name} {kind}' for name, kind in _COLUMNS.items())})[]",
    call=releases,
    parameters=(),
    side_effects=True,
)

MACRO = "kanon_releases() AS TABLE SELECT system.main.unnest(system.main.kanon_certificates(), recursive := true)"
