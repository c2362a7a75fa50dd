"""Anonymize a table inside DuckDB: least suppression, a certificate, and an audit in plain SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate, Release
    from kanon_sql.engines.anonymization import anonymize
    from kanon_sql.engines.auditing import Audit, audit
    from kanon_sql.engines.duckdb import connect, register, releases

__version__ = "0.1.0"

_HOMES = {
    "connect": "kanon_sql.engines.duckdb",
    "register": "kanon_sql.engines.duckdb",
    "releases": "kanon_sql.engines.duckdb",
    "anonymize": "kanon_sql.engines.anonymization",
    "audit": "kanon_sql.engines.auditing",
    "Audit": "kanon_sql.engines.auditing",
    "Certificate": "kanon_sql.certificate",
    "Release": "kanon_sql.certificate",
}

__all__ = ["Audit", "Certificate", "Release", "anonymize", "audit", "connect", "register", "releases"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import kanon_sql` alone loads neither DuckDB nor Arrow."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kanon_sql' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
