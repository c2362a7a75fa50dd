"""The lower half of the page Table of counts: the table, its verdict, what ends a refusal, and the folder it is saved in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import run, ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.model.how_many import how_many
from kanon_sql.studio.counted_table import CountedTable
from kanon_sql.studio.hand_over import FORMATS
from kanon_sql.studio.pages.frame import figures, note, panel, paragraph, rows_table, sql_text
from kanon_sql.studio.remedies import Remedy, plain_words, remedies
from kanon_sql.studio.search import FAILED, RELEASED
from kanon_sql.studio.session import Session

ROWS = 500
"""Rows of the table that the page shows."""

_FILES = {
    "certificate.json": "proves the guarantee; keep it with the source",
    "report.html": "explains the table to its readers; it may be published with it",
    "release.sql": "reproduces the table with kanon run",
    "release.sh": "reproduces the table on the command line",
    "verify.sh": "checks the table against the source and the certificate",
}
"""What each file of the folder is for."""


class CountResult:
    """The table of counts that was made last, or the one that was chosen among several."""

    def __init__(self, session: Session, repair: Callable[[Remedy], Awaitable[None]]) -> None:
        self.session, self.repair = session, repair
        self.seen: tuple[int, str, int] | None = None

    def watch(self) -> None:
        """Show what has changed."""
        table = self.session.counts.shown
        now = (id(table), "" if table is None else table.state, len(self.session.counts.made))
        if now != self.seen:
            self.seen = now
            self.show.refresh()

    @ui.refreshable_method
    async def show(self) -> None:
        """Show the table."""
        table = self.session.counts.shown
        if table is not None and table.state == FAILED:
            await self._refused(table)
        if table is not None and table.state == RELEASED:
            await self._made(table)
        self._all()

    async def _refused(self, table: CountedTable) -> None:
        ways = await run.io_bound(remedies, table, self.session.draft, discardable=bool(self.session.counts.discardable))
        with ui.element("div").classes("verdict bad").props("role=alert"):
            ui.label(f"There is no table yet: {plain_words(table)}." if ways else f"There is no table yet: {table.words}.")
            for each in ways or []:
                ui.button(each.words, on_click=lambda each=each: self.repair(each)).props("outline")

    async def _made(self, table: CountedTable) -> None:
        verdict, rows = await run.io_bound(lambda: (table.verdict(), table.shown(ROWS))) or ("", [])
        with ui.element("div").classes("verdict good").props("role=status"):
            ui.label(verdict)
        changed = table.form != self.session.counts.form or table.policy != self.session.draft.policy
        if changed:
            paragraph("The choices above have changed since this table was made.", "warn")
        with panel(f"Table: {table.title}"):
            form = table.form
            numbers = [table.unit, *([] if form.measure is None else [f"sum of {form.measure}"])]
            heads = [*form.keys, *numbers, "why suppressed"]
            if not table.suppressed[0]:
                heads, rows = heads[:-1], [row[:-1] for row in rows]
            rows_table(heads, rows, "Table of counts", numbers=numbers, empty="suppressed")
            if table.rows is not None and table.rows.num_rows > ROWS:
                paragraph(f"The first {ROWS} of {table.rows.num_rows:,} rows; the saved table has all of them.", "muted")
        self._save(table)
        with ui.expansion("Figures of the certificate").classes("fold"):
            figures(table.figures.items())
        if changed:
            sql_text(f"{table.statement};", "SQL of this table")

    def _save(self, table: CountedTable) -> None:
        with panel("Save the table"):
            if table.saved is not None:
                self._saved(table)
                return
            paragraph(
                "The table goes into a new folder with its certificate, a report and the texts that make it again. The folder "
                "appears only after all of it was checked against the source."
            )
            if self.session.demo:
                paragraph(
                    "The invented table is deleted when the studio ends; nothing can be verified against it then.", "muted"
                )
            with ui.element("div").classes("line"):
                name = f"{table.source.name}_counts"
                folder = ui.input("New folder", value=str(self.session.next_to_source(name))).classes("grow")
                ending = ui.select(list(FORMATS), label="Format", value=FORMATS[0]).style("min-width:8rem")

                async def write() -> None:
                    from kanon_sql.studio.saved_table import save  # reports load slowly, and few visits of the page save

                    button.set_enabled(False)
                    status.set_text("Saving and verifying ...")
                    try:
                        table.saved = await run.io_bound(save, table, folder.value, ending.value)
                    except Exception as error:
                        status.set_text("")
                        note(error_line(error))
                        button.set_enabled(True)
                    else:
                        self.show.refresh()

                button = ui.button("Save and verify", on_click=write)
            status = ui.label("").props("role=status").classes("muted")

    def _saved(self, table: CountedTable) -> None:
        saved = table.saved
        if saved is None:
            return
        with ui.element("div").classes("verdict good").props("role=status"):
            ui.label(f"Verified. The table is in {saved.folder}.")
        figures((name, _FILES.get(name, "the table")) for name in saved.files)
        with ui.expansion("What was verified").classes("full"):
            figures(saved.verified.items())

    def _all(self) -> None:
        made = self.session.counts.made
        if len(made) < 2:
            return
        with panel("Tables of this source"):
            paragraph(
                f"These {how_many(len(made), 'table')} are safe together. Forget a table only if nobody has seen it, because "
                "later ones then disregard it."
            )
            with ui.element("div").classes("rows").props('tabindex=0 role=region aria-label="Tables of this source"'):
                for number, each in enumerate(made, 1):
                    self._one(number, each)

    def _one(self, number: int, table: CountedTable) -> None:
        with ui.element("div").classes("line"):
            gone, rows = table.suppressed
            where = "not saved" if table.saved is None else f"saved in {table.saved.folder.name}"
            ui.label(f"{number}. {table.title}: {gone:,} of {how_many(rows, 'count')} suppressed, {where}").classes("grow")
            if table is not self.session.counts.shown:
                ui.button("Show", on_click=lambda: self._look_at(table)).props(f'flat aria-label="Show table {number}"')
            if table in self.session.counts.discardable:
                ui.button("Forget", on_click=lambda: self._forget(table)).props(f'flat aria-label="Forget table {number}"')

    def _look_at(self, table: CountedTable) -> None:
        self.session.counts.shown = table
        self.watch()

    def _forget(self, table: CountedTable) -> None:
        self.session.counts.discard([table])
        self.watch()
