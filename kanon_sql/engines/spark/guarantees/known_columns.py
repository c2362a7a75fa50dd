"""Known columns: the classes of what was written, by every set of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.engines.spark.guarantees.audited_guarantee import AuditedGuarantee
from kanon_sql.engines.spark.names import quoted
from kanon_sql.engines.spark.texts import guarantee_text
from kanon_sql.model.requirements import KnownColumns, of_known


@dataclass(frozen=True, slots=True)
class KnownColumnsAudit(AuditedGuarantee[KnownColumns]):
    """At least k rows, or diverse values, by every set of known columns."""

    def instead(self) -> str | None:
        """Return what to request if Spark does not audit the requirement of a class, None if it does."""
        from kanon_sql.engines.spark.guarantees import audited  # it imports this file

        of = of_known(self.requirement)
        return None if of is None else audited(of).instead()

    def check(self, units: Sequence[str], sets: Sequence[Sequence[int]], written: str) -> str:
        """Return the statement that counts the classes by some sets.

        Parameters
        ----------
        units : sequence of str
            What defines the values of each column, or group of linked columns.
        sets : sequence of sequence of int
            Places of these.
        written : str
            The quoted name of the table or view.

        Raises
        ------
        PolicyError
            When a threshold has too many digits.
        """
        from kanon_sql.engines.spark.guarantees import audited

        of = of_known(self.requirement)
        places = sorted({place for each in sets for place in each})
        values = [] if of is None else ["value"]
        slots = {
            "units": ", ".join(f"struct({units[place]}) AS u{place}" for place in places),
            "chosen": f"concat({', '.join(f'grouping(u{place})' for place in places)})",
            "sets": ", ".join(f"({', '.join([*(f'u{place}' for place in each), *values])})" for each in sets),
            "written": written,
        }
        if of is None:
            return guarantee_text("known_columns", k=str(self.requirement.least), **slots)
        names = ", ".join(f"u{place}" for place in places)
        question = audited(of).question()
        return guarantee_text("known_columns_values", names=names, sensitive=quoted(of.sensitive), question=question, **slots)
