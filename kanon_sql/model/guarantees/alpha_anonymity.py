"""alpha: a limit to the share of one value of a sensitive attribute in each class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from kanon_sql.errors import PolicyError
from kanon_sql.model.guarantees.written import Argument, Written
from kanon_sql.model.validation import as_identifier, as_text, encodable, fraction, named, plain_number


@dataclass(frozen=True, slots=True, kw_only=True)
class AlphaAnonymity:
    """In every equivalence class, at most a share ``alpha`` of the rows has one named value of a sensitive attribute.

    Parameters
    ----------
    sensitive : str
        The sensitive attribute, a column.
    value : str
        The value, as DuckDB casts it to text. It is a part of the guarantee, which its author wrote, so `describe` repeats it;
        other values of the column are repeated nowhere.
    alpha : int, Fraction, Decimal, float or str
        Above 0, at most 1; kept as an exact `Fraction`.

    Raises
    ------
    PolicyError
        When alpha is out of its range, or the value is not a string.

    References
    ----------
    Wong, Li, Fu, Wang: (alpha, k)-anonymity: an enhanced k-anonymity model for privacy preserving data publishing, KDD 2006.

    Examples
    --------
    >>> AlphaAnonymity(sensitive="disease", value="hepatitis", alpha=0.25).describe()
    "alpha(disease, 'hepatitis') <= 1/4"
    """

    kind: ClassVar[str] = "alpha"
    synonyms: ClassVar[tuple[str, ...]] = ("alpha_k_anonymity", "alpha_anonymity")
    written: ClassVar[Written] = Written(
        word="alpha",
        sign="<=",
        example="alpha(disease, 'flu') <= 0.2",
        threshold="alpha",
        arguments={"value": Argument(what="the value", needed=True)},
    )

    sensitive: str
    value: str
    alpha: Fraction

    def __post_init__(self) -> None:
        named(self.sensitive, "the sensitive column of alpha")
        if not isinstance(self.value, str):
            raise PolicyError(
                f"the value that alpha limits must be text, got {type(self.value).__name__}; hint: write 3 as '3'"
            )
        encodable(self.value, "the value that alpha limits")
        object.__setattr__(self, "alpha", fraction(self.alpha, "alpha"))
        if not 0 < self.alpha <= 1:
            raise PolicyError(
                f"alpha must be above 0 and at most 1, got {self.alpha}; hint: write alpha(disease, 'flu') <= 0.5"
            )

    @property
    def least_class_size(self) -> int:
        """Return 1: a row with another value meets the requirement alone."""
        return 1

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"alpha({as_identifier(self.sensitive)}, {as_text(self.value)}) <= {self.alpha}"

    def meaning(self) -> str:
        """Return what it means for the people in the table."""
        return f"In each class, the value makes up at most {float(self.alpha):.0%} of the rows."

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        return {"type": self.kind, "sensitive": self.sensitive, "value": self.value, "alpha": plain_number(self.alpha)}
