"""Columns that repeat people: rows that share a value of one agree on what describes a person, and other rows do not.

A patient number or an e-mail address repeats people if two rows with the same value agree on birth date, zip code, sex and job,
and two random rows differ. A product, a shop or an occupation does not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from math import log2

from kanon_sql.recognition.evidence import (
    ANY,
    BORN,
    BORN_WITH,
    CROWDED_HOME,
    HOME,
    IDENTIFYING,
    NAMED_HOME,
    NAMES,
    NOT_OF_A_HOME,
    TOGETHER,
    Enough,
)
from kanon_sql.recognition.pairs import Pairs

_NAMESAKES = 0.2
"""Share of the pairs of rows with one name that agree on everything personal: the others are namesakes."""

_AT_RANDOM = 0.7
"""A shared column agrees in at most so many random pairs that differ in the other column."""

_REPEATED = 0.6
"""Values per row up to which such columns may repeat people; most pairs of columns number the rows."""

_OF_ONE = NOT_OF_A_HOME - {"sex"}
"""Topics of which one has to be compared, since half of the members of a family have the same sex."""

_JOINED = 8
"""Columns of which two together are tried as a key, if none repeats people alone: those with the most values."""


_NEARLY_ALL = 0.95
"""Share of the rows of the fullest column that another one has, too, if it is as good."""

_YEARS = 0.75
"""Ages of a group are farther apart than this share of the distance of random rows. One person's are half of it in 40 years."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedPeople:
    """A column that repeats people, or may do so; or two columns that do so together."""

    columns: tuple[str, ...]  # the column, or both
    people: int  # its values; estimated if the rows are a sample
    rows: int  # the rows that have one
    # the personal columns on which rows with the same value agree; one for those that determine each other
    shared: tuple[str, ...]
    bits: float  # the weight of the evidence: the sum of log2(1 / share of random pairs that agree)
    # whether they are most of the personal columns; else they could also be those of a group, such as a household
    certain: bool

    @property
    def column(self) -> str:
        """Return the column, or the first of both."""
        return self.columns[0]


def repeated_people(
    pairs: Pairs,
    personal: Mapping[int, str],
    identifying: Set[int] = frozenset(),
    shared_by_many: Collection[int] = (),
    homes: Collection[int] = (),
    names: Collection[int] = (),
    *,
    joined: bool = False,
) -> list[RepeatedPeople]:
    """Return the columns that repeat people, those of most rows first.

    Parameters
    ----------
    personal : mapping of int to str
        The places of the columns that describe a person, each with its topic: the quasi-identifiers, and those recognized by
        their names. All columns of a topic count once.
    identifying : set of int
        The places of columns that look like identifiers of people, such as an e-mail address. Less evidence is enough.
    shared_by_many : collection of int
        The places of columns that cannot tell people apart, such as an age or a zip code.
    homes, names : collection of int
        The places of columns that a household shares, such as a street address, and of names. They are evidence only if no
        other column is, and if the rows do not differ as members of a household do.
    joined : bool
        Whether any two columns together may tell people apart; for whole tables. Otherwise, one of both has to look like an
        identifier, such as the number of a patient in one of several clinics.

    Notes
    -----
    For n rows and m columns, m sorts of n hashes, and O(n m^2) comparisons of whole arrays; some 30 more sorts for two
    columns. The result does not depend on the order of the rows. Pairs with a NULL say nothing about a column.
    """
    places = [place for place in range(len(pairs.names)) if place != pairs.per and place not in shared_by_many]
    kinds = {place: BORN if personal.get(place) in BORN_WITH else IDENTIFYING for place in identifying}
    enough = {place: kinds.get(place, ANY) for place in places}
    found = [each for place in places if (each := _evidence(pairs, (place,), personal, enough[place])) is not None]
    found += _by_more(pairs, found, places, personal, identifying, homes, names, joined=joined)
    certain = [each for each in found if each.certain]
    most = max((each.rows for each in certain), default=0)
    known = {pairs.names[place] for place in identifying}

    def order(each: RepeatedPeople) -> tuple[object, ...]:
        # the one with the fewest values: a person with two numbers, or two spellings of a name, is still one
        nearly_all = each.rows >= (_NEARLY_ALL if len(each.columns) == 1 else 1) * most
        return not each.certain, known.isdisjoint(each.columns), not nearly_all, each.people, len(each.columns), -each.rows

    return sorted(found, key=order)


