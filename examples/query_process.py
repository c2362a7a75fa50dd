"""A process that answers SELECTs over one released table, and nothing else.

The text of a query decides what it costs. DuckDB stops a query only between two pieces of work, and its memory limit does
not count every buffer: one call of `lpad` ran for 86 s under a limit of 5 s, with 4 GB under a limit of 500 MB. So the
limits here are those of the operating system: the process may take `MEMORY` at most, and is killed when the time is over.
It starts with the release and never holds a raw row.

`QueryProcess` is the side of the application. The same file, run as a script, is the other side. The limit of memory needs
Linux; elsewhere only the time and the size of an answer are limited.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, time
from pathlib import Path
from threading import Event, Timer
from typing import IO, Any, cast

import duckdb
import pyarrow as pa

SETTINGS = (
    "threads = 2",
    "memory_limit = '300MB'",
    "temp_directory = ''",  # nothing is written to a disk
    "secret_directory = ''",  # by default a path of this machine, which a query could read
    "enable_external_access = false",  # no files, no other databases, no extensions
    "python_enable_replacements = false",  # no variables of this program
    "lock_configuration = true",
)

FUNCTIONS = {"unnest", "range", "generate_series", "k_anonymity", "reidentification_risk"}
"""Table functions that may be asked: they read what they are given, or count."""

MEMORY = 500 << 20
"""Bytes that a query may take, beyond what the process has when it is ready."""

MOST_ROWS = 10_000

MOST_BYTES = 10 << 20
"""Of an answer, as JSON."""


_ANSWERED, _REFUSED = b"+", b"-"
"""How a message of the process begins: rows follow, or the reason why there are none."""


class RefusedError(ValueError):
    """A query that is not answered; the text says why, and quotes no value of a row."""


class QueryProcess:
    """The process, as the application sees it: one query at a time.

    Parameters
    ----------
    table : pa.Table
        The release; it is called ``patients`` there.
    macros : str
        SQL that is run first, such as that of the audit.
    seconds : float
        When a query is stopped.

    Attributes
    ----------
    alive : bool
        Whether it can be asked again: a query that is stopped ends the process.
    """

    def __init__(self, table: pa.Table, macros: str, seconds: float) -> None:
        self.alive = True
        self._seconds = seconds
        self._process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
        self._requests, self._answers = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
        _send(self._requests, macros.encode())
        _send(self._requests, _table_bytes(table))
        _receive(self._answers)  # ready: from now on, the time of a query counts

    def ask(self, sql: str, parameters: dict[str, object]) -> bytes:
        """Return the rows of one SELECT as a JSON array of objects.

        Raises
        ------
        RefusedError
            When it is not answered.
        """
        late = Event()

        def stop() -> None:
            late.set()
            self._process.kill()

        watch = Timer(self._seconds, stop)
        watch.start()
        try:
            _send(self._requests, json.dumps({"sql": sql, "parameters": parameters}).encode())
            said = _receive(self._answers)
        except (OSError, EOFError):
            said = _REFUSED + b"the query ended its process; hint: it may need too much memory"
            self.alive = False
        finally:
            watch.cancel()
            watch.join()
        if late.is_set():
            said = _REFUSED + f"the query takes more than {self._seconds:g} s".encode()
        if late.is_set() or not self.alive:
            self.close()
        if said.startswith(_REFUSED):
            raise RefusedError(str(said[1:], "utf-8"))
        return said[1:]

    def close(self) -> None:
        """End the process."""
        self.alive = False
        self._process.kill()
        self._process.wait()
        for stream in (self._requests, self._answers):
            with suppress(OSError):  # what was not sent yet has nobody to read it
                stream.close()


def _send(stream: IO[bytes], message: bytes) -> None:
    stream.write(len(message).to_bytes(8, "big") + message)
    stream.flush()


def _receive(stream: IO[bytes], most: int = MOST_BYTES) -> bytes:
    head = stream.read(8)
    size = int.from_bytes(head, "big")
    message = stream.read(size) if len(head) == 8 and size <= most else b""
    if len(head) < 8 or len(message) < size:
        raise EOFError("the other side has ended")
    return message


def _table_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


class Answers:
    """The other side: a locked database in memory that holds the release.

    Parameters
    ----------
    table : pa.Table
        The release.
    macros : str
        SQL that is run first.
    """

    def __init__(self, table: pa.Table, macros: str) -> None:
        self._con = duckdb.connect()
        self._con.execute(macros)
        self._con.register("released", table)
        self._con.execute("CREATE TABLE patients AS SELECT * FROM released")
        self._con.unregister("released")
        self._views = {name for (name,) in self._con.execute("SELECT view_name FROM duckdb_views()").fetchall()}
        for setting in SETTINGS:
            self._con.execute(f"SET {setting}")

    def answer(self, sql: str, parameters: dict[str, object]) -> bytes:
        """Return the rows of one SELECT as JSON.

        Raises
        ------
        RefusedError
            When the text is anything but one SELECT over the table, or its answer is too long.
        """
        with self._con.cursor() as cursor:
            cursor.execute("BEGIN TRANSACTION READ ONLY")  # also a SELECT could change rows: WITH x AS (DELETE ...)
            table = self._bound(cursor, sql, parameters).limit(MOST_ROWS + 1).to_arrow_table()
        if table.num_rows > MOST_ROWS:
            raise RefusedError(f"the answer has more than {MOST_ROWS:,} rows; hint: LIMIT")
        text = b"" if table.nbytes > MOST_BYTES else json.dumps(_plain(table.to_pylist()), allow_nan=False).encode()
        if not 0 < len(text) < MOST_BYTES:
            raise RefusedError(f"the answer has more than {MOST_BYTES >> 20} MB; hint: LIMIT")
        return text

    def _bound(self, cursor: duckdb.DuckDBPyConnection, sql: str, parameters: dict[str, object]) -> duckdb.DuckDBPyRelation:
        """Return a SELECT ready to run."""
        try:
            self._require_select(json.loads(cursor.execute("SELECT json_serialize_sql($1)", [sql]).fetchall()[0][0]))
            return cursor.sql(sql, params=parameters or None)
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error as error:
            raise RefusedError(str(error)) from None
        except RecursionError:
            raise RefusedError("the query is nested too deeply") from None

    def _require_select(self, read: dict[str, Any]) -> None:
        """Refuse all but one SELECT over the table, by what DuckDB's own parser makes of the text."""
        if read["error"] and read["error_type"] == "parser":
            raise RefusedError(read["error_message"])
        if read["error"] or len(read["statements"]) != 1:
            raise RefusedError("only one SELECT is answered")
        for node in _nodes(read):
            match node.get("type"):
                case "TABLE_FUNCTION":
                    known = node["function"]["function_name"].lower() in FUNCTIONS
                case "BASE_TABLE":  # or the name of a CTE; besides the table there is nothing but views of the catalog
                    path = node["qualified_name"]["path"]
                    known = len(path) == 1 and path[0].lower() not in self._views
                case kind:
                    known = kind != "SHOW_REF"
            if not known:
                raise RefusedError("only the table patients can be asked")


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield the nodes of a syntax tree."""
    rest = [tree]
    while rest:
        node = rest.pop()
        if isinstance(node, dict):
            yield node
            rest.extend(node.values())
        elif isinstance(node, list):
            rest.extend(node)


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: bytes in hexadecimal digits, and no number that JSON does not have."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {str(name): _plain(each) for name, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case bytes():
            return value.hex()
        case date() | datetime() | time():
            return value.isoformat()
        case _:
            return str(value)


def _limit_memory() -> None:
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):  # not Linux
        return
    most = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main() -> None:
    """Answer until the application closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the application, which then ends this
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    macros = str(_receive(requests), "utf-8")
    found = Answers(pa.ipc.open_stream(_receive(requests, 1 << 40)).read_all(), macros)
    _limit_memory()
    _send(answers, _ANSWERED)
    while True:
        try:
            asked = json.loads(_receive(requests))
        except EOFError:
            return
        try:
            said = _ANSWERED + found.answer(**asked)
        except RefusedError as error:
            said = _REFUSED + str(error).encode()
        except (MemoryError, duckdb.OutOfMemoryException):
            said = _REFUSED + b"the query needs too much memory"
        except Exception as error:  # its text may quote a value
            said = _REFUSED + f"the query failed: {type(error).__name__}".encode()
        _send(answers, said)


if __name__ == "__main__":
    main()
