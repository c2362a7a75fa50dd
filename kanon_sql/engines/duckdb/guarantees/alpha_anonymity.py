"""alpha: the rows of each class that have the named value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.guarantees.audited_guarantee import AuditedColumn, Released
from kanon_sql.engines.duckdb.names import literal, quoted, table_name
from kanon_sql.engines.duckdb.texts import guarantee_text
from kanon_sql.model.requirements import AlphaAnonymity

_SHARE = """SELECT DISTINCT system.main.count(*), system.main.count(*) FILTER (CAST({sensitive} AS VARCHAR) = $value)
    FROM (SELECT system.main.create_sort_key(
                     system.main.row(*COLUMNS(lambda name: system.main.list_contains($qi, name))), 'ASC NULLS FIRST')
                     AS "kanon#class",
                 {sensitive} FROM {table})
    GROUP BY "kanon#class"
"""


@dataclass(frozen=True, slots=True)
class AlphaAnonymityAudit(AuditedColumn[AlphaAnonymity]):
    """At most a share of the rows of a class has the value."""

    unions_keep = True

    def question(self, tally: str) -> str:
        """Return the share of the value in each class."""
        requirement = self.requirement
        return guarantee_text(
            "alpha_anonymity", tally=tally, value=literal(requirement.value), **self.ratio(alpha=requirement.alpha)
        )

    def found(self, release: Released) -> tuple[bool, str]:
        """Return whether some class has too many."""
        kept = self.broken(release.con, release.names, "released", None) is None
        return kept, f"{'in no' if kept else 'in some'} class the value has a larger share"

    def broken(self, con: Any, quasi_identifiers: list[str], table: str, _suppress: str | None) -> str | None:
        """Return the rows of a class that has too many."""
        requirement = self.requirement
        query = _SHARE.format(table=table_name(table), sensitive=quoted(requirement.sensitive))
        for rows, named in con.execute(query, {"qi": quasi_identifiers, "value": requirement.value}).fetchall():
            if named > requirement.alpha * rows:
                return self.refusal(f"in some class, {named} of {rows} rows have the value")
        return None
