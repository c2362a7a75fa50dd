"""Whom do the rows of an audited table describe? What an audit counts, and whether that was settled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kanon_sql.errors import PolicyError, UnknownColumnError
from kanon_sql.model.refusals import listed
from kanon_sql.model.repetition import RepeatedPeopleError
from kanon_sql.model.surfaces import Surface, measured
from kanon_sql.model.validation import as_identifier, same_name
from kanon_sql.recognition import recognized_name
from kanon_sql.recognition.repeated_people import RepeatedPeople


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedUnit:
    """What an audit counts."""

    per: str | None = None  # the column that tells people apart; without one, rows are counted
    open: RepeatedPeopleError | None = None  # why it was not settled what a row is; None if it was, or no column repeats people
    warnings: tuple[str, ...] = ()  # columns that may repeat people


def person_column(per: str | None, per_row: bool, columns: Sequence[str]) -> str | None:
    """Return the column that tells people apart, as the table spells it.

    Raises
    ------
    PolicyError
        When each row is a person, too.
    UnknownColumnError
        When the table has no such column.
    """
    if per is None:
        return None
    if per_row:
        raise PolicyError("per counts people, but per_row means that each row is a person; hint: pass only one of them")
    spelled = {same_name(name): name for name in columns}
    if same_name(per) not in spelled:
        raise UnknownColumnError.of(per, columns, "per")
    return spelled[same_name(per)]


def unit_of_repeated(
    found: Sequence[RepeatedPeople],
    by: Sequence[str],
    per: str | None,
    counted: Callable[[str], tuple[int, int]],
    surface: Surface,
    *,
    raw: bool,
) -> AuditedUnit:
    """Return what an audit of a table counts if nothing says that each row is a person.

    Parameters
    ----------
    found : sequence of RepeatedPeople
        The columns that repeat people, or may do so.
    by : sequence of str
        The quasi-identifiers.
    counted : callable
        Returns how many values a column has, and how many rows that have one.
    raw : bool
        Whether the table is no release: rows that share a label of a release may all be in one class, and then agree on
        everything. In a release, a quasi-identifier repeats people only if its name is that of an identifier.
    """
    chosen = set(map(same_name, by))
    found = [each for each in found if raw or same_name(each.column) not in chosen or _is_identifier(each.column)]
    certain = next((each for each in found if each.certain), None)
    if certain is None:
        return AuditedUnit(per=per, warnings=tuple(_may_repeat(each, surface) for each in found))
    people, rows = counted(certain.column) if len(certain.columns) == 1 else (certain.people, certain.rows)
    guarantee = "k" if per is None else f"k PER {as_identifier(per)}"
    refused = RepeatedPeopleError.unsettled(certain.columns, people, rows, certain.shared, guarantee, surface)
    return AuditedUnit(per=per, open=refused)


def _is_identifier(name: str) -> bool:
    found = recognized_name(name)
    return found is not None and found.role == "identifier"


def _may_repeat(found: RepeatedPeople, surface: Surface) -> str:
    agree = listed(list(map(as_identifier, found.shared)))
    return (
        f"rows that share {as_identifier(found.column)} agree on {agree} and may belong to one person; "
        f"hint: {measured(found.column, surface)}"
    )
