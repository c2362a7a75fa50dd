"""The audit macros on connections that have nothing else of this package."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import Any

_AUDIT = (
    "equivalence_classes",
    "k_anonymity",
    "reidentification_risk",
    "l_diversity",
    "t_closeness",
    "beta_likeness",
    "delta_disclosure",
    "k_mapping",
    "delta_presence",
)


def audit_macros(con: Any, names: Iterable[str] = _AUDIT) -> Any:
    """Define the audit macros on a plain DuckDB connection: no solver of this package is involved in an audit."""
    for name in names:
        con.execute(files("kanon_sql.sql").joinpath(f"{name}.sql").read_text(encoding="utf-8"))
    return con
