"""What every equivalence class of a release has to meet.

Each requirement is kept when classes that meet it are merged, so a release that fails can always be coarsened until it
holds, or no release holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from fractions import Fraction
from math import ceil
from typing import Any

from kanon_sql.errors import PolicyError
from kanon_sql.validation import (
    as_identifier,
    as_text,
    encodable,
    fraction,
    known_keys,
    named,
    nearest,
    one_of,
    plain_number,
    same_name,
    whole,
)

STANDING = "stands for a person"
"""What solvers call the mark of a row that stands for a person, where people are counted."""

VARIANTS = ("frequency", "distinct", "entropy", "recursive")
"""The forms of l-diversity."""

METRICS = ("equal", "ordered", "numeric", "hierarchical")
"""The ground distances of t-closeness that need no table of distances."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KAnonymity:
    """Every equivalence class holds at least ``k`` rows."""

    k: int

    def __post_init__(self) -> None:
        whole(self.k, "k", 1)

    @property
    def least_class_size(self) -> int:
        """Return the smallest class that can meet the requirement, in rows."""
        return self.k

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"k >= {self.k}"

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        return {"type": "k", "k": self.k}


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """Every equivalence class holds rows of at least ``k`` people.

    Parameters
    ----------
    k : int
        The number of people.
    per : str
        The column that tells people apart; it is never released. An empty cell is nobody.
    """

    k: int
    per: str

    def __post_init__(self) -> None:
        whole(self.k, "k", 1)
        named(self.per, "the column that tells people apart")

    @property
    def sensitive(self) -> str:
        """Return the column that classes are measured by."""
        return self.per

    @property
    def least_class_size(self) -> int:
        """Return the smallest class that can meet the requirement, in rows."""
        return self.k

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"k >= {self.k} PER {as_identifier(self.per)}"

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        return {"type": "people", "k": self.k, "per": self.per}


@dataclass(frozen=True, slots=True, kw_only=True)
class LDiversity:
    """Every equivalence class is l-diverse in a sensitive attribute; NULL is a value of its own.

    Parameters
    ----------
    sensitive : str
        The sensitive attribute, a column.
    l : int, Fraction, Decimal, float or str
        At least 1; kept as an exact `Fraction`. With ``'recursive'`` a whole number.
    variant : str
        ``'frequency'``: no value has more than 1/l of the rows. ``'distinct'``: at least l values. ``'entropy'``: the
        entropy is at least log l. ``'recursive'``: r_1 < c (r_l + ... + r_m), with the counts of the m values descending.
    c : number, optional
        Above 0; for ``'recursive'`` only, and needed there.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: l-diversity, TKDD 1(1), 2007 (Definitions 4 to 6). Frequency:
    Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems, Section 1.
    """

    sensitive: str
    l: Fraction  # noqa: E741 - the name of the parameter in the whole field
    variant: str = "frequency"
    c: Fraction | None = None

    def __post_init__(self) -> None:
        named(self.sensitive, "the sensitive attribute of l-diversity")
        one_of(self.variant, VARIANTS, "the variant of l-diversity")
        object.__setattr__(self, "l", fraction(self.l, "l"))
        if self.l < 1:
            raise PolicyError(f"l must be at least 1, got {self.l}; hint: l = 2 lets no value fill a class")
        if self.variant != "recursive":
            if self.c is not None:
                raise PolicyError(f"c belongs to the variant 'recursive', not to {self.variant!r}; hint: leave c out")
            return
        if self.l.denominator != 1:
            raise PolicyError(f"recursive l-diversity needs a whole l, got {self.l}; hint: l(disease, 'recursive', 3) >= 2")
        if self.c is None:
            raise PolicyError("recursive l-diversity needs c; hint: l(disease, 'recursive', 3) >= 2")
        object.__setattr__(self, "c", fraction(self.c, "c"))
        if self.c <= 0:
            raise PolicyError(f"c must be above 0, got {self.c}; hint: c = 3 lets a value be three times the rest")

    @property
    def least_class_size(self) -> int:
        """Return the smallest class that can meet the requirement, in rows.

        Notes
        -----
        Frequency, distinct and entropy are met by l different values, and by no fewer rows. Recursive: r_1 >= 1 asks for
        r_l + ... + r_m > 1/c, which has floor(1/c) + 1 rows or more, and the l - 1 greater counts have a row each.
        """
        return ceil(self.l) if self.c is None else int(self.l) + int(1 / self.c)

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"l({_arguments(self.sensitive, self.variant, self.c, default=VARIANTS[0])}) >= {self.l}"

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        c = None if self.c is None else plain_number(self.c)
        return {"type": "l", "sensitive": self.sensitive, "l": plain_number(self.l), "variant": self.variant, "c": c}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlphaAnonymity:
    """In every equivalence class, at most a share ``alpha`` of the rows has one named value of a sensitive attribute.

    Parameters
    ----------
    sensitive : str
        The sensitive attribute, a column.
    value : str
        The value, as DuckDB casts it to text. It is a part of the promise, which its author wrote, so `describe` repeats it;
        other values of the column are repeated nowhere.
    alpha : int, Fraction, Decimal, float or str
        Above 0, at most 1; kept as an exact `Fraction`.

    References
    ----------
    Wong, Li, Fu, Wang: (alpha, k)-anonymity: an enhanced k-anonymity model for privacy preserving data publishing, KDD 2006.
    """

    sensitive: str
    value: str
    alpha: Fraction

    def __post_init__(self) -> None:
        named(self.sensitive, "the sensitive attribute of alpha")
        if not isinstance(self.value, str):
            raise PolicyError(
                f"the value that alpha limits must be a text, got {type(self.value).__name__}; hint: write 3 as '3'"
            )
        encodable(self.value, "the value that alpha limits")
        object.__setattr__(self, "alpha", fraction(self.alpha, "alpha"))
        if not 0 < self.alpha <= 1:
            raise PolicyError(f"alpha must be above 0 and at most 1, got {self.alpha}; hint: alpha(disease, 'flu') <= 0.5")

    @property
    def least_class_size(self) -> int:
        """Return 1: a row with another value meets the requirement alone."""
        return 1

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"alpha({as_identifier(self.sensitive)}, {as_text(self.value)}) <= {self.alpha}"

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        return {"type": "alpha", "sensitive": self.sensitive, "value": self.value, "alpha": plain_number(self.alpha)}


