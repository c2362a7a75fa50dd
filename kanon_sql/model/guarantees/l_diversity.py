"""l-diversity: the values of a sensitive attribute are diverse in each class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

from kanon_sql.errors import PolicyError, use_one_of
from kanon_sql.model.guarantees.written import Argument, Option, Written
from kanon_sql.model.validation import as_arguments, fraction, named, one_of, plain_number

VARIANTS = ("frequency", "distinct", "entropy", "recursive")
"""The forms of l-diversity."""


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

    Raises
    ------
    PolicyError
        When a number is out of its range, or the variant is unknown.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: l-diversity, TKDD 1(1), 2007 (Definitions 4 to 6). Frequency:
    Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems, Section 1.

    Examples
    --------
    >>> LDiversity(sensitive="disease", l=2).describe()
    'l(disease) >= 2'
    >>> LDiversity(sensitive="disease", l=2, variant="recursive", c=3).describe()
    "l(disease, 'recursive', 3) >= 2"
    """

    kind: ClassVar[str] = "l"
    synonyms: ClassVar[tuple[str, ...]] = ("l_diversity", "ldiversity", "diversity")
    written: ClassVar[Written] = Written(
        word="l",
        sign=">=",
        example="l(disease) >= 2",
        threshold="l",
        arguments={
            "variant": Argument(what="a variant", hint=use_one_of(map(repr, VARIANTS))),
            "c": Argument(),
        },
    )
    options: ClassVar[dict[str, Option]] = {
        "l": Option(help="Minimum diversity of every class."),
        "variant": Option(
            help="Form of diversity: frequency, distinct, entropy or recursive.  [default: frequency]", form="NAME"
        ),
        "c": Option(help="Parameter c of recursive diversity."),
    }

    sensitive: str
    l: Fraction  # noqa: E741 - the name of the parameter in the whole field
    variant: str = "frequency"
    c: Fraction | None = None

    def __post_init__(self) -> None:
        named(self.sensitive, "the sensitive column of l-diversity")
        one_of(self.variant, VARIANTS, "the variant of l-diversity")
        object.__setattr__(self, "l", fraction(self.l, "l"))
        if self.l < 1:
            raise PolicyError(
                f"l must be at least 1, got {self.l}; hint: set l = 2, so that no value makes up more than half of a class"
            )
        if self.variant != "recursive":
            if self.c is not None:
                raise PolicyError(f"c applies to the variant 'recursive', not to {self.variant!r}; hint: omit c")
            return
        if self.l.denominator != 1:
            raise PolicyError(
                f"recursive l-diversity needs a whole number for l, got {self.l}; hint: write l(disease, 'recursive', 3) >= 2"
            )
        if self.c is None:
            raise PolicyError("recursive l-diversity needs c; hint: write l(disease, 'recursive', 3) >= 2").command(
                "pass --c 3"
            )
        object.__setattr__(self, "c", fraction(self.c, "c"))
        if self.c <= 0:
            raise PolicyError(
                f"c must be above 0, got {self.c}; hint: set c = 3, so that no value has three times as many rows as the rest"
            )

    @property
    def least_class_size(self) -> int:
        """Return the smallest class that can meet the requirement, in rows.

        Notes
        -----
        Frequency, distinct and entropy are met by l different values, and by no fewer rows. Recursive: r_1 >= 1 asks for
        r_l + ... + r_m > 1/c, which takes at least floor(1/c) + 1 rows. The l - 1 greater counts have a row each.
        """
        return ceil(self.l) if self.c is None else int(self.l) + int(1 / self.c)

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"l({as_arguments(self.sensitive, self.variant, self.c, default=VARIANTS[0])}) >= {self.l}"

    def meaning(self) -> str:
        """Return what it means for the people in the table."""
        if self.variant == "frequency":
            return f"In each class, no value of {self.sensitive} makes up more than {float(1 / self.l):.0%} of the rows."
        if self.variant == "distinct":
            return f"Each class has at least {ceil(self.l)} distinct values of {self.sensitive}."
        return f"Each class has diverse values of {self.sensitive} ({self.variant} l-diversity)."

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        c = None if self.c is None else plain_number(self.c)
        return {"type": self.kind, "sensitive": self.sensitive, "l": plain_number(self.l), "variant": self.variant, "c": c}
