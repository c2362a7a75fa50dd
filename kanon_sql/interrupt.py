"""Ctrl-C on work that runs inside DuckDB."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


def interruptible(interrupt: Callable[[], None], work: Callable[[], T], *, patience: float | None = None) -> T:
    """Run work on another thread, so that Ctrl-C reaches this one and stops the statement that is running.

    Parameters
    ----------
    interrupt : callable
        Stops the work, such as the ``interrupt`` of the connection that it uses.
    work : callable
        What to do.
    patience : float, optional
        Seconds to wait for the work to stop, for ever by default.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C, when the work has stopped, or patience ran out, or Ctrl-C came again. Work that came to its end
        nevertheless has its result returned: what it did is done.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    # A daemon, because a thread that does not stop must not keep the program alive.
    threading.Thread(target=run, daemon=True).start()
    try:
        return future.result()
    except KeyboardInterrupt:
        waited = 0.0
        while not future.done() and (patience is None or waited < patience):
            # Again and again: an interrupt between two statements is lost.
            with suppress(Exception):  # the work may have closed its connection by itself just now
                interrupt()
            try:
                future.exception(timeout=0.1)
            except FutureTimeoutError:
                waited += 0.1
        if future.done() and future.exception() is None:
            return future.result()
        raise
