"""The page Protection: what is guaranteed and how to search, by form and by statement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nicegui import run, ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.model.policy_checks import EFFORTS, ROW_ORDERS
from kanon_sql.model.template import TEMPLATES
from kanon_sql.model.validation import fraction
from kanon_sql.solvers.registry import algorithms
from kanon_sql.studio.pages.frame import Page, counted_table, note, page, paragraph, tried
from kanon_sql.studio.pages.guarantees import Changed, guarantees
from kanon_sql.studio.pages.masks import linked, masks
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source
from kanon_sql.studio.steps import COLUMNS, PROTECTION, RESULT
from kanon_sql.studio.under_rule import changes, under_rule

_DRESSED = """
for (const each of document.querySelectorAll('.cm-content')) each.setAttribute('aria-label', 'Statement');
return document.body.classList.contains('body--dark');
"""

_WAIT = 0.6
"""Seconds without a key after which an edited statement is read."""

_FULL_DOMAIN = "full_domain"


def build(session: Session) -> None:
    """Register the page."""

    @ui.page("/protection")
    async def protection() -> None:
        editor: _Editor | None = None

        def anonymize() -> None:
            if editor is not None and (wrong := editor.read()) is not None:
                note(f"The statement cannot be read, so nothing was started. {wrong}")
                return
            session.confirm(PROTECTION.path)
            if tried(session.solve):
                ui.navigate.to(RESULT.path)

        lead = "Choose what the release guarantees. The search then finds the release that loses the least."
        with page(session, PROTECTION.path, "Protection", lead, act=("Anonymize", anonymize)) as shown:
            source = await counted_table(session)
            if source is not None:
                editor = _Editor(session, source, shown)
                editor.show()


class _Editor:
    """The form, and the statement below it; a change of one changes the other."""

    def __init__(self, session: Session, source: Source, shown: Page) -> None:
        self.session, self.source, self.page = session, source, shown
        self.opened: set[str] = set()

    def show(self) -> None:
        """Show both."""
        self.form()
        self._statement()

    def changed(self, act: Callable[[], Any]) -> None:
        """Change the statement by the form."""
        try:
            draft = act()
            text = draft.statement
        except Exception as error:
            note(error_line(error))
        else:
            self.session.draft = draft
            self.code.set_value(text)
            self._show_message(None)
        self.form.refresh()

    def _statement(self) -> None:
        with ui.expansion("SQL of this step: edit it, or use the form").classes("fold"):
            self.code = ui.codemirror(
                self.session.draft.statement,
                language="SQL",
                theme="githubLight",
                line_wrapping=True,
                on_change=lambda: self._edited(),
            )
            ui.timer(0, self._dressed, once=True)
            self.words = ui.label("").classes("bad").props("role=status")
            with ui.element("div").classes("line"):
                self.undo = ui.button("Undo", on_click=lambda: self._moved(self.session.undo)).props("outline")
                self.redo = ui.button("Redo", on_click=lambda: self._moved(self.session.redo)).props("outline")
            self.timer = ui.timer(_WAIT, self.read, active=False, once=False)
        self._show_message(None)

    async def _dressed(self) -> None:
        """Give the editor its name and the colours of the page, which only the browser knows."""
        if await ui.run_javascript(_DRESSED, timeout=20):
            self.code.set_theme("githubDark")

    def _moved(self, act: Callable[[], None]) -> None:
        act()
        self.code.set_value(self.session.draft.statement)
        self._show_message(None)
        self.form.refresh()

    def _edited(self) -> None:
        """Wait until the person stops typing."""
        self.timer.deactivate()
        self.timer.activate()

    def read(self) -> str | None:
        """Take over what is typed; return why it cannot be read, if so."""
        self.timer.deactivate()
        text, wrong = self.code.value, None
        if " ".join(text.split()) != " ".join(self.session.draft.statement.split()):
            try:
                draft = self.session.draft.read(text)
                self.source.check(draft.query)
            except Exception as error:
                wrong = error_line(error)
            else:
                self.session.draft = draft
                self.form.refresh()
        self._show_message(wrong)
        return wrong

    def _show_message(self, words: str | None) -> None:
        self.words.set_text("" if words is None else f"The form shows the last statement that could be read. {words}")
        self.undo.set_enabled(self.session.undoable)
        self.redo.set_enabled(self.session.redoable)
        self.page.changed()

    @ui.refreshable_method
    def form(self) -> None:
        """Show the form."""
        names = [each.column for each in self.session.draft.policy.quasi_identifiers]
        with ui.element("div").classes("line"):
            ui.label(f"Protected columns: {', '.join(names)}").classes("grow muted")
            ui.link("Change the columns", COLUMNS.path)
        guarantees(self.session, self.source.columns, self.changed)
        with self._fold("Start from a rule, such as HIPAA"), ui.element("div").classes("line"):
            rule = ui.select(list(TEMPLATES), label="Rule").classes("grow")
            ui.button("Show what it changes", on_click=lambda: self._started(rule.value)).props("outline").bind_enabled_from(
                rule, "value"
            )
        with self._fold("Which cells of a row may be suppressed"):
            masks(self.session, self.changed)
            linked(self.session, self.changed)
        with self._fold("Search and output"):
            searching(self.session, self.changed)

    def _fold(self, title: str) -> Any:
        """Show a part that stays open while the form is drawn again."""
        part = ui.expansion(title, value=title in self.opened).classes("fold")
        part.on_value_change(lambda event: (self.opened.add if event.value else self.opened.discard)(title))
        return part

    async def _started(self, rule: str) -> None:
        """Show what a rule would change, and change it if the person agrees; Undo brings the former statement back."""
        try:
            policy, dropped = await run.io_bound(self.source.under_template, rule) or self.source.first_policy
            after = under_rule(self.session.draft, policy, dropped)
            differences = changes(self.session.draft, after)
        except Exception as error:
            note(error_line(error))
            return

        def apply() -> None:
            dialog.close()
            self.changed(lambda: after)

        with ui.dialog(value=True) as dialog, ui.card():
            with ui.element("h2"):
                ui.label(f"What {rule} changes")
            paragraph("Existing guarantees stay: the larger k, PER, dropped columns.", "muted")
            with ui.element("pre").classes("sql"):
                ui.label("\n".join(differences) or "Nothing.")
            with ui.element("div").classes("line"):
                ui.button("Apply", on_click=apply)
                ui.button("Cancel", on_click=dialog.close).props("outline")


def searching(session: Session, changed: Changed) -> None:
    """Show the options after USING."""
    policy = session.draft.policy

    def put(parts: Callable[[], dict[str, Any]]) -> None:
        changed(lambda: session.draft.with_policy(replace(policy, **parts())))

    with ui.element("div"):
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
