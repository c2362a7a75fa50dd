"""The audit of a sensitive attribute: what the SQL macros say of a table, and whether that keeps a promise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import Any

from kanon_sql.engines.duckdb.names import quoted, table_name
from kanon_sql.errors import AuditError, SourceError, raise_alone
from kanon_sql.model.requirements import AlphaAnonymity, LDiversity, TCloseness, named_requirements

Figures = Mapping[str, Any]
"""The one row of an audit macro, by the names of its columns."""

_DIVERSITY = "FROM l_diversity($table, $qi, $sensitive, l := $l)"
_CLOSENESS = "FROM t_closeness($table, $qi, $sensitive, metric := $metric, hierarchy := $hierarchy)"

_SHARE = """SELECT DISTINCT system.main.count(*), system.main.count(*) FILTER (CAST({sensitive} AS VARCHAR) = $value)
    FROM (SELECT system.main.create_sort_key(
                     system.main.row(*COLUMNS(lambda name: system.main.list_contains($qi, name))), 'ASC NULLS FIRST')
                     AS "kanon#class",
                 {sensitive} FROM {table})
    GROUP BY "kanon#class"
"""

_TOLD = re.compile("kanon: (.*)")
"""What a macro says of its arguments; any other error of DuckDB may quote a value."""


def measured_requirements(
    sensitive: str | None,
    *,
    l: Any = None,  # noqa: E741 - its name everywhere
    variant: str | None = None,
    c: Any = None,
    t: Any = None,
    metric: str | None = None,
    hierarchy: str | None = None,
) -> tuple[LDiversity | TCloseness, ...]:
    """Return what an audit measures of a sensitive attribute: l-diversity and t-closeness, also where none is promised.

    Parameters
    ----------
    sensitive : str, optional
        The sensitive attribute; None where there is none.
    l, variant, c, t, metric, hierarchy : optional
        As in `named_requirements`, but that a metric needs no ``t``.
    """
    if sensitive is not None:
        # What every table keeps: l >= 1 and t <= 1.
        l = 1 if (l, variant, c) == (None, None, None) else l  # noqa: E741
        t = 1 if t is None else t
    return named_requirements(sensitive, l=l, variant=variant, c=c, t=t, metric=metric, hierarchy=hierarchy)


def measure(
    con: Any, requirement: LDiversity | TCloseness, quasi_identifiers: list[str], table: str = "source"
) -> dict[str, Any]:
    """Return the figures of a table of a connection, which has the audit macros, for a requirement.

    Raises
    ------
    SourceError
        When the metric does not suit the values.
    """
    import duckdb  # late, because the command line reads this module before it knows what to do

    try:
        return _figures(con, requirement, {"table": table, "qi": quasi_identifiers, "sensitive": requirement.sensitive})
    except duckdb.Error as error:
        told = _TOLD.search(str(error))
        if told is None:
            raise
        raise_alone(SourceError(told[1]))


def _figures(con: Any, requirement: LDiversity | TCloseness, values: dict[str, Any]) -> dict[str, Any]:
    if isinstance(requirement, TCloseness):
        return record(con, _CLOSENESS, values | {"metric": requirement.metric, "hierarchy": requirement.hierarchy})
    # The recursive figures are those of this l; for the others the macro only counts the classes below it.
    least = 1 if requirement.variant == "recursive" else 2
    return record(con, _DIVERSITY, values | {"l": max(least, ceil(requirement.l))})


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


def demand(requirement: LDiversity | TCloseness, figures: Figures) -> None:
    """Raise an AuditError if a table with these figures breaks a requirement; one without rows keeps all.

    Notes
    -----
    The entropy is told to 9 decimal places, and compared as it is told; everything else is exact.
    """
    if not figures["classes"]:
        return
    if isinstance(requirement, TCloseness):
        distance = distance_of(figures) or 0
        kept, found = distance <= requirement.t, f"the farthest class is at a distance of {float(distance):.6f}"
    else:
        kept, found = _diverse(requirement, figures)
    if not kept:
        raise AuditError(f"{requirement.describe()} does not hold: {found}; hint: release the table with this promise")


def demand_share(con: Any, requirement: AlphaAnonymity, quasi_identifiers: list[str], table: str) -> None:
    """Raise an AuditError if in some class of a table the named value has too large a share."""
    names = {"qi": quasi_identifiers, "value": requirement.value}
    query = _SHARE.format(table=table_name(table), sensitive=quoted(requirement.sensitive))
    for rows, named in con.execute(query, names).fetchall():
        if named > requirement.alpha * rows:
            raise AuditError(f"{requirement.describe()} does not hold: in some class, {named} of {rows} rows have the value")


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
