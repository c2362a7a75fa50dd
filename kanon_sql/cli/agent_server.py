"""The tools and resources with which an agent reads a released database, by the Model Context Protocol."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from kanon_sql.errors import KanonError, raise_alone

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from kanon_sql.engines.duckdb.serving.asking import Answers
    from kanon_sql.engines.duckdb.serving.released_file import ServedTable

_INSTRUCTIONS = (
    "Anonymized tables. Call list_releases, then describe, then query with one DuckDB SELECT. NULL means suppressed or empty. "
    "A label such as 98*** or [40, 60) stands for several values. Answers come from the releases only. A group token "
    "identifies a class of people: joining two tables on group tokens pairs each row of a class with every person in it."
)


def agent_server(tables: Sequence[ServedTable], answers: Answers) -> MCPServer[Any]:
    """Return the server of some releases.

    Parameters
    ----------
    tables : sequence of ServedTable
        The releases.
    answers : Answers
        Runs the queries.
    """
    from anyio.to_thread import run_sync
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.resources import TextResource

    server: MCPServer[Any] = MCPServer("kanon", version=version("kanon-sql"), instructions=_INSTRUCTIONS, log_level="ERROR")
    known = {each.name: each for each in tables}

    @server.tool()
    def list_releases() -> list[dict[str, Any]]:
        """List the anonymized tables with their row counts and guarantees."""
        return [
            {"release": each.name, "rows": each.certificate.rows, "guarantees": list(each.certificate.requirements)}
            for each in tables
        ]

    @server.tool()
    def describe(release: str) -> dict[str, Any]:
        """Describe an anonymized table: its columns, how each was treated, and its guarantees."""
        if release not in known:
            raise ToolError(f"there is no release with this name; hint: use one of {', '.join(known)}")
        found = known[release]
        columns = [dict(zip(("column", "type", "role", "done"), each, strict=True)) for each in found.columns]
        return {"release": release, "columns": columns, **_figures(found)}

    @server.tool()
    async def query(sql: str) -> dict[str, Any]:
        """Run one DuckDB SELECT on the anonymized tables."""
        try:
            return await run_sync(answers.ask, sql, abandon_on_cancel=True)
        except KanonError as error:
            raise_alone(ToolError(str(error)))

    for each in tables:
        server.add_resource(
            TextResource(
                uri=f"kanon://certificates/{quote(each.name, safe='')}",
                name=f"certificate of {each.name}",
                mime_type="application/json",
                text=each.certificate.to_json(),
            )
        )
    return server


def _figures(table: ServedTable) -> dict[str, Any]:
    certificate = table.certificate
    return {
        "rows": certificate.rows,
        "guarantees": list(certificate.requirements),
        "suppressed": f"{certificate.suppressed_share:.1%} of the quasi-identifier cells",
        "warnings": list(certificate.warnings),
    }


def over_http(server: MCPServer[Any], port: int, token: str) -> None:
    """Serve on the loopback address, to whoever has the token."""
    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    hosts = [f"127.0.0.1:{port}", f"localhost:{port}"]
    security = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])
    app = server.streamable_http_app(transport_security=security)
    uvicorn.run(with_token(app, token), host="127.0.0.1", port=port, log_level="error")


def with_token(app: Any, token: str) -> Any:
    """Return an ASGI application that answers only requests with a token."""
    expected = f"Bearer {token}".encode()

    async def checked(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, expected):
                await send({"type": "http.response.start", "status": 401, "headers": [(b"content-length", b"0")]})
                await send({"type": "http.response.body", "body": b""})
                return
        await app(scope, receive, send)

    return checked
