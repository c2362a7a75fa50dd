"""What a person sees on a terminal: tables of results, lists of figures, progress."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from kanon_sql.report.text import printable

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from kanon_sql.solvers.budget import Moment

MAX_CELL = 80
"""Characters of a cell that a person sees."""

STEPS = ("reading", "solving", "writing", "auditing")


def cell(value: object) -> Text:
    """Return a cell for a rich table: NULL is dim, a long text is cut."""
    from rich.text import Text

    if value is None:
        return Text("NULL", style="dim italic")
    text = printable(value)
    return Text(text if len(text) <= MAX_CELL else text[: MAX_CELL - 1] + "…")


def table_of(names: Iterable[str], rows: Iterable[Iterable[object]], *, title: str | None = None) -> Any:
    """Return a rich table; columns of numbers are aligned to the right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    cells = [list(row) for row in rows]
    table = Table(title=title, title_justify="left", title_style="bold", box=box.ROUNDED, header_style="bold cyan")
    for position, name in enumerate(names):
        values = [row[position] for row in cells if row[position] is not None]
        numbers = bool(values) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        table.add_column(Text(printable(name)), justify="right" if numbers else "left", overflow="fold")
    for row in cells:
        table.add_row(*map(cell, row))
    return table


def grid_of(pairs: Iterable[tuple[str, object]]) -> Table:
    """Return names and values side by side, without lines."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    for name, value in pairs:
        grid.add_row(Text(name, style="cyan"), Text("-" if value is None else str(value), overflow="fold"))
    return grid


class Step(Protocol):
    """Hears of what a command is doing."""

    def __call__(self, step: str, moment: Moment | None = None, /) -> None:
        """Hear of one of `STEPS`, and while it solves of where the solver stands."""


@contextmanager
def progress(shown: bool) -> Iterator[Step]:
    """Give a function that announces a step and where a solver stands; a bar shows it on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not (shown and console.is_terminal):
        yield lambda _step, _moment=None: None
        return
    parts = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*parts, console=console, transient=True) as bar:
        task = bar.add_task("", total=len(STEPS))

        def announce(step: str, moment: Moment | None = None, /) -> None:
            description = step if moment is None else f"{step}: {moment}"
            bar.update(task, description=description, completed=STEPS.index(step) + (moment.done if moment else 0.0))

        yield announce
