"""The process that runs queries: it has the released database, little memory, and no file that it could write."""

from __future__ import annotations

import json
import math
import os
import re
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any

from kanon_sql.engines.duckdb.serving.permitted import refused
from kanon_sql.engines.duckdb.serving.released_file import ReleasedFile, opened

_MOST_WORDS = 1_000
"""Characters of an error."""

_PATH = re.compile(r"(?<![\w.])(?:[A-Za-z]:)?[/\\](?:[\w.+@~-]+[/\\])+[\w.+@~-]*")
"""A path of a file, from the root."""

_SURPLUS = 256 << 20
"""Bytes of address space in addition to what DuckDB may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryLimits:
    """The limits of one query."""

    rows: int = 1_000  # rows of an answer; further ones are left out
    characters: int = 1_000_000  # characters of an answer
    seconds: float = 10.0  # seconds until a query is stopped
    megabytes: int = 512  # memory of a query


def answer_queries(pipe: Pipe, file: ReleasedFile, limits: QueryLimits) -> None:
    """Answer queries that come through a pipe, until it is closed; the only thing that this process does.

    Parameters
    ----------
    pipe : Pipe
        Brings the text of a query; takes the answer as JSON.
    file : ReleasedFile
        The database.
    limits : QueryLimits
        Those of one query; whoever asks stops what takes too long.
    """
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):  # the other side may speak on them
        os.dup2(null, number)
    with opened(file.path, limits.megabytes) as con:
        if not file.is_there():
            return
        _confine(limits.megabytes)
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
        pipe.send_bytes(b"ready")
        while True:
            try:
                query = pipe.recv_bytes().decode()
            except EOFError:
                return
            pipe.send_bytes(_answer(con, query, limits).encode())


def _end_with(parent: int) -> None:
    """End this process, in the middle of a query too, when the one that started it is gone."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _confine(megabytes: int) -> None:
    """Let the process take no more memory than a query may, and write no file."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows: DuckDB alone keeps the limit of memory, and its settings forbid files
        return
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if os.path.exists("/proc/self/statm") else 0
    most = pages * resource.getpagesize() + 2 * (megabytes << 20) + _SURPLUS
    if pages:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(con: Any, query: str, limits: QueryLimits) -> str:
    import duckdb

    try:
        statements = duckdb.extract_statements(query)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            return _refusal("only one SELECT is allowed at a time; hint: send each query separately")
        if (wrong := refused(con, statements[0].query)) is not None:
            return _refusal(wrong)
        con.execute(statements[0])
        columns = [each[0] for each in con.description]
        rows = con.fetchmany(limits.rows + 1)
        answered = {"columns": columns, "rows": [[_plain(cell) for cell in row] for row in rows[: limits.rows]]}
        text = json.dumps({**answered, "complete": len(rows) <= limits.rows}, allow_nan=False)
    except (MemoryError, duckdb.OutOfMemoryException):
        return _refusal(
            f"the query needs more than {limits.megabytes} MB; hint: aggregate the rows, or filter them with WHERE", spent=True
        )
    except duckdb.Error as error:
        return _refusal(_without_paths(str(error)))
    except (ValueError, OverflowError, RecursionError, TypeError):  # a date beyond Python's, for instance
        return _refusal("a value of the answer cannot be written as JSON; hint: cast its columns to VARCHAR")
    if len(text) > limits.characters:
        return _refusal(
            f"the answer has more than {limits.characters:,} characters; hint: select fewer rows or columns, or aggregate them"
        )
    return text


def _refusal(words: str, *, spent: bool = False) -> str:
    """Return words about a query without an answer; a process that ran out of memory is ``spent``."""
    return json.dumps({"error": words[:_MOST_WORDS], "spent": spent})


def _without_paths(words: str) -> str:
    """Return the words of an error without the folders of this machine."""
    return _PATH.sub("...", words)


def _plain(value: object) -> object:
    """Return a cell as JSON knows it; what it does not know, as a text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return str(value)
