"""Bins evened out in pairs: a label of one moves to the other, or two labels change places."""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import uncompiled as cython


def even_out(
    weight: cython.longlong[::1],
    place: cython.longlong[::1],
    load: cython.longlong[::1],
    least: cython.longlong,
    most: cython.longlong,
    rounds: cython.longlong,
) -> None:
    """Bring bins above ``most`` and below ``least`` nearer to the others, by moves and swaps that even out a pair of bins.

    No bin becomes heavier than the heaviest was, or lighter than the lightest.

    Parameters
    ----------
    weight : int64 array [n]
        Rows of each label, descending.
    place : int64 array [n]
        The bin of each label; changed.
    load : int64 array [b]
        Rows of each bin; changed with them.
    least, most : int
        Pairs of bins that both have ``least`` to ``most`` rows are left as they are.
    rounds : int
        Most rounds, each of up to b / 2 disjoint pairs.

    Notes
    -----
    A round pairs the i-th heaviest bin with the one that has the place r - i, modulo b: b rounds try all pairs, the first one
    the heaviest with the lightest. The search ends when they change nothing: then no move and no swap of two labels helps.
    O(n + b log b) for a round in which each pair changes a few times, O(n + b) memory.
    """
    if _within(load, least, most):
        return
    first = np.full(len(load), len(weight), np.int64)
    after = np.empty(len(weight), np.int64)
    _list_labels(place, first, after)
    while rounds > 0:
        order = np.argsort(-np.asarray(load), kind="stable")
        rounds = _until_changed(weight, load, first, after, order, least, most, rounds)
    _read_places(place, first, after)


def _list_labels(place, first, after):
    """List the labels of bin j: ``first[j]``, then ``after`` of each, ascending, n at the end."""
    for i in range(place.shape[0] - 1, -1, -1):
        after[i] = first[place[i]]
        first[place[i]] = i


def _read_places(place, first, after):
    for j in range(first.shape[0]):
        i = first[j]
        while i < place.shape[0]:
            place[i] = j
            i = after[i]


def _until_changed(weight, load, first, after, order, least, most, rounds):
    """Do rounds until one changes something; return how many are left, 0 when nothing is left to do."""
    b = load.shape[0]
    changed: cython.bint = False
    with cython.nogil:
        for idle in range(min(b, rounds)):
            if _within(load, least, most):
                break
            for i in range(b):
                j = (2 * b - 1 - idle - i) % b
                if j > i and (max(load[order[i]], load[order[j]]) > most or min(load[order[i]], load[order[j]]) < least):
                    while _exchange(weight, load, first, after, order[i], order[j]):
                        changed = True
            if changed:
                rounds -= idle + 1
                break
    return rounds if changed else 0


def _within(load, least, most):
    within: cython.bint = True
    for j in range(load.shape[0]):
        within = within and least <= load[j] <= most
    return within


def _shift(weight, given, back):
    """Return the rows that change bins when one label is exchanged for another, or for none, n."""
    return weight[given] - weight[back] if back < weight.shape[0] else weight[given]


def _difference_after(weight, difference, given, back):
    """Return how much two bins differ when labels were exchanged."""
    after = difference - 2 * _shift(weight, given, back)
    return after if after >= 0 else -after


def _exchange(weight, load, first, after, one, other):
    """Move a label or swap two so that two bins differ the least; return whether they differ less than before."""
    n = weight.shape[0]
    heavy = one if load[one] >= load[other] else other
    light = other if heavy == one else one
    difference = load[heavy] - load[light]
    best = difference
    given = n
    back = n
    above = n
    y = first[light]
    x = first[heavy]
    while x < n:
        # The best partner of x is the last label above x - difference / 2 or the first one that is not; both descend with x.
        while y < n and 2 * weight[y] > 2 * weight[x] - difference:
            above = y
            y = after[y]
        left = _difference_after(weight, difference, x, above)
        if left < best:
            best = left
            given = x
            back = above
        left = _difference_after(weight, difference, x, y)
        if left < best:
            best = left
            given = x
            back = y
        x = after[x]
    if given == n:
        return False
    shift = _shift(weight, given, back)
    load[heavy] -= shift
    load[light] += shift
    _take(first, after, heavy, given)
    _put(first, after, light, given)
    if back < n:
        _take(first, after, light, back)
        _put(first, after, heavy, back)
    return True


def _take(first, after, j, label):
    i = first[j]
    if i == label:
        first[j] = after[label]
        return
    while after[i] != label:
        i = after[i]
    after[i] = after[label]


def _put(first, after, j, label):
    i = first[j]
    if i > label:
        after[label] = i
        first[j] = label
        return
    while after[i] < label:  # the end of a list is above all labels
        i = after[i]
    after[label] = after[i]
    after[i] = label
