"""What a report tells of a release, counted in SQL: the audit macros where there are any, one GROUP BY where there are none.

The tables are named ``source`` and ``released``, as in `kanon_sql.verification`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from kanon_sql.engines.duckdb.files import columns
from kanon_sql.engines.duckdb.measures import mapping, measure, record, require, require_share, shares, too_present, unmapped
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.errors import AuditError
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
    Requirement,
    TCloseness,
    ThresholdRequirement,
)
from kanon_sql.report.columns import RELEASED, SOURCE, Bar, Column, column_of
from kanon_sql.report.people import people_of
from kanon_sql.report.sensitive import Sensitive, sensitive_of, size_column, told
from kanon_sql.verification.class_people import told_people

_LABELS = "(SELECT CAST({0} AS VARCHAR) FROM {1} WHERE {0} IS NOT NULL EXCEPT SELECT CAST({0} AS VARCHAR) FROM {2} LIMIT 1)"
"""A text of a column that the source has not."""

_UNCOUNTED = "not counted here: the texts of the population do not tell what generalized cells match"

MAX_MASKS = 12
"""Masks that are listed."""

_MASKS = """SELECT {pattern} AS hidden, system.main.count(*) AS n FROM {released} GROUP BY hidden
    ORDER BY n DESC NULLS LAST, hidden ASC NULLS LAST"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A requirement, and what was counted.

    Attributes
    ----------
    text : str
        The requirement, as the clause writes it.
    kept : bool
        Whether the release keeps it.
    found : str
        What was counted, in words.
    """

    text: str
    kept: bool
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask:
    """Columns that are hidden together.

    Attributes
    ----------
    hidden : tuple of str
        The columns.
    rows : int
        Rows of the release in which just these are hidden.
    """

    hidden: tuple[str, ...]
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A release beside its source.

    Attributes
    ----------
    rows : int
        Rows of either.
    least : int
        Rows of the release that a value needs to be told.
    requirements : tuple of Counted
        What was guaranteed.
    sizes, risk : tuple of dict
        The rows of `k_anonymity` and `reidentification_risk`, of the source and of the release.
    utility : dict
        The row of `utility`.
    class_sizes : tuple of Bar
        Rows by the size of their class.
    masks : tuple of Mask
        The masks with most rows.
    other_masks : Mask or None
        All others together, without columns.
    columns : tuple of Column
        The quasi-identifiers.
    sensitive : tuple of Sensitive
        The sensitive attributes.
    unchanged : tuple of str
        The columns about which nothing is guaranteed.
    """

    rows: int
    least: int
    requirements: tuple[Counted, ...]
    sizes: tuple[dict[str, Any], dict[str, Any]]
    risk: tuple[dict[str, Any], dict[str, Any]]
    utility: dict[str, Any]
    class_sizes: tuple[Bar, ...]
    masks: tuple[Mask, ...]
    other_masks: Mask | None
    columns: tuple[Column, ...]
    sensitive: tuple[Sensitive, ...]
    unchanged: tuple[str, ...]


def measured(con: Any, policy: Policy) -> Measured:
    """Measure the tables ``source`` and ``released`` of a connection that has the audit macros.

    Parameters
    ----------
    con : connection
        A DuckDB connection; views and a temporary table are left in it.
    policy : Policy
        What is guaranteed and measured, resolved against the source.

    Raises
    ------
    AuditError
        When the release has other columns or rows than the source, or shows more cells.
    SourceError
        When a metric does not suit the values.

    Notes
    -----
    A few GROUP BYs over each table, and one more for each quasi-identifier.
    """
    names = [qi.column for qi in policy.quasi_identifiers]
    left_out = [] if policy.people is None else [policy.people.per]
    if columns(con, "released") != [name for name in columns(con, "source") if name not in left_out]:
        raise AuditError("the release has other columns than the source; hint: is it a release of that table?")
    sizes = _of_both(con, "k_anonymity", names)
    if sizes[0]["rows"] != sizes[1]["rows"]:
        raise AuditError(f"the release has {sizes[1]['rows']} rows, the source {sizes[0]['rows']}")
    _hide(con, names, {"*", *([policy.suppress] if policy.suppress else [])})
    least = policy.least_class_size
    figures: dict[Requirement, dict[str, Any]] = {
        each: measure(con, each, names, "released") for each in policy.requirements if isinstance(each, ThresholdRequirement)
    }
    release = _Release(con=con, policy=policy, names=names, sizes=sizes[1], figures=figures)
    masks = _masks(con, names)
    listed = [mask for mask in masks[:MAX_MASKS] if mask.rows >= least]
    rest = masks[len(listed) :]
    tables = {"released": quoted(RELEASED), "source": quoted(SOURCE), "qi": names}
    return Measured(
        rows=sizes[1]["rows"],
        least=least,
        requirements=tuple(_counted(each, release) for each in policy.requirements if not _kept_by_all(each)),
        sizes=sizes,
        risk=_of_both(con, "reidentification_risk", names),
        columns=tuple(column_of(con, name, least) for name in names),
        utility=record(con, "FROM utility($released, $source, $qi)", tables),
        class_sizes=_class_sizes(con, names, least),
        masks=tuple(listed),
        other_masks=Mask(hidden=(), rows=sum(mask.rows for mask in rest)) if rest else None,
        sensitive=tuple(sensitive_of(con, name, names, figures) for name in policy.sensitive),
        unchanged=tuple(name for name in columns(con, "released") if name not in {*names, *policy.sensitive}),
    )


