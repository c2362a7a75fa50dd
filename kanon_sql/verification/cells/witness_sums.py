"""Witnesses are added up: each is another table that agrees with everything shown."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.certificate.table_evidence import Witness
from kanon_sql.errors import CertificateError
from kanon_sql.verification.cells.published_system import PublishedSystem
from kanon_sql.verification.cells.small_rests import SmallRests


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
    rests = SmallRests(system)
    for number, witness in enumerate(witnesses, 1):
        wrong = _wrong(system, suppressed, witness, rests)
        if wrong is not None:
            raise CertificateError("witnesses", f"number {number} {wrong}")
    missing = rests.first
    if missing is not None:
        raise CertificateError("witnesses", f"there is none for row {missing[0]} without row {missing[1]}")


def _wrong(system: PublishedSystem, suppressed: frozenset[int], witness: Witness, rests: SmallRests) -> str | None:
    """Return what is wrong with a witness; one of people counts for the rests of rows, too."""
    row, measure, moves = witness
    if not (0 <= row < system.rows and 0 <= measure < len(system.values)):
        return "is about a row or a measure that does not exist"
    changed: dict[int, dict[int, int]] = {}
    for of, base, change in moves:
        if not (0 <= of < len(system.values) and 0 <= base < len(system.cells)) or base in changed.get(of, {}):
            return "changes a base cell or a measure that does not exist, or one twice"
        changed.setdefault(of, {})[base] = change
    reached = system.values[measure][row]
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
        if of == 0:
            rests.witnessed(added)
        reached += added.get(row, 0) if of == measure else 0
    if _has_sum_of_nobody(system, changed):
        return "has a sum where nobody is"
    # nobody sees a joined row, so it may also be empty
    if reached < system.required[measure][row] and (reached or measure or system.is_seen(row)):
        return "is too small"
    return None


def _has_sum_of_nobody(system: PublishedSystem, changed: dict[int, dict[int, int]]) -> bool:
    """Return whether a base cell that a witness changes has no people, but a sum."""
    for base in {base for changes in changed.values() for base in changes}:
        people, *sums = (value + changed.get(of, {}).get(base, 0) for of, value in enumerate(system.cells[base].values))
        if not people and any(sums):
            return True
    return False
