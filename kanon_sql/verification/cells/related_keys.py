"""Keys that say something about each other: of the same columns, or of a part of the condition, or one determines the other."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import combinations

from kanon_sql.model.tabulation import Tabulation, conjuncts
from kanon_sql.verification.cells.base_cell import BaseCell
from kanon_sql.verification.cells.expressions import columns_in

Pair = frozenset[int]


def related_keys(
    tabulation: Tabulation, cells: Sequence[BaseCell], known: Container[str] = (), condition: str = ""
) -> set[Pair]:
    """Return the pairs of such keys.

    Parameters
    ----------
    tabulation : Tabulation
        The keys.
    cells : sequence of BaseCell
        The base cells.
    known : container of str
        Columns of the source.
    condition : str
        What holds for everybody: of each part of it, the columns say something about each other.

    Notes
    -----
    O(b d^2) for b base cells and d keys.
    """
    keys = range(len(tabulation.keys))
    columns = [columns_in(text, known) for text in tabulation.keys]
    parts = [columns_in(each, known) for each in (conjuncts(condition) if condition else ())]
    counts = [len({cell.keys[key] for cell in cells}) for key in keys]
    found = set[Pair]()
    for one, other in combinations(keys, 2):
        pairs = len({(cell.keys[one], cell.keys[other]) for cell in cells})
        constant = min(counts[one], counts[other]) < 2  # says nothing about any key
        alike = columns[one] & columns[other] or any(columns[one] & part and columns[other] & part for part in parts)
        if alike or (not constant and pairs <= max(counts[one], counts[other])):
            found.add(frozenset((one, other)))
    return found


def parts_of(keys: Iterable[int], together: Iterable[Iterable[int]]) -> list[list[int]]:
    """Return keys in parts: keys that are together are in one part."""
    part = {key: key for key in keys}
    for each in together:
        own = [key for key in each if key in part]
        names = {part[key] for key in own}
        part = {key: part[own[0]] if name in names else name for key, name in part.items()} if own else part
    return [[key for key in part if part[key] == name] for name in sorted({*part.values()})]
