"""`kanon_linked_releases()`: the releases of this DuckDB instance whose tokens link the rows of people, oldest first."""

from __future__ import annotations

from typing import Any

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

_COLUMNS = {
    "number": "BIGINT",
    "guarantee": "VARCHAR",
    "people": "BIGINT",
    "rows": "BIGINT",
    "own_columns": "VARCHAR[]",
    "linked_people": "BIGINT",
    "linked_rows": "BIGINT",
    "fewest_candidates": "BIGINT",
    "people_below_next": "BIGINT",
    "suppressed_cells": "BIGINT",
    "cells": "BIGINT",
    "lower_bound": "BIGINT",
    "seconds": "DOUBLE",
    "warnings": "VARCHAR[]",
}


def linked(session: Session) -> list[dict[str, Any]]:
    """Return one struct per release that passed the audit."""
    found = []
    for certificate in session.linked_releases:
        data = certificate.to_dict() | {"number": certificate.number, "seconds": round(certificate.seconds, 3)}
        found.append({name: data[name] for name in _COLUMNS})
    return found


FUNCTION = Function(
    name="kanon_linked",
    returns=f"STRUCT({', '.join(f'{name} {kind}' for name, kind in _COLUMNS.items())})[]",
    call=linked,
    parameters=(),
    side_effects=True,
)

MACRO = "kanon_linked_releases() AS TABLE SELECT system.main.unnest(system.main.kanon_linked(), recursive := true)"
