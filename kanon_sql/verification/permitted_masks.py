"""The masks and levels under which a released row may look as it does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_sql.model.linked_columns import units
from kanon_sql.verification.coded_source import SUPPRESSED, CodedSource
from kanon_sql.verification.readings import Domain, Reading

Way = tuple[tuple[int, int], ...]
"""A permitted way to look so: the columns whose label has to be that of a certain level, and the level."""


class PermittedMasks:
    """What the policy permits to show together."""

    def __init__(self, source: CodedSource, domains: Sequence[Domain], readings: Sequence[Reading]) -> None:
        names = [qi.column for qi in source.policy.quasi_identifiers]
        self._listed = source.level_vectors
        self._linked = [[names.index(name) for name in group] for group in units(names, source.policy.linked)]
        self._hidden = [domain.hidden for domain in domains]
        self._readings = readings
        self._known: dict[tuple[frozenset[int], ...], list[Way]] = {}

    def ways(self, labels: Sequence[int]) -> list[Way]:
        """Return the permitted ways to show these labels; none where no mask shows them together.

        Notes
        -----
        A cell that looks suppressed need not be so: its value may look so at a level that a mask shows.
        """
        if self._listed is None:
            return [self._with_links(labels)]
        levels = tuple(self._levels(c, label) for c, label in enumerate(labels))
        if levels not in self._known:
            self._known[levels] = self._fitting(levels)
        return self._known[levels]

    def _with_links(self, labels: Sequence[int]) -> Way:
        """Return the only way where every combination is permitted: linked columns are shown together."""
        gone = [label == hidden for label, hidden in zip(labels, self._hidden, strict=True)]
        return tuple((c, 0) for group in self._linked if not all(gone[c] for c in group) for c in group if gone[c])

    def _levels(self, c: int, label: int) -> frozenset[int]:
        found = self._readings[c].levels(label)
        return found | {SUPPRESSED} if label == self._hidden[c] else found

    def _fitting(self, levels: Sequence[frozenset[int]]) -> list[Way]:
        """Return the listed ways that have these levels; one that asks no less than another is left out."""
        assert self._listed is not None  # noqa: S101 - called for listed masks only
        fits = np.logical_and.reduce([np.isin(self._listed[:, c], list(each)) for c, each in enumerate(levels)])
        # A suppressed cell asks nothing of its value, nor does the only level that has the label.
        conditions = {
            frozenset((c, level) for c, level in enumerate(vector) if level != SUPPRESSED and len(levels[c]) > 1)
            for vector in self._listed[fits].tolist()
        }
        if frozenset() in conditions:
            return [()]
        return [tuple(sorted(each)) for each in conditions if not any(other < each for other in conditions)]
