"""What a class shows of its own values: their range, or their set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_sql.generalize.groups import alone, interval, listed
from kanon_sql.table.arrays import Int64
from kanon_sql.table.ladder import Label


def ranges(labels: Sequence[Label], number: Int64, code: Int64) -> list[Label]:
    """Return the range of each class: ``[17, 23]``, ``17``, ``[17, 23] or NULL``, or NULL; odd texts in quotes.

    Parameters
    ----------
    labels : sequence of Label
        The values in their order.
    number, code : int64 arrays [q]
        The class of each piece, and its value.

    Notes
    -----
    O(q).
    """
    classes = int(number.max()) + 1
    low, high = np.full(classes, len(labels)), np.full(classes, -1)
    known = np.array([labels[each] is not None for each in code.tolist()], np.bool_)
    np.minimum.at(low, number[known], code[known])
    np.maximum.at(high, number[known], code[known])
    empty = np.zeros(classes, np.bool_)
    empty[number[~known]] = True
    found: list[Label] = []
    values = set(labels)
    for least, most, also in zip(low.tolist(), high.tolist(), empty.tolist(), strict=True):
        if most < 0:
            found.append(None)
            continue
        text = interval(str(labels[least]), str(labels[most]), values)
        found.append(f"{text} or NULL" if also else text)
    return found


def sets(labels: Sequence[Label], number: Int64, code: Int64) -> list[Label]:
    """Return the set of values of each class, in their order: ``{flu, gout}``, ``flu``, or NULL; O(q log q)."""
    held: list[list[int]] = [[] for _ in range(int(number.max()) + 1)]
    for each, value in np.unique(np.stack([number, code]), axis=1).T.tolist():
        held[each].append(value)
    values = set(labels)
    return [_shown([labels[each] for each in codes], values) for codes in held]


def _shown(texts: Sequence[Label], values: set[Label]) -> Label:
    """Return what a class with these values shows."""
    if len(texts) > 1:
        return listed("{", texts, "}", values)
    return None if texts[0] is None else alone(texts[0])
