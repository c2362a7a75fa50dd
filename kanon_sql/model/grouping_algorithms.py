"""Names of algorithms that put labels together, with what they take in parentheses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from kanon_sql.errors import PolicyError, UnknownAlgorithmError, hint_of

AUTO = "auto"
"""In place of the name of an algorithm: an exact one where it ends at once, else the best heuristic."""

ORDERS = ("sorted", "random")
"""The heaviest label first, or an order drawn from the seed. Without one, labels are packed in the order of their names."""

ORDERED = ("fold", "plain_spread")
"""Algorithms that pack labels in an order."""

ROUNDED = "bin_scheme"
"""The algorithm that rounds sizes by epsilon."""

_SPELLING = re.compile(r"(\w+)\s*(?:\(\s*([^()]*?)\s*\))?")


@dataclass(frozen=True, slots=True)
class GroupingAlgorithm:
    """An algorithm, and how it works."""

    name: str  # a module of :mod:`kanon_sql.solvers.labels`, or `AUTO`
    order: str = ""  # one of `ORDERS`, for `ORDERED` algorithms; empty takes labels as they come
    epsilon: Fraction | None = None  # for `ROUNDED`: how far sizes are rounded, above 0 and at most 1/2

    @classmethod
    def read(cls, text: object, known: tuple[str, ...], grouping: str) -> GroupingAlgorithm:
        """Read an algorithm in any case, such as ``fold``, ``fold(random)`` or ``bin_scheme(1/8)``.

        Parameters
        ----------
        text : object
            What was given as the algorithm.
        known : tuple of str
            The names that there are, but for `AUTO`.
        grouping : str
            What the algorithm is for, such as ``BINS``.

        Raises
        ------
        PolicyError
            If it is not a text, or if the algorithm does not take what is in parentheses.
        UnknownAlgorithmError
            If there is no such algorithm.
        """
        if not isinstance(text, str):
            raise PolicyError(f"the algorithm for {grouping} must be a name, got {type(text).__name__}; hint: use {AUTO!r}")
        spelled = _SPELLING.fullmatch(text.strip().lower())
        name, argument = spelled.groups() if spelled else (text, None)
        if name not in (AUTO, *known):
            raise UnknownAlgorithmError.of(name, (AUTO, *known), f" for {grouping}")
        if argument is None:
            return cls(name)
        if name in ORDERED:
            if argument not in ORDERS:
                hint = hint_of(argument, ORDERS, f"write {name}(sorted) or {name}(random)")
                raise PolicyError(f"{name} has no order {argument!r}; hint: {hint}")
            return cls(name, order=argument)
        if name == ROUNDED:
            return cls(name, epsilon=_epsilon(argument))
        raise PolicyError(f"{name} accepts no arguments; hint: write {grouping} ({name})")

    def __str__(self) -> str:
        inside = self.order or self.epsilon
        return f"{self.name}({inside})" if inside else self.name


def _epsilon(text: str) -> Fraction:
    try:
        epsilon = Fraction(text) if len(text) <= 20 and "e" not in text else None
    except (ValueError, ZeroDivisionError):
        epsilon = None
    if epsilon is None or not 0 < epsilon <= Fraction(1, 2):
        raise PolicyError(f"{ROUNDED} needs a number above 0 and at most 1/2; hint: write {ROUNDED}(1/8)")
    return epsilon
