"""Where the protected tables of a file or a table of Python are remembered: in a ledger that the user names, or nowhere.

The tables of a source in a database file are remembered there, see `table_record`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.duckdb.cells.tables_read import identity
from kanon_sql.model.tabulation import named_table
from kanon_sql.model.validation import same_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Where the tables of the one source of an instance are remembered."""

    name: str  # the source, as a name that later sessions give it too
    database: str | None = None  # the attached ledger; None if nothing remembers the tables
    warning: str | None = None  # what is said if nothing does
    fingerprint: str | None = None  # that of a source that is no table of a database, see `fingerprint`

    def knows(self, counting: Counting) -> bool:
        """Return whether a remembered table is one of this source, so that both are counted together."""
        return self.name in counting.tabulation.reads

    def lasting(self, reads: Iterable[str], tables: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
        """Return what a table reads, as `tables_read` returns it, under names that later sessions give it too."""
        stored = {identity(each): each for each in tables if each["kind"] != "macro"}
        found = {self.name} if self.fingerprint is None else {self.name, self.fingerprint}
        for each in reads:
            what = stored.get(each)
            if what is None:
                found.add(each)
            elif what["path"] is not None:
                found.add(lasting_name(what["path"], what["schema"], what["name"]))
        return tuple(sorted(found))


def lasting_name(path: str | Path, *parts: str) -> str:
    """Return a name for a file, or for a table in it, that does not show its folder."""
    where = str(path)
    marked = [Path(where).name, sha256(where.encode()).hexdigest()[:16], *map(same_name, parts)]
    return named_table([" ".join(marked)])
