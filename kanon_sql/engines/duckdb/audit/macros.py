"""The audit macros on connections that have nothing else of this package."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from kanon_sql.engines.duckdb.guarantees import macros

_ROWS = ("equivalence_classes", "k_known", "history_risk", "reidentification_risk")
"""The macros that count rows of classes, or people; each guarantee says what else measures it."""


def audit_macros(con: Any, names: Iterable[str] | None = None) -> Any:
    """Define the audit macros on a plain DuckDB connection: no solver of this package is involved in an audit.

    Parameters
    ----------
    con : connection
        The connection.
    names : iterable of str, optional
        Those that are needed; None takes all that measure a guarantee.
    """
    for name in (*_ROWS, *macros()) if names is None else names:
        con.execute(files("kanon_sql.sql").joinpath(f"{name}.sql").read_text(encoding="utf-8"))
    return con
