"""The rows of a released table beside those that its source and its pattern give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from kanon_sql.engines.duckdb.files import columns
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import AuditError
from kanon_sql.model.validation import same_name
from kanon_sql.verification.cells.published_system import PublishedSystem

Row = tuple[str | None, ...]


def compare(con: Any, system: PublishedSystem, suppressed: frozenset[int], places: Sequence[int], *, told: bool) -> None:
    """Check that the table ``released`` has just the rows of the system under a pattern.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the table.
    system : PublishedSystem
        What the source gives.
    suppressed : frozenset of int
        The rows that show no count and no sum.
    places : sequence of int
        The decimal places of each sum.
    told : bool
        Whether a column ``suppressed`` tells suppressed rows.

    Raises
    ------
    AuditError
        When the table has another column, or a row is missing, or one is there that the source does not give.
    """
    names = [each.name for each in system.tabulation.items] + ["suppressed"] * told
    given = columns(con, "released")
    if list(map(same_name, names)) != list(map(same_name, given)):
        raise AuditError("the table has other columns than its certificate says")
    expected = Counter(
        _row(system, row, row in suppressed, places, told=told)
        for row in range(system.rows)
        if row not in suppressed or system.protection.rows == "null"
    )
    kinds = ["key" if each.kind == "key" else "number" for each in system.tabulation.items] + ["key"] * told
    cells = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name in given)
    rows = con.execute(f"SELECT {cells} FROM released").fetchall()  # noqa: S608
    found = Counter(
        tuple(value if kind == "key" else _number(value) for kind, value in zip(kinds, row, strict=True)) for row in rows
    )
    if found != expected:
        more, less = (found - expected).total(), (expected - found).total()
        raise AuditError(
            f"the table does not add up to its source: {more} of its rows differ, and {less} rows of the source are missing"
        )


def _row(system: PublishedSystem, row: int, hidden: bool, places: Sequence[int], *, told: bool) -> Row:
    """Return a row as the table shows it, in texts."""
    tabulation = system.tabulation
    chosen, keys = tabulation.sets[system.sets[row]], system.cells[system.members[row][0]].keys
    found: list[str | None] = []
    for item in tabulation.items:
        if item.kind == "key":
            found.append(next((keys[place] for place in item.places if place in chosen), None))
        elif item.kind == "grouping":
            bits = [key not in chosen for key in item.places]
            found.append(str(sum(bit << place for place, bit in enumerate(reversed(bits)))))
        elif hidden:
            found.append(None)
        elif item.kind == "count":
            found.append(str(system.values[0][row]))
        else:
            place = item.places[0]
            found.append(str(Fraction(system.values[1 + place][row], 10 ** places[place])))
    if told:
        found.append("true" if hidden else "false")
    return tuple(found)


def _number(text: str | None) -> str | None:
    """Return a number as the text of a fraction, so that 1.50 is 3/2."""
    if text is None or not text:
        return None
    try:
        return str(Fraction(Decimal(text)))
    except (ArithmeticError, ValueError):
        return f"no number: {len(text)} characters"
