"""Suggested roles that follow from whom the rows are about: people, and columns of which nothing is recognized."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kanon_sql.engines.duckdb.counted_people import Counted
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.suggested_levels import holds
from kanon_sql.engines.unit import repeating
from kanon_sql.model.suggested_policy import Role
from kanon_sql.model.unlisted import UNLISTED_LIMIT, Limits
from kanon_sql.model.validation import as_identifier
from kanon_sql.recognition.pairs import FEWEST_PAIRS, Pairs, SampledRows
from kanon_sql.recognition.repeated_people import RepeatedPeople

_FEW, _SHARED = 20, 20
"""A column of which nothing is recognized is kept if it has at most so many values, and each is shared by so many people."""

_AGREE, _AT_RANDOM = 0.9, 0.7
"""Rows of one person agree on a column of the person in at least so many pairs, other rows in at most so many."""


def with_people(roles: Mapping[str, Role], sample: SampledRows) -> tuple[dict[str, Role], str | None, tuple[str, ...]]:
    """Return the roles, the column that tells people apart, and notes, if columns repeat people.

    Parameters
    ----------
    roles : mapping of Role
        What the columns seem to be.
    sample : SampledRows
        Rows of the table.
    """
    found = repeating(sample, [each.column for each in roles.values() if each.role == "quasi-identifier"])
    certain = {each.column: each for each in found if each.certain}
    open_ones = [each for each in found if not each.certain and roles[each.column].role in ("identifier", "undecided")]
    notes = tuple(
        f"Rows that share {name} agree on {_listed(each)}. Write PER {name} if it is a person."
        for each, name in ((each, as_identifier(each.column)) for each in open_ones)
    )
    if not certain:
        return dict(roles), None, notes
    # a date of birth tells people apart only if nothing better does
    per = next((each for each in certain if roles[each].role in ("identifier", "undecided")), next(iter(certain)))
    about = "about " * (sample.parts > 1)
    people = f"{about}{certain[per].people:,} people have {about}{certain[per].rows:,} rows"
    apart = f"{as_identifier(per)} tells people apart: rows that share it agree on {_listed(certain[per])}"
    new = {per: Role(column=per, role="person", reason=f"tells people apart; {people}")}
    for name in certain.keys() - {per}:
        if roles[name].role == "undecided":
            new[name] = replace(roles[name], role="identifier", reason=f"repeats people, as {as_identifier(per)} does")
    return {**roles, **new}, per, (f"{apart}. {people}, and k counts people.",)


def sensitive_or_generalized(counted: Counted, role: Role, k: int) -> Role:
    """Return the role of a sensitive column whose values are not those of single people; else, numbers are generalized."""
    limits = Limits(k=k)
    least = limits.shared(counted.people)
    share = counted.share_below([quoted(role.column)], least)
    if share <= UNLISTED_LIMIT:
        return role
    reason = f"{role.reason}, but {share:.0%} of the {counted.what} have a value of fewer than {least}"
    numbers = holds(counted.con, counted.table, role.column)[2]
    return replace(role, role="quasi-identifier" if numbers else "undecided", reason=reason)


def decided(counted: Counted, roles: Mapping[str, Role], sample: SampledRows, distinct: Mapping[str, int]) -> dict[str, Role]:
    """Return the roles in which columns of which nothing is recognized are kept if all their values are shared by many.

    Notes
    -----
    Together they have to be shared, too, and no column of the person may be among them. The others stay undecided.
    """
    pairs = Pairs(sample) if counted.per is not None and len(sample.hashes) >= FEWEST_PAIRS else None
    found, kept = dict(roles), list[str]()
    asked = [each for each in roles.values() if each.role == "undecided"]
    for each in sorted(asked, key=lambda each: distinct[each.column]):
        values = distinct[each.column]
        if values > _FEW:
            continue
        if pairs is not None and _is_of_person(pairs, each.column, counted.per or ""):
            found[each.column] = replace(each, reason="the rows of a person agree on it")
            continue
        least = counted.least([*kept, each.column])
        if values <= 1 and least >= min(_SHARED, counted.people):
            found[each.column] = replace(each, role="kept", reason="one value")
        elif least >= _SHARED:
            kept.append(each.column)
            told = "together with the other kept columns" if len(kept) > 1 else "each"
            reason = f"{values} values, {told} of at least {least:,} {counted.what}"
            found[each.column] = replace(each, role="kept", reason=reason)
    return found


def _is_of_person(pairs: Pairs, column: str, per: str) -> bool:
    place, people = pairs.names.index(column), pairs.names.index(per)
    share = pairs.agreement(place, *pairs.sharing(people))
    return share is not None and share >= _AGREE and pairs.at_random(place) <= _AT_RANDOM


def _listed(found: RepeatedPeople) -> str:
    names = list(map(as_identifier, found.shared))
    return f"{', '.join(names[:-1])} and {names[-1]}"
