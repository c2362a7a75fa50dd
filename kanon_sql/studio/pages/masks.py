"""The part of the page Protection with masks and linked columns: what may be suppressed in one row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nicegui import ui

from kanon_sql.errors import PolicyError
from kanon_sql.model.masks import columns_of
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import fraction
from kanon_sql.studio.masks import ANY, KINDS, of_kind, suppressed_columns, with_costs, with_mask
from kanon_sql.studio.pages.frame import panel, paragraph
from kanon_sql.studio.pages.guarantees import Changed
from kanon_sql.studio.session import Session

_LISTED = "only the listed masks"
"""What the form says if masks are permitted that are not all."""

_MOST = 30
"""Masks that the form lists; the others are in the statement."""


def masks(session: Session, changed: Changed) -> None:
    """Show the permitted masks."""
    policy = session.draft.policy

    def put(act: Callable[[], Policy]) -> None:
        changed(lambda: session.draft.with_policy(act()))

    with panel("Masks"):
        paragraph("A mask is the set of columns that a row shows. The others are suppressed in this row.", "muted")
        kinds = list(KINDS) if policy.masks is None else [_LISTED, *KINDS]
        ui.select(
            kinds,
            label="Permitted masks",
            value=ANY if policy.masks is None else _LISTED,
            on_change=lambda event: put(lambda: of_kind(policy, event.value)),
        ).classes("full")
        for place in range(min(_MOST, len(policy.masks or ()))):
            _mask(policy, place, put)
        if len(policy.masks or ()) > _MOST:
            paragraph(f"The first {_MOST} of {len(policy.masks or ())} masks. The others are in the statement.", "muted")
        if policy.masks is not None:
            _more(policy, put)


def _mask(policy: Policy, place: int, put: Callable[[Callable[[], Policy]], None]) -> None:
    """Show a mask."""
    names = [qi.column for qi in policy.quasi_identifiers]
    with ui.element("div").classes("line"):
        before = list(columns_of((policy.masks or ())[place]))
        label = f"Mask {place + 1} shows" if before else f"Mask {place + 1} shows nothing"
        shown = ui.select(names, label=label, value=before, multiple=True).classes("grow").props("use-chips")
        opened = {"list": False}

        def chosen() -> None:
            if not opened["list"] and set(shown.value or []) != set(before):
                put(lambda: with_mask(policy, place, [name for name in names if name in (shown.value or [])]))

        def toggled(now: bool) -> None:
            opened["list"] = now
            chosen()

        shown.on("popup-show", lambda: toggled(True))  # a form that is shown again would close the list
        shown.on("popup-hide", lambda: toggled(False))
        shown.on_value_change(chosen)
        if policy.mask_costs is not None:
            cost = ui.number("Cost", value=float(policy.mask_costs[place]), min=0).style("width:6rem")
            cost.props["aria-label"] = f"Cost of mask {place + 1}"

            def act() -> Policy:
                if cost.value is None:
                    raise PolicyError("the cost is empty; hint: enter a number of at least 0")
                costs = list(policy.mask_costs or ())
                costs[place] = fraction(cost.value, "the cost")
                return with_costs(policy, costs)

            cost.on("change", lambda: put(act))
        if len(policy.masks or ()) > 1:
            remove = ui.button("Remove", on_click=lambda: put(lambda: with_mask(policy, place, None))).props("flat")
            remove.props["aria-label"] = f"Remove mask {place + 1}"


def _more(policy: Policy, put: Callable[[Callable[[], Policy]], None]) -> None:
    """Show how to add a mask, and who says what a row costs."""
    with ui.element("div").classes("line"):
        names = [qi.column for qi in policy.quasi_identifiers]
        shown = ui.select(names, label="New mask shows", value=[], multiple=True).classes("grow").props("use-chips")
        ui.button(
            "Add the mask",
            on_click=lambda: put(
                lambda: with_mask(policy, len(policy.masks or ()), [name for name in names if name in shown.value])
            ),
        ).props("outline")
    ui.checkbox(
        "Set the cost of a row under each mask, instead of weights",
        value=policy.mask_costs is not None,
        on_change=lambda event: put(lambda: with_costs(policy, suppressed_columns(policy) if event.value else None)),
    )


def linked(session: Session, changed: Changed) -> None:
    """Show the linked columns."""
    policy = session.draft.policy
    names = [qi.column for qi in policy.quasi_identifiers]
    taken = {name for group in policy.linked for name in group}

    def put(groups: list[tuple[str, ...]]) -> None:
        changed(lambda: session.draft.with_policy(replace(policy, linked=tuple(groups))))

    if len(names) < 2:
        return
    with panel("Linked columns"):
        paragraph("Linked columns are shown together or suppressed together in each row, such as city and zip.", "muted")
        for place, group in enumerate(policy.linked):
            with ui.element("div").classes("line"):
                ui.label(", ".join(group)).classes("grow")
                unlink = ui.button(
                    "Unlink", on_click=lambda place=place: put([*policy.linked[:place], *policy.linked[place + 1 :]])
                ).props("flat")
                unlink.props["aria-label"] = f"Unlink {', '.join(group)}"
        free = [name for name in names if name not in taken]
        if len(free) > 1:
            with ui.element("div").classes("line"):
                chosen = ui.select(free, label="Columns to link", value=[], multiple=True).classes("grow").props("use-chips")
                ui.button("Link", on_click=lambda: put([*policy.linked, tuple(chosen.value or ())])).props("outline")
