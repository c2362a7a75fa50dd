"""The certificates of this DuckDB instance, oldest first.

- `kanon_releases()`: the releases of this DuckDB instance with their certificates, oldest first.
- `kanon_protected_tables()`: the protected tables of this DuckDB instance with their figures, oldest first.
- `kanon_linked_releases()`: the releases of this DuckDB instance whose tokens link the rows of people, oldest first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

_RELEASES = {
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

_PROTECTED = {
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

_LINKED = {
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

_DIGITS = {"gap": 6, "seconds": 3}
"""Decimals of figures that are no exact ones anyway."""


def releases(session: Session) -> list[dict[str, Any]]:
    """Return one struct per release that passed its audit."""
    found = []
    for certificate in session.releases:
        data = certificate.to_dict() | {"connection": session.maker(certificate)}
        data["histories"] = [each.to_dict() | {"average": float(each.average)} for each in certificate.histories]
        data |= {"cost": float(certificate.cost), "lower_bound": float(certificate.lower_bound)}
        found.append(_row(data, _RELEASES))
    return found


def protected(session: Session) -> list[dict[str, Any]]:
    """Return one struct per table that passed the gate."""
    found = []
    for certificate in session.protected_tables.certificates:
        data = certificate.to_dict()
        found.append(_row(data | {"primary_rows": data["primary"], "secondary_rows": data["secondary"]}, _PROTECTED))
    return found


def linked(session: Session) -> list[dict[str, Any]]:
    """Return one struct per release that passed the audit."""
    return [_row(each.to_dict() | {"number": each.number}, _LINKED) for each in session.linked_releases]


def _row(data: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    return {name: round(data[name], _DIGITS[name]) if name in _DIGITS else data[name] for name in columns}


def _listing(name: str, call: Callable[[Session], list[dict[str, Any]]], columns: Mapping[str, str]) -> Function:
    kinds = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    return Function(name=name, returns=f"STRUCT({kinds})[]", call=call, parameters=(), side_effects=True)


FUNCTIONS = (
    _listing("kanon_certificates", releases, _RELEASES),
    _listing("kanon_protected", protected, _PROTECTED),
    _listing("kanon_linked", linked, _LINKED),
)

MACROS = tuple(
    f"{name}() AS TABLE SELECT system.main.unnest(system.main.{function.name}(), recursive := true)"
    for name, function in zip(("kanon_releases", "kanon_protected_tables", "kanon_linked_releases"), FUNCTIONS, strict=True)
)
