"""Columns that repeat people: rows that share a value of one agree on what describes a person, and other rows do not.

A patient number or an e-mail address repeats people if two rows with the same value agree on birth date, zip code, sex and job,
and two random rows differ. A product, a shop or an occupation does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from kanon_sql.recognition.pairs import FEWEST_PAIRS, Pairs

FEWEST_VALUES = 10
"""Values of a column without which nothing is concluded."""

_AGREE, _AT_RANDOM = 0.9, 0.7
"""A shared column agrees in at least so many pairs that share a value, and in at most so many random pairs."""

_BITS = 6.0
"""What the shared columns are worth together, at least: 64 random pairs of which one agrees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedPeople:
    """A column that repeats people, or may do so.

    Parameters
    ----------
    column : str
        The column.
    people : int
        Its values; estimated if the rows are a sample.
    rows : int
        The rows that have one.
    shared : tuple of str
        The personal columns on which rows with the same value agree; one for those that determine each other.
    bits : float
        What they are worth together: the sum of log2(1 / share of random pairs that agree).
    certain : bool
        Whether they are most of the personal columns; else they could also be those of a group, such as a household.
    """

    column: str
    people: int
    rows: int
    shared: tuple[str, ...]
    bits: float
    certain: bool


def repeated_people(pairs: Pairs, personal: Sequence[int]) -> list[RepeatedPeople]:
    """Return the columns that repeat people, those of most rows first.

    Parameters
    ----------
    pairs : Pairs
        Pairs of rows.
    personal : sequence of int
        The places of the columns that describe a person: the quasi-identifiers, and those recognized by their names.

    Notes
    -----
    For n rows and m columns, m sorts of n hashes, and O(n m^2) comparisons of whole arrays. The result does not depend on the
    order of the rows. Pairs with a NULL say nothing about a column.
    """
    at_random = {place: share for place in personal if (share := pairs.at_random(place)) <= _AT_RANDOM}
    places = [place for place in range(len(pairs.names)) if place != pairs.per]
    evidence = (_evidence(pairs, place, [each for each in personal if each != place], at_random) for place in places)
    found = [each for each in evidence if each is not None]
    return sorted(found, key=lambda each: (not each.certain, -each.rows, -each.people))


def _evidence(pairs: Pairs, column: int, personal: list[int], at_random: dict[int, float]) -> RepeatedPeople | None:
    """Return what speaks for a column; None if rows that share a value agree on nothing, or on too little."""
    first, second = pairs.sharing(column)
    values = pairs.values(column)
    if values < FEWEST_VALUES or len(first) < FEWEST_PAIRS:
        return None
    agreeing = {each: share for each in personal if (share := pairs.agreement(each, first, second)) is not None}
    shared = [each for each, share in agreeing.items() if share >= _AGREE and each in at_random]
    coarse = [each for each in shared if 2 * pairs.values(each) < values]
    counted = [each for each in shared if not _is_determined(pairs, each, shared, coarse)]
    bits = sum(log2(1 / at_random[each]) for each in counted)
    if len(counted) < 2 or bits < _BITS:
        return None
    others = len(agreeing) - len(shared)  # columns that differ within a value
    return RepeatedPeople(
        column=pairs.names[column],
        people=round(values),
        rows=round(pairs.rows(column)),
        shared=tuple(pairs.names[each] for each in counted),
        bits=bits,
        certain=(len(counted) >= 3 or not others) and len(counted) >= 2 * others,
    )


def _is_determined(pairs: Pairs, column: int, shared: list[int], coarse: list[int]) -> bool:
    """Return whether a shared column follows from another one; of two that follow from each other, the first counts."""
    for each in coarse:
        if each != column and pairs.determines(each, column):
            back = column in coarse and pairs.determines(column, each)
            if not back or shared.index(each) < shared.index(column):
                return True
    return False
