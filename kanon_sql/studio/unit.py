"""What the guarantees of a draft count: people by a column, or rows. The k of each stays, whatever is counted."""

from __future__ import annotations

from dataclasses import replace

from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KAnonymity, KnownColumns, People, Requirement


def of_people(policy: Policy, per: str) -> tuple[Requirement, ...]:
    """Return the guarantees of a policy, with people counted by a column; as the clause reads them, k is one of rows, too."""
    known, others, k = _parts(policy, per)
    return (*known, *others) if k is None else (KAnonymity(k=k), *known, People(k=k, per=per), *others)


def of_rows(policy: Policy, *, per_row: bool) -> tuple[Requirement, ...]:
    """Return the guarantees of a policy, with rows counted; ``per_row`` says that each is a person, else this is open."""
    known, others, k = _parts(policy, None)
    k = 1 if k is None and per_row else k
    return (*known, *others) if k is None else (KAnonymity(k=k, per_row=per_row), *known, *others)


def _parts(policy: Policy, per: str | None) -> tuple[list[Requirement], list[Requirement], int | None]:
    """Return the guarantees for known columns, which count people or rows, the others, and the k by all columns, if any."""
    counted = [each.k for each in policy.requirements if isinstance(each, KAnonymity | People)]
    known: list[Requirement] = [_known(each, per) for each in policy.known_requirements]
    others: list[Requirement] = [
        each for each in policy.requirements if not isinstance(each, KAnonymity | People | KnownColumns)
    ]
    only_known = not counted and any(map(_counts, policy.known_requirements))
    return known, others, None if only_known else max([*counted, policy.least_class_size])


def _known(each: KnownColumns, per: str | None) -> KnownColumns:
    k = each.of.k if isinstance(each.of, People) else each.k
    if k is None:  # it is about values
        return each
    return replace(each, k=k, of=None) if per is None else replace(each, k=None, of=People(k=k, per=per))


def _counts(known: KnownColumns) -> bool:
    """Return whether a guarantee for known columns counts people or rows, not values."""
    return known.of is None or isinstance(known.of, People)
