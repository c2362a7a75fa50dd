"""Ctrl-C on work that runs inside DuckDB: once to end a search with what it has found, once more to stop."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager, suppress
from typing import TypeVar

from kanon_sql.errors import raise_alone

T = TypeVar("T")


ENDING = "ending the search with the best release so far; Ctrl-C again stops without a release"


_STOP_REQUESTED = threading.Event()
"""Set by a signal, because Python drops what its handler raises inside a callback, such as while a module is imported."""


class Terminated(KeyboardInterrupt):
    """A signal that asks to stop at once, not to end the search first."""


@contextmanager
def stopping_signals() -> Iterator[None]:
    """Make SIGTERM and SIGHUP stop the work as a second Ctrl-C does, so that what must be removed is removed."""
    names = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]

    def stop(*_: object) -> None:
        # Only once: a second signal must not break off the cleaning up.
        for name in names:
            signal.signal(name, signal.SIG_IGN)
        _STOP_REQUESTED.set()
        raise Terminated

    _STOP_REQUESTED.clear()
    before = {name: signal.signal(name, stop) for name in names}
    try:
        yield
    except RuntimeError as error:
        # What DuckDB makes of a signal that reaches it within a statement on this thread.
        if str(error) != "Query interrupted":
            raise
        raise_alone(Terminated())
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def interruptible(
    interrupt: Callable[[], None],
    work: Callable[[], T],
    *,
    finish: Callable[[], bool] | None = None,
    patience: float | None = None,
) -> T:
    """Run work on another thread, so that Ctrl-C reaches this one and stops the statement that is running.

    Parameters
    ----------
    interrupt : callable
        Stops the work, such as the ``interrupt`` of the connection that it uses.
    finish : callable, optional
        Asks a search to end with the best it has and tells whether it will: then the first Ctrl-C does only this, and the
        work goes on with what was found.
    patience : float, optional
        Seconds to wait for the work to stop, for ever by default.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C, or `Terminated`, when the work has stopped, or patience ran out, or Ctrl-C came again. Work that came
        to its end nevertheless has its result returned: what it did is done.
    """
    if _STOP_REQUESTED.is_set():
        raise Terminated
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    # A daemon, because a thread that does not stop must not keep the program alive.
    threading.Thread(target=run, daemon=True).start()
    try:
        try:
            return future.result()
        except KeyboardInterrupt as stop:
            if isinstance(stop, Terminated) or finish is None or not finish():
                raise
            sys.stderr.write(f"{ENDING}\n")
            sys.stderr.flush()
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
