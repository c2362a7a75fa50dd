"""The lower bound of a table, computed again from line cuts and their multipliers in exact numbers.

A cut says what a primary row needs in one line. If the row at the head of the line is shown, what the primary row gains is
lost by suppressed rows of its line, each by at most its capacity. A row whose finer rows are all shown is known. With
multipliers of at least 0, the cuts give

    bound = sum(multiplier * right side) - sum(max(0, sum(multiplier * coefficient) - cost)).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from kanon_sql.errors import CertificateError
from kanon_sql.table.cell_table import LineCut
from kanon_sql.verification.cells.published_system import PublishedSystem


def proven(system: PublishedSystem, cuts: Sequence[LineCut], scale: int) -> int:
    """Return the least cost that the cuts prove.

    Raises
    ------
    CertificateError
        When a cut is none, or a multiplier is negative.
    """
    if scale < 1:
        raise CertificateError("scale", "must be at least 1")
    total, charged = Fraction(0), dict[int, Fraction]()
    for number, cut in enumerate(cuts, 1):
        left, coefficients = _cut(system, cut, number)
        multiplier = Fraction(cut.price, scale)
        total += multiplier * left
        for row, coefficient in coefficients.items():
            charged[row] = charged.get(row, Fraction(0)) + multiplier * coefficient
    # a row that has to be shown never helps a cut
    paid = (max(Fraction(0), charge - system.cost(row)) for row, charge in charged.items() if not system.has_to_be_shown(row))
    return max(0, ceil(total - sum(paid)))


def _cut(system: PublishedSystem, cut: LineCut, number: int) -> tuple[int, dict[int, int]]:
    """Return the right side of a cut and its coefficients."""
    sets = system.tabulation.sets
    if (
        cut.price < 0
        or not 0 <= cut.row < system.rows
        or not 0 <= cut.parent < system.rows
        or not 0 <= cut.measure < len(system.values)
        or not 0 <= cut.refined < len(sets)
    ):
        raise CertificateError("cuts", f"number {number} names something that does not exist")
    if not set(sets[system.sets[cut.parent]]) < set(sets[cut.refined]):
        raise CertificateError("cuts", f"number {number} is not about a line")
    need = system.required[cut.measure][cut.row] - system.values[cut.measure][cut.row]
    if need <= 0:
        raise CertificateError("cuts", f"number {number} names a row that needs no protection")
    line = sorted({system.ancestors[base][cut.refined] for base in system.members[cut.parent]})
    if cut.row == cut.parent:
        if any(row in system.primaries for row in line):
            return 0, {}
        return 1, dict.fromkeys(line, 1)
    if cut.row not in line:
        raise CertificateError("cuts", f"number {number} is about a row outside of its line")
    capacity = {row: _capacity(system, row, cut) for row in line}
    left = need - sum(min(capacity[row], need) for row in line if row in system.primaries and row != cut.row)
    if left <= 0 or cut.parent in system.primaries:
        return 0, {}
    coefficients = {row: min(capacity[row], left) for row in line if row not in system.primaries}
    return left, {cut.parent: left, **coefficients}


def _capacity(system: PublishedSystem, row: int, cut: LineCut) -> int:
    """Return by how much a row can be less in a witness of the primary row of a cut."""
    least, most = system.least(cut.measure), 0
    for base in system.members[row]:
        if system.fixed(base) and system.values[0][cut.row] != 1:
            continue
        own = any(len(system.members[each]) == 1 for each in system.ancestors[base])
        most += max(0, system.cells[base].values[cut.measure] - (least if own else 0))
    return max(0, min(system.values[cut.measure][row] - least, most))
