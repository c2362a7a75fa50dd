"""A page as a text, with its figures, and what made it."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import duckdb


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page about a release."""

    text: str  # the page
    figures: dict[str, Any]  # what it tells, as plain data; ``holds`` says whether the release keeps its guarantee


def versions() -> str:
    """Return what made a page."""
    return f"kanon-sql {version('kanon-sql')}, DuckDB {duckdb.__version__}, Python {platform.python_version()}"
