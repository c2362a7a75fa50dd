"""Witnesses are added up: each is another table that agrees with everything shown."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.certificate.table_evidence import Witness
from kanon_sql.errors import CertificateError
from kanon_sql.verification.cells.published_system import PublishedSystem


def check_witnesses(system: PublishedSystem, suppressed: frozenset[int], witnesses: Sequence[Witness]) -> None:
    """Check that each row of too few people has a witness in each measure that requires one, and that each witness is one.

    Parameters
    ----------
    system : PublishedSystem
        The rows of the tables, and the groups that they name together.
    suppressed : frozenset of int
        The rows of the tables that show no count and no sum.
    witnesses : sequence of Witness
        The claim.

    Raises
    ------
    CertificateError
        When one is missing or wrong; the error names its place in the list, and shows no count.
    """
    measures = range(len(system.values))
    given = {(row, measure) for row, measure, _ in witnesses}
    for row in range(system.rows):
        for measure in measures:
            if system.required[measure][row] > system.values[measure][row] and (row, measure) not in given:
                raise CertificateError("witnesses", f"there is none for row {row} in measure {measure}")
    for number, witness in enumerate(witnesses, 1):
        wrong = _wrong(system, suppressed, witness)
        if wrong is not None:
            raise CertificateError("witnesses", f"number {number} {wrong}")


def _wrong(system: PublishedSystem, suppressed: frozenset[int], witness: Witness) -> str | None:
    """Return what is wrong with a witness."""
    row, measure, moves = witness
    if not (0 <= row < system.rows and 0 <= measure < len(system.values)):
        return "is about a row or a measure that does not exist"
    changed: dict[int, dict[int, int]] = {}
    for of, base, change in moves:
        if not (0 <= of < len(system.values) and 0 <= base < len(system.cells)) or base in changed.get(of, {}):
            return "changes a base cell or a measure that does not exist, or one twice"
        changed.setdefault(of, {})[base] = change
    for of, changes in changed.items():
        added: dict[int, int] = {}
        for base, change in changes.items():
            if system.cells[base].values[of] + change < 0:
                return "makes a base cell negative"
            if system.fixed(base) and system.values[0][row] != 1:
                return "changes a base cell that a contributor knows"
            for ancestor in system.ancestors[base]:
                added[ancestor] = added.get(ancestor, 0) + change
        for other, change in added.items():
            if not (other in suppressed or not system.is_seen(other)):
                if change:
                    return "changes a row that is shown"
            elif system.values[of][other] + change < system.least(of, other):
                return "leaves a suppressed row without people"
    if _has_sum_of_nobody(system, changed):
        return "has a sum where nobody is"
    total = system.values[measure][row] + sum(
        change for base, change in changed.get(measure, {}).items() if row in system.ancestors[base]
    )
    if total < system.required[measure][row] and not (measure == 0 and total == 0 and row in system.may_be_empty):
        return "is too small"
    return None


def _has_sum_of_nobody(system: PublishedSystem, changed: dict[int, dict[int, int]]) -> bool:
    """Return whether a base cell that a witness changes has no people, but a sum."""
    for base in {base for changes in changed.values() for base in changes}:
        people, *sums = (value + changed.get(of, {}).get(base, 0) for of, value in enumerate(system.cells[base].values))
        if not people and any(sums):
            return True
    return False
