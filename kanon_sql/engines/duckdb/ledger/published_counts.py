"""A published file of counts as a table of a ledger: which labels are totals, and what each count shows."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import duckdb

from kanon_sql.engines.duckdb.cells.arguments import check_columns
from kanon_sql.engines.duckdb.ledger.count_texts import CountTexts
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import PolicyError, SourceError, raise_alone
from kanon_sql.model.published_table import PublishedRow, PublishedTable
from kanon_sql.model.validation import refuse_twice, same_name

TOTALS = (
    *("total", "totals", "(total)", "grand total", "all", "(all)", "sum"),
    *("insgesamt", "gesamt", "summe", "ensemble", "totale"),
)
"""Labels that mean all values of a key, in lower case."""


def published_table(
    con: Any,
    *,
    name: str,
    by: Sequence[str],
    measure: str = "n",
    texts: CountTexts,
    totals: Sequence[str] = (),
    condition: str | None = None,
    absent: bool = False,
    state: str | None = None,
) -> PublishedTable:
    """Read the table ``source`` of a connection.

    Parameters
    ----------
    con : DuckDBPyConnection
        A connection with the table.
    name : str
        What people call the table.
    by : sequence of str
        The columns of the keys.
    measure : str
        The column of the counts.
    texts : CountTexts
        How the counts are written.
    totals : sequence of str
        Labels that mean all values of a key. By default those that tools write. NULL and an empty text always do.
    condition : str, optional
        The SQL condition that the people of the table meet.
    absent : bool
        Whether the table leaves suppressed or empty rows out.
    state : str, optional
        The state of the source.

    Returns
    -------
    PublishedTable
        The table, without its place in a ledger: its number is 0.

    Raises
    ------
    PolicyError
        When a column is unknown, or the condition is not SQL.
    SourceError
        When a count cannot be read, or two rows have the same keys.
    """
    there = [each for each, *_ in con.execute("DESCRIBE FROM source").fetchall()]
    check_columns((*by, measure), there)
    keys = [next(each for each in there if same_name(each) == same_name(key)) for key in by]
    refuse_twice((*keys, measure), "the keys and the counts")
    columns = ", ".join(map(quoted, (*keys, measure)))
    shown = con.execute(f"SELECT {columns} FROM source ORDER BY rowid ASC NULLS LAST")  # noqa: S608
    rows: list[PublishedRow] = []
    places: dict[tuple[str | None, ...], int] = {}
    for number, (*labels, count) in enumerate(shown.fetchall(), 1):
        own = tuple(label_of(each, totals) for each in labels)
        if own in places:
            raise SourceError(
                f"{name}, rows {places[own]} and {number}: the same keys; hint: list all keys with --by, and name the labels "
                "of totals with --total"
            )
        places[own] = number
        rows.append(published_row(own, count, texts, f"{name}, row {number}, column {measure}"))
    if not rows:
        raise SourceError(f"{name} has no rows; hint: export it again")
    where = checked_condition(condition)
    return PublishedTable(
        number=0, name=name, keys=tuple(keys), rows=tuple(rows), condition=where, absent=absent, state=state or None
    )


def published_row(keys: tuple[str | None, ...], count: Any, texts: CountTexts, where: str) -> PublishedRow:
    """Return a row; an error says where it is."""
    try:
        lower, upper, suppressed = texts.known(count)
    except SourceError as error:
        raise_alone(error.within(where))
    return PublishedRow(keys=keys, lower=lower, upper=upper, suppressed=suppressed)


def checked_condition(text: str | None) -> str | None:
    """Return a condition; an empty one is none.

    Raises
    ------
    PolicyError
        When it is not an SQL expression: a misspelled condition would be one that nobody else has.
    """
    if text is None or not text.strip():
        return None
    try:
        with duckdb.connect() as con:
            # Only an expression reads the same with parentheses and without.
            alone = all(len(con.extract_statements(f"SELECT 1 WHERE {each}")) == 1 for each in (text, f"({text}\n)"))
    except duckdb.Error:
        alone = False
    if not alone:
        raise PolicyError("the condition is not an SQL expression; hint: write one, such as --where 'age >= 15'")
    return text.strip()


def label_of(value: Any, totals: Sequence[str] = ()) -> str | None:
    """Return the label of a key, as every tool writes it; None for a total, as one of some texts or as tools write it."""
    if value is None or value != value:  # NaN is no label
        return None
    if isinstance(value, bool):
        return str(value).lower()
    whole = isinstance(value, float | Decimal) and value % 1 == 0
    text = str(int(value) if whole else value).strip()
    total = text in totals if totals else text.lower() in TOTALS
    return None if total or not text else text
