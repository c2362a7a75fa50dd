"""The rows that no class of a neighbourhood takes: one class, with the classes that they need to meet a requirement.

Without it, a large class could not be divided if a few of its rows fit nowhere.
"""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.criteria.dispatch import shortfall
from kanon_sql.kernels.summaries.growth import growth_of, open_class, show
from kanon_sql.kernels.summaries.histograms import add, class_meets, clear_histogram
from kanon_sql.kernels.summaries.neighbourhoods import add_piece

_LEAST_GAIN = cython.declare(cython.double, 1e-3)
"""Of a class that takes nothing off the shortfall."""


def class_of_remainder(measure, histograms, unassigned, new, p, turn):
    """Form a class of all unassigned rows, next to p classes; return how many classes there are then, 0 if that fails.

    If it does not meet the requirement, classes join it, first those that take most off its shortfall for each of their rows.
    """
    own = p + 1  # the place p may show codes of a class that was given up
    clear_histogram(histograms, own)
    new.rows[own] = 0
    for r in range(unassigned.types):
        rows = unassigned.rows[r]
        if rows:
            if not add_piece(new, r, own, rows):
                return 0
            if new.rows[own] == 0:
                open_class(measure, unassigned, new, own, r, turn, False)
                new.row_loss[own] = 0
            unassigned.rows[r] = 0
            _include(measure, histograms, unassigned, new, own, r, rows, turn)
    while not class_meets(histograms, own, new.rows[own]):
        a = _most_helpful(histograms, new, p, own)
        if a < 0:
            return 0
        for q in range(new.pieces):
            if new.piece[q, 1] == a:
                new.piece[q, 1] = own
                _include(measure, histograms, unassigned, new, own, new.piece[q, 0], new.piece[q, 2], turn)
        new.rows[a] = 0
    return _numbered(new, p, own)


def _include(measure, histograms, unassigned, new, a, r, rows, turn):
    """Count rows of a row type in class a, which shows its codes then."""
    new.row_loss[a] += growth_of(measure, unassigned, new, a, r, turn)
    new.rows[a] += rows
    add(histograms, a, histograms.group[r], rows)
    for c in range(measure.columns):
        show(measure, new, a, c, unassigned.code[c, r], turn)


def _most_helpful(histograms, new, p, own):
    """Return the class with the fewest rows for each row that it takes off the shortfall of ``own``; -1 if there is none."""
    counters = histograms.counters
    before: cython.double = shortfall(histograms.required, histograms.work, histograms.held, own * counters, new.rows[own])
    best = -1
    least: cython.double = 0.0
    for a in range(p):
        if new.rows[a] == 0:
            continue
        for v in range(counters):
            histograms.held[own * counters + v] += histograms.held[a * counters + v]
        rows = new.rows[own] + new.rows[a]
        gain: cython.double = before - shortfall(histograms.required, histograms.work, histograms.held, own * counters, rows)
        histograms.tests += 1
        for v in range(counters):
            histograms.held[own * counters + v] -= histograms.held[a * counters + v]
        price: cython.double = new.rows[a] / max(gain, _LEAST_GAIN)
        if best < 0 or price < least:
            best = a
            least = price
    return best


def _numbered(new, p, own):
    """Give the classes that have rows the numbers from 0 on; return how many there are."""
    n = 0
    for a in range(own + 1):
        if a == p or new.rows[a] == 0:
            continue
        if n < a:
            for q in range(new.pieces):
                if new.piece[q, 1] == a:
                    new.piece[q, 1] = n
            new.rows[n] = new.rows[a]
            new.row_loss[n] = new.row_loss[a]
        n += 1
    return n