@dataclass(frozen=True, slots=True, kw_only=True)
class TCloseness:
    """The values of a sensitive attribute are distributed in every equivalence class nearly as in the whole table.

    Parameters
    ----------
    sensitive : str
        The sensitive attribute, a column; NULL is a value of its own, the last one.
    t : int, Fraction, Decimal, float or str
        The largest earth mover's distance between the two distributions, from 0 to 1; kept as an exact `Fraction`.
    metric : str
        The distance of two values. ``'equal'``: 1. ``'ordered'``: the difference of their ranks, over the largest.
        ``'numeric'``: their difference, over the largest. ``'hierarchical'``: the height of their lowest common ancestor,
        over the height of the tree. Anything else is the name of a table ``(a, b, distance)``.
    hierarchy : str, optional
        Name of the table of the tree; for ``'hierarchical'`` only, and needed there.

    References
    ----------
    Li, Li, Venkatasubramanian: t-closeness, ICDE 2007. Any metric: Liang, Yuan: On the Complexity of t-Closeness
    Anonymization and Related Problems, Section 2.1.
    """

    sensitive: str
    t: Fraction
    metric: str = "equal"
    hierarchy: str | None = None

    def __post_init__(self) -> None:
        named(self.sensitive, "the sensitive attribute of t-closeness")
        object.__setattr__(self, "t", fraction(self.t, "t"))
        if not 0 <= self.t <= 1:
            raise PolicyError(f"t must be from 0 to 1, got {self.t}; hint: t(disease) <= 0.3")
        if not isinstance(self.metric, str) or not self.metric:
            shown = "an empty text" if self.metric == "" else type(self.metric).__name__
            raise PolicyError(f"the metric of t-closeness must be a name, got {shown}; hint: {', '.join(map(repr, METRICS))}")
        encodable(self.metric, "the metric of t-closeness")
        near = None if self.metric in METRICS else nearest(self.metric, METRICS)
        if near is not None:
            raise PolicyError(
                f"the metric {self.metric!r} looks like {near!r}; hint: write {near!r}, or, for a table of distances of that "
                "name, its schema too, as in 'main.distances'"
            )
        if self.metric == "hierarchical":
            if not isinstance(self.hierarchy, str) or not self.hierarchy:
                raise PolicyError(
                    "the metric 'hierarchical' needs the table of its tree; hint: t(disease, 'hierarchical', 'tree') <= 0.3"
                )
            encodable(self.hierarchy, "the tree of the metric 'hierarchical'")
        elif self.hierarchy is not None:
            raise PolicyError(f"a hierarchy belongs to the metric 'hierarchical', not to {self.metric!r}; hint: leave it out")

    @property
    def least_class_size(self) -> int:
        """Return 1: where all rows have one value, each is t-close alone."""
        return 1

    @property
    def table(self) -> str | None:
        """Return the name of the hierarchy or of the table of distances, if there is one."""
        return self.hierarchy or (None if self.metric in METRICS else self.metric)

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"t({_arguments(self.sensitive, self.metric, self.hierarchy, default=METRICS[0])}) <= {self.t}"

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        kind = {"type": "t", "sensitive": self.sensitive, "t": plain_number(self.t)}
        return kind | {"metric": self.metric, "hierarchy": self.hierarchy}


