"""The audit of sensitive attributes as SQL: what has to hold in every class of the very rows that are handed out.

Nothing here is shared with a solver. Counts are compared as whole numbers of 128 bits, which stop with an error before they
overflow; the one sum of floats, the entropy, decides only where its rounding cannot matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from kanon_sql.engines.duckdb.beside import beside, hierarchy
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.engines.duckdb.texts import text, tree_links
from kanon_sql.errors import PolicyError
from kanon_sql.model.hierarchies import DEEPEST
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import (
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    People,
    SensitiveRequirement,
    TCloseness,
)
from kanon_sql.model.validation import same_name
from kanon_sql.table.sensitive_values import labelled

_FINEST = 1 << 31
"""The largest numerator or denominator of a threshold: products with counts of rows stay within 128 bits."""

_DECIMAL = r"""CASE WHEN system.main.regexp_full_match({0}, '-?[0-9]{{1,22}}(\.[0-9]{{1,15}})?')
     THEN TRY_CAST(system.main.replace(CAST(TRY_CAST({0} AS DECIMAL(38, 15)) AS VARCHAR), '.', '') AS HUGEINT) END"""
"""A decimal text as a whole number of units of 10^-15; NULL where that is not exact."""

_MOMENT = """CASE WHEN system.main.regexp_full_match(
        label, '[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,6})?)?')
     THEN system.main.epoch_us(TRY_CAST(label AS TIMESTAMP))::HUGEINT END"""
"""A date or timestamp in microseconds."""


def gate(policy: Policy, values: Sequence[str], number: str) -> dict[str, str]:
    """Return the audit of the sensitive attributes of a policy as slots of the release statement.

    Parameters
    ----------
    policy : Policy
        The guarantee.
    values : sequence of str
        For each sensitive attribute, in the order of the policy, SQL of its value in the rows handed out, ``"kanon#r"``.
    number : str
        SQL of how many rows a group of ``"kanon#rows"`` stands for.

    Returns
    -------
    dict of str
        ``audits``, common table expressions with a comma before each; ``refusals``, branches of a CASE.

    Raises
    ------
    PolicyError
        When a threshold has too many digits.
    """
    if not values:
        return {"audits": "", "refusals": ""}
    tally = {same_name(name): f'"kanon#tally{number}"' for number, name in enumerate(policy.measured, 1)}
    audits, refusals = [], []
    for name, value in zip(policy.measured, values, strict=True):
        if policy.people is not None and name == policy.people.per:
            audits.append(text("audit_tally_of_people", tally=tally[same_name(name)], value=value, number=number))
            continue
        label = f'CAST({value} AS VARCHAR) COLLATE "binary"' if name in labelled(policy) else "NULL::VARCHAR"
        audits.append(text("audit_tally", tally=tally[same_name(name)], value=value, label=label, number=number))
    for place, requirement in enumerate(policy.sensitive_requirements, 1):
        check, mine = f'"kanon#check{place}"', tally[same_name(requirement.sensitive)]
        audits.append(
            text(
                "audit_check", check=check, tally=mine, question=QUESTIONS[type(requirement)](requirement, mine), number=number
            )
        )
        refusals.append(text("audit_refusal", check=check, guarantee=literal(requirement.describe())))
    return {"audits": "".join(audits), "refusals": "".join(refusals)}


def _diverse(requirement: LDiversity, tally: str) -> str:
    threshold = {"l": requirement.l} if requirement.c is None else {"c": requirement.c}
    least = {} if requirement.c is None else {"l": str(requirement.l)}
    return text(f"audit_{requirement.variant}", tally=tally, **least, **_ratio(requirement, **threshold))


def _limited(requirement: AlphaAnonymity, tally: str) -> str:
    return text("audit_alpha", tally=tally, value=literal(requirement.value), **_ratio(requirement, alpha=requirement.alpha))


def _close(requirement: TCloseness, tally: str) -> str:
    ratio = _ratio(requirement, t=requirement.t)
    match requirement.metric:
        case "equal":
            return text("audit_tree", tally=tally, edges=text("audit_edges_equal", tally=tally), **ratio)
        case "hierarchical":
            tree = hierarchy(requirement.hierarchy)
            edges = text("audit_edges_hierarchical", tally=tally, links=tree_links(tree), deepest=str(DEEPEST))
            return text("audit_tree", tally=tally, edges=edges, **ratio)
        case "ordered":
            return text("audit_line", tally=tally, position="value::HUGEINT", **ratio)
        case "numeric":
            return text("audit_line", tally=tally, position=f"coalesce({_DECIMAL.format('label')}, {_MOMENT})", **ratio)
        case table:
            return text("audit_metric", tally=tally, table=beside(table), distance=_DECIMAL.format("distance"), **ratio)


def _counted(requirement: People, tally: str) -> str:
    return text("audit_people", tally=tally, k=str(requirement.k))


def _like(requirement: BetaLikeness, tally: str) -> str:
    return text("audit_beta", tally=tally, **_ratio(requirement, beta=requirement.beta))


def _undisclosed(requirement: DeltaDisclosure, tally: str) -> str:
    ratio, unit = requirement.ratio.as_integer_ratio()
    return text("audit_delta", tally=tally, ratio=str(ratio), unit=str(unit))


QUESTIONS: dict[type[SensitiveRequirement], Callable[[Any, str], str]] = {
    LDiversity: _diverse,
    AlphaAnonymity: _limited,
    TCloseness: _close,
    People: _counted,
    BetaLikeness: _like,
    DeltaDisclosure: _undisclosed,
}
"""For each requirement a query with a row per class: whether it holds there, how bad it is, and a text that says so."""


def _ratio(requirement: SensitiveRequirement, **threshold: Fraction) -> dict[str, str]:
    """Return a threshold as the literals of two whole numbers: its own name, and ``unit``."""
    ((name, value),) = threshold.items()
    if max(value.numerator, value.denominator) >= _FINEST:
        raise PolicyError(f"{requirement.describe()}: {name} has too many digits to be compared exactly; hint: round it")
    return {name: str(value.numerator), "unit": str(value.denominator)}
