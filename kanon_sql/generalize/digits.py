"""Leading characters: ``98765`` becomes ``98***``."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.table.ladder import Label


def digit_levels(texts: Sequence[Label], shown: Sequence[int]) -> tuple[dict[int, list[Label]], bool]:
    """Return by the number of characters what each value shows, finest first, and whether it may be shown itself.

    Parameters
    ----------
    texts : sequence of Label [v]
        The values.
    shown : sequence of int
        The permitted numbers of leading characters, descending; empty permits all.

    Notes
    -----
    The stars are as many as the longest value has characters beyond those shown: a shorter value is told from the beginning
    of a longer one until both show the same.

    Examples
    --------
    >>> digit_levels(["98765", "98"], [3])
    ({3: ['987**', '98**']}, False)
    """
    longest = max((len(text) for text in texts if text is not None), default=0)
    chosen = [count for count in shown if count < longest] if shown else list(range(longest - 1, 0, -1))
    exact = not shown or shown[0] >= longest
    return {count: [_masked(text, count, longest) for text in texts] for count in chosen}, exact


def _masked(text: Label, count: int, longest: int) -> Label:
    return None if text is None else text[:count] + "*" * (longest - count)
