"""Asks the process that runs queries, and replaces it when a query took too much."""

from __future__ import annotations

import json
import multiprocessing
import threading
from multiprocessing.connection import Connection as Pipe
from multiprocessing.process import BaseProcess
from typing import Any

from kanon_sql.engines.duckdb.serving.answering import QueryLimits, answer_queries
from kanon_sql.engines.duckdb.serving.released_file import ReleasedFile
from kanon_sql.errors import SourceError, raise_alone

_LONGEST = 100_000
"""Characters of a query."""

_PATIENCE = 60.0
"""Seconds until a new process is ready."""


class Answers:
    """Answers queries over one released database, one after the other.

    Parameters
    ----------
    file : ReleasedFile
        The database, checked.
    limits : QueryLimits
        Those of each query.
    """

    def __init__(self, file: ReleasedFile, limits: QueryLimits) -> None:
        self._file, self._limits = file, limits
        self._turn = threading.Lock()
        self._process: BaseProcess | None = None
        self._pipe: Pipe | None = None

    def ask(self, query: str) -> dict[str, Any]:
        """Return the columns and rows of one SELECT.

        Returns
        -------
        dict
            ``columns``, ``rows``, and whether they are ``complete``.

        Raises
        ------
        SourceError
            When the query is no single SELECT, fails, or takes more than its limits. The next one is answered all the same.
        """
        if len(query) > _LONGEST:
            raise SourceError(f"the query has more than {_LONGEST:,} characters")
        with self._turn:
            answer: dict[str, Any] = json.loads(self._exchange(query))
            if answer.get("spent"):
                self.close()
        if "error" in answer:
            raise SourceError(answer["error"])
        return answer

    def _exchange(self, query: str) -> bytes:
        limits = self._limits
        pipe = self._ready()
        try:
            pipe.send_bytes(query.encode(errors="replace"))
            if not pipe.poll(limits.seconds):
                self.close()
                raise SourceError(f"the query took longer than {limits.seconds:g} seconds; hint: aggregate, or add WHERE")
            return pipe.recv_bytes()
        except (EOFError, OSError):
            self.close()
            raise_alone(SourceError(f"the query takes more than {limits.megabytes} MB; hint: aggregate, or add WHERE"))

    def _ready(self) -> Pipe:
        """Return the pipe to a process that waits for a query."""
        if self._pipe is None or self._process is None or not self._process.is_alive():
            self.close()
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=answer_queries, args=(theirs, self._file, self._limits), daemon=True)
            self._process.start()
            theirs.close()
            try:
                ready = self._pipe.poll(_PATIENCE) and self._pipe.recv_bytes() == b"ready"
            except EOFError:
                ready = False
            if not ready:
                self.close()
                raise SourceError("the database is not the one that was checked; hint: start again")
        return self._pipe

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None
