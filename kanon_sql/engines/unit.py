"""Find out from a sample of the source whom a row describes. A release needs the answer before its search begins."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kanon_sql.model.refusals import IdentifierError, listed, unlisted_identifiers
from kanon_sql.model.repetition import RepeatedPeopleError
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.unit import Unit
from kanon_sql.model.validation import as_identifier, same_name
from kanon_sql.recognition import Recognized, recognized, recognized_name
from kanon_sql.recognition.evidence import BORN_WITH, is_shared_by_many, topic_of
from kanon_sql.recognition.lost_keys import people_without_key
from kanon_sql.recognition.pairs import FEWEST_PAIRS, Pairs, SampledRows
from kanon_sql.recognition.repeated_people import RepeatedPeople, repeated_people

GROWING = frozenset({"age"})
"""Kinds of columns that grow by one each year."""

_BORN = "date of birth"

_OF_ONE_PERSON = frozenset(
    {
        "account number",
        _BORN,
        "e-mail address",
        "insurance number",
        "login",
        "national number",
        "number of a person",
        "record number",
    }
)
"""Kinds of columns whose values each belong to one person, or nearly so: not a name or a telephone number."""

_NUMBERS_PEOPLE = frozenset({"insurance number", "national number", "number of a person"})
"""Kinds of columns that show that each row is a person, if they number the rows."""

_OF_A_HOME = frozenset({"IP address", "street address", "telephone number"})
"""Kinds of identifiers that the members of a household share."""

_JOINED_ROWS = 10_000
"""Rows up to which any two columns are tried together as a key."""

_WITHOUT_KEY = 50.0
"""A key seems lost if this many times more rows agree on all quasi-identifiers than they would if these were independent."""

LOST_KEY = (
    "far more rows agree on all columns that describe people than chance explains; add the column that identifies people, and "
    "count PER this column"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """Columns that a release shows, with the texts of some rows."""

    columns: tuple[str, ...]
    texts: tuple[tuple[str | None, ...], ...]  # for each column its texts, None for NULL
    # the columns of the source that some of them carry, in the form that `same_name` compares
    origins: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def recognized(self, place: int) -> Recognized | None:
        """Return what a column seems to be, by its name and texts, and by the names of the columns that it carries."""
        name, texts = self.columns[place], self.texts[place]
        found = recognized(name, texts)
        if found is not None and found.role == "identifier":
            return found
        for origin in self.origins.get(same_name(name), ()):
            carried = recognized_name(origin)
            if carried is not None and carried.role == "identifier":
                return replace(carried, reason=f"it carries {as_identifier(origin)}")
        return found


def settle(unit: Unit, looked: Looked, sample: SampledRows, surface: Surface) -> tuple[str, ...]:
    """Return warnings about what a guarantee counts.

    Parameters
    ----------
    looked : Looked
        The columns to release.
    sample : SampledRows
        Rows of the source, with the columns that are left out of the release.

    Raises
    ------
    RepeatedPeopleError
        If a column repeats people and the guarantee counts rows without saying that each row is a person.
    IdentifierError, UnlistedColumnError
        When a column to release looks like an identifier of people: a quasi-identifier, or one without a role.
    """
    warnings = () if unit.counts_rows_only or len(sample.hashes) < FEWEST_PAIRS else _settled(unit, looked, sample, surface)
    refuse_identifiers(unit, looked, surface)
    return warnings


def refuse_identifiers(unit: Unit, looked: Looked, surface: Surface) -> None:
    """Raise if a column to release looks like an identifier, however often its values repeat."""
    roles = set(map(same_name, (*unit.roles, *unit.recoded, *([] if unit.per is None else [unit.per]))))
    by = set(map(same_name, unit.by))
    sensitive = set(map(same_name, unit.sensitive))
    measured, chosen, unlisted, others = dict[str, str](), dict[str, str](), dict[str, str](), list[str]()
    for place, name in enumerate(looked.columns):
        if same_name(name) in sensitive and (found := looked.recognized(place)) is not None and found.role == "identifier":
            measured[name] = found.reason
        if same_name(name) in roles:
            continue
        named = same_name(name) in by
        if (found := looked.recognized(place)) is not None and found.role == "identifier":
            (chosen if named else unlisted)[name] = found.reason
        elif not named:
            others.append(name)
    if measured:
        raise IdentifierError.of_sensitive(measured)
    if chosen:
        raise IdentifierError.of(chosen, surface, chosen=not unit.every_column, keys=unit.keys)
    if unlisted:
        refuse_unlisted_identifiers(unlisted, others, surface)


def refuse_unlisted_identifiers(reasons: Mapping[str, str], others: Sequence[str], surface: Surface) -> None:
    """Raise, naming columns without a role that look like identifiers, and the reason of each; ``others`` have none either."""
    raise unlisted_identifiers(reasons, others, surface)


def _settled(unit: Unit, looked: Looked, sample: SampledRows, surface: Surface) -> tuple[str, ...]:
    places = {same_name(name): place for place, name in enumerate(sample.names)}
    by = [place for name in unit.by if (place := places.get(same_name(name))) is not None]
    per = None if unit.per is None else places.get(same_name(unit.per))
    pairs = Pairs(sample, per)
    if per is not None and per in sample.spelled:
        name = sample.names[per]
        raise RepeatedPeopleError.of_spellings(name, round(pairs.values(per)), round(pairs.rows(per)), surface)
    texts = {same_name(name): each for name, each in zip(looked.columns, looked.texts, strict=True)}
    found = _repeating(pairs, by, texts, joined=len(sample.hashes) <= _JOINED_ROWS)
    if certain := [each for each in found if each.certain]:
        raise _repeated(certain, unit, looked, sample, surface)
    warnings = [_may_repeat(each, unit) for each in found]
    if not found and per is None and _has_lost_key(pairs, by):
        warnings.append(LOST_KEY)
    return tuple(warnings)


def has_lost_key(sample: SampledRows, by: Sequence[str]) -> bool:
    """Return whether people seem to have several rows, in a table of which `repeating` finds nothing; ``by`` as there."""
    if len(sample.hashes) < FEWEST_PAIRS:
        return False
    places = {same_name(name): place for place, name in enumerate(sample.names)}
    return _has_lost_key(Pairs(sample), [places[same_name(name)] for name in by])


def repeating(sample: SampledRows, by: Sequence[str], per: str | None = None) -> list[RepeatedPeople]:
    """Return the columns of any table that repeat people, or may do so; those of most rows first.

    Parameters
    ----------
    by : sequence of str
        Its quasi-identifiers.
    per : str, optional
        A column that already tells people apart: unless it numbers the rows, no other column repeats people for certain.
    """
    if len(sample.hashes) < FEWEST_PAIRS:
        return []
    places = {same_name(name): place for place, name in enumerate(sample.names)}
    pairs = Pairs(sample, None if per is None else places.get(same_name(per)))
    return _repeating(pairs, [places[same_name(name)] for name in by], {}, joined=False)


def _repeating(
    pairs: Pairs, by: Sequence[int], texts: Mapping[str, Sequence[str | None]], *, joined: bool
) -> list[RepeatedPeople]:
    """Return the columns that repeat people by the quasi-identifiers, or by columns with the names of personal ones.

    Notes
    -----
    Quasi-identifiers can describe events, such as a date of admission. They would then hide the repetition in the others. If
    they differ, the rows can also be those of a household, unless they agree on age or sex.
    """
    kinds = {place: recognized(name, texts.get(same_name(name), ())) for place, name in enumerate(pairs.names)}
    topics = {place: topic_of(kind, pairs.names[place]) for place, kind in kinds.items()}
    named = [place for place, kind in kinds.items() if kind is not None and kind.personal]
    identifying = {place for place, kind in kinds.items() if _is_of_one_person(kind, pairs.names[place])}
    shared = {place for place, kind in kinds.items() if is_shared_by_many(kind)}
    numbers = [place for place, kind in kinds.items() if kind is not None and kind.kind in _NUMBERS_PEOPLE]
    single = any(pairs.numbers_rows(place) and pairs.is_full(place) for place in numbers)
    homes, names = [], []
    if not single and pairs.per is None:
        homes = [place for place, kind in kinds.items() if kind is not None and kind.kind in _OF_A_HOME]
        names = [place for place, kind in kinds.items() if kind is not None and kind.kind == "name"]

    def by_topics(places: Collection[int]) -> list[RepeatedPeople]:
        personal = {place: topics[place] for place in sorted(places)}
        return repeated_people(pairs, personal, identifying, shared, homes, names, joined=joined and not single)

    found = by_topics({*by, *named})
    if not any(each.certain for each in found) and named and set(by) - set(named):
        who = {pairs.names[place] for place in identifying.union(shared.intersection(homes))}
        from_birth = {pairs.names[place] for place in named if topics[place] in BORN_WITH}
        other = [(each, who.isdisjoint(each.columns) and from_birth.isdisjoint(each.shared)) for each in by_topics(named)]
        found = [*(replace(each, certain=each.certain and not home) for each, home in other), *found]
    one = {each.columns: each for each in sorted(found, key=lambda each: each.certain)}
    born = {pairs.names[place] for place, kind in kinds.items() if kind is not None and kind.kind == _BORN}
    # if there is a number of a person, people are counted by it, and not by a birth date
    found = sorted(found, key=lambda each: (not each.certain, each.column in born))
    counted = pairs.per is not None and not pairs.numbers_rows(pairs.per)
    return [replace(each, certain=each.certain and not counted) for each in found if one[each.columns] is each]


def _is_of_one_person(found: Recognized | None, name: str) -> bool:
    """Return whether each value belongs to one person, by its form or by its name: numbers of patients can be UUIDs."""
    if found is None or found.kind in _OF_ONE_PERSON:
        return found is not None
    named = recognized_name(name) if found.role == "identifier" else None
    return named is not None and named.kind in _OF_ONE_PERSON


def _repeated(
    certain: list[RepeatedPeople], unit: Unit, looked: Looked, sample: SampledRows, surface: Surface
) -> RepeatedPeopleError:
    found, *others = certain
    guarantee = unit.describe()
    about, released = sample.parts > 1, looked.columns
    names = [sample.names[place] for place in sample.spelled]
    if len(found.columns) > 1:
        return RepeatedPeopleError.together(
            found.columns, found.people, found.rows, found.shared, guarantee, surface, about=about, names=names
        )
    also = [each.column for each in others if len(each.columns) == 1]
    return RepeatedPeopleError.of(
        found.columns[0],
        found.people,
        found.rows,
        found.shared,
        unit,
        surface,
        about=about,
        released=released,
        also=also,
        names=names,
    )


def _may_repeat(found: RepeatedPeople, unit: Unit) -> str:
    column = as_identifier(found.columns[0])
    agree = listed(list(map(as_identifier, found.shared)))
    counts = "rows" if unit.per is None else f"values of {as_identifier(unit.per)}"
    return (
        f"rows that share {column} agree on {agree}; {unit.guarantee} counts {counts}, so count PER {column} if it is a person"
    )


def _has_lost_key(pairs: Pairs, by: Sequence[int]) -> bool:
    """Return whether people seem to have several rows, and no column tells these people apart.

    Quasi-identifiers say so, or these and all columns with the names of personal ones. Of each topic, the finest counts.
    """
    named = [recognized_name(name) for name in pairs.names]
    personal = {place for place, kind in enumerate(named) if kind is not None and kind.personal}

    def apart(places: Collection[int]) -> list[int]:
        finest = dict[str, int]()
        for place in sorted(places, key=lambda place: pairs.values(place)):
            finest[topic_of(named[place], pairs.names[place])] = place
        return sorted(finest.values())

    both = (apart(places) for places in (by, personal.union(by)))
    return any(len(each) > 2 and people_without_key(pairs, each) >= _WITHOUT_KEY for each in both)
