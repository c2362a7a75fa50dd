"""The audit of a sensitive attribute: what the SQL macros say of a table, and whether that keeps a guarantee."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from math import ceil
from typing import Any, Unpack

from kanon_sql.engines.duckdb.beside import beside, hierarchy
from kanon_sql.engines.duckdb.names import quoted, table_name
from kanon_sql.errors import AuditError, SourceError, raise_alone
from kanon_sql.model.policy_options import ThresholdOptions
from kanon_sql.model.requirements import (
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    People,
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

_SHARE = """SELECT DISTINCT system.main.count(*), system.main.count(*) FILTER (CAST({sensitive} AS VARCHAR) = $value)
    FROM (SELECT system.main.create_sort_key(
                     system.main.row(*COLUMNS(lambda name: system.main.list_contains($qi, name))), 'ASC NULLS FIRST')
                     AS "kanon#class",
                 {sensitive} FROM {table})
    GROUP BY "kanon#class"
"""

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
        return _FIGURES[type(requirement)](
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


_FIGURES: dict[type[Requirement], Callable[[Any, Any, dict[str, Any]], dict[str, Any]]] = {
    LDiversity: _diversity,
    TCloseness: _closeness,
    BetaLikeness: _likeness,
    DeltaDisclosure: _disclosure,
}


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


def require(requirement: ThresholdRequirement, figures: Figures) -> None:
    """Raise an AuditError if a table with these figures breaks a requirement; one without rows keeps all.

    Notes
    -----
    The entropy is told to 9 decimal places, and compared as it is told; everything else is exact.
    """
    if not figures["classes"]:
        return
    kept, found = _VERDICTS[type(requirement)](requirement, figures)
    if not kept:
        raise AuditError(f"{requirement.describe()} does not hold: {found}; hint: release the table with this guarantee")


def require_share(con: Any, requirement: AlphaAnonymity, quasi_identifiers: list[str], table: str) -> None:
    """Raise an AuditError if in some class of a table the named value has too large a share."""
    names = {"qi": quasi_identifiers, "value": requirement.value}
    query = _SHARE.format(table=table_name(table), sensitive=quoted(requirement.sensitive))
    for rows, named in con.execute(query, names).fetchall():
        if named > requirement.alpha * rows:
            raise AuditError(f"{requirement.describe()} does not hold: in some class, {named} of {rows} rows have the value")


def require_matches(con: Any, requirement: KMap, quasi_identifiers: list[str], table: str) -> None:
    """Raise an AuditError if what some class of a table shows matches too few rows of the population; see `mapping`."""
    broken = unmapped(requirement.k, mapping(con, requirement.population, quasi_identifiers, table))
    if broken is not None:
        raise AuditError(f"{requirement.describe()} does not hold: {broken}")


def unmapped(k: int, figures: Figures) -> str | None:
    """Return what is wrong where some class matches fewer than k rows of the population, None where none does."""
    found = figures["k"]
    return f"some class matches {found} rows of the population" if found is not None and found < k else None


def mapping(con: Any, population: str, quasi_identifiers: list[str], table: str = "source") -> dict[str, Any]:
    """Return how many rows of a population match what a table shows: by texts, where NULL and ``*`` are suppressed cells.

    Raises
    ------
    SourceError
        When the population cannot be counted.
    """
    return _populated(con, _MAPPING, population, quasi_identifiers, table)


def require_presence(con: Any, requirement: DeltaPresence, quasi_identifiers: list[str], table: str) -> None:
    """Raise an AuditError if a row of the population has shares of more than delta; see `shares`."""
    broken = too_present(requirement, shares(con, requirement.population, quasi_identifiers, table))
    if broken is not None:
        raise AuditError(f"{requirement.describe()} does not hold: {broken}")


def too_present(requirement: DeltaPresence, figures: Figures) -> str | None:
    """Return what is wrong where shares are more than delta or classes have too many rows, None where nothing is."""
    if figures["unmatched"]:
        return f"{figures['unmatched']} classes have more rows than match them in the population"
    if figures["parts"] * requirement.delta.denominator > requirement.delta.numerator * figures["unit"]:
        return f"the shares of some row of the population add up to {figures['presence']:.6f}"
    return None


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


def require_kept(con: Any, requirement: Requirement, quasi_identifiers: list[str], table: str) -> None:
    """Raise an AuditError if some class of a table breaks a requirement on sensitive values that a release can tell.

    Raises
    ------
    SourceError
        When the metric does not suit the values.
    """
    CHECKS[type(requirement)](con, requirement, quasi_identifiers, table)


def _require_figures(con: Any, requirement: ThresholdRequirement, quasi_identifiers: list[str], table: str) -> None:
    require(requirement, measure(con, requirement, quasi_identifiers, table))


def _untold(con: Any, requirement: KAnonymity | People, quasi_identifiers: list[str], table: str) -> None:
    """Leave rows to the audit of k-anonymity; whose they are, a release does not tell."""


CHECKS: dict[type[Requirement], Callable[[Any, Any, list[str], str], None]] = {
    KAnonymity: _untold,
    People: _untold,
    KMap: require_matches,
    DeltaPresence: require_presence,
    LDiversity: _require_figures,
    AlphaAnonymity: require_share,
    TCloseness: _require_figures,
    BetaLikeness: _require_figures,
    DeltaDisclosure: _require_figures,
}
"""For each requirement what raises an AuditError if the classes of a released table break it."""


def _close(requirement: TCloseness, figures: Figures) -> tuple[bool, str]:
    distance = distance_of(figures) or 0
    return distance <= requirement.t, f"the farthest class is at a distance of {float(distance):.6f}"


def _diverse(requirement: LDiversity, figures: Figures) -> tuple[bool, str]:
    match requirement.variant:
        case "frequency":
            size, count = figures["worst_size"], figures["worst_count"]
            return count * requirement.l <= size, f"in the worst class, one value has {count} of {size} rows"
        case "distinct":
            different = figures["distinct_l"]
            return different >= requirement.l, f"the worst class has {different} different values"
        case "entropy":
            values = figures["entropy_l"]
            return Fraction(str(values)) >= requirement.l, f"the least entropy is that of {values} values"
        case _:
            top, rest = figures["recursive_top"], figures["recursive_rest"]
            found = f"in the worst class, the most frequent value has {top} rows and those from place {requirement.l} on {rest}"
            return requirement.c is not None and top < requirement.c * rest, found


def _like(requirement: BetaLikeness, figures: Figures) -> tuple[bool, str]:
    gain, beyond = gain_of(figures) or 0, figures["beyond_log"]
    found = f"the greatest gain is {float(gain):.6f}, and in {beyond} classes a value gains more than -ln of its share"
    return gain <= requirement.beta and not beyond, found


def _undisclosed(requirement: DeltaDisclosure, figures: Figures) -> tuple[bool, str]:
    ratio = Fraction(figures["ratio_numerator"], figures["ratio_denominator"])
    if figures["incomplete"]:
        return False, f"{figures['incomplete']} classes have not every value of the table"
    return ratio <= requirement.ratio, f"the greatest disclosure is {figures['delta']:.6f}"


_VERDICTS: dict[type[Requirement], Callable[[Any, Figures], tuple[bool, str]]] = {
    LDiversity: _diverse,
    TCloseness: _close,
    BetaLikeness: _like,
    DeltaDisclosure: _undisclosed,
}
