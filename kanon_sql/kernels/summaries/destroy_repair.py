"""Destroy and repair: a few neighbouring classes are dissolved, and grown again from other rows."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.random import below
from kanon_sql.kernels.summaries.by_requirement import grow_by_requirement, repair_by_requirement
from kanon_sql.kernels.summaries.by_size import grow_by_size, repair_by_size
from kanon_sql.kernels.summaries.histograms import Histograms
from kanon_sql.kernels.summaries.measure import Measure
from kanon_sql.kernels.summaries.neighbourhoods import (
    Classes,
    NeighbourhoodWorkspace,
    Shape,
    fits,
    list_rows,
    replace,
    select,
)

_CLASSES = 16
"""Most new classes of a neighbourhood without a requirement on sensitive values."""

_COUNTED = cython.declare(cython.longlong, 1 << 25)
"""Counters of histograms looked at in one call, some hundredths of a second: what counts where a requirement is strict."""


def rebuild(
    codes: cython.int[:, ::1],
    measure: Measure,
    classes: Classes,
    near: cython.int[:, ::1],
    shape: Shape,
    steps: cython.longlong,
    state: cython.ulonglong[::1],
    histograms: Histograms | None = None,
) -> None:
    """Rebuild up to ``steps`` neighbourhoods; one that loses more than the threshold allows stays as it was.

    Parameters
    ----------
    codes : int32 array [t, m]
        Row types, m at most 64.
    measure : Measure
        How loss is counted.
    classes : Classes
        Each of k rows or more, and meets the requirement; changed.
    near : int32 array [t, s]
        Row types near each, or -1.
    shape : Shape
        What is rebuilt at once, and when it is kept; no class meets the requirement with fewer than its k rows.
    state : uint64 array [1]
        Of the random numbers.
    histograms : Histograms, optional
        Of the requirement on sensitive values.

    Notes
    -----
    A step takes O(m r) to list r row types and O(r) for each that joins a class, with histograms also O(V) or what `meets`
    takes; memory O(t + 16 * all codes), with histograms 64.
    """
    most = _CLASSES
    if histograms is not None:
        histograms.tests = 0
        most = histograms.places
    work = NeighbourhoodWorkspace(measure, classes, shape, codes.shape[0], most)
    with cython.nogil:
        _rebuild(codes, measure, classes, near, shape, work, steps, state, histograms)


def _rebuild(codes, measure, classes, near, shape, work, steps, state, histograms):
    for turn in range(1, steps + 1):
        if histograms is not None and histograms.tests * histograms.test_cost > _COUNTED:
            break
        before = select(classes, near, shape, work, state)
        if before == 0:
            continue
        list_rows(codes, classes.partition, work)
        limit = before + below(state, shape.threshold + 1)
        p = _recreate(measure, shape, work, turn, limit, state, histograms)
        loss = 0
        for a in range(p):
            loss += work.new.rows[a] * work.new.row_loss[a]
        if p and loss <= limit and fits(classes.partition, work):
            replace(classes, work, p)


def _recreate(measure, shape, work, turn, limit, state, histograms):
    """Assign the unassigned rows to new classes; return the number of classes, 0 if that fails or loses more than ``limit``."""
    if histograms is None:
        p = grow_by_size(measure, shape, work.unassigned, work.new, turn, limit, state)
        return p if p and repair_by_size(measure, work.unassigned, work.new, p, turn) else 0
    p = grow_by_requirement(measure, histograms, work.unassigned, work.new, shape.k, turn, limit, state)
    return repair_by_requirement(measure, histograms, work.unassigned, work.new, p, turn) if p else 0
