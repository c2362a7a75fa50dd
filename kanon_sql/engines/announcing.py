"""Warnings of releases reach the line of the user's code that made them, once for each release."""

from __future__ import annotations

import re
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, TypeAlias

from kanon_sql.certificate import Certificate
from kanon_sql.errors import AuditError, KanonWarning, raise_alone

if TYPE_CHECKING:
    from kanon_sql.certificate.history_certificate import HistoryCertificate
    from kanon_sql.certificate.table_certificate import TableCertificate

    Announced: TypeAlias = Certificate | TableCertificate | HistoryCertificate
    """What is known of a release of rows, of counts, or of histories."""

_OURS = __name__.partition(".")[0]


class Announcements:
    """Releases whose warnings nobody has seen yet.

    Notes
    -----
    The audit runs in a thread of DuckDB. While a call of ours waits for it, that call announces them when it ends. On
    a connection that was only registered there is no such call: the thread itself announces them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting = 0
        self._unseen: dict[tuple[type, int], Announced] = {}

    def add(self, certificate: Announced) -> None:
        """Announce a release that passed its audit, now or when the waiting call ends.

        Raises
        ------
        AuditError
            When Python treats warnings as errors.
        """
        warning = KanonWarning(*certificate.warnings)
        if certificate.warnings and _is_error(warning):
            raise_alone(AuditError(f"warning treated as an error: {warning}; nothing was released"))
        with self._lock:
            if self._waiting:
                self._unseen[type(certificate), certificate.number or 0] = certificate
                return
        announce([certificate])

    def drop(self, number: int) -> None:
        """Let go of a release that nobody gets."""
        with self._lock:
            self._unseen.pop((Certificate, number), None)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Wait for a statement, and announce its releases when the outermost call ends."""
        with self._lock:
            self._waiting += 1
        try:
            yield
        finally:
            unseen: list[Announced] = []
            with self._lock:
                self._waiting -= 1
                if not self._waiting:
                    unseen, self._unseen = list(self._unseen.values()), {}
            announce(unseen)


def _is_error(warning: KanonWarning) -> bool:
    """Return whether Python treats a warning as an error, wherever it is raised: when it is, the rows would be out already."""
    for action, message, category, module, line in warnings.filters:
        everywhere = module is None and not line
        if everywhere and isinstance(warning, category) and (message is None or re.match(message, str(warning))):
            return action == "error"
    return False


def announce(certificates: Iterable[Announced]) -> None:
    """Warn of what releases reveal, at the line of the caller outside of this package."""
    reported = [certificate.warnings for certificate in certificates if certificate.warnings]
    if not reported:
        return
    depth = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in (_OURS, "contextlib"):
        depth, frame = depth + 1, frame.f_back
    for each in reported:
        warnings.warn(KanonWarning(*each), stacklevel=depth)
