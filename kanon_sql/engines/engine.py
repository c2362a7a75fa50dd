"""The seam between engines: what one has to answer so that policy, pipeline, pieces and certificate are the same on each.

DuckDB has one statement for all of it, which asks the same questions inside. An engine whose releases are files takes these
steps: histogram, solve, stage, audit what was written, publish.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from kanon_sql.certificate import Certificate
from kanon_sql.certificate.exposure import unchanged_columns, warnings_of
from kanon_sql.certificate.known_columns import Figures, with_known
from kanon_sql.engines.announcing import Announcements
from kanon_sql.engines.pieces import PiecesByNumber
from kanon_sql.engines.solving import solve
from kanon_sql.errors import AuditError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KnownColumns, SensitiveRequirement
from kanon_sql.model.secret import Secret
from kanon_sql.pipeline import empty_certificate
from kanon_sql.solvers.budget import Budget, Progress

if TYPE_CHECKING:
    import pyarrow as pa

Staged = TypeVar("Staged")
"""What an engine has written and not yet published."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """The row types of a source."""

    types: pa.StructArray  # [t]: as for `kanon_sql.engines.histogram.coded`
    tables: tuple[pa.ChunkedArray, ...]  # the tables of `Policy.tables`


@dataclass(frozen=True, slots=True, kw_only=True)
class Classes:
    """What an engine counts on the rows that it has written."""

    number: int  # equivalence classes
    rows: int
    smallest: int | None  # rows of the smallest class; None where there are no rows
    small: int  # classes of fewer than k rows
    unlike: int  # classes with other rows than their pieces have; a class without pieces, and pieces without a class, are such
    people: int | None = None  # people of the class with the fewest, if the guarantee counts people


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Whether the classes that an engine has written meet a requirement."""

    failing: int | None  # classes that do not; None where some class has no answer
    worst: str  # what is known of the worst of them: figures, never a value


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAnswer(Answer):
    """The same of the classes by every set of known columns."""

    figures: Figures  # what a certificate says of them


class Engine(Protocol[Staged]):
    """A source on an engine, and where its release goes."""

    def columns(self) -> list[str]:
        """Return the columns of the source; refuses types that the engine cannot carry exactly."""

    def histogram(self, policy: Policy) -> Histogram:
        """Return the row types of the source."""

    def stage(self, policy: Policy, histogram: Histogram, pieces: PiecesByNumber | None) -> Staged:
        """Write the released rows where nobody reads them yet; without pieces there are none.

        Raises an UnlistedColumnError, and writes nothing, when columns without a role reveal too much.
        """

    def count(self, policy: Policy, staged: Staged) -> Classes:
        """Count the classes of what was written."""

    def exposed(self, staged: Staged) -> Mapping[str, Any] | None:
        """Return what the columns that are released unchanged reveal, as `kanon_sql.certificate.exposure` reads it."""

    def ask(self, policy: Policy, requirement: SensitiveRequirement, staged: Staged) -> Answer:
        """Tell whether what was written meets a requirement."""

    def ask_known(self, policy: Policy, requirement: KnownColumns, staged: Staged) -> KnownAnswer:
        """Tell the same of the classes by every set of known columns; a set that did not count every row has no answer."""

    def cover(self, policy: Policy, staged: Staged) -> None:
        """Check that each label that was written covers the values that it stands for, or raise an AuditError."""

    def publish(self, staged: Staged) -> None:
        """Put what was written in its place."""

    def discard(self, staged: Staged) -> None:
        """Let go of what was written."""


def release(
    engine: Engine[Staged], requested: Policy, secret: Secret, progress: Progress, settled: tuple[str, ...] = ()
) -> Certificate:
    """Release a source: nothing is published before all that was written has passed the audit; ``settled`` are warnings.

    Raises
    ------
    PolicyError, SourceError, InfeasibleError, AuditError
        When the policy is wrong, the source cannot be read, no release meets the guarantee, or columns without a role would
        identify people.
    """
    begun = time.monotonic()
    policy = requested.resolve(engine.columns())
    histogram = engine.histogram(policy)
    if not len(histogram.types):
        return publish(engine, policy, empty_certificate(policy), secret, lambda: engine.stage(policy, histogram, None))
    pieces, certificate = solve(histogram.types, policy, histogram.tables, secret, Budget.of(policy, progress, begun=begun))
    certificate = replace(certificate, warnings=settled)
    return publish(engine, policy, certificate, secret, lambda: engine.stage(policy, histogram, pieces))


def publish(
    engine: Engine[Staged], policy: Policy, certificate: Certificate, secret: Secret, stage: Callable[[], Staged]
) -> Certificate:
    """Stage a release, audit it as it was written, and publish it; a release that fails leaves nothing.

    Returns
    -------
    Certificate
        With what the audit counted.
    """
    staged = stage()
    try:
        classes, known = audited(engine, policy, certificate.rows, staged)
        certificate = certificate.passed(classes.number, classes.smallest, classes.people)
        certificate = replace(certificate, repeatable=secret.repeatable)
        exposed_figures = engine.exposed(staged)
        if exposed_figures is not None:
            certificate = replace(
                certificate,
                unchanged=unchanged_columns(exposed_figures),
                warnings=(*certificate.warnings, *warnings_of(exposed_figures, policy)),
            )
        if known:
            certificate = with_known(certificate, policy.known_requirements, known)
        Announcements().add(certificate)  # where warnings are errors, nothing is released
        engine.publish(staged)
    except BaseException:
        engine.discard(staged)
        raise
    return certificate


def audited(engine: Engine[Staged], policy: Policy, rows: int, staged: Staged) -> tuple[Classes, list[Figures]]:
    """Ask the questions of the audit about what was written.

    Parameters
    ----------
    engine, policy, staged
        What was written, and under which guarantee.
    rows : int
        Rows that were solved.

    Returns
    -------
    tuple of (Classes, list of Figures)
        The classes, and of each requirement for known columns what was counted; nothing without rows.

    Raises
    ------
    AuditError
        When an answer is not what the guarantee asks for.
    """
    classes = engine.count(policy, staged)
    if classes.unlike or classes.rows != rows:
        raise AuditError(
            "the source returned different rows when it was read again, or the written rows have changed; "
            "nothing was released; hint: "
            "store the source as a table first"
        )
    if classes.small:
        raise AuditError(
            f"{how_many(classes.small, 'class has', 'classes have')} fewer than {policy.least_class_size} rows, and the "
            f"smallest has {classes.smallest}; nothing was released"
        )
    if not classes.rows:
        return classes, []
    for requirement in policy.sensitive_requirements:
        _refuse_broken(requirement.describe(), engine.ask(policy, requirement, staged))
    known = []
    for requested in policy.known_requirements:
        answer = engine.ask_known(policy, requested, staged)
        _refuse_broken(requested.describe(), answer)
        known.append(answer.figures)
    engine.cover(policy, staged)
    return classes, known


def _refuse_broken(guarantee: str, answer: Answer) -> None:
    if answer.failing is None or answer.failing:
        number = "some classes break" if answer.failing is None else how_many(answer.failing, "class breaks", "classes break")
        raise AuditError(f"{number} {guarantee}: {answer.worst}; nothing was released")
