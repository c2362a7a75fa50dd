"""The audit of sensitive attributes as SQL: what has to hold in every class of the very rows that are handed out.

Nothing here is shared with a solver. Counts are compared as whole numbers of 128 bits, which stop with an error before they
overflow; the one sum of floats, the entropy, decides only where its rounding cannot matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.engines.duckdb.guarantees import question
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.engines.duckdb.texts import guarantee_text, text
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import same_name
from kanon_sql.table.sensitive_values import labelled


def gate(policy: Policy, values: Sequence[str], number: str) -> dict[str, str]:
    """Return the audit of the sensitive attributes of a policy as slots of the release statement.

    Parameters
    ----------
    values : sequence of str
        For each sensitive attribute, in the order of the policy, SQL of its value in the rows handed out, ``"kanon#r"``.
    number : str
        SQL of how many rows a group of ``"kanon#rows"`` stands for.

    Returns
    -------
    dict of str
        ``audits``, common table expressions with a comma before each; ``refusals``, branches of a CASE; ``people``, SQL of how
        many people the class with the fewest people has, or NULL.

    Raises
    ------
    PolicyError
        When a threshold has too many digits.
    """
    if not values:
        return {"audits": "", "refusals": "", "people": "NULL"}
    tally = tally_names(policy)
    audits, refusals, people = [], [], "NULL"
    for name, value in zip(policy.measured, values, strict=True):
        if policy.people is not None and name == policy.people.per:
            audits.append(guarantee_text("people_tally", tally=tally[same_name(name)], value=value, number=number))
            people = guarantee_text("people_fewest", tally=tally[same_name(name)])
            continue
        label = f'CAST({value} AS VARCHAR) COLLATE "binary"' if name in labelled(policy) else "NULL::VARCHAR"
        audits.append(text("audit_tally", tally=tally[same_name(name)], value=value, label=label, number=number))
    for place, requirement in enumerate(policy.sensitive_requirements, 1):
        check, mine = f'"kanon#check{place}"', tally[same_name(requirement.sensitive)]
        audits.append(text("audit_check", check=check, tally=mine, question=question(requirement, mine), number=number))
        refusals.append(text("audit_refusal", check=check, guarantee=literal(requirement.describe())))
    return {"audits": "".join(audits), "refusals": "".join(refusals), "people": people}


def tally_names(policy: Policy) -> dict[str, str]:
    """Return the name of the tally of each sensitive attribute, by the form of its name that `same_name` compares."""
    return {same_name(name): f'"kanon#tally{number}"' for number, name in enumerate(policy.measured, 1)}
