"""Spark as an engine: a DataFrame whose release is a table that was audited as it was written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kanon_sql.certificate import Certificate
from kanon_sql.certificate.exposure import refuse_unlisted
from kanon_sql.engines.engine import Answer, Classes, Histogram, KnownAnswer, publish
from kanon_sql.engines.pieces import PiecesByNumber
from kanon_sql.engines.spark.audit.known_classes import known_answer
from kanon_sql.engines.spark.connect.failures import safe_errors
from kanon_sql.engines.spark.connect.names import fresh, joined, name_parts, quoted, text
from kanon_sql.engines.spark.connect.scratch import Scratch
from kanon_sql.engines.spark.gather.columns import check_collations, fields_of, looks
from kanon_sql.engines.spark.gather.row_types import key_columns, key_fields, named_tables, row_types
from kanon_sql.engines.spark.gather.unit import settled_frame
from kanon_sql.engines.spark.guarantees import check, check_supported
from kanon_sql.engines.spark.release.cover import check_cover
from kanon_sql.engines.spark.release.exposure import Exposure, exposure, fingerprint, singled
from kanon_sql.engines.spark.release.joining import expected_classes, released_fields, released_rows, without_people
from kanon_sql.engines.spark.release.mapping import Mapping, mapping
from kanon_sql.errors import SourceError
from kanon_sql.model.linked_columns import units
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KnownColumns, People, Requirement, SensitiveRequirement, of_known
from kanon_sql.model.secret import Secret
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.unit_of_policy import unit_of
from kanon_sql.model.validation import same_name
from kanon_sql.solvers.budget import Progress

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedTable:
    """A table that was written and not yet published."""

    name: str  # its quoted name
    expected: str  # a temporary view of what each piece shows, and its rows; empty where there are no rows
    # histogram, pieces: what it was made of; None where pieces were never on the driver
    histogram: Histogram | None
    pieces: PiecesByNumber | None
    # what the columns that are released unchanged reveal; None where there are none, or no rows
    exposure: Exposure | None = None
    # the quoted name of a table of the same rows with the column that tells people apart; empty if rows are counted
    people: str = ""

    def holding(self, requirement: Requirement | None) -> str:
        """Return the table that a requirement is counted on."""
        return self.people if isinstance(requirement, People) else self.name


class SparkEngine:
    """A DataFrame, and the table that its release becomes.

    Parameters
    ----------
    source : DataFrame
        The source.
    into : str
        The name of the table, which is not there yet.
    using : str
        Its format.
    secret : Secret
        Decides which rows of a split row type go where.
    surface : Surface
        The surface. Errors name its options.
    scratch : Scratch
        Takes what is not released.

    Attributes
    ----------
    statements : list of str
        The statements of the audit.
    """

    def __init__(self, source: DataFrame, into: str, using: str, secret: Secret, *, surface: Surface, scratch: Scratch) -> None:
        self._fields = fields_of(source)
        self._source, self._using, self._secret = source, using, secret
        self._surface, self._scratch = surface, scratch
        self._into = name_parts(into)
        self._spark = source.sparkSession
        self.statements: list[str] = []
        self._singled: Exposure | None = None
        with safe_errors("checking whether the table exists"):
            there = self._spark.catalog.tableExists(self.into)
        if there:
            raise SourceError(f"the table {self.into} already exists; hint: drop it, or choose a different name")

    @property
    def into(self) -> str:
        """Return the quoted name of the released table."""
        return joined(self._into)

    def columns(self) -> list[str]:
        """Return the columns of the source."""
        return [field.name for field in self._fields]

    def histogram(self, policy: Policy) -> Histogram:
        """Return the row types of the source; one scan, one GROUP BY, and those of `singled`.

        Raises
        ------
        UnlistedColumnError
            When columns without a role single out too many rows.
        """
        check_supported(policy)
        check_collations(self._fields, policy)
        self._look_at_unchanged(policy)
        with safe_errors("reading the source"):
            tables = named_tables(self._spark, policy)
            return Histogram(types=row_types(self._source, policy, self._fields), tables=tables)

    def has_more_row_types(self, policy: Policy, most: int) -> bool:
        """Return whether there are more row types than ``most``, by a count that is off by 5 %; one scan."""
        from pyspark.sql import functions as sf

        check_collations(self._fields, policy)
        keys = key_columns(key_fields(policy, self._fields))
        with safe_errors("reading the source"):
            counted = self._source.select(sf.approx_count_distinct(sf.xxhash64(*keys)))
            return int(counted.collect()[0][0]) > most

    def settle(self, policy: Policy, wide: DataFrame) -> tuple[str, ...]:
        """Settle whom a row describes, by all columns of ``wide``, which has the same rows; return warnings."""
        return settled_frame(self._source, wide, unit_of(policy), self._surface)

    def release_by_parts(self, policy: Policy, most: int, progress: Progress, stated: tuple[str, ...]) -> Certificate:
        """Release more row types than the driver takes: executors solve them; ``stated`` are warnings."""
        self._look_at_unchanged(policy)
        from kanon_sql.engines.spark.release.by_parts import Parts

        parts = Parts(
            source=self._source, policy=policy, fields=self._fields, most=most, scratch=self._scratch, progress=progress
        )
        with safe_errors("solving by parts"):
            found, certificate = parts.solve()
        certificate = replace(certificate, warnings=stated)
        return publish(self, policy, certificate, self._secret, lambda: self.stage_mapped(policy, found))

    def _look_at_unchanged(self, policy: Policy) -> None:
        """Refuse columns that single people out, before the search."""
        with safe_errors("counting what the other columns reveal"):
            self._singled = singled(self._source, policy, self._fields)
        if self._singled is not None:
            refuse_unlisted(self._singled.figures, policy, self._surface)

    def stage(self, policy: Policy, histogram: Histogram, pieces: PiecesByNumber | None) -> StagedTable:
        """Write the released rows to a table that nobody knows."""
        with safe_errors("writing the release"):
            found = mapping(self._spark, policy, self._fields, histogram.types, pieces) if pieces is not None else None
        return self.stage_mapped(policy, found, histogram, pieces)

    def stage_mapped(
        self, policy: Policy, found: Mapping | None, histogram: Histogram | None = None, pieces: PiecesByNumber | None = None
    ) -> StagedTable:
        """Write the rows that a mapping makes of the source; without one there are none.

        Raises
        ------
        UnlistedColumnError
            When columns without a role reveal too much; then nothing is written.
        """
        exposed = None
        if found is not None and self._singled is not None:
            with safe_errors("counting what the other columns reveal"):
                exposed = exposure(self._source, policy, self._fields, found, self._singled)
            refuse_unlisted(exposed.figures, policy, self._surface)
        rows, people = None, ""
        if found is not None:
            with safe_errors("writing the release"):
                key = self._secret.derived(f"rows under {policy.to_json()}")
                rows = released_rows(self._source, policy, self._fields, found, key)
                if policy.dropped:  # what is counted and what is published are read from the same files
                    people = self._scratch.written(rows)
                    rows = self._spark.table(people)
        staged = StagedTable(
            name=joined([*self._into[:-1], fresh("staged")]),
            expected="" if found is None else fresh("expected"),
            histogram=histogram,
            pieces=pieces,
            exposure=exposed,
            people=people,
        )
        try:
            with safe_errors("writing the release"):
                if rows is None or found is None:
                    rows = self._spark.createDataFrame([], self._schema(policy))
                else:
                    rows = without_people(rows, policy, self._fields)
                    expected_classes(policy, self._fields, found).createOrReplaceTempView(staged.expected)
                rows.write.format(self._using).saveAsTable(staged.name)
                self._spark.catalog.refreshTable(staged.name)
        except BaseException:
            self.discard(staged)
            raise
        return staged

    def _schema(self, policy: Policy) -> object:
        from pyspark.sql.types import StructType

        return StructType(released_fields(policy, self._fields))

    def _looks(self, policy: Policy, names: Iterable[str] | None = None) -> str:
        """Return the columns that define a class: all quasi-identifiers, or some."""
        shown = {same_name(field.name): field for field in released_fields(policy, self._fields)}
        stated = [qi.column for qi in policy.quasi_identifiers] if names is None else names
        return looks(shown[same_name(name)] for name in stated)

    def count(self, policy: Policy, staged: StagedTable) -> Classes:
        """Count the classes of what was written, and compare the other columns with what was counted.

        Notes
        -----
        Two scans and a GROUP BY; where people are counted, a GROUP BY more: of the table that says whose each row is.
        """
        row = self._classes(policy, staged, staged.name)
        unlike, people = row["unlike"], None
        if staged.people:
            per = None if policy.people is None else policy.people.per
            of_people = self._classes(policy, staged, staged.people, per)
            unlike, people = unlike + of_people["unlike"], of_people["people"]
        if staged.exposure is not None:
            with safe_errors("auditing the release"):
                written = fingerprint(self._spark.table(staged.name), policy, self._fields)
            unlike += written != staged.exposure.fingerprint
        counted = {key: row[key] for key in ("number", "rows", "smallest", "small")}
        return Classes(**counted, unlike=unlike, people=people)

    def _classes(self, policy: Policy, staged: StagedTable, written: str, per: str | None = None) -> dict[str, Any]:
        expected = staged.expected or f"(SELECT *, 0L AS `kanon#n` FROM {written} WHERE false)"  # noqa: S608
        slots = {"looks": self._looks(policy), "written": written, "expected": expected}
        slots |= {"who": "NULL" if per is None else quoted(per), "people": "NULL" if per is None else "count(DISTINCT who)"}
        return self._row(text("classes", k=str(policy.least_class_size), **slots))

    def exposed(self, staged: StagedTable) -> dict[str, Any] | None:
        """Return what the columns that are released unchanged reveal."""
        return None if staged.exposure is None else staged.exposure.figures

    def ask(self, policy: Policy, requirement: SensitiveRequirement, staged: StagedTable) -> Answer:
        """Tell whether what was written meets a requirement."""
        row = self._row(check(requirement, self._looks(policy), staged.holding(requirement)))
        return Answer(failing=row["failing"], worst=row["worst"])

    def ask_known(self, policy: Policy, requirement: KnownColumns, staged: StagedTable) -> KnownAnswer:
        """Tell the same of the classes by every set of known columns; a GROUP BY with grouping sets for each 56 sets."""
        names = units([qi.column for qi in policy.quasi_identifiers], policy.linked)
        stated = [self._looks(policy, each) for each in names]
        return known_answer(self._row, requirement, stated, names, staged.holding(of_known(requirement)))

    def _row(self, statement: str) -> dict[str, Any]:
        self.statements.append(statement)
        with safe_errors("auditing the release"):
            found: dict[str, Any] = self._spark.sql(statement).collect()[0].asDict()
            return found

    def cover(self, policy: Policy, staged: StagedTable) -> None:
        """Check that each label covers the values that it stands for."""
        if staged.histogram is not None and staged.pieces is not None:
            check_cover(policy, staged.histogram, staged.pieces)

    def publish(self, staged: StagedTable) -> None:
        """Give the table its name."""
        with safe_errors("publishing the release"):
            self._spark.sql(f"ALTER TABLE {staged.name} RENAME TO {joined(self._into)}")
            self._forget(staged)

    def discard(self, staged: StagedTable) -> None:
        """Drop the table."""
        with safe_errors("dropping the written table"):
            self._spark.sql(f"DROP TABLE IF EXISTS {staged.name}")
            self._forget(staged)

    def _forget(self, staged: StagedTable) -> None:
        if staged.expected:
            self._spark.catalog.dropTempView(staged.expected)
