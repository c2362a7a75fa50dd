"""An agent that reads a released database: over standard input and output, and over HTTP with its token."""

from __future__ import annotations

import asyncio
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import duckdb
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

import kanon_sql

POLICIES = """
policies:
- name: visits
  table: visits
  quasi_identifiers: [{column: zip}]
  kept: [ward]
  requirements: [{type: k, k: 3}]
"""


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serve")
    (folder / "policies.yaml").write_text(POLICIES)
    with duckdb.connect(str(folder / "source.duckdb")) as con:
        con.execute("CREATE TABLE visits AS SELECT range * range % 7 AS zip, range % 2 AS ward FROM range(40)")
    kanon_sql.release_database(folder / "source.duckdb", folder / "public.duckdb", policies=folder / "policies.yaml")
    return folder / "public.duckdb"


@pytest.mark.everything
def test_an_agent_lists_describes_and_queries(public: Path) -> None:
    command = StdioServerParameters(command=sys.executable, args=["-m", "kanon_sql", "serve", str(public)])

    async def talk() -> tuple[Any, ...]:
        async with Client(command) as agent:
            tools = [each.name for each in (await agent.list_tools()).tools]
            listed = await agent.call_tool("list_releases", {})
            told = await agent.call_tool("describe", {"release": "visits"})
            asked = await agent.call_tool("query", {"sql": "SELECT count(*) AS n FROM visits"})
            refused = await agent.call_tool("query", {"sql": "DROP TABLE visits"})
            unknown = await agent.call_tool("describe", {"release": "visit"})
            certificate = await agent.read_resource("kanon://certificates/visits")
            return tools, listed, told, asked, refused, unknown, certificate

    tools, listed, told, asked, refused, unknown, certificate = asyncio.run(talk())
    assert tools == ["list_releases", "describe", "query"]
    assert listed.structured_content == {"result": [{"release": "visits", "rows": 40, "guarantees": ["k >= 3"]}]}
    assert [(each["column"], each["role"]) for each in told.structured_content["columns"]] == [
        ("zip", "quasi-identifier"),
        ("ward", "kept"),
    ]
    assert asked.structured_content == {"columns": ["n"], "rows": [[40]], "complete": True}
    assert (refused.is_error, unknown.is_error) == (True, True)
    assert "only one SELECT" in refused.content[0].text
    assert "there is no release with this name; hint: use one of visits" in unknown.content[0].text
    assert kanon_sql.Certificate.from_json(certificate.contents[0].text).smallest_class >= 3


@pytest.fixture
def served(public: Path) -> Iterator[tuple[int, str]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "kanon_sql", "serve", str(public), "--http", "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        told = re.search(r"Bearer (\S+)", server.stderr.readline())
        assert told is not None
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port, told[1]
        server.terminate()


def status(port: int, **headers: str) -> int:
    told = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"} | headers
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    try:
        with urlopen(Request(f"http://127.0.0.1:{port}/mcp", data=body, headers=told), timeout=20) as answer:
            return int(answer.status)
    except HTTPError as refused:
        return refused.code


@pytest.mark.everything
def test_over_http_only_the_token_opens_it(served: tuple[int, str]) -> None:
    port, token = served
    allowed = f"Bearer {token}"
    assert status(port) == 401
    assert status(port, Authorization="Bearer wrong") == 401
    assert status(port, Authorization=allowed, Host="evil.example") in {403, 421}
    assert status(port, Authorization=allowed, Origin="http://evil.example") == 403
    assert status(port, Authorization=allowed) not in {401, 403, 421}
