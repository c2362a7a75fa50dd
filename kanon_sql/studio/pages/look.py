"""The page Look: a release next to its source, and next to another release."""

from __future__ import annotations

from typing import Any

from nicegui import run as threads
from nicegui import ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.model.how_many import how_many
from kanon_sql.model.policy import Policy
from kanon_sql.report.measured import Measured
from kanon_sql.report.unit import MeasuredUnit, unit_text
from kanon_sql.studio.frontier import Point, frontier
from kanon_sql.studio.look import attacker, suppressed_by
from kanon_sql.studio.pages.charts import bars, scatter
from kanon_sql.studio.pages.frame import counted, figures, needs_source, note, page, panel, paragraph, rows_table
from kanon_sql.studio.rows import first_rows
from kanon_sql.studio.run import Run
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import K, Source

ROWS = 50
"""Released rows that the page shows."""


def build(session: Session) -> None:
    """Register the page."""

    @ui.page("/look")
    async def look(number: int = 0, other: int = 0) -> None:
        with page(session, "/look", "Look"):
            if not needs_source(session) or session.source is None:
                return
            if not session.released:
                paragraph("There is no release yet.")
                ui.link("Make one on the Solve page", "/solve")
                return
            runs = {each.number: each for each in session.released}
            run = runs.get(number, session.released[-1])
            _choose(runs, run, runs.get(other))
            chosen = [each for each in (run, runs.get(other)) if each is not None]
            facts = await counted("Comparing the release with its source", lambda: [session.look(each) for each in chosen])
            if facts is None:
                return
            if len(facts) > 1:
                _compared(run, runs[other], *facts)
            _release(session, session.source, run, facts[0])


def _choose(runs: dict[int, Run], run: Run, other: Run | None) -> None:
    with ui.element("div").classes("line"):
        names = {number: each.name for number, each in runs.items()}
        left = ui.select(names, label="Release", value=run.number).classes("grow")
        right = ui.select({0: "nothing", **names}, label="Compare with", value=other.number if other else 0).classes("grow")
        for each in (left, right):
            each.on_value_change(lambda: ui.navigate.to(f"/look?number={left.value}&other={right.value}"))


def _facts(run: Run, facts: Measured) -> list[tuple[str, str]]:
    certificate, _ = run.release
    return [
        ("guarantee", ", ".join(certificate.requirements)),
        ("cost", f"{float(certificate.cost):,.0f}, at least {float(certificate.lower_bound):,.0f} proven"),
        ("suppressed cells", f"{certificate.suppressed_cells:,} of {certificate.cells:,} ({certificate.suppressed_share:.1%})"),
        ("people", unit_text(facts.unit, facts.rows)),
        *(_of_rows(facts) if facts.unit.source is None else _of_people(facts.unit, facts.unit.source)),
        ("rows of the smallest class", f"{facts.sizes[1]['k']:,}; in the source {facts.sizes[0]['k']:,}"),
    ]


def _of_rows(facts: Measured) -> list[tuple[str, str]]:
    before, after = facts.risk
    averages = (f"{each['prosecutor_risk_average']:.2%}" for each in (after, before))
    return [
        ("risk of the worst row", _risk(after["prosecutor_risk"], before["prosecutor_risk"])),
        ("average risk of a row", "; in the source ".join(averages)),
        ("rows alone in their class", f"{after['uniques']:,}; in the source {before['uniques']:,}"),
    ]


