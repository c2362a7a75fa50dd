"""Suggested roles that follow from whom the rows are about: people, and columns of which nothing is recognized."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kanon_sql.engines.duckdb.audit.counted_people import Counted
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.policies.suggested_levels import holds
from kanon_sql.engines.unit import LOST_KEY, has_lost_key, repeating
from kanon_sql.model.repetition import person_of
from kanon_sql.model.suggested_policy import Role
from kanon_sql.model.unlisted import UNLISTED_LIMIT, Limits
from kanon_sql.model.validation import as_identifier
from kanon_sql.recognition import recognized_name
from kanon_sql.recognition.pairs import FEWEST_PAIRS, Pairs, SampledRows
from kanon_sql.recognition.repeated_people import RepeatedPeople

_FEW, _SHARED = 20, 20
"""A column of which nothing is recognized is kept if it has at most so many values, and each is shared by so many people."""

_PEOPLE = ("number of a person", "record number", "national number", "insurance number", "e-mail address", "login")
"""Kinds of identifiers that are those of people, the surest first."""

_REPEATED = 0.95
"""A column by such a name repeats people if it has at most so many values for each row."""

_AGREE, _AT_RANDOM = 0.9, 0.7
"""Rows of one person agree on a column of the person in at least so many pairs, other rows in at most so many."""


def with_people(roles: Mapping[str, Role], sample: SampledRows) -> tuple[dict[str, Role], str | None, tuple[str, ...]]:
    """Return the roles, the column that tells people apart, and notes, if columns repeat people.

    Parameters
    ----------
    roles : mapping of Role
        What the columns seem to be.
    """
    listed = [each.column for each in roles.values() if each.role == "quasi-identifier"]
    found = repeating(sample, listed)
    first = next((each for each in found if each.certain), None)
    together = first if first is not None and len(first.columns) > 1 else None
    spelled = [sample.names[place] for place in sample.spelled]
    found = [each for each in found if len(each.columns) == 1]
    certain = {each.column: each for each in found if each.certain}
    surest = [name for name in certain if roles[name].role == "identifier"]
    named = None if surest else _by_its_name(roles, sample)
    if named is not None and (together is None or named[0] not in together.columns):
        return _counted_by(named, f"{as_identifier(named[0])} tells people apart, by its name", roles, sample, certain)
    if together is not None:
        both = ", ".join(map(as_identifier, together.columns))
        fact = f"{both} tell people apart together: rows that share both agree on {_listed(together)}. Make one column of both"
        return dict(roles), None, (f"{fact}{_in_a_view(together, spelled)}",)
    if not found and has_lost_key(sample, listed):
        return dict(roles), None, (f"{LOST_KEY[0].upper()}{LOST_KEY[1:]}.",)
    if not certain:
        notes = (
            f"Rows that share {name} agree on {_listed(each)}. Write PER {name} if it is a person."
            for each, name in ((each, as_identifier(each.column)) for each in found if roles[each.column].role == "undecided")
        )
        return dict(roles), None, tuple(notes)
    # a date of birth tells people apart only if nothing better does
    open_ones = [name for name in certain if roles[name].role == "undecided"]
    per = certain[next(iter((*surest, *open_ones, *certain)))]
    apart = f"{as_identifier(per.column)} tells people apart: rows that share it agree on {_listed(per)}"
    if per.column in spelled:
        return dict(roles), None, (f"{apart}. Make one column of all its spellings{_in_a_view(per, spelled)}",)
    return _counted_by((per.column, per.people, per.rows), apart, roles, sample, certain)


def _in_a_view(found: RepeatedPeople, spelled: Sequence[str]) -> str:
    person = person_of({each: as_identifier(each) for each in found.columns}, spelled)
    return f" in a view or another file, such as {person} AS person, and write PER person."


def _counted_by(
    per: tuple[str, int, int], apart: str, roles: Mapping[str, Role], sample: SampledRows, others: Iterable[str]
) -> tuple[dict[str, Role], str | None, tuple[str, ...]]:
    """Return the roles where a column tells people apart, and others of which nothing is recognized repeat them, too."""
    name, values, rows = per
    about = "about " * (sample.parts > 1)
    people = f"{about}{values:,} people have {about}{rows:,} rows"
    new = {name: Role(column=name, role="person", reason=f"tells people apart; {people}")}
    for other in others:
        if other != name and roles[other].role == "undecided":
            new[other] = replace(roles[other], role="identifier", reason=f"repeats people, as {as_identifier(name)} does")
    return {**roles, **new}, name, (f"{apart}. {people}, and k counts people.",)


def _by_its_name(roles: Mapping[str, Role], sample: SampledRows) -> tuple[str, int, int] | None:
    """Return a column that is called a number of people, its values and rows, if values repeat; None if there is none."""
    if len(sample.hashes) < FEWEST_PAIRS:
        return None
    pairs, found = Pairs(sample), list[tuple[int, str, int, int]]()
    for place, name in enumerate(sample.names):
        recognized = recognized_name(name)
        kind = "" if recognized is None or roles[name].role != "identifier" else recognized.kind
        if kind in _PEOPLE and pairs.values(place) <= _REPEATED * pairs.rows(place):
            found.append((_PEOPLE.index(kind), name, round(pairs.values(place)), round(pairs.rows(place))))
    return min(found)[1:] if found else None


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
    listed = [each for each in roles.values() if each.role == "undecided"]
    for each in sorted(listed, key=lambda each: distinct[each.column]):
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
            scope = "together with the other kept columns" if len(kept) > 1 else "each"
            reason = f"{values} values, {scope} of at least {least:,} {counted.what}"
            found[each.column] = replace(each, role="kept", reason=reason)
    return found


def _is_of_person(pairs: Pairs, column: str, per: str) -> bool:
    place, people = pairs.names.index(column), pairs.names.index(per)
    share = pairs.agreement(place, *pairs.sharing(people))
    return share is not None and share >= _AGREE and pairs.at_random(place) <= _AT_RANDOM


def _listed(found: RepeatedPeople) -> str:
    names = list(map(as_identifier, found.shared))
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
