"""The part of the page Protection with what is guaranteed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nicegui import ui

from kanon_sql.clause import guarantee_of
from kanon_sql.errors import PolicyError
from kanon_sql.model.requirements import KAnonymity, KMap, KnownColumns, People, Requirement
from kanon_sql.model.validation import as_identifier, fraction
from kanon_sql.studio.draft import SENSITIVE, Draft
from kanon_sql.studio.pages.frame import panel
from kanon_sql.studio.session import Session

Changed = Callable[[Callable[[], Draft]], None]
"""Takes what makes the next draft."""

_ADDED = {
    "No value makes up more than half of a class (l-diversity)": "l({}) >= 2",
    "Each class has at least two different values (distinct l-diversity)": "l({}, 'distinct') >= 2",
    "Each class has about the same values as the whole table (t-closeness)": "t({}) <= 0.3",
    "No value is much more frequent in a class than in the table (beta-likeness)": "beta({}) <= 2",
    "No value is much more or much less frequent in a class (delta-disclosure)": "delta({}) <= 2",
}
"""The guarantees about a sensitive column that the form adds, as the clause writes them."""

_SLIDERS = {"k": (2, 50, 1), "l": (2, 10, 1), "t": (0, 1, 0.01), "beta": (0, 10, 0.1), "delta": (0, 5, 0.1)}
"""The thresholds that have a slider: from, to, and the step."""

_MANY = 3
"""Quasi-identifiers above which an attacker who knows only some of them is offered."""


def guarantees(session: Session, columns: list[str], changed: Changed) -> None:
    """Show the guarantees, each with its threshold and its meaning, and what can be added."""
    unit = "people" if session.draft.policy.people is not None or session.draft.policy.per_row else "rows"
    lead = f"A class contains the {unit} with the same released values in all protected columns. They are indistinguishable."
    with panel("Guarantee", lead):
        for place, each in enumerate(session.draft.policy.requirements):
            _requirement(session, place, each, changed)
        _fewer(session, changed)
    sensitive = [name for name in columns if session.draft.role(name) == SENSITIVE]
    with panel("Add a guarantee", "" if sensitive else "Mark a column as sensitive on the Columns page to protect its values."):
        _add(session, sensitive, changed)


def _requirement(session: Session, place: int, each: Requirement, changed: Changed) -> None:
    requested: Any = each.of if isinstance(each, KnownColumns) and each.of is not None else each
    threshold = "k" if isinstance(requested, KAnonymity | People | KnownColumns | KMap) else requested.written.threshold
    with ui.element("div").classes("line requirement"):
        with ui.element("div").classes("grow"):
            ui.label(each.meaning())
            ui.label(each.describe()).classes("muted small")
        value = float(getattr(requested, threshold))
        number = ui.number(threshold, value=int(value) if value == int(value) else value, min=0).style("width:5rem")

        def act() -> Draft:
            if number.value is None:
                raise PolicyError(f"{threshold} is empty; hint: enter a number")
            given = int(number.value) if threshold == "k" else fraction(number.value, threshold)
            again: Any = replace(requested, **{threshold: given})
            if isinstance(each, KnownColumns) and requested is not each:
                again = replace(each, of=again)
            return session.draft.with_requirement(place, again)

        number.on("change", lambda: changed(act))
        if threshold in _SLIDERS:
            least, most, step = _SLIDERS[threshold]
            slider = ui.slider(min=least, max=max(most, value), step=step, value=value).style("width:6rem")
            slider.props["aria-label"] = f"Slider of {threshold} of line {place + 1}"

            def slid() -> None:
                number.set_value(slider.value)
                changed(act)

            slider.on("change", slid)
        if len(session.draft.policy.requirements) > 1:
            ui.button("Remove", on_click=lambda: changed(lambda: session.draft.with_requirement(place, None))).props(
                f'flat aria-label="Remove {threshold} of line {place + 1}"'
            )


def _add(session: Session, columns: list[str], changed: Changed) -> None:
    def last(text: str) -> None:
        changed(lambda: session.draft.with_requirement(len(session.draft.policy.requirements), guarantee_of(text)))

    if columns:
        with ui.element("div").classes("line"):
            column = ui.select(columns, label="Sensitive column", value=columns[0]).classes("grow")
            kind = ui.select(list(_ADDED), label="Guarantee", value=next(iter(_ADDED))).classes("grow")
            ui.button("Add", on_click=lambda: last(_ADDED[kind.value].format(as_identifier(column.value)))).props("outline")
    with ui.element("div").classes("line"):
        text = ui.input("Another guarantee, as the statement writes it", placeholder="alpha(disease, 'HIV') <= 1/5").classes(
            "grow"
        )
        ui.button("Add it", on_click=lambda: last(text.value or "")).props("outline")


def _fewer(session: Session, changed: Changed) -> None:
    policy = session.draft.policy
    if len(policy.quasi_identifiers) <= _MANY or any(isinstance(each, KnownColumns) for each in policy.requirements):
        return

    def act() -> Draft:
        others = [each for each in policy.requirements if not isinstance(each, KAnonymity | People)]
        k, people = policy.least_class_size, policy.people
        known = KnownColumns.against(k if people is None else People(k=k, per=people.per), _MANY)
        rows = [KAnonymity(k=1, per_row=True)] if policy.per_row else []
        return session.draft.with_policy(replace(policy, requirements=(*rows, known, *others)))

    ui.button(f"The attacker knows any {_MANY} columns only", on_click=lambda: changed(act)).props("flat")
