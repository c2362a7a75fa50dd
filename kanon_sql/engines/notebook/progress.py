"""Live progress in a notebook: one line under the cell while a solver is at work."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kanon_sql.solvers.budget import Moment

PATIENCE = 0.5
"""Seconds of work before a line appears: most releases are done by then."""

INTERVAL = 0.2
"""Seconds between two updates."""


class LiveProgress:
    """A line that shows the step of a solver, and cost, bound and gap of the best release so far."""

    def __init__(self) -> None:
        self._next = time.monotonic() + PATIENCE
        self._display: Any = None
        self._last: Moment | None = None

    def __call__(self, moment: Moment) -> None:
        """Show a moment, unless the last one was shown just now."""
        self._last = moment
        if time.monotonic() >= self._next:
            self._show(bar=f'<progress aria-label="{escape(moment.step)}" max="1" value="{moment.done:.3f}"></progress> ')
            self._next = time.monotonic() + INTERVAL

    def close(self) -> None:
        """Leave the line as it was last, without the bar."""
        if self._display is not None:
            self._show(bar="")

    def _show(self, bar: str) -> None:
        text = str(self._last)
        data = {"text/plain": text, "text/html": f"<div>{bar}{escape(text)}</div>"}
        with suppress(Exception):  # a release does not fail because its progress cannot be shown
            if self._display is None:
                from IPython.display import display

                self._display = display(data, raw=True, display_id=True)  # type: ignore[no-untyped-call]
            else:
                self._display.update(data, raw=True)


def live_progress() -> LiveProgress | None:
    """Return a line of progress where this process is the kernel of a notebook, else None; IPython is never imported here."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return None if getattr(shell, "kernel", None) is None else LiveProgress()
