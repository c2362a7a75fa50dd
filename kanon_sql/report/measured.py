"""What a report tells of a release, counted in SQL: the audit macros where there are any, one GROUP BY where there are none.

The tables are named ``source`` and ``released``, as in `kanon_sql.verification`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from kanon_sql.certificate import Certificate
from kanon_sql.engines.duckdb.audit.kept_guarantees import Released
from kanon_sql.engines.duckdb.audit.kept_guarantees import found as found_in
from kanon_sql.engines.duckdb.audit.measures import is_hidden, looks_suppressed, record
from kanon_sql.engines.duckdb.audit.other_columns import identifiers_of
from kanon_sql.engines.duckdb.files.tables import columns
from kanon_sql.engines.duckdb.guarantees import figures as figures_of
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.guarantees import audited
from kanon_sql.errors import AuditError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KnownColumns, People, PopulationRequirement, Requirement, ThresholdRequirement
from kanon_sql.report.columns import RELEASED, SOURCE, Bar, Column, column_of
from kanon_sql.report.exposed import Exposed, LinkedTokens, Together, exposed_columns, linked_tokens
from kanon_sql.report.fingerprints import rows_hash
from kanon_sql.report.people import people_of
from kanon_sql.report.sensitive import Sensitive, sensitive_of, size_column
from kanon_sql.report.unit import MeasuredUnit, measured_unit
from kanon_sql.verification.class_people import people_text
from kanon_sql.verification.tables import other_columns

_LABELS = "(SELECT CAST({0} AS VARCHAR) FROM {1} WHERE {0} IS NOT NULL EXCEPT SELECT CAST({0} AS VARCHAR) FROM {2} LIMIT 1)"
"""A text of a column that the source has not."""

_UNCOUNTED = "not counted here: the texts of the population do not show what generalized cells match"

_NOT_COUNTED = "not counted here: the source has the text of suppressed cells, so it is not clear which cells are suppressed"

MAX_MASKS = 12
"""Masks that are listed."""

_MASKS = """SELECT {pattern} AS hidden, system.main.count(*) AS n FROM {released} GROUP BY 1
    ORDER BY 2 DESC NULLS LAST, 1 ASC NULLS LAST"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A requirement, and what was counted."""

    text: str  # the requirement, as the clause writes it
    kept: bool | None  # whether the release keeps it; None where that was not counted
    found: str  # what was counted, in words


def counted_guarantees(release: Released, certificate: Certificate | None) -> tuple[Counted, ...]:
    """Return what was counted of each requirement of a policy but those that are only there to be measured.

    Where the two tables do not show whose some rows are, the certificate says what was counted when the release was made.
    """
    return tuple(
        _counted(each, release, certificate) for each in release.policy.requirements if not audited(each).only_measured
    )


def _counted(requirement: Requirement, release: Released, certificate: Certificate | None) -> Counted:
    if isinstance(requirement, PopulationRequirement) and (reason := _uncounted(release)):
        return Counted(text=requirement.describe(), kept=None, found=reason)
    kept, seen = found_in(requirement, release)
    if isinstance(requirement, KnownColumns) and isinstance(requirement.of, People):
        seen += "; the release does not show whose the rows are"
    if isinstance(requirement, People):
        counted = people_of(release.con, release.policy)  # by the source: whose a row is, the release does not tell
        if counted is None:
            seen += "; the release does not show whose they are"
        else:
            kept = kept and counted[1] >= requirement.k
            if kept and counted[0] < requirement.k and certificate is None:
                return Counted(text=requirement.describe(), kept=None, found=people_text(counted))
            if certificate is not None and counted[0] < counted[1] and requirement.k <= counted[1]:
                seen += f"; the smallest class had {certificate.smallest} when the release was made"
            seen += f"; {people_text(counted, by_tokens=not release.policy.dropped)}"
    return Counted(text=requirement.describe(), kept=kept, found=seen)


def _uncounted(release: Released) -> str | None:
    """Return why nothing of the release can be counted in a population, None where it can."""
    if _generalized(release):
        return _UNCOUNTED
    return _NOT_COUNTED if looks_suppressed(release.con, release.policy.suppress, release.names) else None


