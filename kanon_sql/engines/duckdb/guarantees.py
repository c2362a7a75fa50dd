"""The guarantees in DuckDB: how the gate asks for them, and what the audit macros measure of them.

Nothing here is shared with a solver.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from kanon_sql.engines.duckdb.audit.measures import macro_errors, populated, record
from kanon_sql.engines.duckdb.gather.from_items import from_item, hierarchy
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.texts import tree_links
from kanon_sql.engines.guarantees import audited, audited_class
from kanon_sql.engines.guarantees.audited_guarantee import Sql
from kanon_sql.model.requirements import (
    REQUIREMENTS,
    PopulationRequirement,
    SensitiveRequirement,
    ThresholdRequirement,
)
from kanon_sql.model.validation import named_file

_ROWS = ("equivalence_classes", "k_known", "history_risk", "reidentification_risk")
"""The macros that count rows of classes, or people; each guarantee says what else measures it."""


@dataclass(frozen=True, slots=True)
class GateSql(Sql):
    """Questions about a tally as of ``audit_tally``, which numbers values in their order and has their texts."""

    all_rows = "system.main.sum(n) OVER ()"

    def has(self, value: str) -> str:
        """Return whether any of the texts of the value is that."""
        return f"value IN (SELECT value FROM {self.tally} WHERE system.main.list_contains(texts, {literal(value)}))"  # noqa: S608

    def exactly(self, call: str) -> str:
        """Return the call."""
        return f"system.main.{call}"

    def table(self, name: str) -> str:
        """Return the name in quotes, or what reads the file."""
        return from_item(name)

    def links(self, name: str) -> str:
        """Return what reads a table or a file."""
        return tree_links(hierarchy(name))


def question(requirement: SensitiveRequirement, tally: str) -> str:
    """Return a query with rows for each class of a tally: whether the requirement holds, how bad it is, a text that says so.

    Raises
    ------
    PolicyError
        When a threshold has too many digits.
    """
    return audited(requirement).question(GateSql(tally))


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


def audit_macros(con: Any, names: Iterable[str] | None = None) -> Any:
    """Define the audit macros on a plain DuckDB connection: no solver of this package is involved in an audit.

    Parameters
    ----------
    names : iterable of str, optional
        Those that are needed; None takes all that measure a guarantee.
    """
    measuring = filter(None, (audited_class(each).macro for each in REQUIREMENTS))
    for name in (*_ROWS, *measuring) if names is None else names:
        con.execute(files("kanon_sql.sql").joinpath(f"{name}.sql").read_text(encoding="utf-8"))
    return con