def _by_more(
    pairs: Pairs,
    found: Sequence[RepeatedPeople],
    places: Sequence[int],
    personal: Mapping[int, str],
    identifying: Set[int],
    homes: Collection[int],
    names: Collection[int],
    *,
    joined: bool,
) -> list[RepeatedPeople]:
    """Return two columns that repeat people together, unless one does alone that is no name, address or birth date."""
    born = [place for place, topic in personal.items() if topic in BORN_WITH]
    soft = {pairs.names[place] for place in (*homes, *names, *born)}
    certain = [each for each in found if each.certain]
    if pairs.per is not None or any(each.column not in soft for each in certain):
        return []
    suspected = {each.column for each in found}
    several = [place for place in places if place in identifying or pairs.names[place] not in suspected]
    if certain:  # a quasi-identifier of which nothing is known, such as a clinic, can be half of the key
        apart = {place for place, topic in personal.items() if topic != pairs.names[place]}.union(homes, names) - identifying
    else:
        apart = set(personal)
    several = [place for place in several if place not in apart]
    both = _joined(pairs, several, personal, identifying, all_pairs=joined and not certain)
    return both or ([] if certain else _at_home(pairs, personal, homes, names))


def _joined(
    pairs: Pairs, places: list[int], personal: Mapping[int, str], identifying: Set[int], *, all_pairs: bool
) -> list[RepeatedPeople]:
    """Return the pairs of columns that repeat people, if neither does alone. One looks like an identifier, or ``all_pairs``."""
    if not all_pairs and identifying.isdisjoint(places):
        return []
    several = [place for place in places if pairs.values(place) > 1 and not pairs.numbers_rows(place)]
    tried = sorted(several, key=lambda place: (place not in identifying, -pairs.values(place)))[:_JOINED]
    found = list[RepeatedPeople | None]()
    for key in combinations(sorted(tried), 2):
        named = not identifying.isdisjoint(key)
        if not (named or all_pairs) or pairs.numbers_rows(*key):
            continue
        if named or pairs.values(*key) <= _REPEATED * pairs.rows(*key):
            enough = IDENTIFYING if named else TOGETHER
            found.append(_evidence(pairs, key, _undetermined(pairs, key, personal), enough))
    return [each for each in found if each is not None and each.certain]


def _at_home(pairs: Pairs, personal: Mapping[int, str], homes: Collection[int], names: Collection[int]) -> list[RepeatedPeople]:
    """Return the addresses that repeat people, alone, or else together with a name; or names."""
    alone = [(home,) for home in homes]
    both = [(min(home, name), max(home, name)) for home in homes for name in names]
    named = list(combinations(sorted(names), 2))
    for keys, enough in ((alone, HOME), (alone, CROWDED_HOME), (both, NAMED_HOME), (named, NAMES)):
        found = [_evidence(pairs, key, personal, enough) for key in keys if len(key) == 1 or not pairs.numbers_rows(*key)]
        if certain := [each for each in found if each is not None and each.certain]:
            return certain
    namesakes = (_namesakes(pairs, key, personal) for key in (*((name,) for name in names), *named))
    return [each for each in namesakes if each is not None]


def _namesakes(pairs: Pairs, key: tuple[int, ...], personal: Mapping[int, str]) -> RepeatedPeople | None:
    """Return the evidence that names repeat people whose namesakes differ in something, None if there is too little.

    To count by such a name is safe: namesakes count as one, so there are more people than names.
    """
    first, second = pairs.sharing(*key)
    columns = [each for each in personal if each not in key]
    topics = {personal[each] for each in columns}
    if pairs.numbers_rows(*key) or pairs.values(*key) < ANY.values or len(first) < ANY.pairs or _OF_ONE.isdisjoint(topics):
        return None
    share, others = pairs.agreement_on_all(columns, first, second), pairs.differing(*key)
    bits = -log2(max(pairs.agreement_on_all(columns, *others), 1 / max(1, len(others[0]))))
    if share < _NAMESAKES or bits < ANY.bits:
        return None
    return RepeatedPeople(
        columns=tuple(pairs.names[each] for each in key),
        people=round(pairs.values(*key)),
        rows=round(pairs.rows(*key)),
        shared=tuple(pairs.names[each] for each in columns),
        bits=bits,
        certain=True,
    )


