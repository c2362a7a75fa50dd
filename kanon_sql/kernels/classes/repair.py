"""Repair: rows without a class open classes by their prices, as in the guided opening, and fall back to open ones."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.classes.move_log import log
    from cython.cimports.kanon_sql.kernels.classes.partition import SLOTS, CandidateClasses, Partition, put, take
    from cython.cimports.kanon_sql.kernels.classes.workspace import RepairWorkspace
    from cython.cimports.kanon_sql.kernels.instances.gains import NEVER, gain
else:
    from kanon_sql.kernels.classes.move_log import log
    from kanon_sql.kernels.classes.partition import SLOTS, CandidateClasses, Partition, put, take
    from kanon_sql.kernels.classes.workspace import RepairWorkspace
    from kanon_sql.kernels.instances.gains import NEVER, gain


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _assign(
    partition: Partition, work: RepairWorkspace, i: cython.longlong, j: cython.longlong, rows: cython.longlong
) -> cython.bint:
    """Put unassigned rows into a class; False if they find no slot."""
    if not put(partition, i, j, rows):
        return False
    log(work.moves, i, j, rows)
    work.rows[i] -= rows
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _gain(
    candidates: CandidateClasses, k: cython.longlong, work: RepairWorkspace, q: cython.longlong, floor: cython.longlong
) -> tuple[cython.longlong, cython.longlong]:
    w: cython.longlong = candidates.cost[work.instance[q]]
    return gain(work.entry, work.begin[q], work.begin[q + 1], work.rows, work.paid, w, k, floor, work.top_up)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def repair(candidates: CandidateClasses, partition: Partition, k: cython.longlong, work: RepairWorkspace) -> cython.bint:
    """Assign all unassigned rows by their prices; False if some row finds no class."""
    f: cython.longlong
    i: cython.longlong
    for f in range(work.types):
        i = work.row[f]
        work.rows[i] = work.own[f]
        work.fallback[i] = work.cheapest_open[f]
        work.paid[i] = (
            work.price[f] if work.cheapest_open[f] < 0 else min(work.price[f], candidates.cost[work.cheapest_open[f]])
        )
    if not (_open_classes(candidates, partition, k, work) and _fall_back(partition, work)):
        return False
    _move_to_cheaper(candidates, partition, k, work)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _at_most(candidates: CandidateClasses, k: cython.longlong, work: RepairWorkspace, q: cython.longlong) -> cython.longlong:
    """Return no less than an instance gains: as though all rows that fill it up to k paid as much as the dearest of them."""
    a: cython.longlong
    paid: cython.longlong
    rows: cython.longlong
    w: cython.longlong = candidates.cost[work.instance[q]]
    total: cython.longlong = 0
    need: cython.longlong = k
    nearest: cython.longlong = NEVER
    for a in range(work.begin[q], work.begin[q + 1]):
        paid = work.paid[work.entry[a]]
        if paid > w:
            rows = work.rows[work.entry[a]]
            total += rows * (paid - w)
            need -= rows
        elif paid > nearest:
            nearest = paid
    return total if need <= 0 else total + need * (nearest - w)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _open_classes(candidates: CandidateClasses, partition: Partition, k: cython.longlong, work: RepairWorkspace) -> cython.bint:
    """Open the instance that gains most, again and again, while one gains or some row has no class to go to."""
    a: cython.longlong
    q: cython.longlong
    top: cython.longlong
    best: cython.longlong
    kept: cython.longlong
    gaining: cython.longlong = 0
    topped_up: cython.longlong = 0
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _open_for_rows_without_class(
    candidates: CandidateClasses, partition: Partition, k: cython.longlong, work: RepairWorkspace
) -> cython.bint:
    """Open the instance that loses least, again and again, while some row has no class to go to."""
    q: cython.longlong
    top: cython.longlong
    best: cython.longlong
    topped_up: cython.longlong = 0
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep_for_rows_without_class(work: RepairWorkspace) -> cython.bint:
    """Keep the instances that a row without an open class fits; return whether there is such a row."""
    f: cython.longlong
    q: cython.longlong
    a: cython.longlong
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _open(
    candidates: CandidateClasses,
    partition: Partition,
    k: cython.longlong,
    work: RepairWorkspace,
    q: cython.longlong,
    topped_up: cython.longlong,
) -> cython.bint:
    """Let the rows that pay for an instance join it, then the dearest others up to k; False if some find no slot."""
    a: cython.longlong
    i: cython.longlong
    copies: cython.longlong
    j: cython.longlong = work.instance[q]
    w: cython.longlong = candidates.cost[j]
    rows: cython.longlong = 0
    for a in range(work.begin[q], work.begin[q + 1]):
        i = work.entry[a]
        if work.rows[i] and work.paid[i] > w:
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
            work.paid[i] = min(work.paid[i], w)
            work.fallback[i] = j
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fall_back(partition: Partition, work: RepairWorkspace) -> cython.bint:
    """Put the remaining rows into their cheapest open class; False if one has none."""
    f: cython.longlong
    i: cython.longlong
    for f in range(work.types):
        i = work.row[f]
        if work.rows[i] and (work.fallback[i] < 0 or not _assign(partition, work, i, work.fallback[i], work.rows[i])):
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _move_to_cheaper(
    candidates: CandidateClasses, partition: Partition, k: cython.longlong, work: RepairWorkspace
) -> cython.void:
    """Move surplus rows that joined early to cheaper classes that opened later."""
    f: cython.longlong
    i: cython.longlong
    j: cython.longlong
    c: cython.longlong
    a: cython.longlong
    place: cython.longlong
    rows: cython.longlong
    unseen: cython.longlong
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
