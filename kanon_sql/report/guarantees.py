"""Whether a release keeps each guarantee, and what was counted."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.certificate import Certificate
from kanon_sql.engines.duckdb.audit.kept_guarantees import Released, found
from kanon_sql.engines.duckdb.audit.measures import looks_suppressed
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.guarantees import audited
from kanon_sql.model.requirements import KnownColumns, People, PopulationRequirement, Requirement
from kanon_sql.report.columns import RELEASED, SOURCE
from kanon_sql.report.people import people_of
from kanon_sql.verification.class_people import people_text

_LABELS = "(SELECT CAST({0} AS VARCHAR) FROM {1} WHERE {0} IS NOT NULL EXCEPT SELECT CAST({0} AS VARCHAR) FROM {2} LIMIT 1)"
"""A text of a column that the source has not."""

_UNCOUNTED = "not counted here: the texts of the population do not show what generalized cells match"

_NOT_COUNTED = "not counted here: the source has the text of suppressed cells, so it is not clear which cells are suppressed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A requirement, and what was counted.

    Attributes
    ----------
    text : str
        The requirement, as the clause writes it.
    kept : bool, optional
        Whether the release keeps it; None where that was not counted.
    found : str
        What was counted, in words.
    """

    text: str
    kept: bool | None
    found: str


def counted_guarantees(release: Released, certificate: Certificate | None) -> tuple[Counted, ...]:
    """Return what was counted of each requirement of a policy but those that are only there to be measured.

    Where the two tables do not show whose some rows are, the certificate says what was counted when the release was made.
    """
    return tuple(
        _counted(each, release, certificate) for each in release.policy.requirements if not audited(each).only_measured
    )


def _counted(requirement: Requirement, release: Released, certificate: Certificate | None) -> Counted:
    if isinstance(requirement, PopulationRequirement) and (reason := _uncounted(release)):
        return Counted(text=requirement.describe(), kept=None, found=reason)
    kept, seen = found(requirement, release)
    if isinstance(requirement, KnownColumns) and isinstance(requirement.of, People):
        seen += "; the release does not show whose the rows are"
    if isinstance(requirement, People):
        counted = people_of(release.con, release.policy)  # by the source: whose a row is, the release does not tell
        if counted is None:
            seen += "; the release does not show whose they are"
        else:
            kept = kept and counted[1] >= requirement.k
            if kept and counted[0] < requirement.k and certificate is None:
                return Counted(text=requirement.describe(), kept=None, found=people_text(counted))
            if certificate is not None and counted[0] < counted[1] and requirement.k <= counted[1]:
                seen += f"; the smallest class had {certificate.smallest} when the release was made"
            seen += f"; {people_text(counted, by_tokens=not release.policy.dropped)}"
    return Counted(text=requirement.describe(), kept=kept, found=seen)


def _uncounted(release: Released) -> str | None:
    """Return why nothing of the release can be counted in a population, None where it can."""
    if _generalized(release):
        return _UNCOUNTED
    return _NOT_COUNTED if looks_suppressed(release.con, release.policy.suppress, release.names) else None


def _generalized(release: Released) -> bool:
    labels = " UNION ALL ".join(_LABELS.format(*map(quoted, (name, RELEASED, SOURCE))) for name in release.names)
    return bool(release.con.execute(labels).fetchall())
