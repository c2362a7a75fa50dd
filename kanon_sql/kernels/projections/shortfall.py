"""Which classes fail, what they are short of, and what hiding or showing a cell changes of that."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.criteria.dispatch import criterion_meets, criterion_shortfall
from kanon_sql.kernels.projections.classes import key_of, missing, move, place_of


def toggle(classes, r, c):
    """Hide or show a cell; return how many more rows classes are short of."""
    before: cython.ulonglong = classes.cell[r, c]
    after: cython.ulonglong = classes.word[r, c] if classes.hidden[r, c] else classes.hidden_word[c]
    short = 0
    for i in range(classes.of_start[c], classes.of_start[c + 1]):
        s = classes.of_set[i]
        key: cython.ulonglong = key_of(classes, r, s)
        place = place_of(classes, key)
        short -= short_of(classes, s, place)
        move(classes, r, s, place, -1)
        short += short_of(classes, s, place)
        place = place_of(classes, key ^ before ^ after)
        short -= short_of(classes, s, place)
        move(classes, r, s, place, 1)
        short += short_of(classes, s, place)
    classes.cell[r, c] = after
    classes.hidden[r, c] = 1 - classes.hidden[r, c]
    return short


def fails(classes, s, place):
    """Return whether a class breaks the requirement of a set."""
    rows = classes.entry[place, 1]
    if rows < classes.need[s]:
        return missing(rows, classes.need[s]) > 0
    if classes.plain or rows == 0:
        return False
    if classes.need_people[s] > 0 and classes.people[place] < classes.need_people[s]:
        return True
    for i in range(classes.criterion_start[s], classes.criterion_start[s + 1]):
        q = classes.criterion[i]
        if not criterion_meets(classes.required, classes.work, q, classes.histogram, classes.slot[place], rows):
            return True
    return False


def short_of(classes, s, place):
    """Return how many rows at least have to join a class or leave it until it is large enough, or there is none.

    Of people and sensitive values, about so many.
    """
    away: cython.double
    rows = classes.entry[place, 1]
    short = missing(rows, classes.need[s])
    if classes.plain or rows == 0:
        return short
    if classes.need_people[s] > 0 and classes.need_people[s] - classes.people[place] > short:
        short = classes.need_people[s] - classes.people[place]
    for i in range(classes.criterion_start[s], classes.criterion_start[s + 1]):
        q = classes.criterion[i]
        if not criterion_meets(classes.required, classes.work, q, classes.histogram, classes.slot[place], rows):
            away = criterion_shortfall(classes.required, classes.work, q, classes.histogram, classes.slot[place], rows)
            short += 1 + cython.cast(cython.longlong, away)
    return short
