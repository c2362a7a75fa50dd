"""Repair: rows without a class open classes by their prices, as in the guided opening, and fall back to open ones."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.classes.move_log import log
from kanon_sql.kernels.classes.partition import SLOTS, put, take
from kanon_sql.kernels.instances.gains import NEVER, gain


def _assign(partition, work, i, j, rows):
    """Put unassigned rows into a class; False if they find no slot."""
    if not put(partition, i, j, rows):
        return False
    log(work.moves, i, j, rows)
    work.rows[i] -= rows
    return True


def _gain(candidates, k, work, q, floor):
    w = candidates.cost[work.instance[q]]
    return gain(work.entry, work.begin[q], work.begin[q + 1], work.rows, work.capped_price, w, k, floor, work.top_up)


def repair(candidates, partition, k, work):
    """Assign all unassigned rows by their prices; False if some row finds no class."""
    for f in range(work.types):
        i = work.row[f]
        work.rows[i] = work.own[f]
        work.fallback[i] = work.cheapest_open[f]
        work.capped_price[i] = (
            work.price[f] if work.cheapest_open[f] < 0 else min(work.price[f], candidates.cost[work.cheapest_open[f]])
        )
    if not (_open_classes(candidates, partition, k, work) and _fall_back(partition, work)):
        return False
    _move_to_cheaper(candidates, partition, k, work)
    return True


def _at_most(candidates, k, work, q):
    """Return no less than an instance gains: as though all rows that fill it up to k had the highest of their prices."""
    w = candidates.cost[work.instance[q]]
    total = 0
    need = k
    nearest = NEVER
    for a in range(work.begin[q], work.begin[q + 1]):
        price = work.capped_price[work.entry[a]]
        if price > w:
            rows = work.rows[work.entry[a]]
            total += rows * (price - w)
            need -= rows
        elif price > nearest:
            nearest = price
    return total if need <= 0 else total + need * (nearest - w)


def _open_classes(candidates, partition, k, work):
    """Open the instance that gains most, again and again, while one gains or some row has no class to go to."""
    gaining = 0
    topped_up = 0
    for q in range(work.closed):  # what an instance gains only falls: a bound from before is one still
        work.value[q] = _at_most(candidates, k, work, q)
        if work.value[q] > 0:
            work.gaining[gaining] = q
            gaining += 1
    while True:
        best = -1
        while True:
            top = -1
            kept = 0
            for a in range(gaining):
                q = work.gaining[a]
                if work.value[q] > 0:
                    work.gaining[kept] = q
                    kept += 1
                    if top < 0 or work.value[q] > work.value[top]:
                        top = q
            gaining = kept
            if top < 0 or top == best:
                break
            best = top
            work.value[best], topped_up = _gain(candidates, k, work, best, 0)
        if top < 0:
            return _open_for_rows_without_class(candidates, partition, k, work)
        work.value[best] = NEVER
        if not _open(candidates, partition, k, work, best, topped_up):
            return False


def _open_for_rows_without_class(candidates, partition, k, work):
    """Open the instance that loses least, again and again, while some row has no class to go to."""
    topped_up = 0
    for q in range(work.closed):
        work.value[q] = 0 if partition.rows[work.instance[q]] == 0 else NEVER
    if not _keep_for_rows_without_class(work):
        return True
    for q in range(work.closed):
        if work.value[q] == 0:
            work.value[q] = _gain(candidates, k, work, q, NEVER)[0]
    while True:
        best = -1
        while True:
            top = -1
            for q in range(work.closed):
                if work.value[q] > NEVER and (top < 0 or work.value[q] > work.value[top]):
                    top = q
            if top < 0 or top == best:
                break
            best = top
            work.value[best], topped_up = _gain(candidates, k, work, best, NEVER)
        if top < 0 or not _keep_for_rows_without_class(work):
            return True
        if work.value[best] > NEVER:
            work.value[best] = NEVER
            if not _open(candidates, partition, k, work, best, topped_up):
                return False


def _keep_for_rows_without_class(work):
    """Keep the instances that a row without an open class fits; return whether there is such a row."""
    exists: cython.bint = False
    for f in range(work.types):
        exists = exists or (work.rows[work.row[f]] > 0 and work.fallback[work.row[f]] < 0)
    for q in range(work.closed):
        a = work.begin[q] if exists and work.value[q] > NEVER else work.begin[q + 1]
        while a < work.begin[q + 1] and (work.rows[work.entry[a]] == 0 or work.fallback[work.entry[a]] >= 0):
            a += 1
        if a == work.begin[q + 1]:
            work.value[q] = NEVER
    return exists


def _open(candidates, partition, k, work, q, topped_up):
    """Let rows whose price exceeds the cost of an instance join it, then the best others up to k; False if one has no slot."""
    j = work.instance[q]
    w = candidates.cost[j]
    rows = 0
    for a in range(work.begin[q], work.begin[q + 1]):
        i = work.entry[a]
        if work.rows[i] and work.capped_price[i] > w:
            rows += work.rows[i]
            if not _assign(partition, work, i, j, work.rows[i]):
                return False
    for a in range(topped_up):
        i = work.top_up[a]
        copies = min(k - rows, work.rows[i])
        rows += copies
        if not _assign(partition, work, i, j, copies):
            return False
    for a in range(work.begin[q], work.begin[q + 1]):
        i = work.entry[a]
        if work.fallback[i] < 0 or w < candidates.cost[work.fallback[i]]:
            work.capped_price[i] = min(work.capped_price[i], w)
            work.fallback[i] = j
    return True


def _fall_back(partition, work):
    """Put the remaining rows into their cheapest open class; False if one has none."""
    for f in range(work.types):
        i = work.row[f]
        if work.rows[i] and (work.fallback[i] < 0 or not _assign(partition, work, i, work.fallback[i], work.rows[i])):
            return False
    return True


def _move_to_cheaper(candidates, partition, k, work):
    """Move surplus rows that joined early to cheaper classes that opened later."""
    for f in range(work.types):
        i = work.row[f]
        unseen = partition.used[i]
        for place in range(i * SLOTS, (i + 1) * SLOTS):
            if unseen == 0:
                break
            c = partition.where[place]
            if c < 0:
                continue
            unseen -= 1
            if partition.rows[c] <= k:
                continue
            for a in range(candidates.first[i], candidates.first[i + 1]):
                j = candidates.instance[a]
                if candidates.cost[j] >= candidates.cost[c]:
                    break
                if partition.rows[j] >= k:
                    rows = min(partition.amount[place], partition.rows[c] - k)
                    if put(partition, i, j, rows):
                        take(partition, i, c, rows)
                        log(work.moves, i, j, rows)
                        log(work.moves, i, c, -rows)
                    break
