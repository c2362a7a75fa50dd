"""Who may talk to the studio."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kanon_sql.studio.server import Gate

TOKEN, PORT = "t" * 43, 8123
HOST = ("host", f"127.0.0.1:{PORT}")
COOKIE = ("cookie", f"other=1; kanon_studio_{PORT}={TOKEN}")
ORIGIN = ("origin", f"http://127.0.0.1:{PORT}")


def ask(
    *headers: tuple[str, str], path: str = "/", query: str = "", kind: str = "http"
) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return the messages of the answer, and the requests that reached the studio."""
    sent: list[dict[str, Any]] = []
    reached: list[Any] = []

    async def studio(scope: Any, receive: Any, send: Any) -> None:
        reached.append(scope["path"])
        await send({"type": "http.response.start", "status": 200, "headers": [(b"cache-control", b"public")]})

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": f"{kind}.connect"}

    scope = {
        "type": kind,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers],
    }
    asyncio.run(Gate(studio, PORT, TOKEN)(scope, receive, send))
    return sent, reached


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("more", [[], [ORIGIN], [("origin", f"http://localhost:{PORT}")]])
def test_the_browser_with_the_cookie_is_let_in(kind, more):
    assert ask(HOST, COOKIE, *more, kind=kind)[1] == ["/"]


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "headers",
    [
        [HOST],
        [HOST, ("cookie", f"kanon_studio_{PORT}=")],
        [HOST, ("cookie", f"kanon_studio_{PORT + 1}={TOKEN}")],
        [HOST, ("cookie", f"kanon_studio_{PORT}={TOKEN}x")],
        [HOST, ("cookie", 'kanon="\\777')],
        [COOKIE],
        [("host", "rebound.example:8123"), COOKIE],
        [("host", "127.0.0.1"), COOKIE],
        [("host", "127.0.0.1:8124"), COOKIE],
        [HOST, COOKIE, ("origin", "http://evil.example")],
        [HOST, COOKIE, ("origin", "http://127.0.0.1:8124")],
        [HOST, COOKIE, ("origin", "null")],
    ],
)
def test_everybody_else_is_refused(headers, kind):
    sent, reached = ask(*headers, kind=kind)
    assert reached == []
    assert sent[0]["type"] == "websocket.close" if kind == "websocket" else sent[0]["status"] == 403


def test_the_first_address_gives_the_cookie_and_loses_the_token():
    sent, reached = ask(HOST, query=f"token={TOKEN}&number=2", path="/look")
    headers = dict(sent[0]["headers"])
    assert reached == []
    assert (sent[0]["status"], headers[b"location"]) == (303, b"/look?number=2")
    assert headers[b"set-cookie"] == f"kanon_studio_{PORT}={TOKEN}; Path=/; HttpOnly; SameSite=Strict".encode()


def test_the_token_leads_to_no_other_machine():
    sent, _ = ask(HOST, query=f"token={TOKEN}", path="//evil.example")
    assert dict(sent[0]["headers"])[b"location"] == b"/evil.example"


@pytest.mark.parametrize("headers", [[("host", "rebound.example")], [HOST, ("origin", "http://evil.example")]])
def test_a_token_from_elsewhere_is_refused(headers):
    assert ask(*headers, query=f"token={TOKEN}")[0][0]["status"] == 403


def test_no_page_is_kept_framed_or_sent_elsewhere():
    sent, _ = ask(HOST, COOKIE)
    headers = dict(sent[0]["headers"])
    assert [name for name, _ in sent[0]["headers"]].count(b"cache-control") == 1
    assert headers[b"cache-control"] == b"no-store"
    assert headers[b"x-frame-options"] == b"DENY"
    assert b"default-src 'self'" in headers[b"content-security-policy"]
