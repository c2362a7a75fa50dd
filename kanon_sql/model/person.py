"""Who the rows of a table of facts are about: a person, whose columns are those of the table of people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from kanon_sql.errors import PolicyError
from kanon_sql.model.validation import as_identifier, known_keys, listed, named, refuse_twice

DECLARED: Final = True
"""What stands for a person that another policy of the database declares: ``OF PERSON`` in SQL, ``person: true`` in a file."""

_KEYS = {"column", "table", "columns"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A person as a policy declares it: ``PERSON patient FROM patients BY zip, born, sex``.

    Examples
    --------
    >>> Person(column="patient", table="patients", columns=("zip", "born")).describe()
    'PERSON patient FROM patients BY zip, born'
    """

    column: str  # the key: the column of this name holds the person in the table of people and in each table of facts
    table: str  # the table of people, as SQL spells it: one row per person
    columns: tuple[str, ...] = ()  # its quasi-identifiers that the facts show, too; empty stands for all of them

    def __post_init__(self) -> None:
        named(self.column, "the column of a person")
        named(self.table, "the table of a person", "the name of a table", "write a name such as 'patients'")
        for each in self.columns:
            named(each, "a column of a person")
        refuse_twice(self.columns, "the columns of a person")

    def describe(self) -> str:
        """Return the person as a policy declares it."""
        by = f" BY {', '.join(map(as_identifier, self.columns))}" if self.columns else ""
        return f"PERSON {as_identifier(self.column)} FROM {self.table}{by}"

    def to_json(self) -> dict[str, Any]:
        """Return the person as plain JSON data."""
        return {"column": self.column, "table": self.table, "columns": list(self.columns)}


def read_person(value: object) -> Person | Literal[True] | None:
    """Read the person of a policy from JSON data.

    Raises
    ------
    PolicyError
        When it is neither an object with the keys of `Person`, nor true.
    """
    if value is None or value is DECLARED:
        return value
    if not isinstance(value, dict):
        raise PolicyError(
            "person must be true or an object; hint: write {column: patient, table: patients, columns: [zip, born]} once in "
            "the file, and true in the policies of the other tables"
        )
    data = known_keys(value, _KEYS, "person", ["column", "table"])
    return Person(column=data["column"], table=data["table"], columns=tuple(listed(data.get("columns", []), "columns")))
