"""Whom the rows of an audited table describe, and the classes and risks where people are counted instead of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanon_sql.engines.audited_unit import AuditedUnit, unit_of_repeated
from kanon_sql.engines.duckdb.audit.measures import record
from kanon_sql.engines.duckdb.gather.sampled_rows import rows_of
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.texts import text
from kanon_sql.engines.unit import repeating
from kanon_sql.model.surfaces import Surface

Figures = dict[str, Any]

_COUNTED = "SELECT system.main.count(DISTINCT {0}), system.main.count({0}) FROM {1}"

_TEXT = 'system.main.encode(CAST("kanon#t".{column} AS VARCHAR))'
"""Values are distinguished by the bytes of their text, whatever the collation of the column."""


def people_figures(con: Any, table: str, quasi_identifiers: Sequence[str], per: str) -> dict[str, Any]:
    """Return the figures of `k_anonymity` and `reidentification_risk`, counted in people.

    Parameters
    ----------
    table : str
        A table or view of it.
    quasi_identifiers : sequence of str
        The columns that make the classes.

    Returns
    -------
    dict
        ``k`` is the fewest people that a class has rows of, and risks are those of people.

    Notes
    -----
    Two GROUP BYs over pairs of a class and a person.

    Examples
    --------
    >>> import duckdb
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE t AS FROM (VALUES (1, 'a'), (1, 'a'), (2, 'b'), (3, 'b'), (3, 'a')) AS t(id, x)")
    >>> found = people_figures(con, "t", ["x"], "id")
    >>> found["k"], found["rows"], found["people"], found["prosecutor_risk"]
    (2, 5, 3, 0.5)
    """
    values = ", ".join(_TEXT.format(column=quoted(name)) for name in quasi_identifiers)
    person = _TEXT.format(column=quoted(per))
    return record(con, text("class_people", table=quoted(table), values=values, person=person), None)


def in_people(sizes: Figures, risk: Figures, people: Figures, *, population: bool = False) -> tuple[Figures, Figures]:
    """Return the figures of `k_anonymity` and `reidentification_risk` with people counted instead of rows.

    Parameters
    ----------
    sizes, risk : dict
        The rows of the macros.
    people : dict
        The `people_figures` of the same table.
    population : bool
        Whether the journalist risk is counted in a table of the population; it stays then.
    """
    kept = {"journalist_risk": risk["journalist_risk"]} if population else {}
    counted = people | kept
    return {"people": people["people"], **{name: counted[name] for name in sizes}}, {n: counted.get(n, risk[n]) for n in risk}


def audited_unit(
    con: Any, table: str, by: Sequence[str], per: str | None, per_row: bool, surface: Surface, *, raw: bool = False
) -> AuditedUnit:
    """Return what an audit of a table counts.

    Parameters
    ----------
    table : str
        A table or view of it.
    by : sequence of str
        The quasi-identifiers.
    raw : bool
        As for `unit_of_repeated`.
    """
    if per_row:
        return AuditedUnit()

    def counted(column: str) -> tuple[int, int]:
        found: tuple[int, int] = con.execute(_COUNTED.format(quoted(column), quoted(table))).fetchall()[0]
        return found

    return unit_of_repeated(repeating(rows_of(con, quoted(table)), by, per), by, per, counted, surface, raw=raw)
