"""The columns that an audit does not count, because they are not quasi-identifiers, and that may identify people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.model.unlisted import UNLISTED_LIMIT, Limits
from kanon_sql.model.validation import as_identifier
from kanon_sql.recognition import recognized

_TEXTS = "SELECT {texts} FROM {table} LIMIT 200"

_ROWS = """SELECT coalesce(system.main.sum(n) FILTER (people < {fewest}), 0)
    FROM (SELECT system.main.count(*) AS n, {people} AS people FROM {table} AS "kanon#t" GROUP BY {values})"""

_TEXT = 'system.main.encode(CAST("kanon#t".{column} AS VARCHAR))'
"""Values are distinguished as a reader sees them: by the bytes of their text, whatever the collation of the column."""


_PEOPLE = 'SELECT system.main.count(DISTINCT {person}) FROM {table} AS "kanon#t"'


def warnings_of_others(
    con: Any, table: str, others: Sequence[str], sensitive: Sequence[str], rows: int, k: int, *, unread: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return a warning for each column that identifies people by itself; if there is none, for all of them together.

    A column of few values per person may still look like an identifier, such as a name.

    Parameters
    ----------
    table : str
        A table of it.
    others : sequence of str
        Its columns that are neither quasi-identifiers nor sensitive.
    sensitive : sequence of str
        Its sensitive columns: each counts alone, and not with the others.
    rows : int
        Rows of the table.
    k : int
        The rows that look alike in the quasi-identifiers: the requested number, or those of the smallest class.
    unread : sequence of str
        Columns of which the table has hashes only.

    Notes
    -----
    The limits are those of a release. One GROUP BY for each column, and one for all together; every row is counted.
    """
    limits = Limits(UNLISTED_LIMIT, k)
    shared = limits.shared(rows)
    alone = {name: singled_out(con, table, [name], shared) for name in (*others, *sensitive)}
    facts = {
        name: f"singles out {single / rows:.1%} of the rows{limits.in_words(shared)}"
        for name, single in alone.items()
        if limits.singled_out(single, rows)
    }
    for name, reason in identifiers_of(con, table, others, unread=unread).items():
        facts.setdefault(name, f"looks like an identifier of people ({reason})")
    found = [
        f"{as_identifier(name)} {fact}. It is not a quasi-identifier, so this audit does not count it."
        for name, fact in facts.items()
    ]
    return tuple(found or _together(con, table, others, rows, limits))


def _together(con: Any, table: str, names: Sequence[str], rows: int, limits: Limits) -> Iterator[str]:
    if len(names) > 1 and (single := singled_out(con, table, names)) > limits.most * rows:
        listed = f"{', '.join(map(as_identifier, names[:-1]))} and {as_identifier(names[-1])}"
        share = f"{single / rows:.1%} of the rows"
        yield f"{listed} together single out {share}. They are not quasi-identifiers, so this audit does not count them."


def identifiers_of(con: Any, table: str, names: Sequence[str], *, unread: Sequence[str] = ()) -> dict[str, str]:
    """Return the columns that look like identifiers, each with the reason.

    Parameters
    ----------
    table : str
        A table or view of it.
    names : sequence of str
        The columns to look at.
    unread : sequence of str
        Columns whose cells are not those of their owner: only their names say something.
    """
    if not names:
        return {}
    texts = ", ".join("NULL" if name in unread else f"CAST({quoted(name)} AS VARCHAR)" for name in names)
    rows = con.execute(_TEXTS.format(texts=texts, table=quoted(table))).fetchall()
    looked = zip(*rows, strict=True) if rows else [()] * len(names)
    found = {name: recognized(name, texts) for name, texts in zip(names, looked, strict=True)}
    return {name: each.reason for name, each in found.items() if each is not None and each.role == "identifier"}


def people_in(con: Any, table: str, person: str) -> int:
    """Return how many people a column tells apart; rows without one count as nobody."""
    query = _PEOPLE.format(table=quoted(table), person=_TEXT.format(column=quoted(person)))
    return int(con.execute(query).fetchall()[0][0])


def singled_out(con: Any, table: str, columns: Sequence[str], fewest: int = 2, person: str | None = None) -> int:
    """Return how many rows have values in some columns together that fewer rows have; NULL is a value like any other.

    Parameters
    ----------
    table : str
        A table of it.
    columns : sequence of str
        At least one of its columns.
    fewest : int
        The rows that have to share a value; with 2, those count whose value no other row has.
    person : str, optional
        A column that tells people apart, who are counted instead of rows. Rows without a person may be those of any, so they
        count as nobody.

    Notes
    -----
    One GROUP BY.

    Examples
    --------
    >>> import duckdb
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE t AS FROM (VALUES ('a', 1), ('a', 2), (NULL, 2)) AS t(x, y)")
    >>> singled_out(con, "t", ["x"]), singled_out(con, "t", ["y"]), singled_out(con, "t", ["x", "y"])
    (1, 1, 3)
    >>> singled_out(con, "t", ["x"], 3), singled_out(con, "t", ["y"], 2, person="x")
    (3, 3)
    """
    values = ", ".join(_TEXT.format(column=quoted(name)) for name in columns)
    people = "system.main.count(*)"
    if person is not None:
        people = f"system.main.count(DISTINCT {_TEXT.format(column=quoted(person))})"
    query = _ROWS.format(table=quoted(table), values=values, fewest=fewest, people=people)
    return int(con.execute(query).fetchall()[0][0])
