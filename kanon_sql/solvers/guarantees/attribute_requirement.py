"""What solvers ask of a requirement on one sensitive attribute: an exact test, criteria of kernels, a linear limit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.requirements import SensitiveRequirement
from kanon_sql.solvers.guarantees.limit import Limit
from kanon_sql.solvers.integer_programs.counters import Counters
from kanon_sql.solvers.integer_programs.model import Model
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import Sensitive

R = TypeVar("R", bound=SensitiveRequirement)

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

_DOUBT = 1e-9
"""Relative error of sums of floats, generously: an instance in doubt is kept."""

_FINE = 1 << 20
"""Denominator of thresholds that would be too fine: they are made stricter by less than a millionth."""

SAFE = 1 << 62
"""Whole numbers below this fit into 64 bits, signs and a sum included."""


@dataclass(frozen=True, slots=True)
class AttributeRequirement(ABC, Generic[R]):
    """A requirement and the attribute that it is about, of v values."""

    requirement: R  # the requirement of every class
    about: Sensitive  # the values of the whole table

    @abstractmethod
    def meets(self, histograms: Int64, rows: Int64) -> Any:
        """Return which classes meet it, exactly, bool [c], from their rows by value [c, v] and in all [c]."""

    @abstractmethod
    def encode(self, criteria: Criteria, places: tuple[int, int]) -> None:
        """Add it to the criteria of kernels, where the counters of the attribute are from one place up to another."""

    def least_rows(self) -> int:
        """Return a number of rows below which no class meets it: unless the table says more, that of any table."""
        return self.requirement.least_class_size

    @abstractmethod
    def supported(self, support: Floats, rows: float) -> Bools:
        """Return which supports [j, v] have so many rows, divided or not, that meet it, bool [j]; not all that have none."""

    def limit(self) -> Limit | None:
        """Return a limit that every class keeps which meets it, if one is known."""
        return None

    @abstractmethod
    def constrain(self, model: Model, counters: Counters, least: int) -> None:
        """Add what it asks of every class of ``least`` rows or more to a program; of an entropy, all but what tangents say."""

    def figures(self) -> str | None:
        """Return what it counts in the whole table, without a value; None where the whole table always meets it."""
        return None

    def met_by_all(self) -> bool:
        """Return whether the whole table as one class meets it."""
        return bool(self.meets(self.about.count[None], self.about.count.sum(keepdims=True))[0])

    @property
    def entropy(self) -> Fraction | None:
        """The number of values whose entropy every class has at least, if that is the requirement."""
        return None

    @property
    def finds_parts(self) -> bool:
        """Whether `largest_parts` finds a part of an instance that meets it if there is one."""
        return False

    @property
    def transports(self) -> bool:
        """Whether a transport decides if a class meets it, which takes long where there are many values."""
        return False

    @property
    def relaxes(self) -> bool:
        """Whether a Lagrangian relaxation bounds what its classes cost."""
        return True


def up_to(value: Floats | float, limit: Floats) -> Bools:
    """Return where a sum of floats is at most a limit, or may be."""
    found: Bools = value <= limit * (1 + _DOUBT) + _DOUBT
    return found


def fit_for(bound: int) -> type[Any]:
    """Return the type in which whole numbers up to a bound are exact: 64 bits, or Python's own."""
    return np.int64 if bound < 1 << 62 else object


@dataclass(slots=True, kw_only=True)
class Criteria:
    """Criteria, data and shares that grow by requirement; see `EncodedRequirement`."""

    rows: int  # rows of the whole table
    shares: list[Int64]  # to be joined
    parts: list[tuple[int, ...]] = field(default_factory=list)  # the criteria
    data: list[Int64] = field(default_factory=list)  # to be joined

    def add(
        self,
        kind: int,
        places: tuple[int, int],
        threshold: Fraction,
        extra: int = 0,
        more: tuple[int, int, int, int] = (1, 0, 0, 0),
    ) -> None:
        """Add a criterion; ``more`` are ``exact``, ``data_start``, ``edges`` and ``share_start``."""
        self.parts.append((kind, *places, threshold.numerator, threshold.denominator, extra, *more))

    @property
    def data_start(self) -> int:
        """Return where the next data begin."""
        return sum(map(len, self.data))


def stricter(threshold: Fraction, *, up: bool) -> Fraction:
    """Return a threshold of which the products with counts of rows fit into 64 bits, no less strict."""
    if max(threshold.numerator, threshold.denominator) < _FINE:
        return threshold
    if threshold > _FINE:
        return Fraction(min(ceil(threshold), SAFE >> 32)) if up else Fraction(_FINE)
    return Fraction((ceil if up else floor)(threshold * _FINE), _FINE)
