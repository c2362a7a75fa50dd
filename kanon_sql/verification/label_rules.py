"""How the labels of a release are read, by the recoding of their column."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from kanon_sql.model.recodings import Aggregate, Generalization, Intervals, Ranges, Sets, Summary
from kanon_sql.table.arrays import Int64
from kanon_sql.table.ladder import GRAIN, Label
from kanon_sql.table.numbers import in_order
from kanon_sql.verification.coded_source import CodedSource
from kanon_sql.verification.label_texts import Stretch, members, stretch
from kanon_sql.verification.readings import Domain, Mask, Meaning, Reading
from kanon_sql.verification.shown_numbers import number_rule

Rule = Callable[[Label], Iterable[Meaning]]
"""Yields the ways to read a label."""

_NUMBERED = re.compile("(bin|region) [0-9]+")


def reading(column: str, recoding: Generalization | None, domain: Domain, source: CodedSource) -> Reading:
    """Return the reading of a column; what chosen intervals and rectangles lose is left to their release as a whole."""
    if recoding is None:
        return _plain(domain)
    place = {text: code for code, text in enumerate(domain.texts)}
    blank = np.zeros(len(domain.rows), np.bool_)
    means = _rule(column, recoding, domain, source, place)
    if column in source.ladders and not isinstance(recoding, Summary):
        blank = _blank(source, column, place, domain)
    elif isinstance(recoding, Intervals) and None in place:  # NULL is in no chosen interval
        blank[place[None]] = place[None] == domain.hidden
    meanings = {label: list(means(domain.texts[label])) for label in domain.labels}
    empty = np.zeros(len(domain.rows), np.bool_)
    if domain.hidden is not None:
        for each in meanings[domain.hidden]:
            empty[each.values] = True
    return Reading(meanings=meanings, empty=empty, blank=blank)


def _rule(column: str, recoding: Generalization, domain: Domain, source: CodedSource, place: dict[Label, int]) -> Rule:
    values = source.columns[column].texts
    if isinstance(recoding, Aggregate):
        return number_rule(recoding, values, place)
    if isinstance(recoding, Ranges):
        return _ranges(source.ladders[column].labels[0], place)
    if isinstance(recoding, Sets):
        return _sets(values, place)
    if column in source.ladders:
        return _levels(source, column, place)
    if column in source.unread:
        return _numbered(domain.values)
    return _stretches(values, place)


def _plain(domain: Domain) -> Reading:
    """Return the reading of a column of which cells are shown or hidden: each value stands for itself."""
    gone = np.zeros(len(domain.rows), np.bool_)
    meanings = {label: [_value(label)] if domain.rows[label] else [] for label in domain.labels}
    if domain.hidden is not None and domain.rows[domain.hidden]:
        gone[domain.hidden] = True
    return Reading(meanings=meanings, empty=gone, blank=gone)


def _value(code: int) -> Meaning:
    return Meaning(values=np.array([code]), loss=Fraction(0))


def _levels(source: CodedSource, column: str, place: dict[Label, int]) -> Rule:
    """Read the labels of a ladder."""
    ladder = source.ladders[column]
    value = np.array([place[text] for text in source.columns[column].texts])
    found: dict[Label, list[Meaning]] = {}
    for level in np.flatnonzero(ladder.shown).tolist():
        label_of = _labels_of(source, column, level)
        order = np.argsort(label_of, kind="stable")
        parts = np.split(value[order], np.flatnonzero(np.diff(label_of[order])) + 1)
        for code, part in zip(np.unique(label_of).tolist(), parts, strict=True):
            meaning = Meaning(values=part, loss=ladder.loss[level], level=level)
            found.setdefault(ladder.labels[level][code], []).append(meaning)
    return lambda label: found.get(label, [])


def _labels_of(source: CodedSource, column: str, level: int) -> Int64:
    """Return the label of each value at a level, as its code there."""
    known = source.columns[column]
    found = np.empty(len(known.texts), np.int64)
    found[known.value] = source.ladders[column].codes[level]
    return found


def _blank(source: CodedSource, column: str, place: dict[Label, int], domain: Domain) -> Mask:
    """Return which values look suppressed at every level that may be shown."""
    ladder = source.ladders[column]
    value = np.array([place[text] for text in source.columns[column].texts])
    found = np.zeros(len(domain.rows), np.bool_)
    found[value] = domain.hidden is not None
    for level in np.flatnonzero(ladder.shown).tolist():
        gone = np.array([place.get(label, -1) == domain.hidden for label in ladder.labels[level]])
        found[value] &= gone[_labels_of(source, column, level)]
    return found


def _ranges(ordered: Sequence[Label], place: dict[Label, int]) -> Rule:
    """Read ranges of the values that the source has, ``ordered`` with NULL last; NULL alone stays NULL."""
    codes = np.array([place[text] for text in ordered])
    rank = {text: number for number, text in enumerate(ordered) if text is not None}
    empty = len(rank) < len(ordered)
    steps = max(1, len(ordered) - 1)

    def means(label: Label) -> Iterator[Meaning]:
        if label is None:
            if empty:
                yield _value(place[None])
            return
        each = stretch(label, rank, empty=empty)
        if each is not None:
            null = codes[-1:] if each.empty else codes[:0]
            values = np.concatenate([codes[each.low : each.high + 1], null])
            held = np.unique(np.concatenate([codes[[each.low, each.high]], null]))
            yield Meaning(values=values, loss=Fraction(each.high - each.low + each.empty, steps), held=held)

    return means


def _sets(texts: Sequence[Label], place: dict[Label, int]) -> Rule:
    """Read sets of the values that the source has, or one value alone."""
    known = {text: place[text] for text in texts}

    def means(label: Label) -> Iterator[Meaning]:
        if label is None:
            if None in known:
                yield _value(place[None])
            return
        listed = members(label, known)
        if len(listed) == 1:
            yield _value(listed[0])
        elif listed:
            values = np.array(listed)
            yield Meaning(values=values, loss=Fraction(len(listed) - 1, len(texts) - 1), held=values)

    return means


def _stretches(texts: Sequence[Label], place: dict[Label, int]) -> Rule:
    """Read chosen intervals, or sides of rectangles: from value to value in their order, equal ones alike; NULL stays NULL.

    What they lose is for :mod:`kanon_sql.verification.chosen_groups` to say.
    """
    ranked = Ranked.of([text for text in texts if text is not None])
    rank = dict(zip(ranked.texts, ranked.rank.tolist(), strict=True))
    codes = np.array([place[text] for text in ranked.texts], np.int64)

    def means(label: Label) -> Iterator[Meaning]:
        if label is None:
            if None in texts:
                yield _value(place[None])
            return
        each = stretch(label, rank, empty=False)
        if each is not None:
            yield Meaning(values=codes[ranked.within(each)], loss=Fraction(0), most=1 - GRAIN)

    return means


def _numbered(values: Int64) -> Rule:
    """Read bins and regions whose values nothing tells."""

    def means(label: Label) -> Iterator[Meaning]:
        if label is not None and _NUMBERED.fullmatch(label):
            yield Meaning(values=values, loss=Fraction(0), most=1 - GRAIN)

    return means


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Values in their order."""

    texts: list[str]  # the values in order
    rank: Int64  # the rank of each, equal ones alike, ascending

    @classmethod
    def of(cls, texts: Sequence[str]) -> Ranked:
        """Put values into their order: as numbers, else as moments, else as texts."""
        keys = in_order(texts)
        order = sorted(range(len(texts)), key=keys.__getitem__)
        fresh = [keys[high] != keys[low] for low, high in pairwise(order)]
        return cls(texts=[texts[each] for each in order], rank=np.cumsum([0, *fresh])[: len(order)])

    def within(self, stretch: Stretch) -> Int64:
        """Return the places of the values in a stretch of ranks."""
        low, high = np.searchsorted(self.rank, [stretch.low, stretch.high + 1])
        return np.arange(low, high)
