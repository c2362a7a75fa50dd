"""What a person sees on a terminal: tables of results, lists of figures, progress."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from kanon_sql.errors import KanonWarning
from kanon_sql.model.how_many import how_many
from kanon_sql.model.printable import printable, without_controls

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from kanon_sql.certificate import Certificate
    from kanon_sql.solvers.budget import Moment

MAX_CELL = 80
"""Characters of a cell that a person sees."""

_PATIENCE = 2.0
"""Seconds after which a statement without a release shows that it is running."""

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


def lines_of(names: Iterable[str], rows: Iterable[Iterable[object]], *, title: str) -> Any:
    """Return a table without frames, one line a row if the terminal is wide enough."""
    table = table_of(names, rows, title=title)
    table.box, table.pad_edge, table.padding = None, False, (0, 1, 0, 0)
    return table


def grid_of(pairs: Iterable[tuple[str, object]]) -> Table:
    """Return names and values side by side, without lines."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    for name, value in pairs:
        text = "-" if value is None else without_controls(str(value))
        grid.add_row(Text(without_controls(name), style="cyan"), Text(text, overflow="fold"))
    return grid


def _parts() -> tuple[Any, ...]:
    """Return the columns of a progress bar."""
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

    return SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()


class Step(Protocol):
    """Hears of what a command is doing."""

    def __call__(self, step: str, moment: Moment | None = None, /) -> None:
        """Hear of one of `STEPS`, and while it solves of where the solver stands."""


@contextmanager
def progress(shown: bool) -> Iterator[Step]:
    """Give a function that announces a step and where a solver stands; a bar shows it on a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not (shown and console.is_terminal):
        yield lambda _step, _moment=None: None
        return
    with Progress(*_parts(), console=console, transient=True) as bar:
        task = bar.add_task("", total=len(STEPS))
        furthest = 0.0

        def announce(step: str, moment: Moment | None = None, /) -> None:
            nonlocal furthest
            description = step if moment is None else f"{step}: {moment}"
            furthest = max(furthest, STEPS.index(step) + (moment.done if moment else 0.0))
            bar.update(task, description=description, completed=furthest)

        yield announce


@contextmanager
def busy(work: str, *, shown: bool = True) -> Iterator[None]:
    """Show on a terminal what a command is doing, and for how long, while its length is not known."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not (shown and console.is_terminal):
        yield
        return
    with Progress(*_parts(), console=console, transient=True) as bar:
        bar.add_task(work, total=None)
        yield


@contextmanager
def searching(work: str) -> Iterator[Callable[[Moment], None]]:
    """Give a function that hears where a search stands; a bar shows it on a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _moment: None
        return
    with Progress(*_parts(), console=console, transient=True) as bar:
        task = bar.add_task(work, total=1.0)
        yield lambda moment: bar.update(task, description=printable(str(moment)), completed=moment.done)


@contextmanager
def release_bar(shown: bool) -> Iterator[Callable[[str, int, int, Moment | None], None]]:
    """Give a function that announces the releases of a database, one after the other; a bar shows it on a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not (shown and console.is_terminal):
        yield lambda _name, _done, _count, _moment: None
        return
    with Progress(*_parts(), console=console, transient=True) as bar:
        task = bar.add_task("")

        def announce(name: str, done: int, count: int, moment: Moment | None) -> None:
            description = f"{name} ({done} of {count})" if moment is None else f"{name} ({done} of {count}): {moment}"
            bar.update(task, description=printable(description), completed=done + (moment.done if moment else 0), total=count)

        yield announce


def without_bar(con: Any) -> Any:
    """Return a connection that draws no progress bar of DuckDB's own, which would cross ours."""
    con.execute("SET enable_progress_bar_print = false")
    return con


@contextmanager
def shown_warnings() -> Iterator[None]:
    """Show the warnings of releases on the standard error, also where a command is quiet."""

    def show(message: Warning | str, category: type[Warning], *place: Any) -> None:
        from rich.console import Console
        from rich.text import Text

        if not isinstance(message, KanonWarning):
            plain(message, category, *place)
            return
        console = Console(stderr=True, highlight=False)
        for each in message.warnings:
            console.print(Text(without_controls(f"warning: {each}"), style="yellow"), soft_wrap=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", KanonWarning)
        plain: Callable[..., None] = warnings.showwarning
        warnings.showwarning = show  # type: ignore[assignment] # it hands the place on as it came
        yield


@contextmanager
def solving(con: Any, console: Console) -> Iterator[Callable[[], None]]:
    """Show on a terminal where the solver of a running release stands, and give a function that ends this: rows come then.

    Any other statement that takes long shows that it is running.
    """
    import threading

    from rich.progress import Progress

    if not console.is_terminal:
        yield lambda: None
        return
    bar = Progress(*_parts(), console=console, transient=True)
    task = bar.add_task("running", total=None)
    patience = threading.Timer(_PATIENCE, bar.start)
    patience.daemon = True
    furthest = 0.0

    def hear(moment: Moment) -> None:
        nonlocal furthest
        furthest = max(furthest, moment.done)
        bar.update(task, description=str(moment), completed=furthest, total=1.0)
        bar.start()

    def end() -> None:
        patience.cancel()
        patience.join()  # a bar that begins just now would never end
        bar.stop()

    con.watch(hear)
    patience.start()
    try:
        yield end
    finally:
        con.watch(None)
        end()


def release_line(certificate: Certificate) -> str:
    """Return what became of a release in one line."""
    parts = (
        f"release {certificate.number}: {' AND '.join(certificate.requirements)}",
        f"{certificate.suppressed_cells:,} of {certificate.cells:,} cells suppressed ({certificate.suppressed_share:.1%})",
        f"cost {float(certificate.cost):,.12g}, {certificate.saving}",
        f"{how_many(certificate.classes or 0, 'class', 'classes')}, the smallest of {certificate.smallest}",
        f"{certificate.seconds:.2f} s",
    )
    return "; ".join(parts)
