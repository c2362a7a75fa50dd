"""Combinations of values that nobody can have, as every reader knows: IMPOSSIBLE in the certificate of a table lists them.

No witness may put people there, so they cannot be empty cells, and no cover for others. Keys of which it says something are no
keys that people could exchange.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from kanon_sql.errors import CertificateError, PolicyError, raise_alone
from kanon_sql.model.named_rows import values_of
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.verification.cells.base_cell import BaseCell, Group
from kanon_sql.verification.cells.related_keys import Pair


class ImpossibleCells:
    """What some tables call impossible.

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
            raise CertificateError("protection", "somebody has values that IMPOSSIBLE says nobody can have")

    def related(self, related: set[Pair]) -> set[Pair]:
        """Return pairs of keys that say something about each other, with those that this is about."""
        return related | {frozenset(pair) for row in self._rows for pair in combinations(row, 2)}
