"""The questions of the audit as Spark's SQL; nothing here is shared with a solver. Counts are compared as whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from kanon_sql.engines.spark.names import literal, quoted
from kanon_sql.engines.spark.supported import check_requirement
from kanon_sql.engines.spark.texts import text
from kanon_sql.errors import PolicyError
from kanon_sql.model.requirements import (
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    People,
    SensitiveRequirement,
    TCloseness,
)

_FINEST = 1 << 31
"""The largest numerator or denominator of a threshold: products with counts of rows stay within 38 digits."""


def _diverse(requirement: LDiversity) -> str:
    if requirement.c is not None:
        return text("recursive", l=str(requirement.l), **_ratio(requirement, c=requirement.c))
    return text(requirement.variant, **_ratio(requirement, l=requirement.l))


def _limited(requirement: AlphaAnonymity) -> str:
    return text("alpha", value=literal(requirement.value), **_ratio(requirement, alpha=requirement.alpha))


def _close(requirement: TCloseness) -> str:
    return text(requirement.metric, **_ratio(requirement, t=requirement.t))


def _refused(requirement: People) -> str:
    check_requirement(requirement)
    raise AssertionError("people are refused")


def _like(requirement: BetaLikeness) -> str:
    return text("beta", **_ratio(requirement, beta=requirement.beta))


def _undisclosed(requirement: DeltaDisclosure) -> str:
    ratio, unit = requirement.ratio.as_integer_ratio()
    return text("delta", ratio=f"{ratio}BD", unit=f"{unit}BD")


QUESTIONS: dict[type[SensitiveRequirement], Callable[[Any], str]] = {
    LDiversity: _diverse,
    AlphaAnonymity: _limited,
    TCloseness: _close,
    People: _refused,
    BetaLikeness: _like,
    DeltaDisclosure: _undisclosed,
}
"""For each requirement a query with a row per class of ``tally``: whether it holds, how bad it is, a text that says so."""


def check_text(requirement: SensitiveRequirement, looks: str, written: str) -> str:
    """Return the statement that tells how many classes break a requirement, and what is known of the worst.

    Parameters
    ----------
    requirement : SensitiveRequirement
        The requirement.
    looks : str
        What classes are told by.
    written : str
        The quoted name of the table or view.
    """
    question = QUESTIONS[type(requirement)](requirement)
    return text("check", looks=looks, sensitive=quoted(requirement.sensitive), written=written, question=question)


def _ratio(requirement: SensitiveRequirement, **threshold: Fraction) -> dict[str, str]:
    """Return a threshold as the literals of two whole numbers: its own name, and ``unit``."""
    ((name, value),) = threshold.items()
    if max(value.numerator, value.denominator) >= _FINEST:
        raise PolicyError(f"{requirement.describe()}: {name} has too many digits to be compared exactly; hint: round it")
    return {name: f"{value.numerator}BD", "unit": f"{value.denominator}BD"}
