"""Leading characters: ``98765`` becomes ``98***``."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from kanon_sql.errors import PolicyError
from kanon_sql.table.ladder import MOST_LEVELS, Label, refuse_other_losses


def digit_levels(
    texts: Sequence[Label], shown: Sequence[int], loss: Sequence[Fraction] = (), *, every: bool = False
) -> tuple[dict[int, list[Label]], bool, tuple[Fraction, ...]]:
    """Return the levels of a column by their number of characters, finest first.

    Parameters
    ----------
    texts : sequence of Label [v]
        The values, each once.
    shown : sequence of int
        The permitted numbers of leading characters, descending; empty permits all.
    loss : sequence of Fraction
        Loss of each permitted level below the value; empty if the labels decide.
    every : bool
        Whether to keep levels that show no less than a finer one.

    Returns
    -------
    dict of int to list of Label
        What each value shows at each level.
    bool
        Whether the value itself may be shown.
    tuple of Fraction
        The losses of these levels.

    Raises
    ------
    PolicyError
        If there are too many levels, or the losses are not as many as the levels.

    Notes
    -----
    A label depends on its own value alone. It keeps the length of the value, so a star never shows how long another value is.
    O(h n) for the h levels kept and the n characters of all values: levels are compared before a label is made.

    Examples
    --------
    >>> digit_levels(["98765", "98"], [3])
    ({3: ['987**', '98']}, False, ())
    """
    longest = max((len(text) for text in texts if text is not None), default=0)
    chosen = _below(longest, shown)
    if loss:
        refuse_other_losses(loss, len(chosen))
    exact = not shown or shown[0] >= longest
    kept = list(range(len(chosen))) if every else _coarser(texts, chosen, first=not exact)
    if len(kept) > MOST_LEVELS:
        raise PolicyError(
            f"DIGITS creates too many levels: {len(kept)} (maximum {MOST_LEVELS}); hint: list fewer levels, as in DIGITS (5, 3)"
        )
    levels = {chosen[place]: _masked(texts, chosen[place]) for place in kept}
    return levels, exact, tuple(loss[place] for place in kept) if loss else ()


def counts_below(texts: Sequence[Label], shown: Sequence[int]) -> Sequence[int]:
    """Return how many characters each permitted level below the value shows, descending."""
    return _below(max((len(text) for text in texts if text is not None), default=0), shown)


def masked(text: str, count: int) -> str:
    """Return some leading characters of a text, and a star for each other one.

    Examples
    --------
    >>> masked("98765", 2), masked("98", 3)
    ('98***', '98')
    """
    return text[:count] + "*" * (len(text) - count)


def _below(longest: int, shown: Sequence[int]) -> Sequence[int]:
    return [count for count in shown if count < longest] if shown else range(longest - 1, 0, -1)


def _coarser(texts: Sequence[Label], chosen: Sequence[int], *, first: bool) -> list[int]:
    """Return the places of the levels at which more values look alike than at the one before; the ``first`` one stays."""
    alike = _common_beginnings(texts)
    kept: list[int] = []
    before = len(alike)
    for place, count in enumerate(chosen):
        below = bisect_left(alike, count)  # pairs of neighbours that still differ
        if below < before or (first and not kept):
            kept.append(place)
            before = below
    return kept


def _common_beginnings(texts: Sequence[Label]) -> list[int]:
    """Return for each two neighbours, among the sorted values of one length, how many characters they share; ascending."""
    ordered = sorted((len(text), text) for text in texts if text is not None)
    pairs = ((low, high) for (size, low), (other, high) in pairwise(ordered) if size == other)
    return sorted(next(place for place, (a, b) in enumerate(zip(low, high, strict=True)) if a != b) for low, high in pairs)


def _masked(texts: Sequence[Label], count: int) -> list[Label]:
    """Return what values show; equal labels are one object, as each may be long."""
    known: dict[str, str] = {}
    labels = (None if text is None else masked(text, count) for text in texts)
    return [None if label is None else known.setdefault(label, label) for label in labels]
