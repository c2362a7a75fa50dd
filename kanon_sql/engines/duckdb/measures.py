"""What the audit macros say of a table: the figures that guarantees are about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from math import ceil
from typing import Any, Unpack

from kanon_sql.engines.duckdb.beside import beside, hierarchy
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import SourceError, raise_alone
from kanon_sql.model.policy_options import ThresholdOptions
from kanon_sql.model.requirements import (
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    Requirement,
    TCloseness,
    ThresholdRequirement,
    named_requirements,
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

_TOLD = re.compile("kanon: (.*)")
"""What a macro says of its arguments; any other error of DuckDB may quote a value."""


def measured_requirements(sensitive: str | None, **asked: Unpack[ThresholdOptions]) -> tuple[ThresholdRequirement, ...]:
    """Return what an audit measures of a sensitive attribute: l-diversity and t-closeness, also where none is asked for.

    Parameters
    ----------
    sensitive : str, optional
        The sensitive attribute; None where there is none.
    **asked
        As in `named_requirements`, but that a metric needs no ``t``.
    """
    if sensitive is not None:
        # What every table keeps: l >= 1 and t <= 1.
        if asked.get("l") is None and asked.get("variant") is None and asked.get("c") is None:
            asked["l"] = 1
        if asked.get("t") is None:
            asked["t"] = 1
    return named_requirements(sensitive, **asked)


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


def _populated(con: Any, question: str, population: str, quasi_identifiers: list[str], table: str) -> dict[str, Any]:
    file = named_file(population)
    values = {"table": table, "qi": quasi_identifiers, "population": population if file is None else quoted(file)}
    with told_by_macros():
        return record(con, question, values)
