"""Serve the studio on this machine, to one browser."""

from __future__ import annotations

import logging
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI
from nicegui import app, ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.studio.address import Address
from kanon_sql.studio.gate import Gate
from kanon_sql.studio.pages import build
from kanon_sql.studio.pages.frame import heading, paragraph
from kanon_sql.studio.session import Session


def serve(session: Session, address: Address, complain: Callable[[str], None]) -> None:
    """Serve the pages until the process is stopped.

    Parameters
    ----------
    complain : callable
        Takes a line about each error that nobody caught.
    """
    in_one_line(complain)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    build(session)
    ui.run_with(app, title="kanon studio", dark=None, show_welcome_message=False)
    config = uvicorn.Config(
        Gate(app, address.port, address.token), log_config=None, log_level="critical", access_log=False, lifespan="on"
    )
    try:
        uvicorn.Server(config).run(sockets=[address.listening])
    finally:
        session.close()


def in_one_line(say: Callable[[str], None]) -> None:
    """Say errors of pages that nobody caught, and show them, without a traceback: it may hold a value.

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
