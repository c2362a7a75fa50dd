"""Tables in spreadsheets: Excel (.xlsx, .xlsm, .xls) and OpenDocument (.ods) files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import MissingPackageError, SourceError, hint_of, raise_alone

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from kanon_sql.engines.duckdb.files.places import Place


def load_workbook(con: Any, place: Place, into: str) -> list[str]:
    """Copy a sheet into a connection, and return a note for each column that is called otherwise than there.

    Parameters
    ----------
    place : Place
        The file; its table is the name of a sheet, by default the only one that is not empty.
    into : str
        Name of the table to create.

    Raises
    ------
    SourceError
        When it cannot be read, or does not say which sheet is meant.
    MissingPackageError
        When python-calamine is not installed.

    Notes
    -----
    Types are those of the cells: whole numbers, numbers, dates, times, truth values, texts. A column with cells of several
    types is one of texts. An empty cell is NULL.
    """
    import pyarrow as pa

    rows = _rows(place)
    names, notes = _names(rows[0])
    table = pa.table({name: _column([row[number] for row in rows[1:]]) for number, name in enumerate(names)})
    con.register("kanon#sheet", table)
    con.execute(f'CREATE TABLE {quoted(into)} AS FROM "kanon#sheet"')
    con.unregister("kanon#sheet")
    return notes


def _rows(place: Place) -> list[list[Any]]:
    """Return the cells of a sheet from its first row on that is not empty."""
    sheets = _sheets(place.path)
    full = [name for name, rows in sheets.items() if rows]
    chosen = place.table or (full[0] if len(full) == 1 else None)
    if chosen is None:
        some = f"several sheets: {', '.join(full)}; hint: choose one, as in {place.path.name}::{full[0]}" if full else "no rows"
        raise SourceError(f"{place} has {some}")
    if not sheets.get(chosen):
        raise SourceError(
            f"{place.path} has no sheet {chosen} with rows; hint: {hint_of(chosen, full, 'use one of ' + ', '.join(full))}"
        )
    return sheets[chosen]


def sheets_in(path: Path) -> list[str]:
    """Return the names of the sheets of a workbook that have rows.

    Raises
    ------
    SourceError
        When it cannot be read.
    MissingPackageError
        When python-calamine is not installed.
    """
    return [name for name, rows in _sheets(path).items() if rows]


def _sheets(path: Path) -> dict[str, list[list[Any]]]:
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ModuleNotFoundError:
        raise_alone(MissingPackageError.of("a spreadsheet", "python-calamine", "excel", ", or save it as CSV"))
    try:
        with CalamineWorkbook.from_path(path) as book:
            return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}
    except (CalamineError, OSError, ValueError):
        raise_alone(SourceError(f"{path} is not a readable spreadsheet; hint: remove its password, or save it as CSV"))


def _names(row: Sequence[Any]) -> tuple[list[str], list[str]]:
    """Return the names of columns, unlike each other, with notes: named as those of CSV files."""
    given = ["" if cell is None else _text(cell).strip() for cell in row]
    twice = Counter(name.casefold() for name in given)
    names: list[str] = []
    notes = []
    for number, own in enumerate(given):
        name, again = own or f"column{number}", 0
        while name.casefold() in {each.casefold() for each in names}:
            again += 1
            name = f"{own or f'column{number}'}_{again}"
        names.append(name)
        if name != own:
            why = "has the name of another column" if own and twice[own.casefold()] > 1 else "has no name"
            notes.append(f"column {number + 1} {why}; it is now called {name}")
    return names, notes


def _column(cells: Sequence[Any]) -> pa.Array:
    """Return the cells of a column with the type that all of them have, else as texts."""
    import pyarrow as pa

    held = [None if cell == "" else cell for cell in cells]
    kinds = {type(cell) for cell in held if cell is not None}
    if kinds <= {int, float}:
        numbers = [cell for cell in held if cell is not None]
        whole = all(float(cell).is_integer() and abs(cell) < 1 << 53 for cell in numbers)
        kind = pa.int64() if whole and numbers else pa.float64() if numbers else pa.string()
        return pa.array([cell if cell is None or not whole else int(cell) for cell in held], kind)
    if kinds <= {date, datetime}:
        return pa.array(held, pa.date32() if kinds == {date} else pa.timestamp("us"))
    if kinds == {bool}:
        return pa.array(held, pa.bool_())
    return pa.array([None if cell is None else _text(cell) for cell in held], pa.string())


def _text(cell: Any) -> str:
    """Return a cell as a sheet shows it."""
    if isinstance(cell, bool):
        return str(cell).lower()
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
