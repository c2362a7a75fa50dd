"""The last failures inside of functions: DuckDB hands on only their texts, by which the errors themselves are found again."""

from __future__ import annotations

import json
import threading
from collections import deque
from contextlib import suppress

from kanon_sql.errors import AuditError, KanonError

_AUDIT = "kanon audit: "

_FAILURES = 64
"""Errors of ours that are kept until DuckDB has reported them: connections may fail at the same time."""

_JSON = '{"exception_type":'
"""How the words of an error begin under ``errors_as_json``."""


class RememberedFailures:
    """The last errors of ours that functions raised in one DuckDB instance."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failures: deque[KanonError] = deque(maxlen=_FAILURES)

    def add(self, error: KanonError) -> None:
        """Keep the error itself: DuckDB hands on only its text."""
        with self._lock:
            self._failures.append(error)

    def cause_of(self, message: str) -> KanonError | None:
        """Return the error of ours that a DuckDB error message tells of, if it does."""
        message = worded(message)
        with self._lock:
            failure = next((each for each in reversed(self._failures) if str(each) in message), None)
            if failure is not None:
                self._failures.remove(failure)
                return failure
        if _AUDIT in message:
            return AuditError(message[message.index(_AUDIT) + len(_AUDIT) :].split("\n")[0])
        return None


def worded(message: str) -> str:
    """Return an error message of DuckDB as it is by default: under ``errors_as_json``, its words are in a JSON object."""
    kind, found, _ = message.partition(_JSON)
    if not found:
        return message
    with suppress(ValueError):
        parsed, _ = json.JSONDecoder().raw_decode(message, len(kind))
        return f"{kind}{parsed.get('exception_message', '')}"
    return message
