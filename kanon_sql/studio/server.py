"""Serve the studio on this machine, to one browser: that which was given the token, from a page of the studio."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlencode

import uvicorn
from fastapi import FastAPI
from nicegui import app, ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.studio.address import Address
from kanon_sql.studio.pages import build
from kanon_sql.studio.pages.frame import heading, paragraph
from kanon_sql.studio.session import Session

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (
        b"content-security-policy",
        b"default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        b"img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; "
        b"frame-ancestors 'none'",
    ),
)
"""The browser itself refuses to ask another machine, and keeps no copy of a page."""


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
        Gate(app, address.port, address.token),
        log_config=None,
        log_level="critical",
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=2,  # a page that still counts would delay the end
    )
    try:
        uvicorn.Server(config).run(sockets=[address.listening])
    finally:
        session.end()


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


class Gate:
    """Refuse every request that does not carry the token, or names another host or origin.

    Parameters
    ----------
    app : ASGI application
        The studio.
    port : int
        Its port; a page of another name that resolves to this machine (DNS rebinding) is refused by its Host.
    token : str
        The secret of this process. The first address carries it, and then a cookie that scripts cannot read.
    """

    def __init__(self, app: App, port: int, token: str) -> None:
        self._app, self._token = app, token
        self._cookie = f"kanon_studio_{port}"
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or pass it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        parameters = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        if headers.get("host") not in self._hosts or headers.get("origin", next(iter(self._origins))) not in self._origins:
            await self._refuse(scope, send, b"this page is not for you")
        elif scope["type"] == "http" and self._is_token(parameters.pop("token", [""])[0]):
            more = f"?{urlencode(parameters, doseq=True)}" if parameters else ""
            await self._admit(send, scope["path"] + more)
        elif not self._is_token(self._cookie_of(headers)):
            await self._refuse(scope, send, b"open the address that the command has printed")
        else:
            await self._app(scope, receive, self._guarded(send))

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _cookie_of(self, headers: dict[str, str]) -> str:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return ""
        return "" if found is None else found.value

    async def _admit(self, send: Send, path: str) -> None:
        """Put the token into a cookie, and the address without it into the browser's history."""
        cookie = f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict"
        target = "/" + path.lstrip("/")  # //host would be another machine
        headers = [(b"location", target.encode("latin-1")), (b"set-cookie", cookie.encode()), *_HEADERS]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def _refuse(self, scope: Scope, send: Send, words: bytes) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = [(b"content-type", b"text/plain; charset=utf-8"), *_HEADERS]
        await send({"type": "http.response.start", "status": 403, "headers": headers})
        await send({"type": "http.response.body", "body": words})

    def _guarded(self, send: Send) -> Send:
        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in _HEADERS}
                kept = [each for each in message.get("headers", []) if each[0].lower() not in own]
                message = {**message, "headers": [*kept, *_HEADERS]}
            await send(message)

        return guarded
