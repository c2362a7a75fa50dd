"""What functions tell of the statements that are being bound: each is bound by one thread, which then runs it."""

from __future__ import annotations

import threading


class Binding:
    """Columns of policies, and calls of functions, by the thread that binds a statement."""

    def __init__(self) -> None:
        self._columns = threading.local()
        self._touched = threading.local()

    def bound(self, policy: str, column: str) -> None:
        """Note a column of a query that is being bound under a policy; a statement is bound by one thread."""
        found: dict[str, list[str]] = self._columns.__dict__
        found.setdefault(policy, []).append(column)

    def columns(self, policy: str) -> list[str]:
        """Return the columns noted for a policy since the last call, each once: an interrupt may leave some."""
        return list(dict.fromkeys(self._columns.__dict__.pop(policy, [])))

    @property
    def touched(self) -> int:
        """Return how often a function of a release was called by this thread, which binds a statement before it runs it."""
        return int(self._touched.__dict__.get("times", 0))

    def touch(self) -> None:
        """Note that a function of a release was called."""
        self._touched.times = self.touched + 1
