"""What functions tell of the statements that are being bound: each is bound by one thread, which then runs it.

A function notes the columns of a relation for a planner that asks next.
"""

from __future__ import annotations

import threading

from kanon_sql.engines.duckdb.names import literal

_HEARD = """(
    SELECT system.main.count(*)
    FROM (SELECT COLUMNS(lambda "kanon#c": system.main.kanon_column({key}, "kanon#c")) FROM {relation} AS "kanon#s" WHERE false)
)"""


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


def heard(key: str, relation: str) -> str:
    """Return a subquery of one row that notes the columns of a relation while a statement is bound; it reads no row.

    Parameters
    ----------
    key : str
        The key for `Binding.columns`.
    relation : str
        The relation, as written after FROM.

    Notes
    -----
    Items of FROM are bound from the left to the right: what follows can ask for the columns.
    """
    return _HEARD.format(key=literal(key), relation=relation)
