"""Serve the studio on this machine, to one browser."""

from __future__ import annotations

from collections.abc import Callable

import uvicorn
from fastapi import FastAPI
from nicegui import ui

from kanon_sql.studio.address import Address
from kanon_sql.studio.failures import in_one_line
from kanon_sql.studio.gate import Gate
from kanon_sql.studio.pages import build
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
