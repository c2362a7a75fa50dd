"""Base cells without people that a certificate lists: each has to be possible for all that the tables show.

Counts by age and counts by job exclude no job at any age. Keys of one column, and keys that determine
each other, only have values together that they have in the source. A row that only has such cells is an empty row of its table,
which suppresses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from kanon_sql.errors import CertificateError, PolicyError, raise_alone
from kanon_sql.model.named_rows import values_of
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.verification.cells.base_cell import BaseCell, Group
from kanon_sql.verification.cells.published_system import PublishedSystem
from kanon_sql.verification.cells.related_keys import Pair, parts_of
from kanon_sql.verification.cells.unlikely_pairs import UnlikelyPairs


class ImpossibleCells:
    """Combinations of values that nobody can have, as every reader knows: IMPOSSIBLE in the certificate of a table lists them.

    No witness may put people there, so they cannot be empty cells, and no cover for others. Keys of which it says something are
    no keys that people could exchange.

    Parameters
    ----------
    tabulation : Tabulation
        The keys of all tables.
    requested : sequence of (Tabulation, Protection)
        Each table, and its requirement.

    Raises
    ------
    CertificateError
        When a table names a key that it does not have.
    """

    def __init__(self, tabulation: Tabulation, requested: Sequence[tuple[Tabulation, Protection]]) -> None:
        self._rows: list[dict[int, tuple[str, ...]]] = []
        for shape, protection in requested:
            for row in protection.impossible:
                try:
                    values = values_of(row, shape)
                except PolicyError as error:
                    raise_alone(CertificateError("protection", str(error)))
                self._rows.append({tabulation.keys.index(shape.keys[key]): each for key, each in values.items()})

    def has(self, keys: Group) -> bool:
        """Return whether nobody can have the values of all keys."""
        return any(all(keys[key] in values for key, values in row.items()) for row in self._rows)

    def check_source(self, cells: Sequence[BaseCell]) -> None:
        """Check that nobody has such values.

        Raises
        ------
        CertificateError
            When somebody has.
        """
        if any(self.has(cell.keys) for cell in cells):
            raise CertificateError("protection", "a person has values that IMPOSSIBLE rules out")

    def related(self, related: set[Pair]) -> set[Pair]:
        """Return pairs of keys that say something about each other, with those that this is about."""
        return related | {frozenset(pair) for row in self._rows for pair in combinations(row, 2)}


def empty_cells(
    tabulation: Tabulation,
    cells: Sequence[BaseCell],
    listed: Sequence[tuple[int, ...]],
    related: set[Pair],
    impossible: ImpossibleCells,
) -> list[BaseCell]:
    """Return the base cells that a certificate lists as empty.

    Parameters
    ----------
    tabulation : Tabulation
        The keys of all tables.
    cells : sequence of BaseCell
        Those with people.
    listed : sequence of tuple of int
        For each empty cell and each key, the number of a cell with the same value.
    related : set of frozenset of int
        Pairs of keys that say something about each other.
    impossible : ImpossibleCells
        What nobody can have.

    Raises
    ------
    CertificateError
        When one is not possible, or has people; the error names its place in the list.

    Notes
    -----
    O((b + e) d) for b base cells with people, e empty ones and d keys.
    """
    if not listed:
        return []
    width = len(tabulation.keys)
    known, found = {cell.keys for cell in cells}, list[BaseCell]()
    together = parts_of(range(width), related)
    groups = [{tuple(cell.keys[key] for key in chosen) for cell in cells} for chosen in together]
    sums = len(tabulation.sums)
    for number, each in enumerate(listed, 1):
        if len(each) != width or any(not 0 <= base < len(cells) for base in each):
            raise CertificateError("empty_cells", f"entry {number} does not refer to a base cell for each key")
        keys = tuple(cells[base].keys[key] for key, base in enumerate(each))
        if keys in known:
            raise CertificateError("empty_cells", f"entry {number} has people or is listed twice")
        known.add(keys)
        if impossible.has(keys):
            raise CertificateError("empty_cells", f"entry {number} is ruled out by IMPOSSIBLE")
        if any(tuple(keys[key] for key in chosen) not in own for chosen, own in zip(together, groups, strict=True)):
            raise CertificateError("empty_cells", f"entry {number} is impossible: some of its keys never occur together")
        found.append(BaseCell(keys=keys, values=(0,) * (1 + sums), largest=((),) * sums))
    return found


def check_cover(system: PublishedSystem, unlikely: UnlikelyPairs, first: int) -> None:
    """Check that each empty base cell that readers would think impossible makes an empty row: it gives cover.

    Raises
    ------
    CertificateError
        When one makes none; the error names its place in the list. The empty cells are those from ``first`` on.
    """
    for number, (cell, rows) in enumerate(zip(system.cells[first:], system.ancestors[first:], strict=True), 1):
        if unlikely.has(cell.keys) and not any(map(system.is_empty, rows)):
            raise CertificateError("empty_cells", f"entry {number} has values that attackers consider impossible together")
