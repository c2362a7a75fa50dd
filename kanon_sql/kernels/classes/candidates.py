"""Candidates of a neighbourhood: the closed instances that its unassigned rows could open, and the open classes they fit."""

from __future__ import annotations

from kanon_sql.kernels.classes.workspace import MOST_INSTANCES


def list_candidates(candidates, partition, k, work):
    """List the closed instances that k unassigned rows fit, and for each row the cheapest open class.

    An instance that costs none of its rows less than an open class that the row fits is left out: nothing is gained by it.
    """
    place = 0
    many = 0
    for f in range(work.types):  # one after the other, each list would be waited for; together, they are on their way
        i = work.row[f]
        work.cheapest_open[f] = candidates.instance[candidates.first[i]]
    for f in range(work.types):
        i = work.row[f]
        open_class = -1
        rows = work.rows[i]
        for a in range(candidates.first[i], candidates.first[i + 1]):
            j = candidates.instance[a]
            q = work.number[j]
            if q < 0:
                if partition.rows[j] > 0:
                    if open_class < 0:  # the first is the cheapest
                        open_class = j
                    continue
                if many == MOST_INSTANCES:
                    continue
                q = many
                work.number[j] = q
                work.instance[q] = j
                work.fitting[q] = work.filled[q] = work.wanted[q] = 0
                many += 1
            work.listed[place] = q
            place += 1
            work.fitting[q] += rows
            work.filled[q] += 1
            if open_class < 0:
                work.wanted[q] = 1
        work.cheapest_open[f] = open_class
        work.listed_end[f] = place
    work.closed = 0
    work.begin[0] = 0
    for q in range(many):
        j = work.instance[q]
        work.number[j] = -1
        if work.fitting[q] >= k and work.wanted[q]:
            work.instance[work.closed] = j
            work.begin[work.closed + 1] = work.begin[work.closed] + work.filled[q]
            work.filled[q] = work.begin[work.closed]
            work.closed += 1
        else:
            work.filled[q] = -1
    place = 0
    for f in range(work.types):
        i = work.row[f]
        for a in range(place, work.listed_end[f]):
            q = work.listed[a]
            if work.filled[q] >= 0:
                work.entry[work.filled[q]] = i
                work.filled[q] += 1
        place = work.listed_end[f]
