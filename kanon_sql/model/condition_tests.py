"""The condition of a published table, as tests of single columns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Comparison:
    """A column compared with a literal."""

    sign: str  # <, <=, > or >=
    value: str  # a number, or a date


@dataclass(frozen=True, slots=True)
class OneOf:
    """A column that has one of some values."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Every:
    """Tests that are all met."""

    tests: tuple[ColumnTest, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """Tests that are not all failed."""

    tests: tuple[ColumnTest, ...]


@dataclass(frozen=True, slots=True)
class Negated:
    """A test that is failed, by a value that is not NULL."""

    test: ColumnTest


ColumnTest = Comparison | OneOf | Every | Some | Negated


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionPart:
    """One of the parts that AND joins to a condition."""

    column: str  # the column that the part is about; a text of SQL if it cannot be understood
    test: ColumnTest | None  # None if it cannot be understood
    text: str  # the part in SQL
    negated: bool = False  # of a part that cannot be understood: whether NOT precedes it


ParsedCondition = tuple[ConditionPart, ...]
"""All parts have to be met; without a part, everybody meets it."""


def literals(test: ColumnTest) -> tuple[str, ...]:
    """Return the values that a test names.

    Examples
    --------
    >>> literals(Every((Comparison(">=", "15"), Negated(OneOf(("17", "18"))))))
    ('15', '17', '18')
    """
    if isinstance(test, Comparison):
        return (test.value,)
    if isinstance(test, OneOf):
        return test.values
    inner = (test.test,) if isinstance(test, Negated) else test.tests
    return tuple(value for each in inner for value in literals(each))


def compares(test: ColumnTest) -> bool:
    """Return whether a test needs an order of the values.

    Examples
    --------
    >>> compares(Comparison(">=", "15")), compares(OneOf(("15",)))
    (True, False)
    """
    if isinstance(test, Comparison):
        return True
    if isinstance(test, OneOf):
        return False
    return any(compares(each) for each in ((test.test,) if isinstance(test, Negated) else test.tests))
