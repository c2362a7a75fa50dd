"""Values of two keys that nobody has together, if that is no accident: a reader takes them for impossible.

Then people cannot exchange these keys unnoticed, and no witness may put people there, unless it is an empty row that gives
cover. The n people of a value have values of another key that the share s of all people have. By chance, the share is c, the
sum of p (1 - exp(-n p)) over the shares p of all values. It is no accident if s is at most 0.6 c, and n log(c / s) at least 7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import exp, log

from kanon_sql.verification.cells.base_cell import BaseCell, Group
from kanon_sql.verification.cells.related_keys import Pair

_SHARE, _SURPRISE = 0.6, 7.0


class UnlikelyPairs:
    """Such pairs of values.

    Parameters
    ----------
    cells : sequence of BaseCell
        The base cells with people.
    keys : int
        How many keys they have.
    """

    def __init__(self, cells: Sequence[BaseCell], keys: int) -> None:
        sizes: list[Counter[str | None]] = [Counter() for _ in range(keys)]
        for cell in cells:
            for key, value in enumerate(cell.keys):
                sizes[key][value] += cell.values[0]
        self._seen: dict[tuple[int, int], set[tuple[str | None, str | None]]] = {}
        for one, other in combinations(range(keys), 2):
            seen = {(cell.keys[one], cell.keys[other]) for cell in cells}
            turned = {(second, first) for first, second in seen}
            if _is_confined(sizes[one], sizes[other], seen) or _is_confined(sizes[other], sizes[one], turned):
                self._seen[one, other] = seen

    def has(self, keys: Group) -> bool:
        """Return whether a base cell has such values."""
        return any((keys[one], keys[other]) not in seen for (one, other), seen in self._seen.items())

    def related(self, related: set[Pair]) -> set[Pair]:
        """Return pairs of keys that say something about each other, with those that have such values."""
        return related | set(map(frozenset, self._seen))


def _is_confined(
    sizes: Counter[str | None], others: Counter[str | None], seen: Iterable[tuple[str | None, str | None]]
) -> bool:
    """Return whether people of a value only have few values of another key, which is no accident."""
    total, reached = others.total(), Counter[str | None]()
    for value, other in seen:
        reached[value] += others[other]
    shares = [(count / total, times) for count, times in Counter(others.values()).items()]
    by_chance = {size: sum((1 - exp(-size * each)) * each * times for each, times in shares) for size in {*sizes.values()}}
    return any(
        reached[value] / total <= _SHARE * by_chance[size] and size * log(by_chance[size] * total / reached[value]) >= _SURPRISE
        for value, size in sizes.items()
    )
