"""What the audit macros say of a table: the figures that guarantees are about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from math import ceil
from typing import Any

from kanon_sql.engines.duckdb.beside import beside, hierarchy
from kanon_sql.engines.duckdb.names import literal, quoted, table_name
from kanon_sql.errors import SourceError, raise_alone
from kanon_sql.model.requirements import (
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    Requirement,
    TCloseness,
    ThresholdRequirement,
)
from kanon_sql.model.validation import named_file

Figures = Mapping[str, Any]
"""The one row of an audit macro, by the names of its columns."""

_DIVERSITY = "FROM l_diversity($table, $qi, $sensitive, l := $l)"
_CLOSENESS = "FROM t_closeness($table, $qi, $sensitive, metric := $metric, hierarchy := $hierarchy)"

_LIKENESS = "FROM beta_likeness($table, $qi, $sensitive)"
_DISCLOSURE = "FROM delta_disclosure($table, $qi, $sensitive)"

_MAPPING = "FROM k_mapping($table, $qi, population := $population)"

_PRESENCE = "FROM delta_presence($table, $qi, population := $population)"

_EVERYBODY, _SHOWN = '"kanon#texts of the population"', '"kanon#texts of the release"'

_TOLD = re.compile("kanon: (.*)")
"""What a macro says of its arguments; any other error of DuckDB may quote a value."""


def measure(con: Any, requirement: ThresholdRequirement, quasi_identifiers: list[str], table: str = "source") -> dict[str, Any]:
    """Return the figures of a table of a connection, which has the audit macros, for a requirement.

    Raises
    ------
    SourceError
        When the metric does not suit the values.
    """
    with told_by_macros():
        return FIGURES[type(requirement)](
            con, requirement, {"table": table, "qi": quasi_identifiers, "sensitive": requirement.sensitive}
        )


@contextmanager
def told_by_macros() -> Iterator[None]:
    """Raise a SourceError with what an audit macro says of its arguments and tables."""
    import duckdb  # late, because the command line reads this module before it knows what to do

    try:
        yield
    except duckdb.Error as error:
        told = _TOLD.search(str(error))
        if told is None:
            raise
        raise_alone(SourceError(told[1]))


def _closeness(con: Any, requirement: TCloseness, values: dict[str, Any]) -> dict[str, Any]:
    named = {"metric": requirement.metric, "hierarchy": requirement.hierarchy}
    for role, name in named.items():
        if name is not None and named_file(name) is not None:  # the macro takes the name of a table
            source = hierarchy(name) if role == "hierarchy" else beside(name)
            named[role] = f"kanon_{role}"
            con.execute(f"CREATE OR REPLACE TEMP VIEW {quoted(f'kanon_{role}')} AS FROM {source}")
    return record(con, _CLOSENESS, values | named)


def _diversity(con: Any, requirement: LDiversity, values: dict[str, Any]) -> dict[str, Any]:
    # The recursive figures are those of this l; for the others the macro only counts the classes below it.
    least = 1 if requirement.variant == "recursive" else 2
    return record(con, _DIVERSITY, values | {"l": max(least, ceil(requirement.l))})


def _likeness(con: Any, _: BetaLikeness, values: dict[str, Any]) -> dict[str, Any]:
    return record(con, _LIKENESS, values)


def _disclosure(con: Any, _: DeltaDisclosure, values: dict[str, Any]) -> dict[str, Any]:
    return record(con, _DISCLOSURE, values)


FIGURES: dict[type[Requirement], Callable[[Any, Any, dict[str, Any]], dict[str, Any]]] = {
    LDiversity: _diversity,
    TCloseness: _closeness,
    BetaLikeness: _likeness,
    DeltaDisclosure: _disclosure,
}
"""For each requirement what asks for its figures."""


MEASURED: dict[type[ThresholdRequirement], str] = {
    LDiversity: "l-diversity",
    TCloseness: "t-closeness",
    BetaLikeness: "beta-likeness",
    DeltaDisclosure: "delta-disclosure",
}
"""What the figures of each requirement are about."""


def record(con: Any, query: str, values: object) -> dict[str, Any]:
    """Return the one row of a query by its column names."""
    con.execute(query, values)
    names = [column[0] for column in con.description]
    return dict(zip(names, con.fetchall()[0], strict=True))


def frequency_of(figures: Figures) -> Fraction | None:
    """Return the greatest l for which a table is frequency l-diverse; None if it has no rows."""
    return Fraction(figures["worst_size"], figures["worst_count"]) if figures["classes"] else None


def distance_of(figures: Figures) -> Fraction | None:
    """Return the distance of the farthest class; None if a table has no rows."""
    return Fraction(figures["t_numerator"], figures["t_denominator"]) if figures["classes"] else None


def gain_of(figures: Figures) -> Fraction | None:
    """Return the greatest gain of a value over its share of the table; None if a table has no rows."""
    if not figures["classes"]:
        return None
    return Fraction(figures["worst_count"] * figures["rows"], figures["worst_size"] * figures["worst_total"]) - 1


def mapping(con: Any, population: str, quasi_identifiers: list[str], table: str = "source") -> dict[str, Any]:
    """Return how many rows of a population match what a table shows: by texts, where NULL and ``*`` are suppressed cells.

    Raises
    ------
    SourceError
        When the population cannot be counted.
    """
    return _populated(con, _MAPPING, population, quasi_identifiers, table)


def shares(con: Any, population: str, quasi_identifiers: list[str], table: str = "source") -> dict[str, Any]:
    """Return the greatest sum of shares of a row of a population: by texts, where NULL and ``*`` are suppressed cells.

    Raises
    ------
    SourceError
        When the population cannot be counted.
    """
    return _populated(con, _PRESENCE, population, quasi_identifiers, table)


def as_shown(con: Any, suppress: str | None, population: str, quasi_identifiers: list[str], table: str) -> tuple[str, str]:
    """Make views of a release and of a population that show all texts apart, and return their names as the macros take them.

    Parameters
    ----------
    con : connection
        A DuckDB connection.
    suppress : str, optional
        What stands for a suppressed cell in the release; None is NULL. Any other text, ``*`` too, is a value.
    population, table : str
        The population, and the release.
    quasi_identifiers : list of str
        The columns that are compared.

    Returns
    -------
    tuple of str
        The view of the population and that of the release.
    """
    file = named_file(population)
    everybody = table_name(population) if file is None else quoted(file)
    names = [quoted(name) for name in quasi_identifiers]
    for view, source, hidden in (
        (_EVERYBODY, everybody, ["false"] * len(names)),
        (_SHOWN, quoted(table), [is_hidden(name, suppress) for name in names]),
    ):
        cells = ", ".join(map(_cell, names, hidden))
        con.execute(f"CREATE OR REPLACE TEMP VIEW {view} AS SELECT {cells} FROM {source}")  # noqa: S608
    return _EVERYBODY, _SHOWN


def looks_suppressed(con: Any, suppress: str | None, quasi_identifiers: list[str], table: str = "source") -> bool:
    """Return whether a table has the text of suppressed cells as a value: nobody can tell then which cells are suppressed."""
    cells = " OR ".join(is_hidden(quoted(name), suppress) for name in quasi_identifiers)
    query = f"SELECT system.main.count(*) FROM {quoted(table)} WHERE {cells}"  # noqa: S608
    return suppress is not None and con.execute(query).fetchall() != [(0,)]


def is_hidden(column: str, suppress: str | None) -> str:
    """Return the SQL of whether a cell looks as a suppressed one, never NULL."""
    same = f'CAST({column} AS VARCHAR) COLLATE "binary" = {literal(suppress or "")}'
    return f"{column} IS NULL" if suppress is None else f"coalesce({same}, false)"


def _cell(column: str, hidden: str) -> str:
    """Return the SQL of a cell as a text that is never ``*``, and NULL only where it is hidden."""
    value = f"system.main.concat('=', CAST({column} AS VARCHAR))"
    return f"CASE WHEN {hidden} THEN NULL WHEN {column} IS NULL THEN '' ELSE {value} END AS {column}"


def _populated(con: Any, question: str, population: str, quasi_identifiers: list[str], table: str) -> dict[str, Any]:
    file = named_file(population)
    values = {"table": table, "qi": quasi_identifiers, "population": population if file is None else quoted(file)}
    with told_by_macros():
        return record(con, question, values)
