"""Whether a release keeps each guarantee, and what was counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.measures import as_shown, looks_suppressed, mapping, shares
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.verdicts import require, require_share, too_present, unmapped
from kanon_sql.errors import AuditError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import (
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    People,
    PopulationRequirement,
    Requirement,
    TCloseness,
    ThresholdRequirement,
)
from kanon_sql.report.columns import RELEASED, SOURCE
from kanon_sql.report.people import people_of
from kanon_sql.report.sensitive import told
from kanon_sql.verification.class_people import told_people

_LABELS = "(SELECT CAST({0} AS VARCHAR) FROM {1} WHERE {0} IS NOT NULL EXCEPT SELECT CAST({0} AS VARCHAR) FROM {2} LIMIT 1)"
"""A text of a column that the source has not."""

_UNCOUNTED = "not counted here: the texts of the population do not tell what generalized cells match"

_UNTOLD = "not counted here: the source has the text of suppressed cells, so nobody can tell which cells are suppressed"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What guarantees are told from.

    Attributes
    ----------
    con : connection
        With the tables ``source`` and ``released``, and the views of both without suppressed cells.
    policy : Policy
        What is guaranteed.
    names : list of str
        The quasi-identifiers.
    sizes : mapping
        The row of `k_anonymity` of the release.
    figures : mapping
        The figures of its sensitive attributes, by requirement.
    """

    con: Any
    policy: Policy
    names: list[str]
    sizes: Mapping[str, Any]
    figures: Mapping[Requirement, Mapping[str, Any]]


def counted_guarantees(release: Told) -> tuple[Counted, ...]:
    """Return what was counted of each requirement of a policy but those that are only there to be measured."""
    return tuple(_counted(each, release) for each in release.policy.requirements if not _kept_by_all(each))


def _of_rows(requirement: KAnonymity | People, release: Told) -> tuple[bool, str]:
    k, classes = release.sizes["k"], release.sizes["classes"]
    found = (
        "there are no rows"
        if k is None
        else f"the smallest of {how_many(classes, 'class', 'classes')} has {how_many(k, 'row')}"
    )
    return k is None or k >= requirement.k, found


def _of_people(requirement: People, release: Told) -> tuple[bool, str]:
    kept, found = _of_rows(requirement, release)
    people = people_of(release.con, release.policy)  # by the source: whose a row is, the release does not tell
    if people is None:
        return kept, f"{found}; whose they are, the release does not tell"
    return kept and people[1] >= requirement.k, f"{found}; {told_people(people, by_tokens=not release.policy.dropped)}"


def _of_population(requirement: KMap, release: Told) -> tuple[bool | None, str]:
    if untold := _uncounted(release):
        return None, untold
    figures = mapping(release.con, *_as_shown(requirement, release))
    found = (
        f"each class matches at least {figures['k'] or 0:,} of {how_many(figures['population_rows'], 'row')} of the population"
    )
    return unmapped(requirement.k, figures) is None, found


def _of_presence(requirement: DeltaPresence, release: Told) -> tuple[bool | None, str]:
    if untold := _uncounted(release):
        return None, untold
    figures = shares(release.con, *_as_shown(requirement, release))
    broken = too_present(requirement, figures)
    of = (
        f"of {how_many(figures['population_rows'], 'row')} of the population, none has shares of more than "
        f"{figures['presence'] or 0:.4f}"
    )
    return broken is None, broken or of


def _uncounted(release: Told) -> str | None:
    """Return why nothing of the release can be counted in a population, None where it can."""
    if _generalized(release):
        return _UNCOUNTED
    return _UNTOLD if looks_suppressed(release.con, release.policy.suppress, release.names) else None


def _as_shown(requirement: PopulationRequirement, release: Told) -> tuple[str, list[str], str]:
    everybody, shown = as_shown(release.con, release.policy.suppress, requirement.population, release.names, "released")
    return everybody, release.names, shown


def _generalized(release: Told) -> bool:
    labels = " UNION ALL ".join(_LABELS.format(*map(quoted, (name, RELEASED, SOURCE))) for name in release.names)
    return bool(release.con.execute(labels).fetchall())


def _of_share(requirement: AlphaAnonymity, release: Told) -> tuple[bool, str]:
    kept = _keeps(lambda: require_share(release.con, requirement, release.names, "released"))
    return kept, f"{'in no' if kept else 'in some'} class the value has a larger share"


def _of_figures(requirement: ThresholdRequirement, release: Told) -> tuple[bool, str]:
    figures = release.figures[requirement]
    found = "; ".join(f"{what}: {value}" for what, value in told(requirement, figures))
    return _keeps(lambda: require(requirement, figures)), found


REPORTED: dict[type[Requirement], Callable[[Any, Told], tuple[bool | None, str]]] = {
    KAnonymity: _of_rows,
    People: _of_people,
    KMap: _of_population,
    DeltaPresence: _of_presence,
    LDiversity: _of_figures,
    AlphaAnonymity: _of_share,
    TCloseness: _of_figures,
    BetaLikeness: _of_figures,
    DeltaDisclosure: _of_figures,
}
"""For each requirement whether the release keeps it, None where that was not counted, and what was found."""


def _keeps(check: Callable[[], None]) -> bool:
    """Return whether a check raises no AuditError."""
    try:
        check()
    except AuditError:
        return False
    return True


def _counted(requirement: Requirement, release: Told) -> Counted:
    kept, found = REPORTED[type(requirement)](requirement, release)
    return Counted(text=requirement.describe(), kept=kept, found=found)


def _kept_by_all(requirement: Requirement) -> bool:
    """Tell whether every table keeps a requirement: it is only there to be measured."""
    match requirement:
        case TCloseness(t=t):
            return t >= 1
        case LDiversity(l=l, c=None):
            return l == 1
    return False