def _undetermined(pairs: Pairs, key: tuple[int, ...], personal: Mapping[int, str]) -> dict[int, str]:
    """Return the columns that do not follow from one part of a key alone."""
    return {each: topic for each, topic in personal.items() if not any(pairs.determines(part, each) for part in key)}


def _evidence(pairs: Pairs, key: tuple[int, ...], personal: Mapping[int, str], enough: Enough) -> RepeatedPeople | None:
    """Return the evidence that one or two columns repeat people. None if rows with the same value agree on too little."""
    first, second = pairs.sharing(*key)
    values = pairs.values(*key)
    if values < enough.values or len(first) < enough.pairs or pairs.rows(*key) < enough.rows * values:
        return None
    own = {personal[each] for each in key if each in personal}
    others = [each for each, topic in personal.items() if topic not in own]
    agreeing = {each: share for each in others if (share := pairs.agreement(each, first, second)) is not None}
    likely = {each: pairs.at_random(each, *key) for each, share in agreeing.items() if share >= enough.moved}
    at_random = {each: share for each, share in likely.items() if agreeing[each] >= enough.share(share)}
    shared = [each for each, share in at_random.items() if share <= _AT_RANDOM]
    coarse = [each for each in shared if 2 * pairs.values(each) < values]
    apart = [each for each in shared if not _is_determined(pairs, each, shared, coarse)]
    worth = {personal[each]: each for each in sorted(apart, key=lambda each: -at_random[each])}  # the rarest of each topic
    counted = [each for each in apart if worth[personal[each]] == each]
    bits = sum(log2(1 / at_random[each]) for each in counted)
    if bits < enough.bits or len(counted) < enough.everything:
        return None
    differing = {personal[each] for each in agreeing if each not in at_random}
    differing -= {personal[each] for each in shared}
    if enough.alike and BORN_WITH.issubset(personal[each] for each in counted):
        differing = set()  # an income changes
    certain = _is_most(len(counted), len(differing), enough) and not _varies(pairs, key, personal, agreeing)
    certain = certain and not (enough.own and NOT_OF_A_HOME.isdisjoint(personal[each] for each in counted))
    if len(counted) < 2 and not certain:
        return None
    return RepeatedPeople(
        columns=tuple(pairs.names[each] for each in key),
        people=round(values),
        rows=round(pairs.rows(*key)),
        shared=tuple(pairs.names[each] for each in counted),
        bits=bits,
        certain=certain,
    )


def _is_most(shared: int, differing: int, enough: Enough) -> bool:
    """Return whether rows with the same value agree on most of what describes a person."""
    if enough.alike:
        return shared >= enough.everything and not differing
    if enough in (IDENTIFYING, BORN) and shared >= enough.columns:
        return True
    return (shared >= enough.columns or (shared >= enough.everything and not differing)) and shared >= 2 * differing


def _varies(pairs: Pairs, key: tuple[int, ...], personal: Mapping[int, str], agreeing: Mapping[int, float]) -> bool:
    """Return whether traits from birth differ among rows with the same value about as much as among all rows, as in a group."""
    sharing = pairs.sharing(*key)
    for each in agreeing:
        if personal[each] not in BORN_WITH:
            continue
        if each in pairs.sample.years:
            if pairs.years_apart(each, *sharing) > _YEARS * pairs.years_apart(each):
                return True
        elif agreeing[each] < (1 + pairs.at_random(each, *key)) / 2:
            return True
    return False


def _is_determined(pairs: Pairs, column: int, shared: list[int], coarse: list[int]) -> bool:
    """Return whether another shared column determines this one. If two determine each other, the first counts."""
    for each in coarse:
        if each != column and pairs.determines(each, column):
            back = column in coarse and pairs.determines(column, each)
            if not back or shared.index(each) < shared.index(column):
                return True
    return False
