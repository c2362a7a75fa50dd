"""What the audit counts on a DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from kanon_sql.engines.audit_figures import FIRST, Audit, measured_requirements, too_few_known, too_small, unless_known
from kanon_sql.engines.audited_unit import person_column
from kanon_sql.engines.guarantees import audited
from kanon_sql.engines.spark import guarantees
from kanon_sql.engines.spark.audit.known_classes import audited_known
from kanon_sql.engines.spark.connect.failures import safe_errors
from kanon_sql.engines.spark.connect.names import fresh, quoted, text
from kanon_sql.engines.spark.gather.columns import as_text, check_collations, fields_of, looks
from kanon_sql.engines.spark.gather.unit import audited_frame
from kanon_sql.engines.spark.guarantees import check_supported
from kanon_sql.errors import AuditError, PolicyError
from kanon_sql.model.known_columns_checks import check_known
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_options import AUDIT_DEFAULTS, AuditOptions, completed, spelled_out, thresholds
from kanon_sql.model.requirements import KnownColumns, ThresholdRequirement
from kanon_sql.model.validation import same_name, whole

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField

_SMALL = 5
"""Rows below which a class by known columns is small, without a k."""


@spelled_out(AUDIT_DEFAULTS)
def audit(
    df: DataFrame, *, known: int | None = None, per: str | None = None, per_row: bool = False, **options: Unpack[AuditOptions]
) -> Audit:
    """Measure a DataFrame, released by whomever, in plain SQL.

    Parameters
    ----------
    df : DataFrame
        The table; it is read once for each figure that is requested.
    known : int, optional
        As for `kanon_sql.audit`, without ``per``; rows below k by one column more are counted for at most 1,100 sets.
    per : str, optional
        The column that tells people apart. Classes and risks count people then.
    per_row : bool
        Whether each row is a person, even if a column seems to repeat people.
    **options
        As for `kanon_sql.audit`; of the variants not the entropy, and of the metrics ``'equal'`` and ``'ordered'``.

    Raises
    ------
    AuditError
        When a class has fewer than ``k`` rows, or breaks another guarantee.
    PolicyError, SourceError
        When Spark does not measure what is requested, or the table cannot be read.
    RepeatedPeopleError
        When something is requested, a column repeats people, and neither ``per`` nor ``per_row`` says what a row is.
    TypeError
        When there is no such option.

    Notes
    -----
    One GROUP BY of the table for its classes, two to three more where there is a sensitive attribute, and with ``known`` one
    with grouping sets for each 56 sets of columns. Up to four scans look for columns that repeat people.

    Examples
    --------
    >>> kanon_sql.spark.audit(spark.table("clinic.released"), k=5, quasi_identifiers=["zip", "age"])  # doctest: +SKIP
    """
    given = completed("audit", options, AUDIT_DEFAULTS)
    k = given["k"]
    known = None if known is None else whole(known, "known", 1)
    if known is not None and per is not None:
        raise PolicyError("Spark cannot combine known with per; hint: use kanon_sql.audit on df.toArrow()")
    fields = fields_of(df)
    measured = measured_requirements(given["sensitive"], **thresholds(given))
    policy = Policy.of(k=1 if k is None else k, quasi_identifiers=given["quasi_identifiers"], requirements=measured)
    per = person_column(per, per_row, [field.name for field in fields])
    policy = policy.resolve([field.name for field in fields if field.name != per])
    check_supported(policy)
    check_collations(fields, policy)
    spelled = {same_name(field.name): field for field in fields}
    names = [qi.column for qi in policy.quasi_identifiers]
    shown = looks(spelled[same_name(name)] for name in names)
    by_known = [] if known is None else _by_known(policy, known, k)
    view = fresh("audited")

    def row(statement: str) -> dict[str, Any]:
        with safe_errors("reading the table"):
            found: dict[str, Any] = df.sparkSession.sql(statement).collect()[0].asDict(recursive=True)
            return found

    unit = audited_frame(df, names, per, per_row=per_row)
    with safe_errors("reading the table"):
        _with_person(df, None if per is None else spelled[same_name(per)]).createOrReplaceTempView(view)
    try:
        size = row(text("sizes" if per is None else "people_sizes", looks=shown, written=view))
        figures: dict[str, Any] = {}
        broken = []
        requested = [each for each in policy.requirements if isinstance(each, ThresholdRequirement)]
        for requirement in requested if size["rows"] else ():
            figures |= guarantees.figures(requirement, row, shown, view)
            answer = row(guarantees.check(requirement, shown, view)) if known is None else {"failing": 0}
            if answer["failing"] != 0:
                broken.append(f"{requirement.describe()} does not hold: {answer['worst']}")
        if by_known and size["rows"]:
            counted, broken = audited_known(row, by_known, names, [looks([spelled[same_name(name)]]) for name in names], view)
            figures |= counted
    finally:
        with safe_errors("reading the table"):
            df.sparkSession.catalog.dropTempView(view)
    few = too_small(size["k"], k, people=per is not None) if known is None else too_few_known(figures.get("k_known"), known, k)
    if few:
        raise AuditError(f"{few}; hint: {FIRST if known is not None else unless_known('known=3')}")
    if broken:
        raise AuditError(f"{broken[0]}; hint: {FIRST}")
    if unit.open is not None and (k is not None or any(each is not None for each in thresholds(given).values())):
        raise unit.open
    warnings = (*([] if unit.open is None else [str(unit.open)]), *unit.warnings)
    return Audit(settled=unit.open is None, warnings=warnings, **size, **figures)


def _with_person(df: DataFrame, field: StructField | None) -> DataFrame:
    """Return a table with what tells people apart as a text, in ``kanon#person``."""
    from pyspark.sql import functions as sf

    return df if field is None else df.withColumn("kanon#person", as_text(sf.col(quoted(field.name)), field.dataType))


def _by_known(policy: Policy, known: int, k: int | None) -> list[KnownColumns]:
    """Return the requirements of the classes by any ``known`` columns: of rows, then of values if a table can break them."""
    requested = (each for each in policy.sensitive_requirements if not audited(each).only_measured)
    found = [
        KnownColumns(k=_SMALL if k is None else k, columns=known),
        *(KnownColumns.against(each, known) for each in requested),
    ]
    check_known(found, policy.quasi_identifiers, (), (), every_column=False)
    return found
