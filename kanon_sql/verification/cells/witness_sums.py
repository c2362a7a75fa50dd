"""Witnesses are added up: each is another table that agrees with everything shown."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.certificate.table_evidence import Witness
from kanon_sql.errors import CertificateError
from kanon_sql.verification.cells.published_system import PublishedSystem


def check_witnesses(system: PublishedSystem, suppressed: frozenset[int], witnesses: Sequence[Witness]) -> None:
    """Check that each primary row has a witness in each measure that requires one, and that each witness is one.

    Raises
    ------
    CertificateError
        When one is missing or wrong; the error names its place in the list, and shows no count.
    """
    measures = range(len(system.values))
    given = {(row, measure) for row, measure, _ in witnesses}
    for row in sorted(system.primaries):
        for measure in measures:
            if system.required[measure][row] > system.values[measure][row] and (row, measure) not in given:
                raise CertificateError("witnesses", f"there is none for row {row} in measure {measure}")
    for number, witness in enumerate(witnesses, 1):
        wrong = _wrong(system, suppressed, witness)
        if wrong is not None:
            raise CertificateError("witnesses", f"number {number} {wrong}")


def _wrong(system: PublishedSystem, suppressed: frozenset[int], witness: Witness) -> str | None:
    """Return what is wrong with a witness."""
    row, measure, moved = witness
    if not (0 <= row < system.rows and 0 <= measure < len(system.values)):
        return "is about a row or a measure that does not exist"
    if len({base for base, _ in moved}) < len(moved) or any(not 0 <= base < len(system.cells) for base, _ in moved):
        return "changes a base cell that does not exist, or one twice"
    added: dict[int, int] = {}
    for base, change in moved:
        if system.cells[base].values[measure] + change < 0:
            return "makes a base cell negative"
        if system.fixed(base) and system.values[0][row] != 1:
            return "changes a base cell that a contributor knows"
        for ancestor in system.ancestors[base]:
            added[ancestor] = added.get(ancestor, 0) + change
    values = system.values[measure]
    for other, change in added.items():
        if other not in suppressed:
            if change:
                return "changes a row that is shown"
        elif values[other] + change < system.least(measure):
            return "leaves a suppressed row without people"
    if values[row] + added.get(row, 0) < system.required[measure][row]:
        return "is too small"
    return None
