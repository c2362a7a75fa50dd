"""What a release guarantees, as plain data: the checker and every spelling of a policy start from here."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """A requirement on the sensitive values of each class.

    ``kind`` is ``'l'``, ``'t'``, ``'alpha'``, ``'beta'`` or ``'delta'``; ``number`` its threshold; ``form`` the variant of l or
    the metric of t; ``c`` that of the variant ``'recursive'``; ``value`` the text of the value that alpha bounds.
    """

    kind: str
    column: str
    number: Fraction
    form: str = ""
    c: Fraction | None = None
    value: str = ""


@dataclass(frozen=True, kw_only=True)
class Recoding:
    """How a column is coarsened.

    ``kind`` is ``'digits'``, ``'intervals'``, ``'cuts'``, ``'coded'`` (an end alone), ``'periods'``, ``'hierarchy'``,
    ``'chosen'`` (intervals without widths), ``'bins'``, ``'rectangles'``, ``'ranges'``, ``'sets'``, ``'means'`` or
    ``'medians'``; ``steps`` are digits, widths, periods, cuts, or the permitted levels of a hierarchy; ``beside`` is the other
    coordinate of a rectangle; ``tree`` has the ancestors of each value, nearest first and without the root. From ``top`` on,
    and up to ``bottom``, numbers share a label. ``only`` levels above the value are shown.
    """

    kind: str
    steps: tuple[Fraction | int | str, ...] = ()
    tree: dict[str, tuple[str, ...]] = field(default_factory=dict)
    table: str = ""
    beside: str = ""
    loss: tuple[Fraction, ...] = ()
    top: Fraction | None = None
    bottom: Fraction | None = None
    only: bool = False

    @property
    def ended(self) -> bool:
        """Whether it has an end."""
        return self.top is not None or self.bottom is not None


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """A policy in plain words; ``qi`` is every quasi-identifier, also where the policy names none (``every_column``).

    ``kept`` are the columns that are released unchanged on purpose, None where the policy does not say.
    ``unlisted_limit`` is the share of the rows that another column may single out, None for the default.
    """

    qi: tuple[str, ...]
    k: int
    every_column: bool = False
    requirements: tuple[Requirement, ...] = ()
    masks: tuple[tuple[str, ...], ...] | None = None
    linked: tuple[tuple[str, ...], ...] = ()
    weights: dict[str, Fraction] = field(default_factory=dict)
    recodings: dict[str, Recoding] = field(default_factory=dict)
    suppress: str | None = None
    per: str | None = None
    kept: tuple[str, ...] | None = None
    unlisted_limit: Fraction | None = None
    dropped: tuple[str, ...] = ()
    algorithm: str = "auto"
    seed: int = 0
    time_limit: float | None = None
    max_suppressed: Fraction | None = None

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns, each once."""
        return tuple(dict.fromkeys(each.column for each in self.requirements))

    def weight(self, column: str) -> Fraction:
        """What a suppressed cell of the column costs."""
        return self.weights.get(column, Fraction(1))

    def permitted(self) -> list[frozenset[str]] | None:
        """The masks that split no linked group; None where every combination that splits none is permitted."""
        if self.masks is None:
            return None
        masks = [frozenset(mask) for mask in self.masks]
        return [mask for mask in masks if all(mask.isdisjoint(group) or mask.issuperset(group) for group in self.linked)]

    def units(self) -> list[tuple[str, ...]]:
        """The quasi-identifiers in the groups that are shown or hidden together."""
        linked = {name for group in self.linked for name in group}
        return [*self.linked, *((name,) for name in self.qi if name not in linked)]
