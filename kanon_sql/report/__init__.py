"""Pages about a release for those who answer for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kanon_sql.report.release_report import report

__all__ = ["report"]


def __getattr__(name: str) -> Any:
    """Import the report when it is first used: what a terminal needs of this package loads neither DuckDB nor a plot."""
    if name != "report":
        raise AttributeError(f"module 'kanon_sql.report' has no attribute {name!r}")
    from kanon_sql.report import release_report

    return release_report.report
