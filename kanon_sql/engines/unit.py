"""Whom does a row describe? The answer that a release needs before its search begins, from a sample of the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kanon_sql.model.refusals import IdentifierError, RepeatedPeopleError, Surface, unlisted_identifiers
from kanon_sql.model.unit import Unit
from kanon_sql.model.validation import as_identifier, same_name
from kanon_sql.recognition import recognized, recognized_name
from kanon_sql.recognition.lost_keys import people_without_key
from kanon_sql.recognition.pairs import FEWEST_PAIRS, Pairs, SampledRows
from kanon_sql.recognition.repeated_people import RepeatedPeople, repeated_people

GROWING = frozenset({"age"})
"""Kinds of columns that grow by one each year."""

_PLACES = frozenset({"postal code", "place smaller than a state", "region", "coordinate", "street address"})
"""Kinds of columns of which one describes where a person is, as well as all of them do."""

_WITHOUT_KEY = 100.0
"""How many times more rows agree on all quasi-identifiers than independent columns would, from which on a key seems lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """Columns that a release shows, with the texts of some rows.

    Parameters
    ----------
    columns : tuple of str
        The columns.
    texts : tuple of tuple of str
        For each column its texts, None for NULL.
    """

    columns: tuple[str, ...]
    texts: tuple[tuple[str | None, ...], ...]


def settle(unit: Unit, looked: Looked, sample: SampledRows, surface: Surface) -> tuple[str, ...]:
    """Return warnings about what a guarantee counts.

    Parameters
    ----------
    unit : Unit
        What is counted.
    looked : Looked
        The columns to release.
    sample : SampledRows
        Rows of the source, with the columns that are left out of the release.
    surface : Surface
        In whose words an error says what to do.

    Raises
    ------
    RepeatedPeopleError
        When a column repeats people, and neither people nor, on purpose, rows are counted.
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
    chosen, unlisted = dict[str, str](), dict[str, str]()
    for name, texts in zip(looked.columns, looked.texts, strict=True):
        if same_name(name) in roles or (found := recognized(name, texts)) is None or found.role != "identifier":
            continue
        (chosen if unit.every_column or same_name(name) in by else unlisted)[name] = found.reason
    if chosen:
        raise IdentifierError.of(chosen, surface)
    if unlisted:
        refuse_unlisted_identifiers(unlisted, surface)


def refuse_unlisted_identifiers(reasons: Mapping[str, str], surface: Surface) -> None:
    """Raise, naming columns without a role that look like identifiers and the reason of each."""
    raise unlisted_identifiers(reasons, surface)


def _settled(unit: Unit, looked: Looked, sample: SampledRows, surface: Surface) -> tuple[str, ...]:
    places = {same_name(name): place for place, name in enumerate(sample.names)}
    by = [place for name in unit.by if (place := places.get(same_name(name))) is not None]
    per = None if unit.per is None else places.get(same_name(unit.per))
    pairs = Pairs(sample, per)
    found = _found(pairs, by, unit)
    certain = [each for each in found if each.certain]
    if certain and (per is None or _numbers_rows(sample, per)):
        raise _repeated(certain[0], unit, looked, sample, surface)
    warnings = [_may_repeat(each, unit) for each in found]
    if not found and per is None and len(by) > 2 and _has_lost_key(pairs, by):
        warnings.append(
            "many more rows agree on all quasi-identifiers than independent columns would explain, and no column tells people "
            "apart; if a person has several rows, keep the column that tells people apart, and count people PER it"
        )
    return tuple(warnings)


def _found(pairs: Pairs, by: Sequence[int], unit: Unit) -> list[RepeatedPeople]:
    """Return the columns that repeat people by the quasi-identifiers of a release."""
    if unit.every_column:
        roles = set(map(same_name, unit.roles))
        by = [place for place, name in enumerate(pairs.names) if same_name(name) not in roles]
    return _repeating(pairs, by)


def repeating(sample: SampledRows, by: Sequence[str], per: str | None = None) -> list[RepeatedPeople]:
    """Return the columns of any table that repeat people, or may do so; those of most rows first.

    Parameters
    ----------
    sample : SampledRows
        Rows of the table.
    by : sequence of str
        Its quasi-identifiers.
    per : str, optional
        A column that already tells people apart.
    """
    if len(sample.hashes) < FEWEST_PAIRS:
        return []
    places = {same_name(name): place for place, name in enumerate(sample.names)}
    pairs = Pairs(sample, None if per is None else places.get(same_name(per)))
    return _repeating(pairs, [places[same_name(name)] for name in by])


def _repeating(pairs: Pairs, by: Sequence[int]) -> list[RepeatedPeople]:
    """Return the columns that repeat people by the quasi-identifiers, or by columns with the names of personal ones.

    Notes
    -----
    Quasi-identifiers may be about events, such as a date of admission, and then hide that the others repeat.
    """
    named = [place for place, name in enumerate(pairs.names) if (kind := recognized_name(name)) is not None and kind.personal]
    found = repeated_people(pairs, sorted({*by, *named}))
    if not any(each.certain for each in found) and named and set(by) - set(named):
        found = [*repeated_people(pairs, named), *found]
    one = {each.column: each for each in sorted(found, key=lambda each: each.certain)}
    return [each for each in found if one[each.column] is each]


def _numbers_rows(sample: SampledRows, per: int) -> bool:
    """Return whether a column that shall tell people apart tells rows apart: then counting people counts rows."""
    hashes = sample.hashes[sample.filled[:, per], per]
    return len(np.unique(hashes)) >= 0.95 * len(hashes)


def _repeated(found: RepeatedPeople, unit: Unit, looked: Looked, sample: SampledRows, surface: Surface) -> RepeatedPeopleError:
    guarantee = unit.guarantee if unit.per is None else f"{unit.guarantee} PER {as_identifier(unit.per)}"
    return RepeatedPeopleError.of(
        found.column,
        found.people,
        found.rows,
        found.shared,
        guarantee,
        unit.guarantee,
        surface,
        about=sample.parts > 1,
        returned=same_name(found.column) in map(same_name, looked.columns),
    )


def _may_repeat(found: RepeatedPeople, unit: Unit) -> str:
    column, shared = as_identifier(found.column), list(map(as_identifier, found.shared))
    agree = f"{', '.join(shared[:-1])} and {shared[-1]}"
    counts = "rows" if unit.per is None else f"values of {as_identifier(unit.per)}"
    return (
        f"rows that share {column} agree on {agree}; {unit.guarantee} counts {counts}, so count PER {column} if it is a person"
    )


def _has_lost_key(pairs: Pairs, by: Sequence[int]) -> bool:
    """Return whether several rows of a person seem to be there, and no column that says so; places count once."""
    kinds = {place: found.kind if (found := recognized_name(pairs.names[place])) else "" for place in by}
    where = [place for place in by if kinds[place] in _PLACES]
    finest = max(where, key=lambda place: pairs.values(place), default=None)
    apart = [place for place in by if place not in where or place == finest]
    return len(apart) > 2 and people_without_key(pairs, apart) >= _WITHOUT_KEY
