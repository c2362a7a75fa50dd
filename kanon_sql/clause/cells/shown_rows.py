"""SHOW, HIDE and IMPOSSIBLE in PROTECT: grouping sets, and rows by values of their keys.

::

    SHOW shown {, shown}
    HIDE row {, row}
    IMPOSSIBLE row {, row}
    shown := GROUPING SETS ( set {, set} ) | row
    set := ( [key {, key}] )
    row := ( [key = value | key IN ( value {, value} ) {, ...}] )
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import TokenType

from kanon_sql.clause.cells.table_query import TableQuery
from kanon_sql.clause.names import column_name
from kanon_sql.clause.reader import Reader
from kanon_sql.model.named_rows import NamedRow, check_names, check_rows, values_of
from kanon_sql.model.tabulation import Item

Known = Callable[[str, str, int, str], Item]
"""Returns a column of the table, from its name, its kind, the place of the name and a hint."""

_SETS, _ROWS = "SHOW GROUPING SETS ((region), ())", "HIDE (region = 'north', sex IN ('F', 'M'))"


def read_shown(
    reader: Reader, query: TableQuery | None, known: Known
) -> tuple[tuple[tuple[str, ...], ...], tuple[NamedRow, ...]]:
    """Read what SHOW names: grouping sets, and rows."""
    sets, rows = list[tuple[str, ...]](), list[NamedRow]()

    def one() -> None:
        if not reader.skip("GROUPING", "SETS"):
            rows.append(_row(reader, query, "SHOW"))
            return
        reader.expect("(", f"before the grouping sets; hint: write {_SETS}")
        sets.extend(reader.separated(lambda: _set(reader, query, known)))
        reader.expect(")", "after the grouping sets")

    reader.separated(one)
    return tuple(sets), tuple(rows)


def read_rows(reader: Reader, query: TableQuery | None, word: str) -> tuple[NamedRow, ...]:
    """Read the rows that HIDE or IMPOSSIBLE names."""
    return tuple(reader.separated(lambda: _row(reader, query, word)))


def _set(reader: Reader, query: TableQuery | None, known: Known) -> tuple[str, ...]:
    start, names = reader.place, list[str]()
    if reader.skip("("):
        if not reader.skip(")"):
            names = reader.separated(lambda: column_name(reader, _SETS))
            reader.expect(")", "after the keys")
    else:
        names = [column_name(reader, _SETS)]
    if query is None:
        return tuple(names)
    keys = [known(name, "key", start, "use a column of GROUP BY") for name in names]
    if tuple(sorted({each.places[0] for each in keys})) not in query.tabulation.sets:
        raise reader.script.error("the table does not have this grouping set; hint: add it to GROUP BY", start)
    return tuple(each.name for each in keys)


def _row(reader: Reader, query: TableQuery | None, word: str) -> NamedRow:
    start, row = reader.place, list[tuple[str, tuple[str, ...]]]()
    reader.expect(
        "(",
        f"before the values of a row; hint: write {_SETS} or {_ROWS}"
        if word == "SHOW"
        else f"after {word}; hint: write {_ROWS}",
    )
    if not reader.skip(")"):
        row = reader.separated(lambda: _values(reader))
        reader.expect(")", "after the values of the row")
    found = tuple(row)
    reader.checked(lambda: check_names(found), start)
    if query is not None:  # the tables of a policy are not known
        table = query.tabulation
        reader.checked(lambda: values_of(found, table), start)
        if word != "IMPOSSIBLE":
            reader.checked(lambda: check_rows([found], table), start)
    return found


def _values(reader: Reader) -> tuple[str, tuple[str, ...]]:
    name = column_name(reader, _ROWS)
    if reader.skip("="):
        return name, (_value(reader),)
    if not reader.skip("IN", "("):
        raise reader.error(f"expected = or IN; hint: write {_ROWS}")
    found = reader.separated(lambda: _value(reader))
    reader.expect(")", "after the values")
    return name, tuple(found)


def _value(reader: Reader) -> str:
    """Read a value as the table shows it: a text, a number, or true and false."""
    if reader.kind is TokenType.STRING:
        return reader.unquote()
    if reader.word in {"TRUE", "FALSE"}:
        reader.place += 1
        return reader.script.spelled(reader.place - 1).lower()
    sign = "-" * reader.skip("-")
    number = reader.decimal()
    if number is None:
        raise reader.error(f"expected a value; hint: write {_ROWS}")
    return sign + number
