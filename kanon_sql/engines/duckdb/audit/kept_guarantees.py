"""Whether a table keeps a guarantee, and what is counted of it in a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.audit_figures import FIRST
from kanon_sql.engines.duckdb.audit.known_classes import counted_known
from kanon_sql.engines.duckdb.audit.measures import as_shown
from kanon_sql.engines.duckdb.guarantees import figures, figures_in
from kanon_sql.engines.duckdb.names import quoted, table_name
from kanon_sql.engines.guarantees import audited
from kanon_sql.engines.guarantees.audited_guarantee import Figures
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import (
    AlphaAnonymity,
    KnownColumns,
    PopulationRequirement,
    Requirement,
    ThresholdRequirement,
)

_SHARE = """SELECT DISTINCT system.main.count(*), system.main.count(*) FILTER (CAST({sensitive} AS VARCHAR) = $value)
    FROM (SELECT system.main.create_sort_key(
                     system.main.row(*COLUMNS(lambda name: system.main.list_contains($qi, name))), 'ASC NULLS FIRST')
                     AS "kanon#class",
                 {sensitive} FROM {table})
    GROUP BY "kanon#class"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A release whose guarantees are counted."""

    con: Any  # a connection with the audit macros and the tables ``source`` and ``released``
    policy: Policy  # what is guaranteed
    names: list[str]  # the quasi-identifiers
    sizes: Mapping[str, Any]  # the row of `k_anonymity` of the release
    figures: Mapping[Requirement, Figures]  # the figures of its sensitive attributes, by requirement


def broken(con: Any, requirement: Requirement, quasi_identifiers: list[str], table: str, suppress: str | None) -> str | None:
    """Return what is wrong if a table breaks a requirement, None if it does not, or the table alone does not show it.

    Rows are left to those who count all classes, people to those who have the source, and sets of known columns to those who
    know which columns are linked.

    Parameters
    ----------
    con : connection
        With the audit macros.
    quasi_identifiers : list of str
        The columns that make classes.
    table : str
        The name of the table.
    suppress : str, optional
        What stands for a suppressed cell in it; None is NULL.

    Raises
    ------
    SourceError
        When the metric does not suit the values, or the population cannot be counted.
    """
    if isinstance(requirement, ThresholdRequirement):
        wrong = audited(requirement).wrong(figures(con, requirement, quasi_identifiers, table))
        return None if wrong is None else f"{wrong}; hint: {FIRST}"
    if isinstance(requirement, PopulationRequirement):
        wrong = audited(requirement).wrong(_shown(con, requirement, quasi_identifiers, table, suppress))
        return None if wrong is None else audited(requirement).refusal(wrong)
    if isinstance(requirement, AlphaAnonymity):
        query = _SHARE.format(table=table_name(table), sensitive=quoted(requirement.sensitive))
        for rows, named in con.execute(query, {"qi": quasi_identifiers, "value": requirement.value}).fetchall():
            if named > requirement.alpha * rows:
                return audited(requirement).refusal(f"in some class, {named} of {rows} rows have the value")
    return None


def found(requirement: Requirement, release: Released) -> tuple[bool, str]:
    """Return whether a release keeps a requirement, and what was found."""
    if isinstance(requirement, ThresholdRequirement):
        measured = release.figures[requirement]
        words = "; ".join(f"{what}: {value}" for what, value in audited(requirement).words(measured))
        return audited(requirement).wrong(measured) is None, words
    if isinstance(requirement, PopulationRequirement):
        measured = _shown(release.con, requirement, release.names, "released", release.policy.suppress)
        return audited(requirement).wrong(measured) is None, audited(requirement).words(measured)
    if isinstance(requirement, AlphaAnonymity):
        kept = broken(release.con, requirement, release.names, "released", None) is None
        return kept, f"{'no class has' if kept else 'some class has'} a larger share of the value"
    if isinstance(requirement, KnownColumns):
        counted = counted_known(release.con, requirement, release.names, release.policy.linked, "released")
        return counted.kept, counted.described()
    k, classes = release.sizes["k"], release.sizes["classes"]  # k people have k rows
    if k is None:
        return True, "there are no rows"
    return k >= requirement.k, f"the smallest of {how_many(classes, 'class', 'classes')} has {how_many(k, 'row')}"


def _shown(
    con: Any, requirement: PopulationRequirement, quasi_identifiers: list[str], table: str, suppress: str | None
) -> dict[str, Any]:
    everybody, shown = as_shown(con, suppress, requirement.population, quasi_identifiers, table)
    return figures_in(con, requirement, everybody, quasi_identifiers, shown)
