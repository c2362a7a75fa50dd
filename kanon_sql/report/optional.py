"""Packages that only reports need."""

from __future__ import annotations

from kanon_sql.errors import KanonError


def missing(error: ModuleNotFoundError) -> KanonError:
    """Return what to do about a package that is not installed."""
    return KanonError(f"a report needs the package {error.name}; hint: pip install 'kanon-sql[report]'")
