"""How the results of statements are shown: the output modes of DuckDB's shell, its timer, and how many rows a table has."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from kanon_sql.cli.terminal import table_of
from kanon_sql.model.how_many import how_many
from kanon_sql.model.printable import printable

if TYPE_CHECKING:
    from rich.console import Console

Row = tuple[Any, ...]

_WIDEST = 40
"""Characters that a column of a drawn table may ask for; longer cells are folded. A third of a narrow screen."""


@dataclass(slots=True)
class Display:
    """What a person has chosen to see."""

    mode: str = "auto"  # one of `MODES`; ``'auto'`` draws tables on a terminal and writes lines with tabs elsewhere
    timer: bool = False  # whether each statement tells how long it took
    maximum_rows: int = 40  # rows of a drawn table; every other mode shows all of them

    def show(self, names: list[str], rows: Iterator[Row], console: Console) -> None:
        """Show a result, which is read as it is written."""
        mode = self.mode
        if mode == "auto":
            mode = "duckbox" if console.is_terminal else "tabs"
        if mode == "duckbox":
            self._draw(names, rows, console)
            return
        # Written past the console, which would wrap long lines.
        for line in MODES[mode](names, rows):
            console.file.write(f"{printable(line) if console.is_terminal else line}\n")

    def _draw(self, names: list[str], rows: Iterator[Row], console: Console) -> None:
        shown = list(islice(rows, self.maximum_rows))
        more = sum(1 for _ in rows)
        fitting = _fitting(names, shown, console.width)
        console.print(table_of(names[:fitting], (row[:fitting] for row in shown)))
        counted = how_many(len(shown) + more, "row")
        counted += f" ({len(shown)} shown)" if more else ""
        if fitting < len(names):
            counted += f", {len(names)} columns ({fitting} shown; .mode line shows all)"
        console.print(f"[dim]{counted}[/dim]")

    @contextmanager
    def timed(self, console: Console) -> Iterator[None]:
        """Tell how long the work inside took, if the timer is on."""
        began, clock = time.perf_counter(), os.times()
        try:
            yield
        finally:
            if self.timer:
                now = os.times()
                real, user, system = time.perf_counter() - began, now.user - clock.user, now.system - clock.system
                console.out(f"Run Time (s): real {real:.3f} user {user:.3f} sys {system:.3f}", highlight=False)


def _fitting(names: list[str], rows: list[Row], width: int) -> int:
    """Return how many of the columns, from the left, a drawn table of this width has space for."""
    left = width - 1
    for place, name in enumerate(names):
        cells = (len(printable(row[place])) for row in rows if row[place] is not None)
        left -= 3 + min(_WIDEST, width // 3, max(chain((len(name), 4), cells)))
        if left < 0:
            return max(1, place)
    return len(names)


def _texts(row: Row) -> Iterator[str]:
    return ("NULL" if value is None else printable(value) for value in row)


def _tabs(names: list[str], rows: Iterable[Row]) -> Iterator[str]:
    return ("\t".join(_texts(row)) for row in chain((tuple(names),), rows))


def _list(names: list[str], rows: Iterable[Row]) -> Iterator[str]:
    return ("|".join(_texts(row)) for row in chain((tuple(names),), rows))


def _line(names: list[str], rows: Iterable[Row]) -> Iterator[str]:
    widest = max(map(len, names), default=0)
    for number, row in enumerate(rows):
        if number:
            yield ""
        yield from (f"{printable(name):>{widest}} = {text}" for name, text in zip(names, _texts(row), strict=True))


def _markdown(names: list[str], rows: Iterable[Row]) -> Iterator[str]:
    def written(row: Row) -> str:
        return f"| {' | '.join(text.replace('|', chr(92) + '|') for text in _texts(row))} |"

    yield written(tuple(names))
    yield f"|{'|'.join('---' for _ in names)}|"
    yield from map(written, rows)


def _csv(names: list[str], rows: Iterable[Row]) -> Iterator[str]:
    def cell(value: object) -> str:
        text = "" if value is None else str(value)
        quoted = value == "" or any(sign in text for sign in ',"\r\n')
        return f'"{text.replace(chr(34), chr(34) * 2)}"' if quoted else text

    return (",".join(map(cell, row)) for row in chain((tuple(names),), rows))


def _jsonlines(names: list[str], rows: Iterable[Row]) -> Iterator[str]:
    return (json.dumps(dict(zip(names, row, strict=True)), default=_plain, ensure_ascii=False) for row in rows)


def _json(names: list[str], rows: Iterable[Row]) -> Iterator[str]:
    held = None
    for line in _jsonlines(names, rows):
        if held is not None:
            yield f"{held},"
        held = f"{'[' if held is None else ' '}{line}"
    yield "[]" if held is None else f"{held}]"


def _plain(value: object) -> object:
    """Return what JSON has in the place of a value; a decimal is a number where that is exact."""
    if isinstance(value, Decimal) and value.is_finite() and Decimal(repr(float(value))) == value:
        return float(value)
    return str(value)


MODES: dict[str, Callable[[list[str], Iterable[Row]], Iterator[str]]] = {
    "csv": _csv,
    "json": _json,
    "jsonlines": _jsonlines,
    "line": _line,
    "list": _list,
    "markdown": _markdown,
    "tabs": _tabs,
}
"""The modes that write lines, each with what yields them."""
