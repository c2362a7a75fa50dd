"""The part of the page Policy with how to search, and how suppressed cells and rows are released."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nicegui import ui

from kanon_sql.model.policy_checks import EFFORTS, ROW_ORDERS
from kanon_sql.model.validation import fraction
from kanon_sql.solvers.registry import algorithms
from kanon_sql.studio.pages.frame import panel
from kanon_sql.studio.pages.guarantees import Changed
from kanon_sql.studio.session import Session

_FULL_DOMAIN = "full_domain"


def searching(session: Session, changed: Changed) -> None:
    """Show the options after USING."""
    policy = session.draft.policy

    def put(parts: Callable[[], dict[str, Any]]) -> None:
        changed(lambda: session.draft.with_policy(replace(policy, **parts())))

    with panel("Search"):
        with ui.element("div").classes("line"):
            ui.select(
                algorithms(),
                label="Algorithm",
                value=policy.algorithm,
                on_change=lambda event: put(
                    lambda: {
                        "algorithm": event.value,
                        "max_suppressed": policy.max_suppressed if event.value == _FULL_DOMAIN else None,
                    }
                ),
            ).classes("grow")
            ui.select(
                list(EFFORTS),
                label="Effort",
                value=policy.effort,
                on_change=lambda event: put(lambda: {"effort": event.value}),
            ).classes("grow")
            limit = ui.number("Time limit in seconds", value=policy.time_limit, min=1).classes("grow")
            limit.on("change", lambda: put(lambda: {"time_limit": limit.value}))
        with ui.element("div").classes("line"):
            text = ui.input("Text of suppressed cells", value=policy.suppress or "", placeholder="NULL").classes("grow")
            text.on("change", lambda: put(lambda: {"suppress": text.value or None}))
            ui.select(
                list(ROW_ORDERS),
                label="Order of the rows",
                value=policy.row_order,
                on_change=lambda event: put(lambda: {"row_order": event.value}),
            ).classes("grow")
            if policy.algorithm == _FULL_DOMAIN:
                rows = ui.number(
                    "Share of rows that may be suppressed", value=float(policy.max_suppressed or 0), min=0, max=1, step=0.01
                ).classes("grow")
                rows.on("change", lambda: put(lambda: {"max_suppressed": fraction(rows.value or 0, "the share of rows")}))
