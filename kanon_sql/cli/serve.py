"""The command that answers queries over a released database: ``kanon serve``."""

from __future__ import annotations

import secrets
from importlib.util import find_spec

import click

from kanon_sql.errors import MissingPackageError


@click.command()
@click.argument("database", metavar="PUBLIC.duckdb")
@click.option(
    "--http",
    is_flag=True,
    help="Serve over HTTP on the loopback address, protected by a new token, instead of standard input and output.",
)
@click.option("--port", type=click.IntRange(1, 65535), default=8765, show_default=True, metavar="PORT", help="Port for --http.")
@click.option(
    "--rows",
    type=click.IntRange(1, 100_000),
    default=1_000,
    show_default=True,
    metavar="N",
    help="Maximum number of rows per answer.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 3600),
    default=10.0,
    show_default=True,
    metavar="N",
    help="Time limit per query.",
)
@click.option(
    "--memory",
    type=click.IntRange(64, 1 << 20),
    default=512,
    show_default=True,
    metavar="MB",
    help="Maximum memory per query.",
)
def serve(database: str, http: bool, port: int, rows: int, seconds: float, memory: int) -> None:
    """Answer an agent's queries using only the released database PUBLIC.

    Uses the Model Context Protocol (MCP). The tools list and describe the releases, and answer one SELECT at a time.

    A database is refused if any of its tables has no certificate, or differs from the audited table. Every answer
    comes from releases, so no sequence of queries reveals more than the releases do.
    """
    if find_spec("mcp") is None:
        raise MissingPackageError.of("kanon serve", "mcp", "serve")
    from kanon_sql.cli.agent_lines import answered_lines
    from kanon_sql.cli.agent_server import agent_server, over_http
    from kanon_sql.engines.duckdb.serving.answering import QueryLimits
    from kanon_sql.engines.duckdb.serving.asking import Answers
    from kanon_sql.engines.duckdb.serving.released_file import released_file

    limits = QueryLimits(rows=rows, seconds=seconds, megabytes=memory)
    file = released_file(database, memory)
    answers = Answers(file, limits)
    server = agent_server(file.tables, answers)
    try:
        if not http:
            with answered_lines():
                server.run("stdio")
            return
        token = secrets.token_urlsafe(24)
        click.echo(f"http://127.0.0.1:{port}/mcp with the header Authorization: Bearer {token}", err=True)
        over_http(server, port, token)
    finally:
        answers.close()
