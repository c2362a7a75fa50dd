"""The rows of a released table next to those that its source and its pattern give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from kanon_sql.engines.duckdb.files.tables import columns
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import AuditError
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.model.validation import same_name
from kanon_sql.verification.cells.joint_tables import JointTables
from kanon_sql.verification.cells.published_system import PublishedSystem

Row = tuple[str | None, ...]


def compare(
    con: Any, system: PublishedSystem, joint: JointTables, place: int, suppressed: frozenset[int], decimals: Sequence[int]
) -> None:
    """Check that the table ``released`` has just its rows of the system under a pattern.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the table.
    system : PublishedSystem
        What the source gives.
    joint, place
        The tables of the system, and which of them was released.
    suppressed : frozenset of int
        The rows that show no count and no sum.
    decimals : sequence of int
        The decimal places of each sum.

    Raises
    ------
    AuditError
        When the table has another column, or a row is missing, or one is there that the source does not give.
    """
    tabulation, protection = joint.tables[place]
    flagged, sets = protection.suppressed, joint.sets_of(place)
    names = [each.name for each in tabulation.items] + ["suppressed"] * flagged
    given = columns(con, "released")
    if list(map(same_name, names)) != list(map(same_name, given)):
        raise AuditError("the columns of the table differ from those in its certificate")
    expected = Counter(
        _row(system, tabulation, sets[system.sets[row]], row, suppressed, decimals)
        + (("true" if row in suppressed else "false",) if flagged else ())
        for row in range(system.rows)
        if system.sets[row] in sets and system.is_seen(row) and (row not in suppressed or protection.rows == "null")
    )
    own = (row for row in range(system.rows) if system.sets[row] in sets and system.is_seen(row))
    if next(own, None) is None and () in tabulation.sets:
        expected[_total_of_nobody(tabulation) + ("false",) * flagged] = 1
    kinds = ["key" if each.kind == "key" else "number" for each in tabulation.items] + ["key"] * flagged
    cells = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name in given)
    rows = con.execute(f"SELECT {cells} FROM released").fetchall()  # noqa: S608
    found = Counter(
        tuple(value if kind == "key" else _number(value) for kind, value in zip(kinds, row, strict=True)) for row in rows
    )
    if found != expected:
        more, less = (found - expected).total(), (expected - found).total()
        raise AuditError(
            f"the table does not add up to its source: {more} of its rows differ, and {less} source rows are missing"
        )


def _row(
    system: PublishedSystem,
    tabulation: Tabulation,
    chosen: tuple[int, ...],
    row: int,
    suppressed: frozenset[int],
    decimals: Sequence[int],
) -> Row:
    """Return a row as a table shows it, in texts; ``chosen`` are the keys of the table in its grouping set."""
    whole, keys = system.tabulation, system.cells[system.members[row][0]].keys
    found: list[str | None] = []
    for item in tabulation.items:
        if item.kind == "key":
            shown = (keys[whole.keys.index(tabulation.keys[key])] for key in item.places if key in chosen)
            found.append(next(shown, None))
        elif item.kind == "grouping":
            bits = [key not in chosen for key in item.places]
            found.append(str(sum(bit << place for place, bit in enumerate(reversed(bits)))))
        elif row in suppressed:
            found.append(None)
        elif item.kind == "count" and item.places:
            met = _row_that_meets(system, row, tabulation.keys[item.places[0]])
            found.append("0" if met is None else None if met in suppressed else str(system.values[0][met]))
        elif item.kind == "count":
            found.append(str(system.values[0][row]))
        else:
            place = whole.sums.index(tabulation.sums[item.places[0]])
            found.append(str(Fraction(system.values[1 + place][row], 10 ** decimals[place])))
    return tuple(found)


def _total_of_nobody(tabulation: Tabulation) -> Row:
    """Return the one row of a table whose condition nobody meets: counts are 0, and sums are NULL."""
    missing = {each.name: str(2 ** len(each.places) - 1) for each in tabulation.items if each.kind == "grouping"}
    return tuple(missing.get(each.name, "0" if each.kind == "count" else None) for each in tabulation.items)


def _row_that_meets(system: PublishedSystem, row: int, condition: str) -> int | None:
    """Return the row of the people of a row who meet a condition; None if there is none."""
    key = system.tabulation.keys.index(condition)
    number = system.grouping_sets.index(tuple(sorted({*system.grouping_sets[system.sets[row]], key})))
    return next(
        (system.ancestors[base][number] for base in system.members[row] if system.cells[base].keys[key] == "true"), None
    )


def _number(text: str | None) -> str | None:
    """Return a number as the text of a fraction, so that 1.50 is 3/2."""
    if text is None or not text:
        return None
    try:
        return str(Fraction(Decimal(text)))
    except (ArithmeticError, ValueError):
        return f"not a number: {len(text)} characters"
