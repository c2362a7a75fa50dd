"""The refusal of a table in which columns repeat people, and what it says."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Self

from kanon_sql.errors import PolicyError
from kanon_sql.model.refusals import listed
from kanon_sql.model.surfaces import Surface, counted, measured, spelled
from kanon_sql.model.unit import Unit
from kanon_sql.model.validation import as_identifier

_SHARED = 3
"""Most shared columns that an error lists."""


class RepeatedPeopleError(PolicyError):
    """A column repeats people, and the guarantee would count rows; nothing was released.

    Attributes
    ----------
    column : str
        The column that repeats people; of several, the one with the most rows. Two that do so together are joined by a comma.
    columns : tuple of str
        The same as one name or two.
    people, rows : int
        Its values, and the rows that have one.
    shared : tuple of str
        The columns on which rows with the same value agree.

    Examples
    --------
    >>> import kanon_sql, pyarrow as pa
    >>> rows = [{"id": n % 40, "zip": n % 40 % 7, "age": n % 40 % 9, "job": n % 40 % 11} for n in range(160)]
    >>> try:
    ...     kanon_sql.anonymize(pa.Table.from_pylist(rows), k=4, quasi_identifiers=["zip", "age", "job"], drop=["id"])
    ... except RepeatedPeopleError as error:
    ...     print(error.column, error.people, error.rows)
    id 40 160
    """

    column: str = ""
    columns: tuple[str, ...] = ()
    people: int = 0
    rows: int = 0
    shared: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        column: str,
        people: int,
        rows: int,
        shared: Collection[str],
        unit: Unit,
        surface: Surface,
        *,
        about: bool,
        released: Sequence[str],
        also: Sequence[str] = (),
        names: Collection[str] = (),
    ) -> Self:
        """Name the column, what its rows share, and the two ways out.

        Parameters
        ----------
        column, people, rows, shared
            As the attributes.
        unit : Unit
            The unit of the guarantee.
        surface : Surface
            The surface. Errors name its options.
        about : bool
            Whether people and rows were estimated.
        released : sequence of str
            The columns that the query returns.
        also : sequence of str
            Other columns that repeat people.
        names : collection of str
            Names that occur in several spellings, which are not counted as people.
        """
        fact = repetition(column, people, rows, shared, unit.describe(), about=about, also=also)
        way = _one_column([column], names, surface) if column in names else counted(column, unit, surface, released)
        found = cls(f"{fact}; nothing was released; hint: {way}")
        found.column, found.columns = column, (column,)
        found.people, found.rows, found.shared = people, rows, tuple(shared)
        return found

    @classmethod
    def together(
        cls,
        columns: Sequence[str],
        people: int,
        rows: int,
        shared: Collection[str],
        guarantee: str,
        surface: Surface,
        *,
        about: bool = False,
        names: Collection[str] = (),
    ) -> Self:
        """Name two columns that repeat people only together; no surface counts people by two columns. See `of`."""
        fact = _repetition_together(columns, people, rows, shared, guarantee, about=about)
        found = cls(f"{fact}; nothing was released; hint: {_one_column(columns, names, surface)}")
        found.column, found.columns = ", ".join(columns), tuple(columns)
        found.people, found.rows, found.shared = people, rows, tuple(shared)
        return found

    @classmethod
    def of_spellings(cls, column: str, people: int, rows: int, surface: Surface) -> Self:
        """Name a column of names in several spellings that people should be counted by. See `of`."""
        found = cls(
            f"{as_identifier(column)} spells names in several ways, and each variant would count as a person; nothing "
            f"was released; hint: {_one_column([column], [column], surface)}"
        )
        found.column, found.columns, found.people, found.rows = column, (column,), people, rows
        return found

    @classmethod
    def unsettled(
        cls, columns: Sequence[str], people: int, rows: int, shared: Collection[str], guarantee: str, surface: Surface
    ) -> Self:
        """Return the error for a table that is only measured; one column repeats people, or two together. See `of`."""
        if len(columns) == 1:
            fact, way = repetition(columns[0], people, rows, shared, guarantee), measured(columns[0], surface)
        else:
            fact, way = _repetition_together(columns, people, rows, shared, guarantee), _one_column(columns, (), surface)
        found = cls(f"it is not clear whether a row is a person: {fact}; hint: {way}")
        found.column, found.columns = ", ".join(columns), tuple(columns)
        found.people, found.rows, found.shared = people, rows, tuple(shared)
        return found


def _repetition_together(
    columns: Sequence[str], people: int, rows: int, shared: Collection[str], guarantee: str, *, about: bool = False
) -> str:
    """Return the fact that two columns repeat people only together; see `RepeatedPeopleError.of`."""
    names, agree = listed(list(map(as_identifier, columns))), listed(list(map(as_identifier, shared)))
    size = _people_and_rows(people, rows, about=about)
    fact = f"{names} repeat people together: rows that share both values agree on {agree}"
    return f"{fact}; {guarantee} would count rows, not people: {size}"


def _one_column(columns: Sequence[str], names: Collection[str], surface: Surface) -> str:
    """Return what to do where two columns repeat people, or names in several spellings do."""
    person = person_of({each: spelled(each, surface) for each in columns}, names)
    parts = "both columns" if len(columns) > 1 else "all spellings"
    return (
        f"combine {parts} into one column in a view or a new file, such as {person} AS person, and count people by that column"
    )


def person_of(columns: Mapping[str, str], names: Collection[str]) -> str:
    """Return the SQL of what tells people apart: of columns and how they are spelled, and of names in several spellings.

    A person of whom a part is missing is nobody: NULL.
    """
    texts = (f"lower(trim(strip_accents({part})))" if name in names else part for name, part in columns.items())
    return " || '/' || ".join(texts)


def repetition(
    column: str,
    people: int,
    rows: int,
    shared: Collection[str],
    guarantee: str,
    *,
    about: bool = False,
    also: Sequence[str] = (),
) -> str:
    """Return the fact that a column repeats people; see `RepeatedPeopleError.of`."""
    names = list(map(as_identifier, shared))
    more = len(names) - _SHARED
    if more > 1:
        names = [*names[:_SHARED], f"{more} other columns"]
    others = f" (and so {'does' if len(also) == 1 else 'do'} {listed(list(map(as_identifier, also)))})" if also else ""
    size = _people_and_rows(people, rows, about=about)
    return (
        f"{as_identifier(column)} repeats people{others}: rows that share its value agree on {listed(names)}; {guarantee} "
        f"would count rows, not people: {size}"
    )


def _people_and_rows(people: int, rows: int, *, about: bool) -> str:
    prefix = "about " * about
    return f"{prefix}{people:,} people have {prefix}{rows:,} rows"
