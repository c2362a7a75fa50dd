"""What the audit macros say of a table: the figures that guarantees are about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kanon_sql.engines.duckdb.names import literal, quoted, table_name
from kanon_sql.errors import SourceError, raise_alone
from kanon_sql.model.validation import named_file

Figures = Mapping[str, Any]
"""The one row of an audit macro, by the names of its columns."""

_EVERYBODY, _SHOWN = '"kanon#texts of the population"', '"kanon#texts of the release"'

_REFUSAL = re.compile("kanon: (.*)")
"""What a macro says of its arguments; any other error of DuckDB may quote a value."""


@contextmanager
def macro_errors() -> Iterator[None]:
    """Raise a SourceError with what an audit macro says of its arguments and tables."""
    import duckdb  # late, because the command line reads this module before it knows what to do

    try:
        yield
    except duckdb.Error as error:
        refusal = _REFUSAL.search(str(error))
        if refusal is None:
            raise
        raise_alone(SourceError(refusal[1]))


def record(con: Any, query: str, values: object) -> dict[str, Any]:
    """Return the one row of a query by its column names."""
    con.execute(query, values)
    names = [column[0] for column in con.description]
    return dict(zip(names, con.fetchall()[0], strict=True))


def known_figures(
    con: Any, quasi_identifiers: list[str], known: int, k: int | None, person: str | None, table: str = "source"
) -> dict[str, Any]:
    """Return the row of `k_known` of a table: its classes by every set of ``known`` columns, in people with ``person``.

    Raises
    ------
    SourceError
        When there are too many sets.
    """
    values = {"table": table, "qi": quasi_identifiers, "m": known, "person": person}
    below = "" if k is None else f", k := {k:d}"
    with macro_errors():
        return record(con, f"FROM k_known($table, $qi, $m, person := $person{below})", values)


def as_shown(con: Any, suppress: str | None, population: str, quasi_identifiers: list[str], table: str) -> tuple[str, str]:
    """Make views of a release and of a population that show all texts apart, and return their names as the macros take them.

    Parameters
    ----------
    suppress : str, optional
        What stands for a suppressed cell in the release; None is NULL. Any other text, ``*`` too, is a value.
    population, table : str
        The population, and the release.
    quasi_identifiers : list of str
        The columns that are compared.

    Returns
    -------
    tuple of str
        The view of the population and that of the release.
    """
    file = named_file(population)
    everybody = table_name(population) if file is None else quoted(file)
    names = [quoted(name) for name in quasi_identifiers]
    for view, source, hidden in (
        (_EVERYBODY, everybody, ["false"] * len(names)),
        (_SHOWN, quoted(table), [is_hidden(name, suppress) for name in names]),
    ):
        cells = ", ".join(map(_cell, names, hidden))
        con.execute(f"CREATE OR REPLACE TEMP VIEW {view} AS SELECT {cells} FROM {source}")  # noqa: S608
    return _EVERYBODY, _SHOWN


def looks_suppressed(con: Any, suppress: str | None, quasi_identifiers: list[str], table: str = "source") -> bool:
    """Return whether a table has the text of suppressed cells as a value: nobody can tell then which cells are suppressed."""
    cells = " OR ".join(is_hidden(quoted(name), suppress) for name in quasi_identifiers)
    query = f"SELECT system.main.count(*) FROM {quoted(table)} WHERE {cells}"  # noqa: S608
    return suppress is not None and con.execute(query).fetchall() != [(0,)]


def is_hidden(column: str, suppress: str | None) -> str:
    """Return the SQL of whether a cell looks as a suppressed one, never NULL."""
    same = f'CAST({column} AS VARCHAR) COLLATE "binary" = {literal(suppress or "")}'
    return f"{column} IS NULL" if suppress is None else f"coalesce({same}, false)"


def _cell(column: str, hidden: str) -> str:
    """Return the SQL of a cell as a text that is never ``*``, and NULL only where it is hidden."""
    value = f"system.main.concat('=', CAST({column} AS VARCHAR))"
    return f"CASE WHEN {hidden} THEN NULL WHEN {column} IS NULL THEN '' ELSE {value} END AS {column}"


def populated(con: Any, macro: str, population: str, quasi_identifiers: list[str], table: str = "source") -> dict[str, Any]:
    """Return what a macro says of a table and a population.

    Raises
    ------
    SourceError
        When the population cannot be counted.
    """
    file = named_file(population)
    values = {"table": table, "qi": quasi_identifiers, "population": population if file is None else quoted(file)}
    with macro_errors():
        return record(con, f"FROM {macro}($table, $qi, population := $population)", values)
