"""The people of the classes of a release, counted in its source, as far as labels that are values tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import numpy as np

from kanon_sql.engines.duckdb.audit.people_figures import people_figures
from kanon_sql.engines.duckdb.files.tables import columns
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.model.policy import Policy
from kanon_sql.verification.class_people import Covers, fewest_people
from kanon_sql.verification.histories import people_by_tokens
from kanon_sql.verification.readings import Domain
from kanon_sql.verification.shown_cells import read_cells

_APART = "kanon_people"
"""The schema of both tables as texts."""

_AS_TEXTS = "CREATE VIEW {schema}.{name} AS SELECT {cells} FROM main.{table}"


def least_people(con: Any, released: str, quasi_identifiers: Sequence[str], person: str) -> int | None:
    """Return of how many people every class of a release has rows at least, whatever the types of its columns.

    Parameters
    ----------
    con : connection
        A DuckDB connection with the table ``source``.
    released : str
        The table of the release. NULL and ``*`` look suppressed.
    quasi_identifiers : sequence of str
        The columns that make the classes.
    person : str
        The column that tells people apart. If the release has it, it is counted there, and else by the rows of the source.

    Returns
    -------
    int, optional
        1 if nothing shows whose the rows are; None without rows.
    """
    shown = columns(con, released)
    if person in shown:
        fewest = people_figures(con, released, quasi_identifiers, person)["k"]
        return None if fewest is None else int(fewest)
    con.execute(f"CREATE SCHEMA {_APART}")
    for name, table, listed in (("source", "source", [*shown, person]), ("released", released, shown)):
        cells = ", ".join(_text(each, hidden=each in quasi_identifiers) for each in listed)
        con.execute(_AS_TEXTS.format(schema=_APART, name=name, cells=cells, table=quoted(table)))
    con.execute(f"SET schema = '{_APART}'")
    try:
        found = people_of(con, Policy.of(k=1, per=person, quasi_identifiers=quasi_identifiers))
    finally:
        con.execute("SET schema = 'main'")
        con.execute(f"DROP SCHEMA {_APART} CASCADE")
    return 1 if found is None else found[0]


def _text(column: str, *, hidden: bool) -> str:
    name = quoted(column)
    text = f"CAST({name} AS VARCHAR)"
    return f"nullif({text}, '*') AS {name}" if hidden else f"{text} AS {name}"


def people_of(con: Any, policy: Policy) -> tuple[int, int] | None:
    """Return of how many people the class with fewest has rows, at least and at most.

    None where the source does not tell. A column with a label that is no value of the source tells nothing here: the two
    figures are farther apart than those of ``kanon verify``, which reads labels.
    """
    if (found := people_by_tokens(con, policy)) is not None:
        return found
    chosen = [qi.column for qi in policy.quasi_identifiers]
    others = [quoted(name) for name in columns(con, "released") if name not in chosen]
    try:
        cells = read_cells(con, policy, others)
    except duckdb.Error:  # columns of the two files have types that cannot be compared
        return None
    return fewest_people(cells, [_covers(domain) for domain in cells.domains])


def _covers(domain: Domain) -> Covers:
    shown = np.flatnonzero(domain.cells)
    if (domain.rows[shown[shown != (-1 if domain.hidden is None else domain.hidden)]] == 0).any():
        return lambda _: None
    return lambda label: None if label == domain.hidden else np.array([label])
