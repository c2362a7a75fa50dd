"""What nobody caught: one line without a value, in the place of a traceback that may hold one."""

from __future__ import annotations

import logging
from collections.abc import Callable

from nicegui import app

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.studio.pages.frame import heading, paragraph


def in_one_line(say: Callable[[str], None]) -> None:
    """Say errors of pages that nobody caught, and show them, without a traceback.

    Parameters
    ----------
    say : callable
        Takes the line.
    """
    for name in ("nicegui", "asyncio"):
        logging.getLogger(name).disabled = True
    app.on_exception(lambda error: say(f"error: {error_line(error)}"))
    app.on_page_exception(_shown)


def _shown(error: Exception) -> None:
    heading("This page has failed", 1)
    paragraph(error_line(error))