def _of_people(unit: MeasuredUnit, source: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the figures of people, which the guarantee counts."""
    alone = "0" if unit.at_least > 1 else "not counted"
    return [
        ("people of the smallest class", f"{unit.smallest}; in the source {source['k'] or 0:,}"),
        ("risk of the worst person", _risk(unit.risk, source["prosecutor_risk"])),
        ("people alone in their class", f"{alone}; in the source {source['uniques']:,}"),
    ]


def _risk(after: float | None, before: float | None) -> str:
    now, was = ("-" if each is None else f"{each:.1%}" for each in (after, before))
    return f"{now}; in the source {was}"


def _compared(run: Run, other: Run, facts: Measured, other_facts: Measured) -> None:
    with panel(f"{run.name} and {other.name}"), ui.element("div").classes("columns"):
        for each, measured in ((run, facts), (other, other_facts)):
            with ui.element("div"):
                paragraph(each.name)
                figures(_facts(each, measured))


def _release(session: Session, source: Source, run: Run, facts: Measured) -> None:
    with ui.element("div").classes("columns"):
        with ui.element("div"):
            with panel("Guarantee and loss"):
                figures(_facts(run, facts))
                for each in run.release[0].warnings:
                    paragraph(f"Warning: {each}.", "bad")
            _attacker(source, run)
            with panel("Suppressed share of each column"):
                hidden = [(each.name, 100 * each.suppressed / facts.rows if facts.rows else 0.0) for each in facts.columns]
                bars("Suppressed cells in percent, by column", [name for name, _ in hidden], [("%", [s for _, s in hidden])])
            _groups(source, run)
            if facts.masks:
                with panel("Columns suppressed together"):
                    for mask in facts.masks:
                        paragraph(f"{', '.join(mask.hidden) or 'nothing'}: {mask.rows:,} rows")
        with ui.element("div"):
            with panel("Rows by the size of their class"):
                bars(
                    "Rows by the size of their class, in source and release",
                    [each.label for each in facts.class_sizes],
                    [
                        ("source", [each.before for each in facts.class_sizes]),
                        ("release", [each.after for each in facts.class_sizes]),
                    ],
                )
            _column(facts)
            _sensitive(facts)
            all_releases(session, source)
    with panel(f"The first {ROWS} released rows, in their order"):
        names, rows = first_rows(run.release[1], ROWS)
        rows_table(names, rows, "Released rows")


def _attacker(source: Source, run: Run) -> None:
    certificate, _ = run.release
    names = [qi.column for qi in Policy.from_json(certificate.policy).quasi_identifiers]
    with panel("What an attacker finds"):
        chosen = ui.select(names, label="The attacker knows", value=names[:3], multiple=True).classes("full").props("use-chips")
        status = ui.label("").props("role=status")

        async def count() -> None:
            if not chosen.value:
                status.set_text("Someone who knows nothing finds every row.")
                return
            try:
                found = await threads.io_bound(attacker, source, run, list(chosen.value))
            except Exception as error:
                note(error_line(error))
                return
            if found is not None:
                before, after, people = found
                fewest = f"rows of at least {how_many(after, 'person', 'people')}" if people else f"at least {after:,} rows"
                status.set_text(
                    f"Someone who knows these {len(chosen.value)} columns finds {fewest} in the release. "
                    f"In the source, it was {before:,}."
                )

        chosen.on_value_change(count)
        ui.timer(0, count, once=True)


def _groups(source: Source, run: Run) -> None:
    """Show who loses most: the suppressed share of the rows of each value of a column."""
    certificate, rows = run.release
    policy = Policy.from_json(certificate.policy)
    sensitive, counted = policy.sensitive, "rows" if policy.people is None else "people"
    with panel("Suppressed share of each group"):

        @ui.refreshable
        def shares(name: str, found: list[tuple[str, float]]) -> None:
            if found:
                labels, values = [value for value, _ in found], [100 * share for _, share in found]
                bars(f"Suppressed cells in percent, by {name}", labels, [("%", values)])
            paragraph(
                f"Quasi-identifier cells, for the most frequent values. Only values of at least {K} {counted} are shown.",
                "muted",
            )

        async def count() -> None:
            try:
                found = await threads.io_bound(suppressed_by, source, run, chosen.value)
            except Exception as error:
                note(error_line(error))
            else:
                shares.refresh(chosen.value, found or [])

        tokens = set(run.draft.pseudonyms)
        names = [name for name in rows.column_names if name not in tokens]
        first = sensitive[0] if sensitive and sensitive[0] in names else names[0]
        chosen = ui.select(names, label="Rows by", value=first, on_change=count).classes("full")
        shares(first, [])
        ui.timer(0, count, once=True)


def _column(facts: Measured) -> None:
    if not facts.columns:
        return
    by_name = {each.name: each for each in facts.columns}
    with panel("Values before and after"):

        @ui.refreshable
        def values(name: str) -> None:
            each = by_name[name]
            if each.bars:
                bars(
                    f"Rows with each value of {name}, before and after",
                    [bar.label for bar in each.bars],
                    [("source", [bar.before for bar in each.bars]), ("release", [bar.after for bar in each.bars])],
                )
            paragraph(
                f"{each.suppressed:,} cells are suppressed and {each.coarsened:,} are generalized. Only values of at least "
                f"{facts.least} released rows are shown.",
                "muted",
            )

        ui.select(
            list(by_name), label="Column", value=facts.columns[0].name, on_change=lambda event: values.refresh(event.value)
        ).classes("full")
        values(facts.columns[0].name)


def _sensitive(facts: Measured) -> None:
    for each in facts.sensitive:
        with panel(f"Sensitive column {each.name}"):
            for counted in facts.requirements:
                if f"({each.name}" in counted.text or f'("{each.name}"' in counted.text:
                    paragraph(f"{counted.text}: {counted.found}.")
            if each.distances:
                bars(
                    f"Rows by the distance of {each.name} in their class from the whole table",
                    [bar.label for bar in each.distances],
                    [("rows", [bar.after for bar in each.distances])],
                )
                paragraph(
                    "Rows by the distance between their class and the whole table: 0 if the values are distributed alike, 1 if "
                    "they share no value.",
                    "muted",
                )


def all_releases(session: Session, source: Source) -> None:
    """Show every release as a point, and a field for the queries that will be run on it."""
    if len(session.released) < 2:
        return
    with panel("All releases: risk and loss"):

        @ui.refreshable
        def points(found: list[Point]) -> None:
            queried = all(each.error is not None for each in found)
            said = "error of the queries" if queried else "loss"
            shown = [(each.name, each.risk, each.error or 0.0 if queried else each.loss) for each in found]
            scatter(
                f"Risk of the worst row and {said}, of every release",
                [(name, 100 * risk, 100 * loss) for name, risk, loss in shown],
                "risk of the worst row, %",
                f"{said}, %",
            )
            figures([(name, f"risk {risk:.1%}, {said} {loss:.1%}") for name, risk, loss in shown])

        points(frontier(source, session.released))
        paragraph("Write the queries that users will run on the release, to compare releases by their errors.", "muted")
        text = (
            ui.textarea("Queries", value=session.queries, placeholder="SELECT sex, count(*) FROM patients GROUP BY sex;")
            .classes("full")
            .props("autogrow")
        )

        async def measure() -> None:
            session.queries = text.value or ""
            button.set_enabled(False)
            try:
                points.refresh(await threads.io_bound(frontier, source, session.released, session.queries))
            except Exception as error:
                note(error_line(error))
            button.set_enabled(True)

        button = ui.button("Measure the errors", on_click=measure).props("outline")
