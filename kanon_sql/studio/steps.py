"""The steps from a file to a release, and the state of each."""

from __future__ import annotations

from dataclasses import dataclass

STATES = {"done": "done", "todo": "to do", "attention": "needs attention"}
"""The states of a step, in words."""


@dataclass(frozen=True, slots=True)
class Step:
    """A page of the studio."""

    path: str
    name: str


OPEN, PEOPLE, COLUMNS, PROTECTION, RESULT, HAND_OVER = STEPS = (
    Step("/", "Open"),
    Step("/people", "People"),
    Step("/columns", "Columns"),
    Step("/protection", "Protection"),
    Step("/result", "Result"),
    Step("/hand-over", "Hand over"),
)
"""The steps in their order."""

COUNTS, TABLES, LEDGER = ASIDE = (
    Step("/counts", "Table of counts"),
    Step("/tables", "Several tables"),
    Step("/ledger", "Published tables"),
)
"""Pages beside the steps."""


def before(path: str) -> Step | None:
    """Return the step before the one at a path; None if there is none."""
    place = _place(path)
    return STEPS[place - 1] if place is not None and place > 0 else None


def behind(path: str) -> Step | None:
    """Return the step after the one at a path; None if there is none."""
    place = _place(path)
    return STEPS[place + 1] if place is not None and place + 1 < len(STEPS) else None


def _place(path: str) -> int | None:
    return next((number for number, each in enumerate(STEPS) if each.path == path), None)
