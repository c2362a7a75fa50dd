"""Asks the processes that run queries, and replaces one when a query took too much."""

from __future__ import annotations

import json
import multiprocessing
from multiprocessing.connection import Connection as Pipe
from multiprocessing.process import BaseProcess
from queue import LifoQueue
from typing import Any

from kanon_sql.engines.duckdb.serving.answering import QueryLimits, answer_queries
from kanon_sql.engines.duckdb.serving.released_file import ReleasedFile
from kanon_sql.errors import SourceError, raise_alone

_LONGEST = 100_000
"""Characters of a query."""

_PATIENCE = 60.0
"""Seconds until a new process is ready."""

AT_ONCE = 4
"""Queries that run side by side; further ones wait."""


class Answers:
    """Answers queries over one released database, some of them side by side.

    Parameters
    ----------
    file : ReleasedFile
        The database, checked.
    limits : QueryLimits
        Those of each query.
    """

    def __init__(self, file: ReleasedFile, limits: QueryLimits) -> None:
        self._workers = [_Worker(file, limits) for _ in range(AT_ONCE)]
        self._free: LifoQueue[_Worker] = LifoQueue()  # the last one that answered has a process already
        for each in self._workers:
            self._free.put(each)

    def ask(self, query: str) -> dict[str, Any]:
        """Return the columns and rows of one SELECT.

        Returns
        -------
        dict
            ``columns``, ``rows``, and whether they are ``complete``.

        Raises
        ------
        SourceError
            When the query is not a single SELECT, fails, or takes more than its limits. The next one is answered again.
        """
        if len(query) > _LONGEST:
            raise SourceError(f"the query has more than {_LONGEST:,} characters; hint: shorten it")
        worker = self._free.get()
        try:
            answer: dict[str, Any] = json.loads(worker.exchange(query))
            if answer.get("spent"):
                worker.close()
        finally:
            self._free.put(worker)
        if "error" in answer:
            raise SourceError(answer["error"])
        return answer

    def close(self) -> None:
        """End the processes."""
        for each in self._workers:
            each.close()


class _Worker:
    """A process that runs one query after the other, started when the first one comes."""

    def __init__(self, file: ReleasedFile, limits: QueryLimits) -> None:
        self._file, self._limits = file, limits
        self._process: BaseProcess | None = None
        self._pipe: Pipe | None = None

    def exchange(self, query: str) -> bytes:
        """Return the answer to a query as JSON."""
        limits = self._limits
        pipe = self._ready()
        try:
            pipe.send_bytes(query.encode(errors="replace"))
            if not pipe.poll(limits.seconds):
                self.close()
                raise SourceError(
                    f"the query took longer than {limits.seconds:g} seconds; hint: aggregate the rows, or filter them "
                    "with WHERE"
                )
            return pipe.recv_bytes()
        except (EOFError, OSError):
            self.close()
            raise_alone(
                SourceError(
                    f"the query needs more than {limits.megabytes} MB; hint: aggregate the rows, or filter them with WHERE"
                )
            )

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
                raise SourceError("the database changed after it was checked; hint: restart the server")
        return self._pipe

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None
