"""Whether a released table keeps a guarantee, by the figures of the audit macros."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from kanon_sql.engines.audit_figures import FIRST
from kanon_sql.engines.duckdb.measures import Figures, as_shown, distance_of, gain_of, mapping, measure, shares
from kanon_sql.engines.duckdb.names import quoted, table_name
from kanon_sql.errors import AuditError
from kanon_sql.model.how_many import how_many
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
)

_SHARE = """SELECT DISTINCT system.main.count(*), system.main.count(*) FILTER (CAST({sensitive} AS VARCHAR) = $value)
    FROM (SELECT system.main.create_sort_key(
                     system.main.row(*COLUMNS(lambda name: system.main.list_contains($qi, name))), 'ASC NULLS FIRST')
                     AS "kanon#class",
                 {sensitive} FROM {table})
    GROUP BY "kanon#class"
"""


def require(requirement: ThresholdRequirement, figures: Figures) -> None:
    """Raise an AuditError if a table with these figures breaks a requirement; one without rows keeps all.

    Notes
    -----
    The entropy is told to 9 decimal places, and compared as it is told; everything else is exact.
    """
    if wrong := broken(requirement, figures):
        raise AuditError(f"{wrong}; hint: {FIRST}")


def broken(requirement: ThresholdRequirement, figures: Figures) -> str | None:
    """Return what is wrong if a table with these figures breaks a requirement, None if it does not."""
    if not figures["classes"]:
        return None
    kept, found = VERDICTS[type(requirement)](requirement, figures)
    return None if kept else f"{requirement.describe()} does not hold: {found}"


def require_share(
    con: Any, requirement: AlphaAnonymity, quasi_identifiers: list[str], table: str, _suppress: str | None = None
) -> None:
    """Raise an AuditError if in some class of a table the named value has too large a share."""
    names = {"qi": quasi_identifiers, "value": requirement.value}
    query = _SHARE.format(table=table_name(table), sensitive=quoted(requirement.sensitive))
    for rows, named in con.execute(query, names).fetchall():
        if named > requirement.alpha * rows:
            raise AuditError(f"{requirement.describe()} does not hold: in some class, {named} of {rows} rows have the value")


def require_matches(con: Any, requirement: KMap, quasi_identifiers: list[str], table: str, suppress: str | None) -> None:
    """Raise an AuditError if what some class of a table shows matches too few rows of the population; see `mapping`."""
    everybody, shown = as_shown(con, suppress, requirement.population, quasi_identifiers, table)
    broken = unmapped(requirement.k, mapping(con, everybody, quasi_identifiers, shown))
    if broken is not None:
        raise AuditError(f"{requirement.describe()} does not hold: {broken}")


def unmapped(k: int, figures: Figures) -> str | None:
    """Return what is wrong where some class matches fewer than k rows of the population, None where none does."""
    found = figures["k"]
    return f"some class matches {how_many(found, 'row')} of the population" if found is not None and found < k else None


def require_presence(
    con: Any, requirement: DeltaPresence, quasi_identifiers: list[str], table: str, suppress: str | None
) -> None:
    """Raise an AuditError if a row of the population has shares of more than delta; see `shares`."""
    everybody, shown = as_shown(con, suppress, requirement.population, quasi_identifiers, table)
    broken = too_present(requirement, shares(con, everybody, quasi_identifiers, shown))
    if broken is not None:
        raise AuditError(f"{requirement.describe()} does not hold: {broken}")


def too_present(requirement: DeltaPresence, figures: Figures) -> str | None:
    """Return what is wrong where shares are more than delta or classes have too many rows, None where nothing is."""
    if figures["unmatched"]:
        more = how_many(figures["unmatched"], "class has more rows than match it", "classes have more rows than match them")
        return f"{more} in the population"
    if figures["parts"] * requirement.delta.denominator > requirement.delta.numerator * figures["unit"]:
        return f"the shares of some row of the population add up to {figures['presence']:.6f}"
    return None


def require_kept(con: Any, requirement: Requirement, quasi_identifiers: list[str], table: str, suppress: str | None) -> None:
    """Raise an AuditError if some class of a table breaks a requirement that a release can tell.

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
        When the metric does not suit the values.
    """
    CHECKS[type(requirement)](con, requirement, quasi_identifiers, table, suppress)


def _require_figures(
    con: Any, requirement: ThresholdRequirement, quasi_identifiers: list[str], table: str, _suppress: str | None
) -> None:
    require(requirement, measure(con, requirement, quasi_identifiers, table))


def _untold(
    con: Any, requirement: KAnonymity | People, quasi_identifiers: list[str], table: str, _suppress: str | None
) -> None:
    """Leave rows to the audit of k-anonymity; whose they are, a release does not tell."""


CHECKS: dict[type[Requirement], Callable[[Any, Any, list[str], str, str | None], None]] = {
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
            return count * requirement.l <= size, f"in the worst class, one value has {count} of {how_many(size, 'row')}"
        case "distinct":
            different = figures["distinct_l"]
            return different >= requirement.l, f"the worst class has {how_many(different, 'different value')}"
        case "entropy":
            values = figures["entropy_l"]
            return Fraction(str(values)) >= requirement.l, f"the least entropy is that of {values} values"
        case _:
            top, rest = figures["recursive_top"], figures["recursive_rest"]
            found = (
                f"in the worst class, the most frequent value has {how_many(top, 'row')} and those from place "
                f"{requirement.l} on {rest}"
            )
            return requirement.c is not None and top < requirement.c * rest, found


def _like(requirement: BetaLikeness, figures: Figures) -> tuple[bool, str]:
    gain, beyond = gain_of(figures) or 0, figures["beyond_log"]
    found = (
        f"the greatest gain is {float(gain):.6f}, and in {how_many(beyond, 'class', 'classes')} a value gains "
        "more than -ln of its share"
    )
    return gain <= requirement.beta and not beyond, found


def _undisclosed(requirement: DeltaDisclosure, figures: Figures) -> tuple[bool, str]:
    ratio = Fraction(figures["ratio_numerator"], figures["ratio_denominator"])
    if figures["incomplete"]:
        return False, f"{how_many(figures['incomplete'], 'class has', 'classes have')} not every value of the table"
    return ratio <= requirement.ratio, f"the greatest disclosure is {figures['delta']:.6f}"


VERDICTS: dict[type[Requirement], Callable[[Any, Figures], tuple[bool, str]]] = {
    LDiversity: _diverse,
    TCloseness: _close,
    BetaLikeness: _like,
    DeltaDisclosure: _undisclosed,
}
"""For each requirement whether figures keep it, and what was found."""
