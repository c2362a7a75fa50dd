"""Columns that repeat people: rows that share a value of one agree on what describes a person, and other rows do not.

A patient number or an e-mail address repeats people if two rows with the same value agree on birth date, zip code, sex and job,
and two random rows differ. A product, a shop or an occupation does not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import log2

from kanon_sql.recognition.pairs import FEWEST_PAIRS, Pairs
from kanon_sql.recognition.topics import BORN_WITH

FEWEST_VALUES = 10
"""Values of a column without which nothing is concluded."""

_AGREE, _AT_RANDOM = 0.9, 0.7
"""A shared column agrees in at least so many pairs that share a value, and in at most so many random pairs that do not."""

_BITS = 6.0
"""What the shared columns are worth together, at least: 64 random pairs of which one agrees."""

_FEWER_PAIRS = 10
"""Pairs that are enough for a column that looks like an identifier of people: only that it repeats needs proof."""

_JOINED = 8
"""Columns of which two together are tried as a key, if none repeats people alone: those with the most values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedPeople:
    """A column that repeats people, or may do so; or two columns that do so together.

    Parameters
    ----------
    columns : tuple of str
        The column, or both.
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

    columns: tuple[str, ...]
    people: int
    rows: int
    shared: tuple[str, ...]
    bits: float
    certain: bool

    @property
    def column(self) -> str:
        """Return the column, or the first of both."""
        return self.columns[0]


def repeated_people(
    pairs: Pairs,
    personal: Mapping[int, str],
    identifying: Collection[int] = (),
    shared_by_many: Collection[int] = (),
    *,
    joined: bool = False,
) -> list[RepeatedPeople]:
    """Return the columns that repeat people, those of most rows first.

    Parameters
    ----------
    pairs : Pairs
        Pairs of rows.
    personal : mapping of int to str
        The places of the columns that describe a person, each with its topic: the quasi-identifiers, and those recognized by
        their names. All columns of a topic count once.
    identifying : collection of int
        The places of columns that look like identifiers of people, such as an e-mail address. Less evidence is enough.
    shared_by_many : collection of int
        The places of columns that cannot tell people apart, such as an age or a zip code.
    joined : bool
        Whether two columns together may tell people apart; for whole tables.

    Notes
    -----
    For n rows and m columns, m sorts of n hashes, and O(n m^2) comparisons of whole arrays; some 30 more sorts for two
    columns. The result does not depend on the order of the rows. Pairs with a NULL say nothing about a column.
    """
    places = [place for place in range(len(pairs.names)) if place != pairs.per and place not in shared_by_many]
    found = [each for place in places if (each := _evidence(pairs, (place,), personal, place in identifying)) is not None]
    if joined and not any(each.certain for each in found) and pairs.per is None:
        found += _joined(pairs, [place for place in places if place not in personal], personal)
    return sorted(found, key=lambda each: (not each.certain, len(each.columns), -each.rows, -each.people))


def _joined(pairs: Pairs, places: list[int], personal: Mapping[int, str]) -> list[RepeatedPeople]:
    """Return the pairs of columns that repeat people, if neither does alone."""
    several = [place for place in places if pairs.values(place) > 1 and not pairs.numbers_rows(place)]
    tried = sorted(several, key=pairs.values, reverse=True)[:_JOINED]
    found = (_evidence(pairs, key, personal, False) for key in combinations(sorted(tried), 2))
    return [each for each in found if each is not None and each.certain]


def _evidence(pairs: Pairs, key: tuple[int, ...], personal: Mapping[int, str], identifying: bool) -> RepeatedPeople | None:
    """Return what speaks for a column, or two; None if rows that share a value agree on nothing, or on too little."""
    first, second = pairs.sharing(*key)
    values = pairs.values(*key)
    if values < FEWEST_VALUES or len(first) < (_FEWER_PAIRS if identifying else FEWEST_PAIRS):
        return None
    own = {personal[each] for each in key if each in personal}
    others = [each for each, topic in personal.items() if topic not in own]
    agreeing = {each: share for each in others if (share := pairs.agreement(each, first, second)) is not None}
    at_random = {each: pairs.at_random(each, *key) for each, share in agreeing.items() if share >= _AGREE}
    shared = [each for each, share in at_random.items() if share <= _AT_RANDOM]
    coarse = [each for each in shared if 2 * pairs.values(each) < values]
    apart = [each for each in shared if not _is_determined(pairs, each, shared, coarse)]
    worth = {personal[each]: each for each in sorted(apart, key=lambda each: -at_random[each])}  # the rarest of each topic
    counted = [each for each in apart if worth[personal[each]] == each]
    bits = sum(log2(1 / at_random[each]) for each in counted)
    if not counted or (not identifying and (len(counted) < 2 or bits < _BITS)):
        return None
    differing = {personal[each] for each, share in agreeing.items() if share < _AGREE} - {personal[each] for each in shared}
    enough = identifying or len(counted) >= 3 or not differing
    return RepeatedPeople(
        columns=tuple(pairs.names[each] for each in key),
        people=round(values),
        rows=round(pairs.rows(*key)),
        shared=tuple(pairs.names[each] for each in counted),
        bits=bits,
        certain=enough and len(counted) >= 2 * len(differing) and not _varies(pairs, key, personal, agreeing),
    )


def _varies(pairs: Pairs, key: tuple[int, ...], personal: Mapping[int, str], agreeing: Mapping[int, float]) -> bool:
    """Return whether what a person is born with differs within a value about as much as anywhere: it is that of a group."""
    born = (each for each in agreeing if personal[each] in BORN_WITH and each not in pairs.sample.years)
    return any(agreeing[each] < (1 + pairs.at_random(each, *key)) / 2 for each in born)


def _is_determined(pairs: Pairs, column: int, shared: list[int], coarse: list[int]) -> bool:
    """Return whether a shared column follows from another one; of two that follow from each other, the first counts."""
    for each in coarse:
        if each != column and pairs.determines(each, column):
            back = column in coarse and pairs.determines(column, each)
            if not back or shared.index(each) < shared.index(column):
                return True
    return False
