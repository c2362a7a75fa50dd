"""The audit of guarantees for known columns as SQL: the classes of the rows that are handed out, by every set of columns."""

from __future__ import annotations

from itertools import combinations
from math import comb

from kanon_sql.engines.duckdb.known_classes import coded_columns, counted_sets
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.errors import PolicyError
from kanon_sql.model.linked_columns import units
from kanon_sql.model.policy import Policy

_MOST_NEXT = 5_000
"""Sets of one column more that are counted for the warning."""


def known_gate(policy: Policy) -> dict[str, str]:
    """Return the audit of what is known as slots of the release statement.

    Returns
    -------
    dict of str
        ``known``, common table expressions with a comma before each; ``unknown``, branches of a CASE; ``known_figures``, SQL of
        what was counted for each requirement, or NULL.

    Raises
    ------
    PolicyError
        When the quasi-identifiers are not named.
    """
    asked = policy.known_requirements
    if not asked:
        return {"known": "", "unknown": "", "known_figures": "NULL"}
    if policy.every_column:
        raise PolicyError(
            f"{asked[0].describe()} needs the names of the quasi-identifiers; hint: qi := ['zip', 'age'], or BY zip, age"
        )
    unit_columns = units([qi.column for qi in policy.quasi_identifiers], policy.linked)
    audits, refusals, figures = [text("audit_known_classes", **coded_columns(unit_columns))], [], []
    for place, requirement in enumerate(asked, 1):
        check, beyond = f'"kanon#known_check{place}"', f'"kanon#known_next{place}"'
        sets = requirement.sets_of(unit_columns)
        audits.append(text("audit_known", check=check, counted=counted_sets('"kanon#coded"', sets, requirement.k)))
        refusals.append(
            text(
                "audit_known_refusal",
                check=check,
                sets=str(len(sets)),
                k=str(requirement.k),
                guarantee=literal(requirement.describe()),
            )
        )
        more = 0 if requirement.columns is None else requirement.columns + 1
        following = list(combinations(range(len(unit_columns)), more)) if 0 < _sets(unit_columns, more) <= _MOST_NEXT else []
        told = "NULL, NULL, NULL"
        if following:
            audits.append(text("audit_known", check=beyond, counted=counted_sets('"kanon#coded"', following, requirement.k)))
            told = ", ".join(f"(SELECT {name} FROM {beyond})" for name in ("sets", "below", "worst"))  # noqa: S608
        figures.append(f"[(SELECT sets FROM {check}), (SELECT least FROM {check}), {told}]")  # noqa: S608
    return {"known": "".join(audits), "unknown": "".join(refusals), "known_figures": f"[{', '.join(figures)}]"}


def _sets(unit_columns: list[list[str]], size: int) -> int:
    return comb(len(unit_columns), size) if size else 0