SensitiveRequirement = People | LDiversity | AlphaAnonymity | TCloseness
"""The requirements on the values of a column that is no quasi-identifier."""

Requirement = KAnonymity | SensitiveRequirement
"""The requirements that exist; a conjunction is a tuple of them."""

_REQUIREMENTS: dict[str, type[Requirement]] = {
    "k": KAnonymity,
    "people": People,
    "l": LDiversity,
    "alpha": AlphaAnonymity,
    "t": TCloseness,
}


def requirement_from_json(item: object) -> Requirement:
    """Read a requirement from plain JSON data; what may be left out takes its default."""
    kind = item.get("type") if isinstance(item, dict) else None
    if not isinstance(kind, str) or kind not in _REQUIREMENTS:
        raise PolicyError(f"a requirement has the unknown type {kind!r}; hint: the types are {', '.join(_REQUIREMENTS)}")
    requirement = _REQUIREMENTS[kind]
    names = {field.name: field.default is MISSING for field in fields(requirement)}
    needed = [name for name, must in names.items() if must]
    data = known_keys(item, {"type", *names}, f"the requirement {kind!r}", needed)
    return requirement(**{key: value for key, value in data.items() if key != "type"})


def respelled(requirement: Requirement, spelled: Mapping[str, str]) -> Requirement:
    """Return a requirement with its column as ``spelled``, by the form that `same_name` compares."""
    if isinstance(requirement, KAnonymity):
        return requirement
    column = spelled[same_name(requirement.sensitive)]
    return replace(requirement, per=column) if isinstance(requirement, People) else replace(requirement, sensitive=column)


def named_requirements(
    sensitive: str | None,
    *,
    l: Any = None,  # noqa: E741 - its name everywhere
    variant: str | None = None,
    c: Any = None,
    t: Any = None,
    metric: str | None = None,
    hierarchy: str | None = None,
) -> tuple[LDiversity | TCloseness, ...]:
    """Return the requirements on one sensitive attribute from the names that every entrance of kanon-sql shares.

    Parameters
    ----------
    sensitive : str, optional
        The sensitive attribute; None where nothing is asked of one.
    l, variant, c : optional
        As in `LDiversity`; None takes the default.
    t, metric, hierarchy : optional
        As in `TCloseness`; None takes the default.

    Raises
    ------
    PolicyError
        When a name says nothing because another one is missing.
    """
    for name, value, about, threshold in (
        ("variant", variant, "l", l),
        ("c", c, "l", l),
        ("metric", metric, "t", t),
        ("hierarchy", hierarchy, "t", t),
    ):
        if value is not None and threshold is None:
            raise PolicyError(f"{name} says nothing without {about}; hint: give {about} too")
    if sensitive is None:
        if l is not None or t is not None:
            raise PolicyError("l and t need the sensitive column that they are about; hint: sensitive = 'disease'")
        return ()
    found: list[LDiversity | TCloseness] = []
    if l is not None:
        found.append(LDiversity(sensitive=sensitive, l=l, variant=VARIANTS[0] if variant is None else variant, c=c))
    if t is not None:
        found.append(TCloseness(sensitive=sensitive, t=t, metric=METRICS[0] if metric is None else metric, hierarchy=hierarchy))
    if not found:
        raise PolicyError("nothing is promised about the sensitive column; hint: l = 2 or t = 0.3")
    return tuple(found)


def _arguments(sensitive: str, kind: str, more: Fraction | str | None, *, default: str) -> str:
    """Return what stands in the brackets of a term of the clause: no more than it takes."""
    shown = [as_identifier(sensitive)]
    if kind != default or more is not None:
        shown.append(as_text(kind))
    if more is not None:
        shown.append(as_text(more) if isinstance(more, str) else str(more))
    return ", ".join(shown)
