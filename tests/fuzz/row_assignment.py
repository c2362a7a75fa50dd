"""A perfect matching between released rows and source rows, by augmenting paths over kinds of rows with their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

R = TypeVar("R", bound=Hashable)
S = TypeVar("S", bound=Hashable)


def unmatched(released: Sequence[R], source: Sequence[S], fits: Callable[[R, S], bool]) -> int:
    """How many released rows are left over when as many as possible have a source row of their own."""
    needs, offers = Counter(released), Counter(source)
    edges = {row: [origin for origin in offers if fits(row, origin)] for row in needs}
    given: dict[S, Counter[R]] = {origin: Counter() for origin in offers}
    left = 0
    for row, count in needs.items():
        for _ in range(count):
            left += not _placed(row, edges, offers, given, set())
    return left


def _placed(row: R, edges: dict[R, list[S]], offers: Counter[S], given: dict[S, Counter[R]], tried: set[S]) -> bool:
    for origin in edges[row]:
        if origin in tried:
            continue
        tried.add(origin)
        if given[origin].total() < offers[origin]:
            given[origin][row] += 1
            return True
        for other in list(+given[origin]):
            if other != row and _placed(other, edges, offers, given, tried):
                given[origin][other] -= 1
                given[origin][row] += 1
                return True
    return False
