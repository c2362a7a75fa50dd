"""The classes of a table, and their risks, where people are counted instead of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanon_sql.engines.duckdb.audit.measures import record
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.engines.duckdb.texts import text

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


Figures = dict[str, Any]


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
