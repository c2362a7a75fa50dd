"""The levels of recodings by their names: those of two together, and whether one has all of another."""

from __future__ import annotations

from dataclasses import replace

from kanon_sql.errors import PolicyError
from kanon_sql.model.coding import CODED, CUT, Coded, Cuts
from kanon_sql.model.recodings import (
    VALUE,
    Digits,
    Generalization,
    Intervals,
    Level,
    Levels,
    coded_ends,
    shows_values,
    width_order,
)


def joined(one: Generalization, other: Generalization) -> Generalization:
    """Return the recoding that has the levels of both.

    Raises
    ------
    PolicyError
        When there is none.
    """
    if one == other:
        return one
    match one, other:
        case (Digits(loss=()), Digits(loss=())):
            return Digits(shown=one.shown + other.shown if one.shown and other.shown else ())
        case (Intervals(steps=(_, *_), loss=()), Intervals(steps=(_, *_), loss=())) if coded_ends(one) == coded_ends(other):
            steps = tuple(sorted({*one.steps, *other.steps}, key=width_order))
            return Intervals(steps=steps, top=one.top, bottom=one.bottom, only=one.only and other.only)
        case (Coded(loss=()), Intervals(loss=()) | Cuts(loss=())) if coded_ends(one) == coded_ends(other):
            return replace(other, only=False)
        case (Intervals(loss=()) | Cuts(loss=()), Coded(loss=())) if coded_ends(one) == coded_ends(other):
            return replace(one, only=False)
        case (Levels(loss=()), Levels(loss=())) if one.table == other.table:
            return Levels(table=one.table, levels=one.levels + other.levels if one.levels and other.levels else ())
    if coded_ends(one) != coded_ends(other):
        raise PolicyError("the column has two recodings; hint: write the same TOP and BOTTOM in every set")
    raise PolicyError("the column has two recodings; hint: use only one of them, with one list of levels in LOSS")


def within(part: Generalization, whole: Generalization) -> bool:
    """Tell whether all levels of a recoding, which states no losses, are among those of another."""
    match part, whole:
        case (Digits(loss=()), Digits()):
            return not whole.shown or (part.shown != () and {*part.shown} <= {*whole.shown})
        case (Intervals(steps=(_, *_), loss=()), Intervals(steps=(_, *_))):
            return {*part.steps} <= {*whole.steps} and _same_finest(part, whole)
        case (Coded(loss=()), Intervals() | Cuts() | Coded()):
            return _same_finest(part, whole)
        case (Cuts(loss=()), Cuts()):
            return part.at == whole.at and _same_finest(part, whole)
        case (Levels(loss=()), Levels()) if part.table == whole.table:
            return not whole.levels or (part.levels != () and {*part.levels} <= {*whole.levels})
    return False


def level_names(recoding: Generalization) -> tuple[Level, ...]:
    """Return what the levels of a part of a recoding are called; empty where it is all of them."""
    match recoding:
        case Digits():
            return recoding.shown
        case Intervals():
            return (*_finest(recoding), *recoding.steps)
        case Cuts():
            return (*_finest(recoding), CUT)
        case Coded():
            return (CODED,)
        case Levels():
            return recoding.levels
    return ()


def _finest(recoding: Intervals | Cuts) -> tuple[Level, ...]:
    if recoding.only:
        return ()
    return (VALUE,) if coded_ends(recoding) == (None, None) else (CODED,)


def _same_finest(part: Generalization, whole: Generalization) -> bool:
    """Tell whether a part of a recoding shows no value that the whole does not."""
    return coded_ends(part) == coded_ends(whole) and (shows_values(whole) or not shows_values(part))
