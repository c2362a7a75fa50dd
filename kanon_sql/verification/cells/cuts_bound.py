"""The lower bound of a table, computed again from cuts and their multipliers in whole numbers.

A line is a row and the rows of a finer grouping set that add up to it: the row less those others is 0, whatever the source. A
cut names lines, each with a multiple. Added up and solved for a primary row, they say

    row = sum(factor * other row).

So what the row gains is gained by rows with a positive factor, or lost by rows with a negative one. Rows that are shown do
neither, and a suppressed row loses at most its capacity. A row that nobody sees is free: it shows nothing in any case. It has
no cut if it may be empty instead. With multipliers of at least 0, the cuts give

    bound = sum(multiplier * right side) - sum(max(0, sum(multiplier * coefficient) - cost)).
"""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.errors import CertificateError
from kanon_sql.table.cell_table import PricedCut
from kanon_sql.verification.cells.published_system import PublishedSystem


def proven(system: PublishedSystem, cuts: Sequence[PricedCut], scale: int) -> int:
    """Return the least cost that the cuts prove.

    Raises
    ------
    CertificateError
        When a cut is none, or a multiplier is negative.
    """
    if scale < 1:
        raise CertificateError("scale", "must be at least 1")
    checked = _CheckedCuts(system)
    total, charged = 0, dict[int, int]()
    for number, cut in enumerate(cuts, 1):
        left, coefficients = checked.read(cut, number)
        total += cut.price * left
        for row, coefficient in coefficients.items():
            charged[row] = charged.get(row, 0) + cut.price * coefficient
    # a row that has to be shown never helps a cut
    excess = (max(0, charge - scale * system.costs[row]) for row, charge in charged.items() if not system.has_to_be_shown(row))
    return max(0, -(-(total - sum(excess)) // scale))


class _CheckedCuts:
    """Cuts of a table, each derived again.

    Parameters
    ----------
    system : PublishedSystem
        The table.
    """

    def __init__(self, system: PublishedSystem) -> None:
        self._system = system
        self._sets = [frozenset(chosen) for chosen in system.grouping_sets]
        # the last row that a base cell makes alone
        self._own = {members[0]: row for row, members in enumerate(system.members) if len(members) == 1}
        self._lines: dict[tuple[int, int], list[int]] = {}
        self._capacity: dict[tuple[int, int], int] = {}

    def read(self, cut: PricedCut, number: int) -> tuple[int, dict[int, int]]:
        """Return the right side of a cut and its coefficients."""
        system = self._system
        if cut.price < 0 or not 0 <= cut.row < system.rows or not 0 <= cut.measure < len(system.values):
            raise CertificateError(
                "cuts", f"cut {number} refers to a row or a measure that does not exist, or has a negative price"
            )
        need = system.required[cut.measure][cut.row] - system.values[cut.measure][cut.row]
        if need <= 0 or (cut.measure == 0 and cut.row in system.may_be_empty):
            raise CertificateError("cuts", f"cut {number} refers to a row that needs no protection")
        factors = self._factors(cut, number)
        free = [row for row in factors if system.is_free(row)]
        if any(factors[row] > 0 for row in free):
            return 0, {}
        lost = {row: min(-factor * self._loss(row, cut.measure), need) for row, factor in factors.items() if factor < 0}
        left = need - sum(lost[row] for row in free)
        if left <= 0:
            return 0, {}
        return left, {row: min(lost.get(row, left), left) for row in factors if not system.is_free(row)}

    def _factors(self, cut: PricedCut, number: int) -> dict[int, int]:
        """Return the factors of the other rows, from the lines of a cut."""
        total: dict[int, int] = {}
        for parent, refined, times in cut.lines:
            if not (0 <= parent < self._system.rows and 0 <= refined < len(self._sets)):
                raise CertificateError("cuts", f"cut {number} refers to a line that does not exist")
            if not self._sets[self._system.sets[parent]] < self._sets[refined]:
                raise CertificateError("cuts", f"cut {number} has a row and a grouping set that form no line")
            total[parent] = total.get(parent, 0) + times
            if (parent, refined) not in self._lines:
                self._lines[parent, refined] = self._system.parts(parent, refined)
            for row in self._lines[parent, refined]:
                total[row] = total.get(row, 0) - times
        own = total.pop(cut.row, 0)
        if own not in {1, -1}:
            raise CertificateError("cuts", f"cut {number} refers to a row outside its lines")
        return {row: -own * factor for row, factor in total.items() if factor}

    def _loss(self, row: int, measure: int) -> int:
        """Return by how much a row can be less in a witness of another one; a cell that is borrowed only rises."""
        system, key = self._system, (row, measure)
        if key not in self._capacity:
            most = 0
            for base in system.members[row]:
                if not system.fixed(base):
                    own = system.least(measure, self._own[base]) if base in self._own else 0
                    most += max(0, system.cells[base].values[measure] - max(own, system.known(measure, base)))
            self._capacity[key] = max(0, min(system.values[measure][row] - system.least(measure, row), most))
        return self._capacity[key]
