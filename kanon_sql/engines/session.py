"""What kanon-sql remembers of one DuckDB instance: its releases, and the last failure inside a function."""

from __future__ import annotations

import itertools
import threading
from dataclasses import replace

from kanon_sql.certificate import Certificate
from kanon_sql.errors import AuditError, KanonError
from kanon_sql.solvers.budget import Progress

_AUDIT = "kanon audit: "


class Session:
    """The releases of one DuckDB instance, shared by its cursors.

    Attributes
    ----------
    report : Progress or None
        Hears of the progress of a running release.
    """

    def __init__(self) -> None:
        self.report: Progress | None = None
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._releases: dict[int, Certificate] = {}
        self._failure: KanonError | None = None

    def __repr__(self) -> str:
        return f"<kanon session, {len(self._releases)} releases>"

    @property
    def releases(self) -> list[Certificate]:
        """Return the certificates of all releases that passed the audit, oldest first."""
        with self._lock:
            return [certificate for certificate in self._releases.values() if certificate.audited]

    def record(self, certificate: Certificate) -> int:
        """Keep a certificate and return its number."""
        with self._lock:
            number = next(self._numbers)
            self._releases[number] = replace(certificate, number=number)
            return number

    def passed(self, number: int, classes: int, smallest_class: int) -> None:
        """Note what the audit counted."""
        with self._lock:
            self._releases[number] = self._releases[number].passed(classes, smallest_class)

    def fail(self, error: KanonError) -> None:
        """Keep the error itself: DuckDB hands on only its text."""
        with self._lock:
            self._failure = error

    def cause_of(self, message: str) -> KanonError | None:
        """Return the error of ours that a DuckDB error message tells of, if it does."""
        with self._lock:
            failure, self._failure = self._failure, None
        if failure is not None and str(failure) in message:
            return failure
        if _AUDIT in message:
            return AuditError(message[message.index(_AUDIT) + len(_AUDIT) :].split("\n")[0])
        return None
