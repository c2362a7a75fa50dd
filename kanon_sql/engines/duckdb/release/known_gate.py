"""The audit of guarantees for known columns as SQL: the classes of the rows that are handed out, by every set of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb

from kanon_sql.engines.duckdb.audit.known_classes import coded_columns, counted_sets, counted_values
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.engines.duckdb.release.sensitive_gate import tally_names
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.model.linked_columns import units
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KnownColumns, People, of_known
from kanon_sql.model.validation import same_name

_MOST_NEXT = 5_000
"""Sets of one column more that are counted for the warning."""

_MOST_NEXT_VALUES = 400
"""The same where people or sensitive values count, which takes longer: Adult with 14 columns has 364 sets of 3."""


def known_gate(policy: Policy) -> dict[str, str]:
    """Return the audit of what is known as slots of the release statement.

    Returns
    -------
    dict of str
        ``known``, common table expressions with a comma before each; ``unknown``, branches of a CASE; ``known_figures``, SQL of
        what was counted for each requirement, or NULL.
    """
    requested = policy.known_requirements
    if not requested:
        return {"known": "", "unknown": "", "known_figures": "NULL"}
    unit_columns = units([qi.column for qi in policy.quasi_identifiers], policy.linked)
    tallies = tally_names(policy)
    audits, refusals, figures = [text("audit_known_classes", **coded_columns(unit_columns))], [], []
    for place, requirement in enumerate(requested, 1):
        check, beyond = f'"kanon#known_check{place}"', f'"kanon#known_next{place}"'
        sets = requirement.sets_of(unit_columns)
        audits.append(_check(check, requirement, sets, tallies))
        of_rows = requirement.of is None
        slots = {"check": check, "sets": str(len(sets)), "guarantee": literal(requirement.describe())}
        refusals.append(
            text("audit_known_refusal", k=str(requirement.k), **slots)
            if of_rows
            else text("audit_known_values_refusal", **slots)
        )
        more = 0 if requirement.columns is None else requirement.columns + 1
        most = _MOST_NEXT if of_rows else _MOST_NEXT_VALUES
        following = list(combinations(range(len(unit_columns)), more)) if 0 < _sets(unit_columns, more) <= most else []
        beyond_figures = "NULL, NULL, NULL"
        if following:
            audits.append(_check(beyond, requirement, following, tallies))
            beyond_figures = ", ".join(f"(SELECT {name} FROM {beyond})" for name in ("sets", "below", "worst"))  # noqa: S608
        # the badness of a class is minus its people
        people = f"(SELECT -most_badness FROM {check})" if isinstance(of_known(requirement), People) else "NULL"  # noqa: S608
        figures.append(f"[(SELECT sets FROM {check}), (SELECT least FROM {check}), {people}, {beyond_figures}]")  # noqa: S608
    return {"known": "".join(audits), "unknown": "".join(refusals), "known_figures": f"[{', '.join(figures)}]"}


def _check(check: str, requirement: KnownColumns, sets: Sequence[Sequence[int]], tallies: Mapping[str, str]) -> str:
    """Return the common table expression that counts the classes by some sets."""
    of = of_known(requirement)
    if of is None:
        return text("audit_known", check=check, counted=counted_sets('"kanon#coded"', sets, requirement.least))
    tally = tallies[same_name(of.sensitive)]
    return text("audit_known_values", check=check, counted=counted_values('"kanon#coded"', sets, of, tally))


def _sets(unit_columns: list[list[str]], size: int) -> int:
    return comb(len(unit_columns), size) if size else 0
