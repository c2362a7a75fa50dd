"""Why tokens may not be released, or what they give away though they may: in words without values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kanon_sql.engines.duckdb.histories.token_record import Linked
from kanon_sql.errors import AuditError
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import as_identifier, same_name

LINKABLE = "AS PSEUDONYM (LINKABLE) permits it"


def candidates(policy: Policy) -> int:
    """Return how many people must have the same history: as many as a class must have, and nobody may be alone."""
    return max(2, policy.k, 1 if policy.people is None else policy.people.k)


def refuse(found: Sequence[Linked], policy: Policy) -> None:
    """Refuse tokens that are not linkable and single people out.

    Raises
    ------
    AuditError
        The error names the column, with counts.
    """
    for each in _undecided(found, policy):
        reason = _no_people(each, policy) or (_counted(each, policy) if each.below else None)
        if reason is not None:
            raise AuditError(f"{reason}; nothing was released; {_hint(each)}")


def refusals(found: Sequence[Linked], policy: Policy) -> Iterator[str]:
    """Yield why a release would be refused, or might be, given what its tokens link even if all its rows show the same."""
    for each in _undecided(found, policy):
        reason = _no_people(each, policy) or (
            _counted(each, policy, " even if every cell is suppressed,") if each.below else None
        )
        might = (
            f"{_linked(each)}: the release is refused if some person has fewer than {candidates(policy)} candidates by what "
            "these rows show together"
        )
        yield f"{reason or might}; {_hint(each)}"


def permitted(found: Sequence[Linked], policy: Policy) -> list[str]:
    """Return warnings of linkable tokens that single people out: the policy decided it, and they still do."""
    linkable = _names(policy.linkable)
    return [_counted(each, policy) for each in found if each.links and each.below and same_name(each.risk.column) in linkable]


def not_remembered(policy: Policy) -> list[str]:
    """Return warnings of tokens that later releases may share and cannot be compared with."""
    linkable = _names(policy.linkable)
    return [
        f"no database file remembers the tokens of {as_identifier(name)}: later releases under the same secret are not "
        "compared with them"
        for name in policy.pseudonyms
        if same_name(name) not in linkable
    ]


def _undecided(found: Sequence[Linked], policy: Policy) -> Iterator[Linked]:
    """Yield what links rows though the policy does not say that it may."""
    linkable = _names(policy.linkable)
    return (each for each in found if each.links and same_name(each.risk.column) not in linkable)


def _names(columns: Sequence[str]) -> set[str]:
    return set(map(same_name, columns))


def _linked(each: Linked) -> str:
    number = each.risk.releases
    earlier = f" and those of {number:,} earlier release{'s' * (number != 1)}" if number else ""
    return f"the tokens of {as_identifier(each.risk.column)} link rows of this release{earlier}"


def _counted(each: Linked, policy: Policy, though: str = "") -> str:
    risk = each.risk
    return (
        f"{_linked(each)}: by what these rows show together,{though} {risk.alone:,} of {risk.people:,} people are alone, and "
        f"{each.below:,} have fewer than {candidates(policy)} candidates"
    )


def _no_people(each: Linked, policy: Policy) -> str | None:
    """Return why tokens do not count people, if another column does."""
    if policy.people is None or same_name(policy.people.per) == same_name(each.risk.column):
        return None
    per = as_identifier(policy.people.per)
    return f"{_linked(each)}, but people are counted by {per}, so these tokens do not count people"


def _hint(each: Linked) -> str:
    return f"hint: drop {as_identifier(each.risk.column)}, or {LINKABLE}"
