"""A draft under a rule to start from: what the draft guaranteed already stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import ndiff

from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import shows_values
from kanon_sql.model.requirements import KAnonymity, People, Requirement, SensitiveRequirement
from kanon_sql.model.validation import same_name
from kanon_sql.studio.draft import Draft

_MORE = {"l": 1, "t": -1, "beta": -1, "delta": -1}
"""The numbers of guarantees on sensitive columns, and whether a larger one is stricter."""


def under_rule(draft: Draft, policy: Policy, dropped: Sequence[str]) -> Draft:
    """Return a draft with the policy and the identifiers of a rule, and no weaker than it was.

    Parameters
    ----------
    policy : Policy
        What the rule asks for.
    dropped : sequence of str
        The identifiers that it drops.

    Notes
    -----
    The larger k counts, people stay people, and other guarantees stay. A column that was a quasi-identifier or dropped is not
    released unchanged, and one whose values were never shown shows none.
    """
    before = draft.policy
    people = before.people or policy.people
    per = None if people is None else same_name(people.per)
    gone = [name for name in (*dropped, *(draft.dropped or ())) if same_name(name) != per]
    hidden = {same_name(name) for name in gone} | ({per} if per else set())
    identifying = _identifying(before, policy, hidden)
    k = max(before.least_class_size, policy.least_class_size)
    counted = KAnonymity(k=k, per_row=before.per_row) if people is None else People(k=k, per=people.per)
    shown = hidden | {same_name(each.column) for each in identifying}
    merged = replace(
        policy, quasi_identifiers=identifying, requirements=(counted, *_sensitive(before, policy, shown)), keep=None
    )
    return Draft.of(draft.table, draft.columns, merged, gone)


def changes(before: Draft, after: Draft) -> list[str]:
    """Return the lines of a statement that another one changes, with a minus or a plus."""
    lines = ndiff(before.statement.splitlines(), after.statement.splitlines())
    return [line for line in lines if line.startswith(("- ", "+ "))]


def _identifying(before: Policy, policy: Policy, hidden: set[str]) -> tuple[QuasiIdentifier, ...]:
    known = {same_name(each.column): each for each in before.quasi_identifiers}
    found = []
    for each in policy.quasi_identifiers:
        other = known.pop(same_name(each.column), None)
        stricter = other is not None and shows_values(each.recoding) and not shows_values(other.recoding)
        found.append(replace(each, recoding=other.recoding) if stricter and other is not None else each)
    return tuple(each for each in (*found, *known.values()) if same_name(each.column) not in hidden)


def _sensitive(before: Policy, policy: Policy, shown: set[str]) -> Iterator[Requirement]:
    """Yield guarantees other than k, of two that differ in their number the stricter one."""
    requested = [
        each
        for each in dict.fromkeys((*policy.requirements, *before.requirements))
        if not isinstance(each, KAnonymity | People)
        and not (isinstance(each, SensitiveRequirement) and same_name(each.sensitive) in shown)
    ]
    for each in requested:
        if not any(other is not each and _is_stricter(other, each) for other in requested):
            yield each


def _is_stricter(one: Requirement, other: Requirement) -> bool:
    """Return whether two guarantees differ in their number alone, and the first asks for more."""
    for name, sign in _MORE.items():
        if type(one) is type(other) and hasattr(one, name):
            mine, theirs = getattr(one, name), getattr(other, name)
            return bool(sign * mine > sign * theirs) and replace(other, **{name: mine}) == one
    return False
