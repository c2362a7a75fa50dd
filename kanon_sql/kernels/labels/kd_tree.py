"""kd-trees: weighted points in the plane, cut in two along an axis as long as both sides keep k rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.labels.kd_cuts import KDTreeWorkspace, best_cut, cut_node, worse
from kanon_sql.kernels.labels.two_word_sums import less, plus, square


def _outlook(work, first, last):
    """Divide a node on trial by the best cut of both axes, again and again; return its heaviest group and sum of squares."""
    cut: tuple[cython.longlong, cython.longlong, cython.longlong, cython.longlong]
    other: tuple[cython.longlong, cython.longlong, cython.longlong, cython.longlong]
    heaviest = 0
    squares: tuple[cython.longlong, cython.longlong] = (0, 0)
    nodes = 1
    work.begin[0] = first
    work.end[0] = last
    while nodes:
        nodes -= 1
        first = work.begin[nodes]
        last = work.end[nodes]
        axis = 0
        cut = best_cut(work, work.trial, first, last, 0, work.step)
        other = best_cut(work, work.trial, first, last, 1, work.step)
        if cut[0] == 0 or (other[0] and worse(cut, other)):
            axis = 1
            cut = other
        if cut[0] == 0:
            rows = 0
            for p in range(first, last):
                rows += work.weight[work.trial[0, p]]
            heaviest = max(heaviest, rows)
            squares = plus(squares, square(rows))
            continue
        cut_node(work, work.trial, first, last, axis, cut[0])
        work.begin[nodes] = first
        work.end[nodes] = first + cut[0]
        work.begin[nodes + 1] = first + cut[0]
        work.end[nodes + 1] = last
        nodes += 2
    return heaviest, squares[0], squares[1]


def _candidates(work, order, first, last):
    """Fill the candidates with the best cuts, and return how many differ; uneven ones only if all are."""
    cut: tuple[cython.longlong, cython.longlong, cython.longlong, cython.longlong]
    found = 0
    all_uneven = 1
    for attempt in range(4):
        axis = attempt & 1
        cut = best_cut(work, order, first, last, axis, work.step if attempt < 2 else work.k)
        if cut[0] == 0 or cut[1] > all_uneven:
            continue
        if cut[1] < all_uneven:
            found = 0
            all_uneven = 0
        known: cython.bint = False
        for c in range(found):
            known = known or (work.candidate[c, 0] == axis and work.candidate[c, 1] == cut[0])
        if not known:
            work.candidate[found, 0] = axis
            work.candidate[found, 1] = cut[0]
            found += 1
    return found


def _decide(work, order, first, last, candidates, unavoidable):
    """Return the candidate with the best outlook: the least heaviest group, then the least sum of squares."""
    best = 0
    heaviest = 0
    squares: tuple[cython.longlong, cython.longlong] = (0, 0)
    for c in range(candidates if candidates > 1 else 0):
        for p in range(first, last):
            work.trial[0, p] = order[0, p]
            work.trial[1, p] = order[1, p]
        middle = first + work.candidate[c, 1]
        cut_node(work, work.trial, first, last, work.candidate[c, 0], work.candidate[c, 1])
        below: tuple[cython.longlong, cython.longlong, cython.longlong] = _outlook(work, first, middle)
        above: tuple[cython.longlong, cython.longlong, cython.longlong] = _outlook(work, middle, last)
        sum_of_squares: tuple[cython.longlong, cython.longlong] = plus((below[1], below[2]), (above[1], above[2]))
        found = max(below[0], above[0], unavoidable)
        if c == 0 or found < heaviest or (found == heaviest and less(sum_of_squares, squares)):
            best = c
            heaviest = found
            squares = sum_of_squares
    return best


def divide(
    rank: cython.longlong[:, ::1],
    order: cython.longlong[:, ::1],
    weight: cython.longlong[::1],
    k: cython.longlong,
    step: cython.longlong,
    unavoidable: cython.longlong,
) -> NDArray[np.int64]:
    """Divide points into groups of at least k rows by cuts between two coordinates, until no group can be cut.

    At each node the best cuts of both axes are tried, with regard to the excess and without, and what comes of each by
    `_outlook` decides: the heaviest group, then the least sum of squares.

    Parameters
    ----------
    rank : int64 array [2, n]
        Coordinates of distinct points.
    order : int64 array [2, n]
        The points by each of the coordinates; is reordered.
    weight : int64 array [n]
        Rows of each point; positive, k or more and below 2^62 together.
    k : int
        Least rows of a group.
    step : int
        Rows of excess that a cut may cost for the sake of balance.
    unavoidable : int
        Rows that some group has in any case: lighter groups count as that heavy.

    Returns
    -------
    int64 array [n]
        The group of each point, dense from 0.

    Notes
    -----
    O(n log^2(T / k)) for T capped rows in all; memory O(n). That the tree is only O(log(T / k)) deep: the column and the row
    of the medians share one point, so they have at most T + k rows together, and one of them, c, at most (T + k) / 2. Of the
    two sides of c, none has more than T / 2, and one has at least (T - c) / 2 >= (T - k) / 4. From T = 5 k on that is a
    fifth of T and at least k, so the cut that leaves c on the other side is allowed, and both sides keep a fifth.
    """
    n = len(weight)
    group = np.zeros(n, np.int64)
    _divide(
        KDTreeWorkspace(rank, weight, k, step), order, unavoidable, group, np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    )
    return group


def _divide(work, order, unavoidable, group, begin, end):
    """Fill in the groups; ``begin`` and ``end`` are a stack of nodes."""
    groups = 0
    nodes = 1
    begin[0] = 0
    end[0] = group.shape[0]
    with cython.nogil:
        while nodes:
            nodes -= 1
            first = begin[nodes]
            last = end[nodes]
            candidates = _candidates(work, order, first, last)
            if candidates == 0:
                for p in range(first, last):
                    group[order[0, p]] = groups
                groups += 1
                continue
            best = _decide(work, order, first, last, candidates, unavoidable)
            middle = first + work.candidate[best, 1]
            cut_node(work, order, first, last, work.candidate[best, 0], work.candidate[best, 1])
            begin[nodes] = first
            end[nodes] = middle
            begin[nodes + 1] = middle
            end[nodes + 1] = last
            nodes += 2
