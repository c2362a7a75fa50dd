"""The elementary values of a column: the coarsest parts that all labels and conditions of the ledger can tell apart.

A set of them is a whole number with a bit for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from math import isinf

from kanon_sql.model.condition_tests import ColumnTest, Comparison, Every, Negated, OneOf
from kanon_sql.solvers.ledger.label_ranges import Cut, Scale

MISSING = frozenset({"unknown", "missing", "not stated", "not known", "not available", "n/a", "na", "null", "none"})
"""Labels of people without a value, in lower case."""

_STARRED = re.compile(r"[0-9A-Za-z]+\*+")


@dataclass(slots=True)
class Column:
    """A column, or a part of a condition that cannot be understood, which is true, false or neither.

    Attributes
    ----------
    name : str
        What people call it.
    size : int
        Number of elementary values. The last one is NULL, and in a column of texts the one before it all other labels.
    labels : dict
        The values of each label.
    tests : dict
        The values that meet each part of a condition, by its text.
    """

    name: str
    size: int = 1
    labels: dict[str, int] = field(default_factory=dict)
    tests: dict[str, int] = field(default_factory=dict)
    scale: Scale | None = None  # None if no label is a range
    cuts: list[Cut] = field(default_factory=list)
    opaque: bool = False

    @property
    def full(self) -> int:
        """Return the set of all values."""
        return (1 << self.size) - 1

    @classmethod
    def of_texts(cls, name: str, labels: Iterable[str]) -> Column:
        """Return a column of labels that are elementary, but that labels with stars contain longer ones."""
        known = sorted({*labels})
        own = {label: 1 << place for place, label in enumerate(known)}
        masks = dict(own)
        for label in known:
            if _STARRED.fullmatch(label):
                prefix = label.rstrip("*")
                inside = [each for each in known if len(each) == len(label) and each.startswith(prefix)]
                masks[label] = sum(own[each] for each in inside)
        return cls(name=name, size=len(known) + 2, labels=masks)

    @classmethod
    def of_ranges(cls, name: str, scale: Scale, labels: Iterable[str], others: Iterable[str], values: Iterable[str]) -> Column:
        """Return a column of ranges, which are cut into intervals, of labels that are none, and of values in conditions."""
        ranges = {label: ends for label in {*labels, *values} if (ends := scale.range(label)) is not None}
        cuts = sorted({end for ends in ranges.values() for end in ends if not isinf(end[0])})
        texts = sorted({*others})
        found = cls(name=name, size=len(cuts) + 1 + len(texts) + 1, scale=scale, cuts=cuts)
        found.labels = {label: found._between(*ranges[label]) for label in sorted({*labels} & ranges.keys())}
        found.labels |= {label: 1 << (len(cuts) + 1 + place) for place, label in enumerate(texts)}
        return found

    @classmethod
    def of_condition(cls, text: str) -> Column:
        """Return a column for a part of a condition that is not understood: true, false, and neither."""
        return cls(name=text, size=3, tests={text: 1, f"NOT ({text})": 2}, opaque=True)

    def _between(self, low: Cut, high: Cut) -> int:
        """Return the intervals from one cut to another."""
        places = [self.cuts.index(low) + 1 if low in self.cuts else 0]
        places.append(self.cuts.index(high) + 1 if high in self.cuts else len(self.cuts) + 1)
        return (1 << places[1]) - (1 << places[0])

    def _within(self, text: str) -> int:
        found = None if self.scale is None else self.scale.range(text)
        return 0 if found is None else self._between(*found)

    def passed(self, test: ColumnTest) -> int:
        """Return the values that meet a test."""
        return self._outcomes(test)[0]

    def _outcomes(self, test: ColumnTest) -> tuple[int, int]:
        """Return the values that meet a test, and those that fail it. NULL does neither, nor does a label for no value."""
        if isinstance(test, Negated):
            met, failed = self._outcomes(test.test)
            return failed, met
        if isinstance(test, Comparison | OneOf):
            met = self._named(test)
            return met, self._comparable() & ~met
        outcomes = [self._outcomes(each) for each in test.tests]
        every, some = (0, 1) if isinstance(test, Every) else (1, 0)
        all_of, any_of = self.full, 0
        for outcome in outcomes:
            all_of &= outcome[every]
            any_of |= outcome[some]
        return (all_of, any_of) if isinstance(test, Every) else (any_of, all_of)

    def _comparable(self) -> int:
        """Return the values that are not NULL. On a line these are its intervals."""
        if self.scale is not None:
            return (1 << (len(self.cuts) + 1)) - 1
        return self.full >> 1

    def _named(self, test: Comparison | OneOf) -> int:
        if isinstance(test, Comparison):
            return self._within(f"{test.sign} {test.value}")
        if self.scale is not None:
            return _union(self._within(value) for value in test.values)
        return _union(self.labels[value] for value in test.values)

    def words(self, values: int) -> str:
        """Return a set of values in words."""
        for known in (self.labels, self.tests):
            for text, mask in known.items():
                if mask == values:
                    return text
        if self.opaque:
            return f"({self.name}) IS NOT TRUE" if values == self.full - 1 else f"({self.name}) IS NOT FALSE"
        line = (1 << (len(self.cuts) + 1)) - 1 if self.scale is not None else 0
        if values & line == values:
            return " or ".join(self._interval(run) for run in _runs(values))
        for text, mask in self.labels.items():
            if mask == self.full & ~values:
                return f"other than {text}"
        rest = self.full & ~values
        without = [text for text, mask in self.labels.items() if mask & rest == mask]
        within = [text for text, mask in self.labels.items() if mask & values == mask]
        if values >> (self.size - 1):
            return "other than " + _listed(without, "or") if without else "any"
        return _listed(within, "or") or "other"

    def _interval(self, run: tuple[int, int]) -> str:
        first, last = run
        low = self.cuts[first - 1] if first else None
        high = self.cuts[last] if last < len(self.cuts) else None
        if low is None or high is None:
            if low is not None:
                return f"{'' if low[1] == 0 else 'more than '}{self._text(low)}{' and over' if low[1] == 0 else ''}"
            return "any" if high is None else f"{'under' if high[1] == 0 else 'up to'} {self._text(high)}"
        if self.scale is None or self.scale.whole:
            least, most = self._text(low), self._text((high[0] - 1, 0))
            return least if least == most else f"{least} to {most}"
        return (
            f"{'from' if low[1] == 0 else 'above'} {self._text(low)} {'to below' if high[1] == 0 else 'to'} {self._text(high)}"
        )

    def _text(self, cut: Cut) -> str:
        if self.scale is not None and self.scale.dates:
            return date.fromordinal(int(cut[0])).isoformat()
        return f"{float(cut[0]):.12g}"


def _union(masks: Iterable[int]) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found


def _runs(values: int) -> list[tuple[int, int]]:
    """Return the first and the last place of each run of bits."""
    places = [place for place in range(values.bit_length()) if values >> place & 1]
    starts = [places[0], *(after for before, after in pairwise(places) if after > before + 1)]
    ends = [*(before for before, after in pairwise(places) if after > before + 1), places[-1]]
    return list(zip(starts, ends, strict=True))


def _listed(texts: Sequence[str], word: str) -> str:
    if len(texts) > 4:
        return f"{', '.join(texts[:3])} {word} {len(texts) - 3} more"
    return f" {word} ".join(texts)
