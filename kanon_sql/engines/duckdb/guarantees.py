"""The guarantees in DuckDB: how the gate asks for them, and what the audit counts of them in a table that was released.

Nothing here is shared with a solver.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.audit_figures import FIRST
from kanon_sql.engines.duckdb.audit.measures import as_shown, macro_errors, populated, record
from kanon_sql.engines.duckdb.gather.from_items import from_item, hierarchy
from kanon_sql.engines.duckdb.names import literal, quoted, table_name
from kanon_sql.engines.duckdb.texts import tree_links
from kanon_sql.engines.guarantees import audited, audited_class
from kanon_sql.engines.guarantees.audited_guarantee import AuditedFigures, AuditedPopulation, Figures, Sql
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import (
    REQUIREMENTS,
    AlphaAnonymity,
    KnownColumns,
    PopulationRequirement,
    Requirement,
    SensitiveRequirement,
    ThresholdRequirement,
)
from kanon_sql.model.validation import named_file

_SHARE = """SELECT DISTINCT system.main.count(*), system.main.count(*) FILTER (CAST({sensitive} AS VARCHAR) = $value)
    FROM (SELECT system.main.create_sort_key(
                     system.main.row(*COLUMNS(lambda name: system.main.list_contains($qi, name))), 'ASC NULLS FIRST')
                     AS "kanon#class",
                 {sensitive} FROM {table})
    GROUP BY "kanon#class"
"""


@dataclass(frozen=True, slots=True)
class GateSql(Sql):
    """Questions about a tally as of ``audit_tally``, which numbers values in their order and has their texts."""

    all_rows = "system.main.sum(n) OVER ()"

    def has(self, value: str) -> str:
        """Return whether any of the texts of the value is that."""
        return f"value IN (SELECT value FROM {self.tally} WHERE system.main.list_contains(texts, {literal(value)}))"

    def exactly(self, call: str) -> str:
        """Return the call."""
        return f"system.main.{call}"

    def table(self, name: str) -> str:
        """Return the name in quotes, or what reads the file."""
        return from_item(name)

    def links(self, name: str) -> str:
        """Return what reads a table or a file."""
        return tree_links(hierarchy(name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A release whose guarantees are counted.

    Attributes
    ----------
    con : connection
        With the audit macros and the tables ``source`` and ``released``.
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
    figures: Mapping[Requirement, Figures]


def question(requirement: SensitiveRequirement, tally: str) -> str:
    """Return a query with rows for each class of a tally: whether the requirement holds, how bad it is, a text that says so.

    Raises
    ------
    PolicyError
        When a threshold has too many digits.
    """
    return audited(requirement).question(GateSql(tally))


def macros() -> tuple[str, ...]:
    """Return the audit macros that measure what rows of classes do not tell."""
    return tuple(filter(None, (audited_class(each).macro for each in REQUIREMENTS)))


def figures(con: Any, requirement: ThresholdRequirement, quasi_identifiers: list[str], table: str = "source") -> dict[str, Any]:
    """Return what its macro measures of a table of a connection, which has the audit macros.

    Raises
    ------
    SourceError
        When the metric does not suit the values.
    """
    guarantee = audited(requirement)
    values = {"table": table, "qi": quasi_identifiers, "sensitive": requirement.sensitive}
    with macro_errors():
        more = {name: _as_table(con, name, value) for name, value in guarantee.arguments().items()}
        names = "".join(f", {name} := ${name}" for name in more)
        return record(con, f"FROM {guarantee.macro}($table, $qi, $sensitive{names})", values | more)


def _as_table(con: Any, name: str, value: Any) -> Any:
    """Return an argument of a macro, which takes the names of tables: a file becomes a view."""
    if not isinstance(value, str) or named_file(value) is None:
        return value
    source = hierarchy(value) if name == "hierarchy" else from_item(value)
    con.execute(f"CREATE OR REPLACE TEMP VIEW {quoted(f'kanon_{name}')} AS FROM {source}")
    return f"kanon_{name}"


def figures_in(
    con: Any, requirement: PopulationRequirement, population: str, quasi_identifiers: list[str], table: str = "source"
) -> dict[str, Any]:
    """Return what a table shows in a population: by texts, where NULL and ``*`` are suppressed cells.

    Raises
    ------
    SourceError
        When the population cannot be counted.
    """
    return populated(con, str(audited(requirement).macro), population, quasi_identifiers, table)


def broken(con: Any, requirement: Requirement, quasi_identifiers: list[str], table: str, suppress: str | None) -> str | None:
    """Return what is wrong if a table breaks a requirement, None if it does not, or the table alone does not show it.

    Rows are left to those who count all classes, people to those who have the source, and sets of known columns to those who
    know which columns are linked.

    Parameters
    ----------
    con : connection
        A DuckDB connection that has the audit macros.
    requirement : Requirement
        The requirement.
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
    guarantee = audited(requirement)
    if isinstance(guarantee, AuditedFigures):
        wrong = guarantee.wrong(figures(con, guarantee.requirement, quasi_identifiers, table))
        return None if wrong is None else f"{wrong}; hint: {FIRST}"
    if isinstance(guarantee, AuditedPopulation):
        wrong = guarantee.wrong(_shown(con, guarantee.requirement, quasi_identifiers, table, suppress))
        return None if wrong is None else guarantee.refusal(wrong)
    if isinstance(requirement, AlphaAnonymity):
        query = _SHARE.format(table=table_name(table), sensitive=quoted(requirement.sensitive))
        for rows, named in con.execute(query, {"qi": quasi_identifiers, "value": requirement.value}).fetchall():
            if named > requirement.alpha * rows:
                return guarantee.refusal(f"in some class, {named} of {rows} rows have the value")
    return None


def found(requirement: Requirement, release: Released) -> tuple[bool, str]:
    """Return whether a release keeps a requirement, and what was found."""
    guarantee = audited(requirement)
    if isinstance(guarantee, AuditedFigures):
        measured = release.figures[requirement]
        return guarantee.wrong(measured) is None, "; ".join(f"{what}: {value}" for what, value in guarantee.words(measured))
    if isinstance(guarantee, AuditedPopulation):
        measured = _shown(release.con, guarantee.requirement, release.names, "released", release.policy.suppress)
        return guarantee.wrong(measured) is None, guarantee.words(measured)
    if isinstance(requirement, AlphaAnonymity):
        kept = broken(release.con, requirement, release.names, "released", None) is None
        return kept, f"{'in no' if kept else 'in some'} class the value has a larger share"
    if isinstance(requirement, KnownColumns):
        from kanon_sql.engines.duckdb.audit.known_classes import counted_known  # it asks for the other guarantees

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
