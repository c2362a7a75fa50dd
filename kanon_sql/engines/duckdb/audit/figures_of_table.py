"""What the audit counts on a table in Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import duckdb

from kanon_sql.engines.audit_figures import (
    FIRST,
    Audit,
    measured_requirements,
    too_few_known,
    too_small,
    unless_known,
)
from kanon_sql.engines.audited_unit import person_column
from kanon_sql.engines.duckdb.audit.known_classes import broken_by_known
from kanon_sql.engines.duckdb.audit.known_rows import KnownRows
from kanon_sql.engines.duckdb.audit.measures import known_figures, macro_errors, record
from kanon_sql.engines.duckdb.audit.other_columns import warnings_of_others
from kanon_sql.engines.duckdb.audit.people_figures import audited_unit, in_people, people_figures
from kanon_sql.engines.duckdb.guarantees import audit_macros, figures_in
from kanon_sql.engines.duckdb.guarantees import figures as figures_of
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.python_tables.duckdb_relations import is_relation, place_rows
from kanon_sql.engines.duckdb.python_tables.frames import Frame
from kanon_sql.engines.duckdb.python_tables.numbered_rows import register_exactly
from kanon_sql.engines.duckdb.python_tables.tables import frame_of, names_of, register_tables
from kanon_sql.engines.guarantees import audited
from kanon_sql.errors import AuditError, PolicyError, UnknownColumnError
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_checks import OWN
from kanon_sql.model.policy_options import AUDIT_DEFAULTS, AuditOptions, Number, completed, spelled_out, thresholds
from kanon_sql.model.requirements import named_population
from kanon_sql.model.validation import fraction as exact
from kanon_sql.model.validation import same_name, whole

_EVERYBODY = f"{OWN}everybody"

_RISK = "FROM reidentification_risk('source', $qi, population := $population, fraction := $fraction)"


@spelled_out(AUDIT_DEFAULTS)
def audit(
    table: Any,
    *,
    population: Any = None,
    k_map: int | None = None,
    presence: Number | None = None,
    fraction: Number | None = None,
    known: int | None = None,
    known_rows: int | None = None,
    per: str | None = None,
    per_row: bool = False,
    tables: Mapping[str, Any] | None = None,
    **options: Unpack[AuditOptions],
) -> Audit:
    """Measure a table, whatever tool released it, in plain SQL.

    Parameters
    ----------
    table : pyarrow.Table, pandas.DataFrame, polars.DataFrame or DuckDBPyRelation
        The table.
    population : optional
        A table of any of these types that lists everyone who may be in the first one. It has the same quasi-identifiers,
        generalized in the same way, and gives the journalist risk.
    k_map : int, optional
        Minimum number of rows of the population that match a class; an error is raised if fewer match.
    presence : number, optional
        Maximum sum of shares of a row of the population, as in `DeltaPresence`; an error is raised if a row has more.
    fraction : optional
        The share of the population that is in the table, above 0 and below 1: estimates how many of its rows are unique there.
    known : int, optional
        How many quasi-identifiers the attacker knows, any of them: measures the classes by every set of so many columns. Then
        ``k``, ``l``, ``t``, ``beta`` and ``delta`` are about these classes; with ``per``, ``k`` counts their people. The other
        figures stay those of all columns.
    known_rows : int, optional
        How many rows of a person the attacker knows, any of them: 1, 2 or 3. Counts the people who have the same rows, by
        ``history_risk``; then ``k`` is about these people.
    per : str, optional
        The column that tells people apart. Classes and risks count people then.
    per_row : bool
        Whether each row is a person, even if a column seems to repeat people.
    tables : mapping, optional
        By their names, the hierarchy or the table of distances, as in `anonymize`.
    **options
        As in :class:`~kanon_sql.model.policy_options.AuditOptions`: ``k``, ``quasi_identifiers``, ``sensitive``, ``l``,
        ``variant``, ``c``, ``t``, ``metric``, ``hierarchy``, ``beta``, ``delta``. An error is raised when a class has fewer
        than ``k`` rows or is less diverse than ``l``. So is one if a class differs more from the whole table than ``t``,
        ``beta`` or ``delta`` permit.

    Raises
    ------
    AuditError
        When a guarantee is broken: a class has fewer than ``k`` rows, for example, or shares add up to more than ``presence``.
    PolicyError
        When ``fraction`` is not a share, or the population lacks a quasi-identifier.
    RepeatedPeopleError
        When something is requested, a column repeats people, and neither ``per`` nor ``per_row`` says what a row is.
    SourceError
        When a table cannot be read exactly, or no row of the population matches a class.
    TypeError
        When there is no such option.

    Notes
    -----
    A GROUP BY of the quasi-identifiers, another for each guarantee on a sensitive attribute, and one for each other column. The
    distinct rows of the population are looked at once for each set of quasi-identifiers that a row of the table suppresses.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"zip": ["98101", "98101", "98102", "98103"], "age": [34, 34, 51, 51]})
    >>> audit(people, quasi_identifiers=["zip"]).k
    1
    >>> everybody = pa.table({"zip": ["98101", "98101", "98102", "98102", "98103", "98103"]})
    >>> audit(people, quasi_identifiers=["zip"], population=everybody).journalist_risk
    0.5
    >>> audit(people, quasi_identifiers=["zip"], k=2)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    kanon_sql.errors.AuditError: the smallest class has 1 row, fewer than k = 2; hint: ...
    """
    given = completed("audit", options, AUDIT_DEFAULTS)
    k = given["k"]
    share = None if fraction is None else _share(fraction)
    if k_map is not None and population is None:
        raise PolicyError("k_map needs a population; hint: pass population=census")
    if presence is not None and population is None:
        raise PolicyError("presence needs a population; hint: pass population=census")
    presence = None if presence is None else exact(presence, "presence")
    k_map = None if k_map is None else whole(k_map, "k_map", 1)
    counted = () if k_map is None and presence is None else named_population("population", k_map=k_map, presence=presence)
    known = None if known is None else whole(known, "known", 1)
    source = table if is_relation(table) else frame_of(table)
    measured = measured_requirements(given["sensitive"], **thresholds(given))
    policy = Policy.of(k=1 if k is None else k, quasi_identifiers=given["quasi_identifiers"], requirements=measured)
    per = person_column(per, per_row, names_of(source))
    policy = policy.resolve([name for name in names_of(source) if name != per])
    linked = KnownRows.requested(known_rows, per, known)
    names = [qi.column for qi in policy.quasi_identifiers]
    read = [*names, *policy.measured, *([] if per is None else [per])]
    hashed = [name for name in names_of(source) if name not in read]
    with audit_macros(duckdb.connect()) as con:
        if isinstance(source, Frame):
            register_exactly(con, source, list(dict.fromkeys(read)), hashed=hashed)
        else:
            place_rows(source, con, "source")
        register_tables(con, policy, tables)
        size = record(con, "FROM k_anonymity('source', $qi)", {"qi": names})
        unit = audited_unit(con, "source", names, per, per_row, "python")
        by_known = None if known is None else known_figures(con, names, known, k, per)
        histories = None if linked is None else linked.figures(con, names, k)
        everybody = None if population is None else _place_population(con, population, names)
        figures: dict[str, Any] = {}
        for each in counted:
            guarantee, found = audited(each), figures_in(con, each, everybody or "", names)
            if wrong := guarantee.wrong(found):
                raise AuditError(f"{wrong}, {guarantee.bound()}; hint: {FIRST}")
            figures |= guarantee.audit(found)
        with macro_errors():
            risk = record(con, _RISK, {"qi": names, "population": everybody, "fraction": share})
        if per is not None:
            size, risk = in_people(size, risk, people_figures(con, "source", names, per), population=everybody is not None)
            figures["people"] = size["people"]
        by_all = [(audited(each), figures_of(con, each, names)) for each in measured]
        broken = [] if known is None else broken_by_known(con, measured, known, names)
        warnings = warnings_of_others(con, "source", hashed, policy.sensitive, size["rows"], k or size["k"] or 1, unread=hashed)
    if by_known is not None and known is not None:
        if few := too_few_known(by_known["k"], known, k, people=per is not None):
            raise AuditError(f"{few}; hint: {FIRST}")
        figures |= {
            "k_known": by_known["k"],
            "known_sets": by_known["sets"],
            "known_worst_set": None if by_known["worst_set"] is None else tuple(by_known["worst_set"]),
            "known_rows_below": by_known["rows_below"],
            "known_rows_below_next": by_known["rows_below_next"],
        }
    elif histories is not None and linked is not None:
        if few := linked.broken(histories["fewest_candidates"], k):
            raise AuditError(f"{few}; hint: {FIRST}")
        figures |= {
            "people": histories["people"],
            "history_candidates": histories["fewest_candidates"],
            "people_below": histories["people_below"],
            "people_below_next": histories["people_below_next"],
            "own_columns": tuple(histories["own_columns"]),
        }
    elif few := too_small(size["k"], k, people=per is not None):
        raise AuditError(f"{few}; hint: {unless_known('known=3')}")
    if broken:
        raise AuditError(f"{broken[0]}; hint: {FIRST}")
    for requirement, row in by_all:
        if known is None and (wrong := requirement.wrong(row)):
            raise AuditError(f"{wrong}; hint: {FIRST}")
        figures |= requirement.audit(row)
    if unit.open is not None and (k is not None or counted or any(each is not None for each in thresholds(given).values())):
        raise unit.open
    return Audit(
        k=size["k"],
        rows=size["rows"],
        classes=size["classes"],
        uniques=size["uniques"],
        highest_risk=risk["prosecutor_risk"],
        average_risk=risk["prosecutor_risk_average"],
        journalist_risk=None if population is None else risk["journalist_risk"],
        population_uniques=risk["population_uniques"],
        population_uniques_zayatz=risk["population_uniques_zayatz"],
        population_uniques_pitman=risk["population_uniques_pitman"],
        population_uniques_snb=risk["population_uniques_snb"],
        settled=unit.open is None,
        warnings=(*([] if unit.open is None else [str(unit.open)]), *unit.warnings, *warnings),
        **figures,
    )


def _share(given: Number) -> float:
    share = exact(given, "fraction")
    if not 0 < share < 1:
        raise PolicyError("fraction must be above 0 and below 1; hint: pass the share of the population that is in the table")
    return float(share)


def _place_population(con: duckdb.DuckDBPyConnection, population: Any, quasi_identifiers: list[str]) -> str:
    """Give a connection the quasi-identifiers of a population, and return the name of its table in SQL."""
    everybody = population if is_relation(population) else frame_of(population)
    spelled = {same_name(name): name for name in names_of(everybody)}
    for name in quasi_identifiers:
        if same_name(name) not in spelled:
            raise UnknownColumnError.of(name, spelled.values(), "the audit of the population")
    if isinstance(everybody, Frame):
        register_exactly(con, everybody, [spelled[same_name(name)] for name in quasi_identifiers], into=_EVERYBODY)
    else:
        place_rows(everybody, con, _EVERYBODY)
    return quoted(_EVERYBODY)
