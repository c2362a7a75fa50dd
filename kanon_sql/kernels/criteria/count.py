"""A number of rows with one value."""

from __future__ import annotations


def meets(required, q, h, at):
    """Return whether enough rows have the value."""
    return h[at + required.extra[q]] >= required.num[q]


def shortfall(required, q, work, h, at):
    """Return how many rows are missing."""
    named = required.extra[q]
    missing = required.num[q] - h[at + named]
    if missing > 0:
        work.added[named] += 1.0
    if missing >= 0:
        work.removed[named] -= 1.0
    return max(0, missing)


def may_meet(required, q, h, at, rows, size):
    """Return whether enough rows have the value if all the others that join have it."""
    return h[at + required.extra[q]] + size - rows >= required.num[q]
