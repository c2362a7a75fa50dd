"""The lines of an agent over standard input and output: each has an answer, also one that the protocol cannot read."""

from __future__ import annotations

import io
import json
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import ReadableBuffer, WriteableBuffer

_PARSE, _REQUEST = (-32700, "the line is not valid JSON"), (-32600, "the line is not a valid JSON-RPC message")
"""Codes of JSON-RPC, and words."""


class _Output(io.RawIOBase):
    """Standard output, on which each message appears as a whole."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._lock = file, threading.Lock()

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        content = bytes(data)
        with self._lock:
            self._file.write(content)
            self._file.flush()
        return len(content)


class _Input(io.RawIOBase):
    """Standard input without the lines that the protocol would drop; these are answered here."""

    def __init__(self, file: BinaryIO, output: _Output) -> None:
        self._file, self._output, self._rest = file, output, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        while not self._rest:
            line = self._file.readline()
            if not line:
                return 0
            self._rest = self._readable(line)
        space = memoryview(buffer).cast("B")
        count = min(len(space), len(self._rest))
        space[:count], self._rest = self._rest[:count], self._rest[count:]
        return count

    def _readable(self, line: bytes) -> bytes:
        """Return a line that the protocol can read; nothing if there is none, which is answered."""
        from mcp_types import jsonrpc_message_adapter

        if not line.strip():
            return b""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return self._refused(None, *_PARSE)
        # Half of a surrogate pair is no text, which the protocol drops without a word; ? takes its place.
        whole = json.dumps(message, ensure_ascii=False).encode(errors="replace") + b"\n"
        try:
            jsonrpc_message_adapter.validate_json(whole, by_name=False)
        except ValueError:
            number = message.get("id") if isinstance(message, dict) else None
            return self._refused(number if isinstance(number, int | str) else None, *_REQUEST)
        return whole

    def _refused(self, number: int | str | None, code: int, words: str) -> bytes:
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": words}}
        self._output.write(json.dumps(answer).encode() + b"\n")
        return b""


@contextmanager
def answered_lines() -> Iterator[None]:
    """Let standard input and output be those of an agent."""
    kept = sys.stdin, sys.stdout
    output = _Output(sys.stdout.buffer)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(_Input(sys.stdin.buffer, output)), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(output, encoding="utf-8")
    try:
        yield
    finally:
        sys.stdin, sys.stdout = kept