def _of_both(con: Any, macro: str, names: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    before, after = (record(con, f"FROM {macro}($table, $qi)", {"table": each, "qi": names}) for each in ("source", "released"))
    return before, after


def _hide(con: Any, names: Sequence[str], texts: set[str]) -> None:
    """Make views of both tables with NULL in each cell that looks suppressed: `utility` knows no text but '*'."""
    listed = ", ".join(map(literal, sorted(texts)))
    shown = ", ".join(
        f"CASE WHEN CAST({quoted(name)} AS VARCHAR) NOT IN ({listed}) THEN {quoted(name)} END AS {quoted(name)}"
        for name in names
    )
    for view, table in ((SOURCE, "source"), (RELEASED, "released")):
        con.execute(f"CREATE OR REPLACE TEMP VIEW {quoted(view)} AS SELECT * REPLACE ({shown}) FROM {table}")  # noqa: S608


def _kept_by_all(requirement: Requirement) -> bool:
    """Tell whether every table keeps a requirement: it is only there to be measured."""
    match requirement:
        case TCloseness(t=t):
            return t >= 1
        case LDiversity(l=l, c=None):
            return l == 1
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Release:
    """What guarantees are told from: the tables, the classes released, and the figures of their sensitive attributes."""

    con: Any
    policy: Policy
    names: list[str]
    sizes: Mapping[str, Any]
    figures: Mapping[Requirement, Mapping[str, Any]]


def _of_rows(requirement: KAnonymity | People, release: _Release) -> tuple[bool, str]:
    k, classes = release.sizes["k"], release.sizes["classes"]
    found = "there are no rows" if k is None else f"the smallest of {classes:,} classes has {k:,} rows"
    return k is None or k >= requirement.k, found


def _of_people(requirement: People, release: _Release) -> tuple[bool, str]:
    kept, found = _of_rows(requirement, release)
    people = people_of(release.con, release.policy)  # by the source: whose a row is, the release does not tell
    if people is None:
        return kept, f"{found}; whose they are, the release does not tell"
    return kept and people[1] >= requirement.k, f"{found}; {told_people(people)}"


def _of_population(requirement: KMap, release: _Release) -> tuple[bool, str]:
    if _generalized(release):
        return True, _UNCOUNTED
    figures = mapping(release.con, requirement.population, release.names, quoted(RELEASED))
    found = f"each class matches at least {figures['k'] or 0:,} of {figures['population_rows']:,} rows of the population"
    return unmapped(requirement.k, figures) is None, found


def _of_presence(requirement: DeltaPresence, release: _Release) -> tuple[bool, str]:
    if _generalized(release):
        return True, _UNCOUNTED
    figures = shares(release.con, requirement.population, release.names, quoted(RELEASED))
    broken = too_present(requirement, figures)
    of = (
        f"of {figures['population_rows']:,} rows of the population, none has shares of more than {figures['presence'] or 0:.4f}"
    )
    return broken is None, broken or of


def _generalized(release: _Release) -> bool:
    labels = " UNION ALL ".join(_LABELS.format(*map(quoted, (name, RELEASED, SOURCE))) for name in release.names)
    return bool(release.con.execute(labels).fetchall())


def _of_share(requirement: AlphaAnonymity, release: _Release) -> tuple[bool, str]:
    kept = _keeps(lambda: require_share(release.con, requirement, release.names, "released"))
    return kept, f"{'in no' if kept else 'in some'} class the value has a larger share"


def _of_figures(requirement: ThresholdRequirement, release: _Release) -> tuple[bool, str]:
    figures = release.figures[requirement]
    found = "; ".join(f"{what}: {value}" for what, value in told(requirement, figures))
    return _keeps(lambda: require(requirement, figures)), found


REPORTED: dict[type[Requirement], Callable[[Any, _Release], tuple[bool, str]]] = {
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
"""For each requirement whether the release keeps it, and what was found."""


def _keeps(check: Callable[[], None]) -> bool:
    """Return whether a check raises no AuditError."""
    try:
        check()
    except AuditError:
        return False
    return True


def _counted(requirement: Requirement, release: _Release) -> Counted:
    kept, found = REPORTED[type(requirement)](requirement, release)
    return Counted(text=requirement.describe(), kept=kept, found=found)


def _class_sizes(con: Any, names: list[str], least: int) -> tuple[Bar, ...]:
    """Return the rows by the size of their class: alone, then from one multiple of k to twice as much."""
    column = size_column(names)
    query = f"SELECT {column}, system.main.sum({column})::BIGINT FROM equivalence_classes($table, $qi) GROUP BY 1"  # noqa: S608
    before, after = (dict(con.execute(query, {"table": each, "qi": names}).fetchall()) for each in ("source", "released"))
    largest = max((*before, *after), default=0)
    starts = sorted({1, 2, *(least << power for power in range(largest.bit_length() + 1))})
    bars = []
    for start, end in pairwise(starts):
        rows = [sum(n for size, n in found.items() if start <= size < end) for found in (before, after)]
        label = str(start) if end == start + 1 else f"{start:,} to {end - 1:,}"
        bars.append(Bar(label=label, before=rows[0], after=rows[1]))
    while bars and not (bars[-1].before or bars[-1].after):
        bars.pop()
    return tuple(bars)


def _masks(con: Any, names: Sequence[str]) -> list[Mask]:
    pattern = f"[{', '.join(f'{quoted(name)} IS NULL' for name in names)}]"
    found = con.execute(_MASKS.format(pattern=pattern, released=quoted(RELEASED))).fetchall()
    return [
        Mask(hidden=tuple(name for name, gone in zip(names, hidden, strict=True) if gone), rows=rows) for hidden, rows in found
    ]
