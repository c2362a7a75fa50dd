"""Witnesses are added up: each is another table that agrees with everything shown."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.certificate.table_file import Witness
from kanon_sql.errors import CertificateError
from kanon_sql.verification.cells.joined_sets import SmallRests
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
    rests, given = SmallRests(system), _Given(system)
    for number, witness in enumerate(witnesses, 1):
        wrong = _wrong(system, suppressed, witness, rests, given)
        if wrong is not None:
            raise CertificateError("witnesses", f"witness {number} {wrong}")
    given.check()
    missing = rests.first
    if missing is not None:
        raise CertificateError("witnesses", f"no witness exists for row {missing[0]} without row {missing[1]}")


class _Given:
    """The witnesses that are right: which of more, by the cells that they borrow, and which of less.

    A coalition knows a base cell that has no others. So a witness may raise one such cell of its row, its *borrowed* cell: it
    is open to a coalition without all people of that cell. Witnesses that borrow cells with more people than a coalition, or
    all people of the row, are open to each coalition between them, except the whole row.
    """

    def __init__(self, system: PublishedSystem) -> None:
        self._system = system
        self._more: dict[tuple[int, int], set[int | None]] = {}
        self._less: set[tuple[int, int]] = set()

    def more(self, row: int, measure: int, borrowed: int | None) -> None:
        """Take a witness of more."""
        self._more.setdefault((row, measure), set()).add(borrowed)

    def raised(self, sums: dict[int, dict[int, int]]) -> None:
        """Take a witness that contradicts no contributor: it is one of each row that it raises to what the row requires."""
        for measure, added in sums.items():
            for row, change in added.items():
                if self._system.values[measure][row] + change >= self._system.required[measure][row] > 0:
                    self.more(row, measure, None)

    def less(self, row: int, measure: int) -> None:
        """Take a witness of less."""
        self._less.add((row, measure))

    def check(self) -> None:
        """Refuse a row without a witness that it needs."""
        system = self._system
        for row in range(system.rows):
            for measure in range(len(system.values)):
                at = f"row {row} in measure {measure}"
                if system.required[measure][row] > system.values[measure][row]:
                    borrowed = self._more.get((row, measure), set())
                    people = sum(system.cells[base].values[0] for base in borrowed if base is not None)
                    if not borrowed or (None not in borrowed and people < min(system.values[0][row], system.coalition + 1)):
                        raise CertificateError("witnesses", f"no witness exists for {at}")
                if system.gaps[measure][row] and (row, measure) not in self._less:
                    raise CertificateError("witnesses", f"no witness has a smaller value for {at}")


def _wrong(
    system: PublishedSystem, suppressed: frozenset[int], witness: Witness, rests: SmallRests, given: _Given
) -> str | None:
    """Return what is wrong with a witness; one of people counts for the rests of rows, too."""
    row, measure, moves = witness
    if not (0 <= row < system.rows and 0 <= measure < len(system.values)):
        return "refers to a row or a measure that does not exist"
    changed: dict[int, dict[int, int]] = {}
    for of, base, change in moves:
        if not (0 <= of < len(system.values) and 0 <= base < len(system.cells)) or base in changed.get(of, {}):
            return "changes a base cell or a measure twice, or one that does not exist"
        changed.setdefault(of, {})[base] = change
    reached = system.values[measure][row]
    sums: dict[int, dict[int, int]] = {}
    for of, changes in changed.items():
        added = sums.setdefault(of, {})
        for base, change in changes.items():
            if system.cells[base].values[of] + change < 0:
                return "makes a base cell negative"
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
        return "has a sum without people"
    gap = system.gaps[measure][row]
    if gap and reached <= system.values[measure][row] - gap:
        given.less(row, measure)
        return _contradicts(system, row, changed, outside=True)[0]
    # nobody sees a joined row, so it may also be empty
    if reached < system.required[measure][row] and (reached or measure or system.is_seen(row)):
        return "is too small"
    wrong, borrowed = _contradicts(system, row, changed, outside=False)
    given.more(row, measure, borrowed)
    if borrowed is None:
        given.raised(sums)
    return wrong


def _contradicts(
    system: PublishedSystem, row: int, changed: dict[int, dict[int, int]], *, outside: bool
) -> tuple[str | None, int | None]:
    """Return what of a witness contradicts what contributors know, and the cell that it borrows.

    A witness that is about attackers outside of its row may contradict those in it.
    """
    borrowed = None
    for of, changes in changed.items():
        for base, change in changes.items():
            inside = row in system.ancestors[base]
            if outside and inside:
                continue
            if system.cells[base].values[of] + change < system.known(of, base):
                return "has less than the contributors know", None
            if system.fixed(base) and change:
                if change < 0 or not inside or borrowed not in (None, base):
                    return "changes a base cell that a contributor knows", None
                borrowed = base
    return None, borrowed


def _has_sum_of_nobody(system: PublishedSystem, changed: dict[int, dict[int, int]]) -> bool:
    """Return whether a base cell that a witness changes has no people, but a sum."""
    for base in {base for changes in changed.values() for base in changes}:
        people, *sums = (value + changed.get(of, {}).get(base, 0) for of, value in enumerate(system.cells[base].values))
        if not people and any(sums):
            return True
    return False