def _generalized(release: Released) -> bool:
    labels = " UNION ALL ".join(_LABELS.format(*map(quoted, (name, RELEASED, SOURCE))) for name in release.names)
    return bool(release.con.execute(labels).fetchall())


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask:
    """Columns that are hidden together."""

    hidden: tuple[str, ...]  # the columns
    rows: int  # rows of the release in which just these are hidden


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A release and its source."""

    rows: int  # rows of either
    least: int  # rows of the release that a value needs to be reported
    requirements: tuple[Counted, ...]  # what was guaranteed
    sizes: tuple[dict[str, Any], dict[str, Any]]  # the row of `k_anonymity` of the source and of the release
    risk: tuple[dict[str, Any], dict[str, Any]]  # the row of `reidentification_risk` of both
    utility: dict[str, Any]  # the row of `utility`
    class_sizes: tuple[Bar, ...]  # rows by the size of their class
    masks: tuple[Mask, ...]  # the masks with most rows
    other_masks: Mask | None  # all others together, without columns
    columns: tuple[Column, ...]  # the quasi-identifiers
    sensitive: tuple[Sensitive, ...]  # the sensitive attributes
    unchanged: tuple[str, ...]  # the columns about which nothing is guaranteed
    exposed: tuple[Exposed, ...]  # the same columns and the sensitive ones: what they tell
    together: Together | None  # what the former tell together; None if they are fewer than two
    linked: tuple[LinkedTokens, ...]  # what the tokens of each pseudonym link
    same_rows: bool  # whether source and release have the same rows, however often each
    known: tuple[KnownColumns, ...]  # the guarantees about what an attacker knows
    of_population: bool  # whether the guarantee counts rows of a population, so that a row of the release may be unique
    unit: MeasuredUnit  # what is counted, and of how many people the smallest class has rows
    identifiers: Mapping[str, str]  # released columns that look like identifiers, each with the reason
    left_out: tuple[str, ...]  # columns of the source that the release has not
    hashes: tuple[str, str]  # the hashes of the sorted rows of the source and of the release


def measured(con: Any, policy: Policy, certificate: Certificate | None = None, whole: str = "source") -> Measured:
    """Measure the tables ``source`` and ``released`` of a connection that has the audit macros.

    Parameters
    ----------
    con : connection
        A DuckDB connection; views and a temporary table are left in it.
    policy : Policy
        What is guaranteed and measured, resolved against the source.
    certificate : Certificate, optional
        What is claimed of the release.
    whole : str
        The source with the columns that were left out of the release.

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
    expected = [name for name in columns(con, "source") if name not in policy.dropped]
    if (wrong := other_columns(columns(con, "released"), expected)) is not None:
        raise AuditError(wrong)
    sizes = _of_both(con, "k_anonymity", names)
    if sizes[0]["rows"] != sizes[1]["rows"]:
        raise AuditError(
            f"the release has {how_many(sizes[1]['rows'], 'row')}, but the source has {sizes[0]['rows']}; hint: check that it "
            "is a release of this source"
        )
    _hide(con, names, policy.suppress)
    least = max(policy.least_class_size, policy.fewest_rows)
    figures: dict[Requirement, dict[str, Any]] = {
        each: figures_of(con, each, names, "released") for each in policy.requirements if isinstance(each, ThresholdRequirement)
    }
    release = Released(con=con, policy=policy, names=names, sizes=sizes[1], figures=figures)
    masks = _masks(con, names)
    listed = [mask for mask in masks[:MAX_MASKS] if mask.rows >= least]
    rest = masks[len(listed) :]
    tables = {"released": quoted(RELEASED), "source": quoted(SOURCE), "qi": names}
    exposed, together = exposed_columns(con, policy, sizes[1]["rows"])
    hashes = rows_hash(con, "source"), rows_hash(con, "released")
    found = tuple(column_of(con, name, least) for name in names)
    generalized = [each.name for each in found if each.coarsened]
    shown = [name for name in columns(con, "released") if name not in (*policy.pseudonyms, *generalized)]
    return Measured(
        rows=sizes[1]["rows"],
        least=least,
        requirements=counted_guarantees(release, certificate),
        sizes=sizes,
        risk=_of_both(con, "reidentification_risk", names),
        columns=found,
        utility=record(con, "FROM utility($released, $source, $qi, suppress := NULL)", tables),
        class_sizes=_class_sizes(con, names, least),
        masks=tuple(listed),
        other_masks=Mask(hidden=(), rows=sum(mask.rows for mask in rest)) if rest else None,
        sensitive=tuple(sensitive_of(con, name, names, figures) for name in policy.sensitive),
        unchanged=tuple(each.name for each in exposed if each.role != "sensitive"),
        exposed=exposed,
        together=together,
        linked=linked_tokens(con, policy, () if certificate is None else certificate.histories),
        same_rows=_same_rows(con, policy, hashes),
        known=policy.known_requirements,
        of_population=bool(policy.populations),
        unit=measured_unit(con, policy, whole, generalized, certificate),
        identifiers=identifiers_of(con, "released", shown),
        left_out=tuple(name for name in columns(con, whole) if name not in columns(con, "released")),
        hashes=hashes,
    )


def _same_rows(con: Any, policy: Policy, hashes: tuple[str, str]) -> bool:
    """Return whether both tables have the same rows, without columns that only one has, or that show tokens in one."""
    without = {"source": (*policy.dropped, *policy.pseudonyms), "released": policy.pseudonyms}
    one, two = (
        rows_hash(con, table, names) if names else whole for (table, names), whole in zip(without.items(), hashes, strict=True)
    )
    return one == two


def _of_both(con: Any, macro: str, names: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    before, after = (record(con, f"FROM {macro}($table, $qi)", {"table": each, "qi": names}) for each in ("source", "released"))
    return before, after


def _hide(con: Any, names: Sequence[str], suppress: str | None) -> None:
    """Make views of both tables with NULL in each cell that looks suppressed: any other text, ``*`` too, is a value."""
    shown = ", ".join(
        f"CASE WHEN NOT {is_hidden(quoted(name), suppress)} THEN {quoted(name)} END AS {quoted(name)}" for name in names
    )
    for view, table in ((SOURCE, "source"), (RELEASED, "released")):
        con.execute(f"CREATE OR REPLACE TEMP VIEW {quoted(view)} AS SELECT * REPLACE ({shown}) FROM {table}")  # noqa: S608


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
