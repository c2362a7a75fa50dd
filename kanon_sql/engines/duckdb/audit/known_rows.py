"""The audit of an attacker who knows some rows of a person: how many people have the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.audit.measures import macro_errors, record
from kanon_sql.errors import PolicyError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.linked_histories import MOST_ROWS


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRows:
    """What the attacker knows."""

    rows: int  # how many rows of a person, any of them
    per: str  # the column that links the rows of a person, as the table spells it

    @classmethod
    def requested(cls, rows: int | None, per: str | None, known: int | None) -> KnownRows | None:
        """Return what options ask for; None if they ask for no rows.

        Raises
        ------
        PolicyError
            When they contradict each other.
        """
        if rows is None:
            return None
        if isinstance(rows, bool) or rows not in range(1, MOST_ROWS + 1):
            raise PolicyError("known_rows must be 1, 2 or 3; hint: pass the number of a person's rows that an attacker knows")
        if per is None:
            raise PolicyError("known_rows needs the column that links the rows of a person; hint: pass per='patient_id'")
        if known is not None:
            raise PolicyError("known and known_rows cannot be combined; hint: audit the table once with each")
        return cls(rows=rows, per=per)

    def figures(self, con: Any, quasi_identifiers: Sequence[str], k: int | None) -> dict[str, Any]:
        """Return the row of `history_risk` of the table ``source``.

        Raises
        ------
        SourceError
            When people have too many sets of rows.
        """
        values = {"person": self.per, "qi": list(quasi_identifiers), "m": self.rows}
        below = "" if k is None else f", k := {k:d}"
        with macro_errors():
            return record(con, f"FROM history_risk('source', $person, $qi, $m{below})", values)

    def broken(self, fewest: int | None, k: int | None) -> str | None:
        """Return what is wrong if some rows of a person are those of fewer than k people, None if they are not."""
        if k is None or fewest is None or fewest >= k:
            return None
        people = "only 1 person" if fewest == 1 else f"only {fewest:,} people"
        match = "matches" if self.rows == 1 else "match"
        return f"any {how_many(self.rows, 'row')} of a person {match} {people}, fewer than k = {k}"
